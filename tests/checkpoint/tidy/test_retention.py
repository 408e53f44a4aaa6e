"""Which checkpoints are forgotten, and which never are."""

import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.checkpoint import CheckpointInfo, CheckpointRecord, CheckpointTrigger
from handrail.checkpoint.tidy.retention import ALWAYS_KEPT, expired_checkpoints
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow

_NOW = 1_800_000_000.0
_DAY = 86_400.0
_SMALL = Settings(keep=5, keep_days=10, quota_mb=100)


def record(number: int, days: float = 0.0, tree: str = "/shop", **more: object) -> CheckpointRecord:
    """A checkpoint that was taken so many days ago."""
    made = CheckpointRecord(
        number=number,
        created_at=datetime.fromtimestamp(_NOW - days * _DAY, UTC),
        git_commit=f"{number:040x}",
        tree="",
        work_tree=tree,
    )
    return msgspec.structs.replace(made, **more)


def forgotten(
    records: list[CheckpointRecord], used_mb: int = 0, gone: tuple[str, ...] = ()
) -> list[int]:
    found = expired_checkpoints(records, _SMALL, _NOW, used_mb * MEGABYTE, gone)
    return [each.number for each in found]


def test_more_than_enough_are_forgotten_the_oldest_first() -> None:
    assert forgotten([record(number) for number in range(1, 9)]) == [1, 2, 3]


def test_those_that_are_too_old_are_forgotten() -> None:
    assert forgotten([record(1, 12), record(2, 11), *map(record, (3, 4, 5))]) == [1, 2]


def test_the_last_three_stay_whatever_their_age() -> None:
    assert forgotten([record(number, 100) for number in range(1, 6)]) == [1, 2]


def test_named_ones_stay_and_do_not_count() -> None:
    named = [record(number, 100, name=f"n{number}") for number in (1, 2)]
    assert forgotten([*named, *map(record, range(3, 9))]) == [3]


def test_each_work_tree_is_looked_at_alone() -> None:
    shop = [record(number) for number in range(1, 6)]
    linked = [record(number, tree="/linked") for number in range(6, 11)]
    assert forgotten([*shop, *linked]) == []


def test_of_a_work_tree_that_is_no_more_the_last_go_with_their_age() -> None:
    old = [record(number, 11, tree="/gone") for number in (1, 2, 3)]
    young = [record(number, 9, tree="/gone") for number in (4, 5)]
    assert forgotten([*old, *young], gone=("/gone",)) == [1, 2, 3]
    assert forgotten([*old, *young]) == [1, 2]


def test_a_clock_that_was_ahead_costs_nothing() -> None:
    ahead = [record(number, -4000) for number in range(1, 4)]
    assert forgotten([*ahead, record(4), record(5)]) == []


def test_what_a_restore_needs_to_be_undone_stays_with_it() -> None:
    restored = record(9, moment=CheckpointTrigger.RESTORED, undo="c2", back_to="c1")
    others = [record(number, 11) for number in (1, 2, 3)]
    last = [restored, record(10), record(11)]
    assert forgotten([*others, *last]) == [3]
    redone = msgspec.structs.replace(restored, redone=True)
    assert forgotten([*others, redone, *last[1:]]) == [1, 2, 3]


def test_too_much_takes_the_oldest_until_a_tenth_is_free() -> None:
    records = [record(number, bytes=20 * MEGABYTE) for number in range(1, 6)]
    assert forgotten(records, used_mb=100) == []
    assert forgotten(records, used_mb=101) == [1]
    assert forgotten(records, used_mb=120) == [1, 2]


def test_too_much_never_takes_the_last_and_the_named() -> None:
    records = [record(1, name="good"), *map(record, range(2, 6))]
    assert forgotten(records, used_mb=100_000) == [2]


_records = st.lists(
    st.builds(
        lambda days, tree, name, size: (days, tree, name, size),
        st.floats(-50, 50),
        st.sampled_from(["/a", "/b"]),
        st.sampled_from(["", "", "", "n"]),
        st.integers(0, 50 * MEGABYTE),
    ),
    max_size=25,
)


@given(_records, st.integers(0, 1000))
def test_the_last_and_the_named_are_never_forgotten(
    facts: list[tuple[float, str, str, int]], used_mb: int
) -> None:
    records = [
        record(number, days, tree, name=name, bytes=size)
        for number, (days, tree, name, size) in enumerate(facts, 1)
    ]
    gone = set(forgotten(records, used_mb))
    for tree in ("/a", "/b"):
        of_tree = [each.number for each in records if each.work_tree == tree]
        assert not gone.intersection(of_tree[-ALWAYS_KEPT:])
        assert len([n for n in of_tree if n not in gone and not records[n - 1].name]) <= 5
    assert not gone & {each.number for each in records if each.name}


@given(_records)
def test_what_is_left_is_left_the_next_time_too(facts: list[tuple[float, str, str, int]]) -> None:
    records = [
        record(number, days, tree, name=name, bytes=size)
        for number, (days, tree, name, size) in enumerate(facts, 1)
    ]
    gone = forgotten(records)
    assert forgotten([each for each in records if each.number not in gone]) == []


# On a disk.


