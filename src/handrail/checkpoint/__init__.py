"""Saves and restores a work tree through git plumbing."""

from handrail.checkpoint.errors import CheckpointError
from handrail.checkpoint.record import (
    CheckpointInfo,
    CheckpointRecord,
    CheckpointTrigger,
    ConversationPosition,
    Coverage,
    LeftOut,
)
from handrail.checkpoint.restore.target import (
    RestorePreview,
    RestoreResult,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.save.writer import SavedCheckpoint
from handrail.checkpoint.store import CheckpointStore
from handrail.checkpoint.work_tree import checkpoint_folder, work_tree_of

__all__ = [
    "CheckpointError",
    "CheckpointInfo",
    "CheckpointRecord",
    "CheckpointStore",
    "CheckpointTrigger",
    "ConversationPosition",
    "Coverage",
    "LeftOut",
    "RestorePreview",
    "RestoreResult",
    "RestoreTarget",
    "SavedCheckpoint",
    "UndoLevel",
    "checkpoint_folder",
    "work_tree_of",
]
