"""Which files checkpoints take in: not ignored, not too large, not left out."""

import os
from collections.abc import Iterable, Sequence
from tempfile import TemporaryDirectory

from handrail.checkpoint.files import folders_above
from handrail.checkpoint.git.runner import Git, join_lines, join_paths
from handrail.checkpoint.record import LeftOut
from handrail.checkpoint.save.changed_paths import usable_patterns
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

IGNORE_FILE = ".gitignore"
_HERE = "./"
"""In front of a name that would otherwise mean something to git: `:(top)x`."""


def uncovered_paths(
    git: Git,
    paths: Sequence[str],
    sizes: Sequence[int],
    settings: Settings,
    left_out: Iterable[LeftOut],
) -> set[str]:
    """Of these files, those that no checkpoint takes in; `left_out`: by the last checkpoint."""
    most = settings.max_file_mb * MEGABYTE
    found = {path for path, size in zip(paths, sizes, strict=True) if size > most}
    gaps = {each.path for each in left_out}
    found.update(path for path in paths if not gaps.isdisjoint((path, *folders_above(path))))
    rest = [path for path in paths if path not in found]
    return found | ignored_paths(git, rest, settings.include)


def ignored_paths(git: Git, paths: Sequence[str], include: Sequence[str]) -> set[str]:
    """The paths that git ignores, except those that a pattern includes."""
    ignored = _ignored(git, paths)
    return ignored - _included(git, ignored, include)


def _included(git: Git, ignored: Iterable[str], include: Sequence[str]) -> set[str]:
    """Ignored files that the checkpoint holds, because a pattern includes them."""
    folders = {folder for path in ignored for folder in folders_above(path)}
    closed = _ignored(git, sorted(folders))
    open_ones = [path for path in ignored if closed.isdisjoint(folders_above(path))]
    # In a file, others would mean something else than on the command line.
    patterns = [
        each for each in usable_patterns(include) if each == each.strip() and "\n" not in each
    ]
    if not open_ones or not patterns:
        return set()
    with TemporaryDirectory(prefix="handrail-") as folder:  # others may do the same meanwhile
        alone = git.with_work_tree(os.path.realpath(folder))
        with open(os.path.join(folder, IGNORE_FILE), "wb") as file:
            file.write(join_lines(patterns))
        asked = ("check-ignore", "--no-index", "-v", "-z", "--stdin")
        found = alone.paths(*asked, given=_joined(open_ones), good=(0, 1))
        # Each is told by four: where the pattern stands, in which line, what it is, the path.
        return {
            path.removeprefix(_HERE)
            for where, path in zip(found[::4], found[3::4], strict=True)
            if where == IGNORE_FILE
        }


def _ignored(git: Git, paths: Sequence[str]) -> set[str]:
    # 1: none of them.
    asked = ("check-ignore", "--no-index", "-z", "--stdin")
    found = git.paths(*asked, given=_joined(paths), good=(0, 1)) if paths else ()
    return {path.removeprefix(_HERE) for path in found}


def _joined(paths: Iterable[str]) -> bytes:
    return join_paths([_HERE + path for path in paths])
