"""What a fleet does when a disk gets short."""

import shutil
from pathlib import Path

import pytest

from handrail.config.fleet import DiskThresholds
from handrail.fleet.disk_space import DiskLevel, check_disks, disk_level, free_megabytes

DEFAULTS = DiskThresholds()


@pytest.mark.parametrize(
    ("free_mb", "level"),
    [
        (5000, DiskLevel.OK),
        (1000, DiskLevel.OK),
        (999.9, DiskLevel.WARN),
        (500, DiskLevel.WARN),
        (499, DiskLevel.PAUSE),
        (100, DiskLevel.PAUSE),
        (99, DiskLevel.STOP),
        (0, DiskLevel.STOP),
    ],
)
def test_less_space_is_worse(free_mb: float, level: DiskLevel) -> None:
    assert disk_level(free_mb, DEFAULTS) is level


def test_a_threshold_of_nothing_is_never_reached() -> None:
    assert disk_level(0, DiskThresholds(0, 0, 0)) is DiskLevel.OK
    assert disk_level(0, DiskThresholds(warn_mb=10, pause_mb=0, stop_mb=0)) is DiskLevel.WARN


def test_the_shortest_disk_counts_and_is_named() -> None:
    free = {"/state": 4000.0, "/trees": 420.0}
    report = check_disks(map(Path, free), DEFAULTS, lambda folder: free[str(folder)])
    assert (report.level, report.folder) == (DiskLevel.PAUSE, "/trees")
    assert report.says == "420 MB are free at /trees: the fleet starts no new task"


def test_enough_space_needs_no_words() -> None:
    assert check_disks([Path("/a")], DEFAULTS, lambda _: 9000.0).says == ""


def test_a_disk_that_cannot_be_asked_stops_nobody() -> None:
    assert check_disks([Path("/a")], DEFAULTS, lambda _: None).level is DiskLevel.OK
    assert check_disks([], DEFAULTS).level is DiskLevel.OK


def test_a_folder_that_is_not_there_yet_is_on_the_disk_of_the_one_above(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path, tmp_path / "not" / "yet", tmp_path / "file" / "below"):
        free = free_megabytes(folder)
        assert free is not None
        assert 0 <= free <= shutil.disk_usage(tmp_path).total / 1_000_000
