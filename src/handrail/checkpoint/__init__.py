"""Saves and restores a work tree through git plumbing."""

from handrail.checkpoint.checkpoints import Checkpoints
from handrail.checkpoint.errors import CheckpointError
from handrail.checkpoint.record import About, Conversation, Coverage, LeftOut, Moment, Record
from handrail.checkpoint.saving import Saved
from handrail.checkpoint.way import Level, Preview, Restored, Way
from handrail.checkpoint.work_tree import checkpoint_folder, work_tree_of

__all__ = [
    "About",
    "CheckpointError",
    "Checkpoints",
    "Conversation",
    "Coverage",
    "LeftOut",
    "Level",
    "Moment",
    "Preview",
    "Record",
    "Restored",
    "Saved",
    "Way",
    "checkpoint_folder",
    "work_tree_of",
]
