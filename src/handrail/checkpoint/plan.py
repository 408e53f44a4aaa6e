"""What has to be done so that a work tree is as it was."""

import os
import shutil
from collections.abc import Iterator, Sequence

import msgspec

from handrail.checkpoint.blobs import open_blobs
from handrail.checkpoint.git import Git, join_paths

LINK = "120000"
PROGRAM = "100755"
_ABSENT = "000000"
_HERE = "./"
"""In front of a name that would otherwise mean something to git: `:(top)x`."""


class Change(msgspec.Struct, frozen=True):
    """One path that differs: how it is now, and how it was."""

    path: str
    old_mode: str
    mode: str
    blob: str

    @property
    def creates(self) -> bool:
        """It is not there now."""
        return self.old_mode == _ABSENT

    @property
    def deletes(self) -> bool:
        """It was not there then."""
        return self.mode == _ABSENT


class Plan(msgspec.Struct, frozen=True):
    """The way from one saved state to another."""

    changes: tuple[Change, ...]
    kept: tuple[str, ...] = ()
    """Files that were not saved then because they were ignored: they may have been there."""


def make_plan(git: Git, now: str, target: str) -> Plan:
    """The paths that differ between two commits."""
    fields = git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", now, target)
    changes = list(_read(fields.split(b"\0")))
    ignored = _ignored_then(git, target, [each.path for each in changes if each.deletes])
    return Plan(tuple(each for each in changes if each.path not in ignored), tuple(sorted(ignored)))


def _read(fields: Sequence[bytes]) -> Iterator[Change]:
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, mode, _, blob, _ = head.decode().lstrip(":").split()
        yield Change(os.fsdecode(path), old_mode, mode, blob)


def _ignored_then(git: Git, target: str, paths: Sequence[str]) -> set[str]:
    """Those of the paths that the .gitignore files of a commit leave out."""
    if not paths:
        return set()
    scratch = os.path.join(os.path.dirname(git.directory), "scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    os.mkdir(scratch, 0o700)
    try:
        _write_ignore_files(git, target, scratch)
        then = git.elsewhere(scratch)
        named = join_paths([_HERE + path for path in paths])
        # 1: none of them.
        found = then.paths("check-ignore", "--no-index", "-z", "--stdin", given=named, good=(0, 1))
        return {path.removeprefix(_HERE) for path in found}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _write_ignore_files(git: Git, target: str, folder: str) -> None:
    with open_blobs(git) as read:
        for line in git.run("ls-tree", "-r", "-z", target).split(b"\0"):
            head, _, path = line.partition(b"\t")
            if os.path.basename(path) != b".gitignore" or head.startswith(LINK.encode()):
                continue
            full = os.path.join(os.fsencode(folder), path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(read(head.split()[2].decode()))
