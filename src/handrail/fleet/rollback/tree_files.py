"""The port to the files of work trees: whoever holds the checkpoint room implements it."""

from typing import Protocol

import msgspec

from handrail.checkpoint import CheckpointInfo, RestorePreview


class TreeRestored(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a restore."""

    undo: str = ""
    """The checkpoint of the files before."""
    files: tuple[str, ...] = ()
    """The files that changed."""
    spared: tuple[str, ...] = ()
    """Files that differ and stayed, each with the reason."""
    problem: str = ""


class TreeFiles(Protocol):
    """Saves and restores work trees; every method blocks, and may raise CheckpointError."""

    def save(self, path: str, about: CheckpointInfo) -> str:
        """Save the files of a work tree; return the id of the checkpoint."""

    def preview(self, path: str, checkpoint: str) -> RestorePreview:
        """Say what a restore would change."""

    def restore(self, path: str, checkpoint: str, *, over: bool = False) -> TreeRestored:
        """Restore files by difference, after a checkpoint of the files of now.

        `over`: also those that others changed.
        """

    def release(self, path: str, checkpoint: str) -> None:
        """Let a checkpoint go when its time has come."""
