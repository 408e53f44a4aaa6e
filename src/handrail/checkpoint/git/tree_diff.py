"""The differences between saved trees."""

import os
from collections.abc import Iterator, Sequence

import msgspec

from handrail.checkpoint.errors import DamagedCheckpointError
from handrail.checkpoint.git.file_content import FileContent
from handrail.checkpoint.git.runner import Git

MAX_NAMED = 500
"""Most paths on a command line."""
_ABSENT = "000000"
_REPOSITORY = "160000"


class TreeChange(msgspec.Struct, frozen=True):
    """One path that differs, before and after."""

    path: str
    old_mode: str
    old_blob: str
    mode: str
    blob: str

    @property
    def before(self) -> FileContent | None:
        """The old content; None: the path is new."""
        return None if self.creates else FileContent(self.old_mode, self.old_blob)

    @property
    def after(self) -> FileContent | None:
        """The new content; None: the path is deleted."""
        return None if self.deletes else FileContent(self.mode, self.blob)

    @property
    def creates(self) -> bool:
        """Whether the path is new."""
        return self.old_mode == _ABSENT

    @property
    def deletes(self) -> bool:
        """Whether the path is deleted."""
        return self.mode == _ABSENT


def tree_changes(git: Git, *pairs: tuple[str, str]) -> list[list[TreeChange]]:
    """For each two trees the files that differ: one process for all of them."""
    asked = "".join(f"{old} {new}\n" for old, new in pairs).encode()
    options = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    found: list[list[TreeChange]] = []
    for part in _read(git.run("diff-tree", "--stdin", *options, given=asked)):
        if part is None:
            found.append([])
        elif _REPOSITORY not in (part.old_mode, part.mode):
            found[-1].append(part)
    if len(found) != len(pairs):  # git skips a tree that it cannot read
        raise DamagedCheckpointError("a checkpoint on the way")
    return found


def tree_entries(git: Git, paths: Sequence[str]) -> list[TreeChange]:
    """Files of the index as changes that change nothing of their content."""
    if not paths:
        return []
    named = ("--", *paths) if len(paths) <= MAX_NAMED else ()
    listed = git.run("--literal-pathspecs", "ls-files", "-s", "-z", *named).split(b"\0")
    found = {
        path: head.decode().split() for head, _, path in (each.partition(b"\t") for each in listed)
    }
    known = ((path, found.get(os.fsencode(path))) for path in paths)
    return [TreeChange(path, mode[0], mode[1], mode[0], mode[1]) for path, mode in known if mode]


def _read(data: bytes) -> Iterator[TreeChange | None]:
    """Each change; None where the next two trees begin."""
    at = 0
    while at < len(data):
        if data[at : at + 1] != b":":
            at = data.index(b"\n", at) + 1
            yield None
            continue
        middle = data.index(b"\0", at)
        end = data.index(b"\0", middle + 1)
        old_mode, mode, old_blob, blob, _ = data[at + 1 : middle].decode().split()
        yield TreeChange(os.fsdecode(data[middle + 1 : end]), old_mode, old_blob, mode, blob)
        at = end + 1
