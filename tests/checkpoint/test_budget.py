"""A checkpoint takes in only so much, and knows what it has left out."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.checkpoint import CheckpointInfo, CheckpointRecord, LeftOut
from handrail.checkpoint.errors import GitTooSlowError, NothingSavedError
from handrail.checkpoint.files import folders_above
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.save import size_limits, staging
from handrail.checkpoint.save.coverage import MAX_LEFT_OUT, bounded_coverage
from handrail.checkpoint.save.size_limits import (
    DISK_FULL,
    CandidateFile,
    too_large,
    within_limits,
)
from handrail.checkpoint.save.staging import NO_TIME
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def save(bench: CheckpointProject, settings: Settings, seconds: float = 0.0) -> CheckpointRecord:
    return bench.of(bench.tree, settings).save(CheckpointInfo(), seconds=seconds).record


def left_out(record: CheckpointRecord) -> list[str]:
    return [each.path for each in record.coverage.left_out]


def test_a_file_that_grew_too_large_is_not_taken_for_deleted(project: CheckpointProject) -> None:
    settings = Settings(max_file_mb=1)
    project.write("a.txt", "a")
    project.write("log.txt", "short")
    before = save(project, settings)
    project.write("log.txt", bytes(MEGABYTE + 1))
    after = save(project, settings)
    assert after.coverage.left_out == (LeftOut("log.txt", too_large(settings)),)
    assert set(project.held(after)) == {"a.txt"}
    project.write("log.txt", "short again")
    assert set(project.held(save(project, settings))) == {"a.txt", "log.txt"}
    assert before.coverage.complete


def test_a_file_of_exactly_the_limit_is_held(project: CheckpointProject) -> None:
    project.write("a.bin", bytes(MEGABYTE))
    assert save(project, Settings(max_file_mb=1)).coverage.complete


def test_what_is_left_out_makes_a_checkpoint_of_its_own(project: CheckpointProject) -> None:
    """Else it would look as if it had not been there at that time."""
    settings = Settings(max_file_mb=1)
    project.write("a.txt", "a")
    before = save(project, settings)
    project.write("huge.bin", bytes(MEGABYTE + 1))
    after = save(project, settings)
    assert (after.number, after.tree) == (before.number + 1, before.tree)
    project.write("huge.bin", bytes(MEGABYTE + 2))
    assert save(project, settings) == after


def test_of_too_many_new_files_the_fullest_folder_is_left_out(project: CheckpointProject) -> None:
    project.write("src/main.py", "main")
    for number in range(12):
        project.write(f"data/raw/{number}.csv", "1")
    project.write("data/readme.txt", "r")
    record = save(project, Settings(max_files=10))
    assert left_out(record) == ["data/raw/"]
    assert set(project.held(record)) == {"src/main.py", "data/readme.txt"}
    assert not record.coverage.unfinished


def test_a_folder_with_saved_files_is_not_left_out_as_a_whole(project: CheckpointProject) -> None:
    project.write("data/saved.csv", "0")
    save(project, Settings())
    for number in range(6):
        project.write(f"data/a/{number}.csv", "1")
    record = save(project, Settings(max_files=5))
    assert left_out(record) == ["data/a/"]
    assert set(project.held(record)) == {"data/saved.csv"}


def test_files_outside_of_folders_are_left_out_by_name_the_largest_first(
    project: CheckpointProject,
) -> None:
    for number in range(5):
        project.write(f"{number}.txt", "x" * (number + 1))
    assert left_out(save(project, Settings(max_files=3))) == ["3.txt", "4.txt"]


def test_changed_files_do_not_count_as_new_ones(project: CheckpointProject) -> None:
    for number in range(3):
        project.write(f"{number}.txt", "x")
    save(project, Settings())
    for number in range(3):
        project.write(f"{number}.txt", "changed")
    assert save(project, Settings(max_files=1)).coverage.complete


def test_the_next_checkpoint_goes_on_where_this_one_stopped(project: CheckpointProject) -> None:
    settings = Settings(max_mb=1, max_file_mb=1)
    for number in range(3):
        project.write(f"{number}.bin", os.urandom(600_000))
    assert left_out(save(project, settings)) == ["1.bin", "2.bin"]
    assert left_out(save(project, settings)) == ["2.bin"]
    assert left_out(save(project, settings)) == []


def test_a_disk_that_is_nearly_full_is_not_filled(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.txt", "a")
    project.save()
    project.write("b.txt", "b" * 100)
    project.write("c.txt", "c")
    monkeypatch.setattr(size_limits, "_room", lambda _: 50)
    record = project.save().record
    assert record.coverage.left_out == (LeftOut("b.txt", DISK_FULL),)
    assert set(project.held(record)) == {"a.txt", "c.txt"}


def test_a_first_checkpoint_that_would_be_empty_is_none(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.txt", "a")
    monkeypatch.setattr(size_limits, "_room", lambda _: -1)
    with pytest.raises(NothingSavedError, match=DISK_FULL):
        project.save()
    assert list(project.checkpoints.newest_first()) == []


def test_files_that_cannot_be_taken_in_leave_an_honest_empty_checkpoint(
    project: CheckpointProject,
) -> None:
    project.write("huge.bin", bytes(MEGABYTE + 1))
    record = save(project, Settings(max_file_mb=1))
    assert left_out(record) == ["huge.bin"]
    assert record.files == 0


@pytest.mark.usefixtures("by_git")
def test_what_there_was_no_time_for_is_said_and_done_the_next_time(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("tracked.txt", "1")
    project.save()
    project.write("tracked.txt", "2")
    project.write("small.txt", "s")
    project.write("larger.txt", "larger")
    monkeypatch.setattr(staging, "_BATCH_FILES", 1)
    with monkeypatch.context() as patched:
        patched.setattr(staging._StagingPass, "_add_batch", slow_after(1))
        record = project.save().record
    assert record.coverage.unfinished
    assert record.coverage.left_out == (
        LeftOut("larger.txt", NO_TIME),
        LeftOut("small.txt", NO_TIME),
    )
    assert project.held(record) == {"tracked.txt": b"2"}
    finished = project.save().record
    assert finished.coverage.complete
    assert set(project.held(finished)) == {"tracked.txt", "small.txt", "larger.txt"}


@pytest.mark.usefixtures("by_git")
def test_a_changed_file_without_time_is_not_held_as_it_was_before(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.txt", "a")
    project.write("b.txt", "b")
    project.save()
    project.write("b.txt", "other")
    with monkeypatch.context() as patched:
        patched.setattr(staging._StagingPass, "_add_batch", slow_after(0))
        record = project.save().record
    assert project.held(record) == {"a.txt": b"a"}
    assert record.coverage.unfinished


def slow_after(batches: int) -> object:
    """Taking in, for which there is no more time after some batches."""
    real = staging._StagingPass._add_batch
    done = 0

    def add(self: staging._StagingPass, git: Git, batch: list[CandidateFile]) -> None:
        nonlocal done
        if done == batches:
            raise GitTooSlowError("update-index", 0)
        done += 1
        real(self, git, batch)

    return add


@pytest.mark.usefixtures("by_git")
def test_a_batch_that_hangs_costs_only_what_it_holds(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("a.txt", "a")
    project.save()
    project.write("b.txt", "b")
    real = project.environ["PATH"]
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(
        '#!/bin/sh\ncase "$*" in *"update-index --add"*) exec sleep 600;; esac\n'
        f'PATH={real} exec git "$@"\n'
    )
    fake.chmod(0o755)
    project.environ["PATH"] = f"{fake.parent}:{real}"
    record = project.of(project.tree).save(CheckpointInfo(), seconds=2).record
    assert record.coverage == bounded_coverage([LeftOut("b.txt", NO_TIME)], list, unfinished=True)
    fake.unlink()
    assert project.save().record.coverage.complete


def test_a_long_list_is_told_by_folders_that_hold_nothing_else() -> None:
    many = [LeftOut(f"data/{number}/x.bin", "why") for number in range(MAX_LEFT_OUT)]
    mixed = [LeftOut("src/big.bin", "why"), LeftOut("top.bin", "why")]
    coverage = bounded_coverage([*many, *mixed], lambda: ["src/main.py", "a.txt"])
    assert [each.path for each in coverage.left_out] == ["data/", "src/big.bin", "top.bin"]
    assert not coverage.unfinished


def test_a_list_that_stays_too_long_is_cut_and_says_so() -> None:
    many = [LeftOut(f"{number}.bin", "why") for number in range(MAX_LEFT_OUT + 1)]
    coverage = bounded_coverage(many, list)
    assert len(coverage.left_out) == MAX_LEFT_OUT
    assert coverage.unfinished


def test_a_name_that_cannot_be_written_down_makes_the_list_inexact() -> None:
    coverage = bounded_coverage([LeftOut(os.fsdecode(b"\xff.bin"), "why")], list)
    assert coverage.left_out == (LeftOut("\\udcff.bin", "why"),)
    assert coverage.unfinished


_paths = st.lists(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), unique=True
)


@given(_paths, _paths, st.integers(1, 6))
def test_every_file_is_taken_or_named_and_no_saved_one_is_below_a_named_folder(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], known: list[str], most: int
) -> None:
    new = [CandidateFile(f"{path}.x", 1, 0o100644) for path in paths]
    saved = [f"{path}.x" for path in known]
    new = [file for file in new if file.path not in saved]
    settings = Settings(max_files=most)
    taken = within_limits([], new, lambda: saved, settings, str(tmp_path_factory.getbasetemp()))
    named = {each.path for each in taken.left_out}
    assert len(taken.files) <= most
    for file in new:
        is_named = bool(named.intersection([file.path, *folders_above(file.path)]))
        assert is_named == (file not in taken.files)
    for path in saved:
        assert not named.intersection(folders_above(path))
