"""Saves and restores a work tree through git plumbing."""

from handrail.checkpoint.checkpoints import Checkpoints, Restored, Saved
from handrail.checkpoint.errors import CheckpointError
from handrail.checkpoint.staging import LeftOut
from handrail.checkpoint.work_tree import checkpoint_folder, work_tree_of

__all__ = [
    "CheckpointError",
    "Checkpoints",
    "LeftOut",
    "Restored",
    "Saved",
    "checkpoint_folder",
    "work_tree_of",
]
