"""The files of work trees, by the lanes in which the daemon orders all saves and restores."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

import msgspec

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointStore,
    RestorePreview,
    RestoreTarget,
    UndoLevel,
)
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.fleet.rollback.tree_files import TreeRestored
from handrail.server.files.restore_messages import RestoreReply

T = TypeVar("T")


class FileLanes(Protocol):
    """Opens checkpoints, and orders the work on the files of a folder."""

    def checkpoints(self, folder: str, settings: Settings | None = None) -> CheckpointStore:
        """Open the checkpoints of a folder's project."""

    def worked(self, folder: str) -> tuple[str, ...]:
        """Return the runs that worked there since the last checkpoint."""

    def count(self, folder: str, checkpoints: CheckpointStore) -> None:
        """Count a new checkpoint; every few of them, tidy up."""

    def put(self, folder: str, work: Callable[[], T]) -> "Future[T]":
        """Run a job in a thread, after all earlier jobs on the files of the same folder."""


class Restores(Protocol):
    """Restores files, and holds the runs that work in them meanwhile."""

    async def roll_back(
        self, cwd: str, checkpoint: str, run: str, *, over: bool = False
    ) -> RestoreReply:
        """Restore the files of a checkpoint."""


class LaneTreeFiles:
    """Called in threads other than the event loop's, which it waits for."""

    def __init__(
        self,
        lanes: FileLanes,
        restores: Restores,
        settings: Settings,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._lanes = lanes
        self._restores = restores
        self._settings = settings
        self._loop = loop

    def save(self, path: str, about: CheckpointInfo) -> str:
        """Save the files of a work tree; return the id of the checkpoint."""
        about = msgspec.structs.replace(about, by=self._lanes.worked(path))
        store = self._lanes.checkpoints(path, self._settings)
        saved = self._lanes.put(path, lambda: store.save(about)).result()
        if saved.is_new:
            self._lanes.count(path, store)
        return saved.record.id

    def preview(self, path: str, checkpoint: str) -> RestorePreview:
        """Say what a restore would change."""
        store, by = self._lanes.checkpoints(path, self._settings), self._lanes.worked(path)

        def look() -> RestorePreview:
            way = RestoreTarget(UndoLevel.CHECKPOINT, store.find(checkpoint))
            return store.preview(way, by=by)

        return self._lanes.put(path, look).result()

    def restore(self, path: str, checkpoint: str, *, over: bool = False) -> TreeRestored:
        """Restore files by difference, after a checkpoint of the files of now."""
        work = self._restores.roll_back(path, checkpoint, "", over=over)
        back = asyncio.run_coroutine_threadsafe(work, self._loop).result()
        return TreeRestored(
            back.undo,
            tuple(each.path for each in back.items),
            tuple(f"{each.path}: {each.why}" for each in back.spared),
            back.problem,
        )

    def release(self, path: str, checkpoint: str) -> None:
        """Let a checkpoint go when its time has come."""
        store = self._lanes.checkpoints(path, self._settings)
        self._lanes.put(path, lambda: store.release(checkpoint)).result()
