"""Checkpoints, undo and rollback."""

from typing import Literal

import msgspec

PathFate = Literal[
    "restore", "delete", "change", "keep", "refuse", "new", "changed", "deleted", "renamed"
]


class CheckpointRow(msgspec.Struct, frozen=True):
    """A saved point."""

    id: str
    name: str
    run: str
    run_name: str
    step: int
    at: float
    why: str
    files: int
    partial: bool
    commit: str


class CheckpointList(msgspec.Struct, frozen=True):
    """The checkpoints of a folder, the newest first."""

    folder: str
    items: tuple[CheckpointRow, ...]
    next: str


class PathChange(msgspec.Struct, frozen=True):
    """One file in a preview or a diff."""

    path: str
    how: PathFate
    """In a preview, what happens to it; the last four: in a diff, what has happened to it."""
    says: str
    """Why, or whose: `made by that action`, `changed since by you`."""
    bytes: int
    added: int = 0
    removed: int = 0
    """Lines, in a diff."""


class DiffReply(msgspec.Struct, frozen=True):
    """The difference between a checkpoint and the files now."""

    checkpoint: str
    changes: tuple[PathChange, ...]
    diff: str
    cut: bool


class RestoreOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to undo."""

    folder: str
    level: Literal["action", "iteration", "task", "checkpoint", "redo"]
    run: str = ""
    step: int = 0
    checkpoint: str = ""
    expects: str = ""
    """The `expects` of the preview that the person saw: changed files refuse the restore."""
    over: bool = False
    """Overwrite also what others have changed since."""
    git: bool = False
    """Take back commits, branches, tags, stashes and the index, too: for an action, an iteration,
    a task, and their redo."""
    keep: bool = False
    """Of a fleet: keep the workspaces that were made since."""


class PreviewAnswer(msgspec.Struct, frozen=True):
    """What a restore would do; nothing has changed."""

    says: str
    checkpoint: str
    expects: str
    changes: tuple[PathChange, ...]
    diff: str
    tasks_in_progress: tuple[str, ...]
    tasks_completed: tuple[str, ...]
    commits: tuple[str, ...]
    merges: tuple[str, ...]
    """What will be lost, one line each."""
    warnings: tuple[str, ...]
    fleet: bool = False
    """The whole fleet of the folder goes back: tasks, workspaces, merges and files."""


class RestoreOutcome(msgspec.Struct, frozen=True):
    """What a restore did."""

    says: str
    restored: tuple[str, ...]
    spared: tuple[str, ...]
    redo: str
    """The checkpoint that undoes this restore."""


class CheckpointOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Save the files of a folder now."""

    folder: str
    name: str = ""
