"""The differences between two saved trees, for people to read."""

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from handrail.checkpoint.git.runner import Git, GitDeadline

_SECONDS = 60.0
_OPTIONS = ("diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv")


class ChangeKind(StrEnum):
    """How a file changed from one tree to the other."""

    NEW = "new"
    CHANGED = "changed"
    DELETED = "deleted"
    RENAMED = "renamed"


class ChangedFile(msgspec.Struct, frozen=True, rename="camel"):
    """One file that differs."""

    path: str
    became: ChangeKind
    added: int = 0
    """Lines."""
    deleted: int = 0
    binary: bool = False
    before: str = ""
    """The old name of a renamed file."""


class Comparison:
    """Two trees of a private folder of checkpoints, or some paths of them; only reads."""

    def __init__(
        self,
        folder: str,
        work_tree: str,
        trees: tuple[str, str],
        paths: Sequence[str] = (),
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """`paths`: as seen from the work tree, files or folders; none: everything."""
        deadline = GitDeadline(_SECONDS)
        git, no_index = (os.path.join(folder, name) for name in ("git", "no-index"))
        self._git = Git(git, no_index, work_tree, deadline, environ)
        self._trees = trees
        self._paths = [f":(top,literal){path}" for path in paths]

    def files(self) -> list[ChangedFile]:
        """Every file that differs, by its path."""
        data = self._git.run(
            *_OPTIONS, "-z", "--raw", "--numstat", *self._trees, "--", *self._paths
        )
        return sorted(_read(data), key=lambda each: each.path)

    def patch(self) -> bytes:
        """The differences as git shows them."""
        return self._git.run(*_OPTIONS, "-p", *self._trees, "--", *self._paths)

    def knows(self, path: str) -> bool:
        """Whether one of the trees holds this file or folder."""
        listed = ("ls-tree", "-z", "--name-only")
        return not path or any(self._git.run(*listed, tree, "--", path) for tree in self._trees)


_LETTERS = {"A": ChangeKind.NEW, "D": ChangeKind.DELETED, "R": ChangeKind.RENAMED}


def _read(data: bytes) -> list[ChangedFile]:
    """Read the kind of change of each file, then the counts of its lines."""
    fields = iter(os.fsdecode(field) for field in data.split(b"\0"))
    found: dict[str, ChangedFile] = {}
    for field in fields:
        if field.startswith(":"):
            became = _LETTERS.get(field.split()[-1][0], ChangeKind.CHANGED)
            before = next(fields) if became is ChangeKind.RENAMED else ""
            path = next(fields)
            found[path] = ChangedFile(path, became, before=before)
        elif field:
            added, deleted, path = field.split("\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            found[path] = msgspec.structs.replace(
                found[path],
                added=0 if added == "-" else int(added),
                deleted=0 if deleted == "-" else int(deleted),
                binary=added == "-",
            )
    return list(found.values())
