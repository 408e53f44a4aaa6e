"""What a person wants undone: a way from how the files are to how they were."""

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
    """Which changes are taken back: those from one checkpoint to a later one, or until now."""

    level: UndoLevel
    target: CheckpointRecord
    base: CheckpointRecord | None = None
    """None: as the files are now."""
    run: str = ""
    """Whose changes; what others changed meanwhile is a conflict. Empty: anybody's."""
    says: str = ""
    """What is undone, in a line: "action 212 of run shop (Bash: git clean -fdx)"."""


class FileRestoreAction(StrEnum):
    """What a restore does to a file."""

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
    """Somebody else has changed it since; it can be overwritten if that is wanted."""


class RestorePreview(msgspec.Struct, frozen=True, rename="camel"):
    """What a restore would do."""

    way: RestoreTarget
    now: str
    """The tree of how the files are, so that nothing else is restored than what was seen."""
    items: tuple[RestoreItem, ...] = ()
    spared: tuple[SparedFile, ...] = ()
    head: str = ""
    """The commit of the user's own repository now; it stays there."""


class RestoreResult(msgspec.Struct, frozen=True, rename="camel"):
    """What a restore has done, and compared afterwards."""

    undo: CheckpointRecord
    """The checkpoint that was taken just before, which undoes it."""
    after: CheckpointRecord
    """The checkpoint of what is there now."""
    items: tuple[RestoreItem, ...] = ()
    spared: tuple[SparedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that is other than it was."""
        return tuple(item.path for item in self.items)
