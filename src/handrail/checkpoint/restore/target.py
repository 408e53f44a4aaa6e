"""The target of a restore: which changes a person wants undone."""

from enum import StrEnum

import msgspec

from handrail.checkpoint.record import CheckpointRecord, LeftOut


class UndoLevel(StrEnum):
    """How much is undone."""

    ACTION = "action"
    ITERATION = "iteration"
    TASK = "task"
    CHECKPOINT = "checkpoint"
    """Everything since a checkpoint."""
    REDO = "redo"
    """The last restore itself."""


class RestoreTarget(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The changes to take back: from one checkpoint to a later one, or until now."""

    level: UndoLevel
    target: CheckpointRecord
    base: CheckpointRecord | None = None
    """None: as the files are now."""
    run: str = ""
    """Whose changes to take back; changes of others are conflicts. Empty: anybody's."""
    says: str = ""
    """The undone part in a line: "action 212 of run shop (Bash: git clean -fdx)"."""
    only: tuple[str, ...] = ()
    """Files and folders to put back, by their paths in the work tree; empty: all."""


class FileRestoreAction(StrEnum):
    """How a restore changes a file."""

    CHANGE = "change"
    CREATE = "create"
    DELETE = "delete"


class RestoreItem(msgspec.Struct, frozen=True, rename="camel"):
    """One file that a restore changes."""

    path: str
    does: FileRestoreAction
    bytes: int = 0
    """How large it becomes; of a deleted one, how large it is."""


class SparedFile(msgspec.Struct, frozen=True, rename="camel"):
    """A file that differs and is left alone all the same."""

    path: str
    why: str
    conflict: bool = False
    """Somebody else has changed it since; `over` overwrites it."""
    unwritable: bool = False
    """It should be restored, but the file system does not allow it."""


class RestorePreview(msgspec.Struct, frozen=True, rename="camel"):
    """The preview of a restore."""

    way: RestoreTarget
    now: str
    """The tree of the files now, so that a restore changes only what the preview showed."""
    items: tuple[RestoreItem, ...] = ()
    spared: tuple[SparedFile, ...] = ()
    head: str = ""
    """The commit of the user's own repository now; it stays there."""


class RestoreResult(msgspec.Struct, frozen=True, rename="camel"):
    """The result of a restore, compared afterwards."""

    undo: CheckpointRecord
    """The checkpoint of the files before, which undoes the restore."""
    after: CheckpointRecord
    """The checkpoint of the files after."""
    items: tuple[RestoreItem, ...] = ()
    spared: tuple[SparedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the restore changed."""
        return tuple(item.path for item in self.items)