def test_a_forgotten_checkpoint_is_no_longer_listed_and_has_no_ref(
    project: CheckpointProject,
) -> None:
    for number in range(6):
        project.write("a.txt", f"{number}")
        project.save()
    few = project.of(project.tree, Settings(keep=3))
    assert few.tidy().forgotten == ("c1", "c2", "c3")
    assert [each.id for each in few.newest_first()] == ["c6", "c5", "c4"]
    assert refs(project) == ["c4", "c5", "c6"]
    assert few.tidy().forgotten == ()


def test_a_ref_without_a_record_is_swept(project: CheckpointProject) -> None:
    for number in range(2):
        project.write("a.txt", f"{number}")
        project.save()
    (project.folder / "records" / "c1.json").unlink()  # as if killed before the ref was removed
    assert project.checkpoints.tidy().forgotten == ()
    assert refs(project) == ["c2"]


def test_a_record_that_cannot_be_read_keeps_its_ref(project: CheckpointProject) -> None:
    """It may be of a newer Handrail."""
    project.write("a.txt", "1")
    project.save()
    (project.folder / "records" / "c1.json").write_text('{"number": "one"}')
    project.checkpoints.tidy()
    assert refs(project) == ["c1"]


def test_a_record_whose_commit_is_lost_is_removed(project: CheckpointProject) -> None:
    packs = project.folder / "git" / "objects" / "pack"
    project.write("a.txt", "1")
    project.save()
    before = set(packs.iterdir())
    project.write("a.txt", "2")
    project.save()
    for file in set(packs.iterdir()) - before:
        file.unlink()
    assert project.checkpoints.tidy().forgotten == ("c2",)
    assert [each.id for each in project.checkpoints.newest_first()] == ["c1"]


def test_a_store_that_is_lost_as_a_whole_costs_no_record(project: CheckpointProject) -> None:
    """It may be a disk that comes back."""
    project.write("a.txt", "1")
    project.save()
    objects = project.folder / "git" / "objects"
    objects.rename(project.folder / "elsewhere")
    objects.mkdir()
    assert project.checkpoints.tidy().forgotten == ()
    assert [each.id for each in project.checkpoints.newest_first()] == ["c1"]


def test_the_checkpoints_of_a_removed_work_tree_are_kept_and_its_index_is_not(
    project: CheckpointProject,
) -> None:
    linked = project.home / "linked"
    linked.mkdir()
    (linked / "a.txt").write_text("a")
    project.of(linked).save(CheckpointInfo(why="a test"))
    project.write("b.txt", "b")
    project.save()
    (linked / "a.txt").unlink()
    linked.rmdir()
    assert len(list(project.folder.glob("index-*"))) == 2
    assert project.checkpoints.tidy().forgotten == ()
    assert len(list(project.folder.glob("index-*"))) == 1


def test_what_does_not_fit_is_made_to_fit(project: CheckpointProject) -> None:
    for _ in range(8):
        project.write("noise.bin", os.urandom(300_000))
        project.save()
    tidied = project.of(project.tree, Settings(quota_mb=1)).tidy()
    assert tidied.forgotten == ("c1", "c2", "c3", "c4", "c5")
    assert tidied.bytes < 1_100_000
    assert tidied.problem == ""


def test_what_cannot_be_made_to_fit_is_said(project: CheckpointProject) -> None:
    for _ in range(3):
        project.write("noise.bin", os.urandom(500_000))
        project.save()
    tidied = project.of(project.tree, Settings(quota_mb=1)).tidy()
    assert tidied.forgotten == ()
    assert "checkpoints.quota_mb" in tidied.problem


def test_nothing_is_forgotten_where_that_would_free_hardly_anything(
    project: CheckpointProject,
) -> None:
    """A project that is larger than the quota keeps its history: it is the files that are large."""
    project.write("noise.bin", os.urandom(1_200_000))
    for number in range(6):
        project.write("a.txt", f"{number}")
        project.save()
    tidied = project.of(project.tree, Settings(quota_mb=1)).tidy()
    assert tidied.forgotten == ()
    assert "checkpoints.quota_mb" in tidied.problem


def test_where_nothing_was_ever_saved_nothing_is_made(project: CheckpointProject) -> None:
    assert project.checkpoints.tidy().bytes == 0
    assert not project.folder.exists()


def test_a_work_tree_that_is_no_more_can_be_tidied(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    (project.tree / "a.txt").unlink()
    project.tree.rmdir()
    assert project.checkpoints.tidy().problem == ""


# Where it is kept.


def test_a_private_folder_that_is_a_link_is_refused(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.folder.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    project.folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is not a folder"):
        project.save()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_private_folder_of_somebody_else_is_refused(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.folder.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: project.folder.stat().st_uid + 1)
    with pytest.raises(ValueError, match="belongs to somebody else"):
        project.save()


def test_a_private_folder_that_others_may_read_is_closed_to_them(
    project: CheckpointProject,
) -> None:
    project.folder.mkdir(parents=True)
    project.folder.chmod(0o755)
    project.save()
    assert project.folder.stat().st_mode & 0o777 == 0o700


def test_state_in_a_repository_is_not_committed_by_mistake(project: CheckpointProject) -> None:
    project.repository()
    project.folder = project.tree / "state"
    project.of(project.tree).save(CheckpointInfo(why="a test"))
    assert project.git("status", "--porcelain") == ""


def refs(bench: CheckpointProject) -> list[str]:
    directory = bench.folder / "git"
    found = bench.git("for-each-ref", "--format=%(refname:lstrip=2)", at=directory).split()
    return sorted(found)
