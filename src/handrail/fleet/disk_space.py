"""The free space on the disks of a fleet, and what a fleet does when it gets short."""

import shutil
from collections.abc import Callable, Iterable
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from handrail.config.checkpoints import MEGABYTE
from handrail.config.fleet import DiskThresholds


class DiskLevel(IntEnum):
    """How short the free space is; a higher one is worse."""

    OK = 0
    WARN = 1
    PAUSE = 2
    """No new task starts."""
    STOP = 3
    """All agents stop."""


class DiskReport(NamedTuple):
    """The shortest disk of a fleet."""

    level: DiskLevel
    folder: str = ""
    """Empty: no disk could be asked."""
    free_mb: float = 0.0

    @property
    def says(self) -> str:
        """Say it in words; "" if there is enough."""
        if self.level is DiskLevel.OK:
            return ""
        return f"{self.free_mb:,.0f} MB are free at {self.folder}: {_MEANS[self.level]}"


_MEANS = {
    DiskLevel.WARN: "it is getting short",
    DiskLevel.PAUSE: "the fleet starts no new task",
    DiskLevel.STOP: "the fleet stops all agents; free some space, then `handrail run --resume`",
}


def disk_level(free_mb: float, thresholds: DiskThresholds) -> DiskLevel:
    """Return how short a disk with so much free space is."""
    for level, below in (
        (DiskLevel.STOP, thresholds.stop_mb),
        (DiskLevel.PAUSE, thresholds.pause_mb),
        (DiskLevel.WARN, thresholds.warn_mb),
    ):
        if free_mb < below:
            return level
    return DiskLevel.OK


def free_megabytes(folder: Path) -> float | None:
    """Return the free space where a folder is or will be; None: nobody can say."""
    for each in (folder, *folder.parents):
        try:
            return shutil.disk_usage(each).free / MEGABYTE
        except OSError:  # it is not there yet, or not ours to look at: ask the folder above
            continue
    return None


def check_disks(
    folders: Iterable[Path],
    thresholds: DiskThresholds,
    free: Callable[[Path], float | None] = free_megabytes,
) -> DiskReport:
    """Return the state of the shortest of the disks that hold these folders."""
    seen = [(free_mb, folder) for folder in folders if (free_mb := free(folder)) is not None]
    if not seen:
        return DiskReport(DiskLevel.OK)
    free_mb, folder = min(seen)
    return DiskReport(disk_level(free_mb, thresholds), str(folder), free_mb)
