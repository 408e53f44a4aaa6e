"""Files whose bytes in the work tree may differ from those in the user's repository."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from handrail.checkpoint.files import replace_file, scratch_folder
from handrail.checkpoint.git.index_file import GitIndex, changed_ns
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.user_repository import RepositoryDirectories, read_text

_ATTRIBUTES = ("filter", "ident", "working-tree-encoding")
"""Other conversions (ends of lines) always make another size."""
_MENTIONED = re.compile("filter|ident|encoding")
_NONE = (b"unspecified", b"unset")
_FILE = ".gitattributes"
_MAX_BYTES = 1_000_000
_USUAL = "~/.config/git/attributes"
_ASKED = ("--type=path", "--get", "core.attributesFile")


def filtered_paths(
    git: Git, where: RepositoryDirectories, index: GitIndex, folders: Iterable[bytes]
) -> set[bytes]:
    """Names of files that may have been converted to other bytes of the same length."""
    changed = tuple(_changed(git.work_tree, index))
    found = {name for name in index.names if name.startswith(changed)} if changed else set()
    everywhere = _of_user(git, where)
    own = os.path.join(where.common, "info", "attributes")
    sources = [os.path.join(git.work_tree, os.fsdecode(each), _FILE) for each in folders]
    if any(_MENTIONED.search(read_text(each, _MAX_BYTES)) for each in (*sources, own, everywhere)):
        found |= _asked(git, own, everywhere, index.names)
    return found


def _changed(work_tree: str, index: GitIndex) -> Iterator[bytes]:
    """Folders whose attributes have changed since git read their files."""
    ending = _FILE.encode()
    for at, name in enumerate(index.names):
        if name.endswith(ending) and not _is_as_known(work_tree, name, index.records[at]):
            yield name.removesuffix(ending)


def _is_as_known(work_tree: str, name: bytes, record: bytes) -> bool:
    try:
        now = os.lstat(os.path.join(os.fsencode(work_tree), name))
    except OSError:
        return False
    return now.st_mtime_ns == changed_ns(record)


def _of_user(git: Git, where: RepositoryDirectories) -> str:
    """The user's file with attributes for all repositories."""
    # Read as a file of settings: nothing that it names is run, nothing else is read.
    config = os.path.join(where.common, "config")
    if os.path.isfile(config):
        asked = ("config", "--file", config, "--no-includes", *_ASKED)
        if own := os.fsdecode(git.run(*asked, good=(0, 1))).strip():
            return own
    return git.with_user_settings().text("config", "--global", "--default", _USUAL, *_ASKED)


def _asked(git: Git, own: str, everywhere: str, names: Sequence[bytes]) -> set[bytes]:
    with scratch_folder(git.directory, "asking") as directory:
        _make_bare(directory, read_text(own, _MAX_BYTES))
        said = git.run(
            *(f"--git-dir={directory}", "-c", f"core.attributesFile={everywhere}"),
            *("check-attr", "-z", "--stdin", *_ATTRIBUTES),
            given=b"".join(name + b"\0" for name in names),
        ).split(b"\0")
    return {name for name, says in zip(said[::3], said[2::3], strict=False) if says not in _NONE}


def _make_bare(directory: str, attributes: str) -> None:
    """Make a git directory with the user's own rules: the private one overrules all others."""
    for folder in ("objects", "refs", "info"):
        os.mkdir(os.path.join(directory, folder), 0o700)
    for name, text in (("HEAD", "ref: refs/heads/none\n"), ("info/attributes", attributes)):
        replace_file(os.path.join(directory, name), os.fsencode(text))
