"""Writes trees, commit and ref of a checkpoint by one git process, into one pack.

An object in a file of its own costs more than all the rest: a file is made for it, and waited for
until it is on the disk.
"""

import glob
import os
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from handrail.checkpoint.errors import GitError
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.tree_diff import TreeChange

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without any file."""
ABSENT = b"000000"
"""The mode of a file that is not there."""
_SETTINGS = {"fastimport.unpackLimit": "0", "pack.compression": "1"}
"""However few objects: they go into a pack, and soon."""
_WHO = b"committer Handrail <handrail@localhost> %d +0000\n"
_ESCAPED = {b"\\": b"\\\\", b'"': b'\\"', b"\n": b"\\n"}


class IndexChange(msgspec.Struct, frozen=True):
    """A path whose entry in the index differs from a tree."""

    path: bytes
    mode: bytes
    blob: bytes
    data: bytes | None = None
    """The content, unless the store has it already."""

    @classmethod
    def of(cls, change: TreeChange) -> "IndexChange":
        """The new side of a change between trees."""
        return cls(os.fsencode(change.path), change.mode.encode(), change.blob.encode())

    @property
    def is_gone(self) -> bool:
        """Whether the index does not hold the path any more."""
        return self.mode == ABSENT

    @property
    def line(self) -> bytes:
        """The change as a line for `git fast-import`."""
        path = self.path
        for plain, escaped in _ESCAPED.items():
            path = path.replace(plain, escaped)
        if self.is_gone:
            return b'D "%b"\n' % path
        if self.data is not None:
            head = (self.mode, path, len(self.data))
            return b'M %b inline "%b"\ndata %d\n%b\n' % (*head, self.data)
        return b'M %b %b "%b"\n' % (self.mode, self.blob, path)


class CommitResult(msgspec.Struct, frozen=True):
    """The ids of a new commit and its tree."""

    commit: str
    tree: str


def index_changes(git: Git, tree: str) -> list[IndexChange]:
    """How the index differs from a tree."""
    # Files that are only announced, because they are still to be read, are in no tree.
    how = ("--cached", "--ita-invisible-in-index", "-z", "--raw", "--no-renames", "--no-abbrev")
    asked = ("diff-index", *how, tree)
    fields = git.run(*asked).split(b"\0")
    entries = zip((head.split() for head in fields[:-1:2]), fields[1::2], strict=True)
    return [IndexChange(path, mode, blob) for (_, mode, _, blob, _), path in entries]


def write_commit(
    git: Git, ref: str, tree: str, changes: Sequence[IndexChange], message: str, now: float
) -> CommitResult:
    """A commit without parents of a tree with changes, and a ref to it."""
    said = os.fsencode(message)
    # First what is gone: a file may be in the place of a folder now, or the other way.
    ordered = sorted(changes, key=lambda change: not change.is_gone)
    lines = [
        b"feature done\ncommit %b\nmark :1\n" % ref.encode(),
        _WHO % max(int(now), 0),
        b"data %d\n%b\n" % (len(said), said),
        b'M 040000 %b ""\n' % tree.encode() if tree != EMPTY else b"",
        *(change.line for change in ordered),
        b'\nget-mark :1\nls :1 ""\ndone\n',
    ]
    try:
        # By force: what was never finished may have left a ref of the same name.
        given = b"".join(lines)
        out = git.with_settings(_SETTINGS).run("fast-import", "--quiet", "--force", given=given)
    except GitError:
        for report in glob.glob(os.path.join(glob.escape(git.directory), "fast_import_crash_*")):
            with suppress(FileNotFoundError):
                os.unlink(report)
        raise
    made, _, _, made_tree = out.decode().split()  # COMMIT LF 040000 SP tree SP TREE TAB LF
    return CommitResult(made, made_tree)
