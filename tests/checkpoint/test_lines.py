"""Sentences of the requirements that no other test shows."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointRecord, UndoLevel
from handrail.checkpoint.record import AgentState
from handrail.checkpoint.restore.undo_levels import restore_target
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.model.checkpoint import StateSnapshot
from tests.checkpoint.git.test_nested_repositories import repository

from .conftest import Bench
from .test_redo import acted


def empty_list(inside: Path) -> None:
    (inside / ".git/info/exclude").write_text("")


def no_repository(inside: Path) -> None:
    shutil.rmtree(inside / ".git")


@pytest.mark.parametrize("change", [empty_list, no_repository])
def test_what_a_nested_repository_ignored_by_its_own_list_is_never_deleted(
    bench: Bench, change: Callable[[Path], None]
) -> None:
    bench.repository()
    inside = repository(bench, "lib", "code.py")
    bench.write("lib/.git/info/exclude", "own.log\n")
    bench.write("lib/own.log", "there all the time")
    before = bench.save().record
    assert "lib/own.log" not in bench.held(before)
    change(inside)
    bench.write("lib/code.py", "other")
    assert "lib/own.log" in bench.held(bench.save().record)
    restored = bench.restore(before)
    assert restored.files == ("lib/code.py",)
    assert [each.path for each in restored.spared] == ["lib/own.log"]


def test_local_settings_of_a_nested_repository_are_in_its_first_checkpoint(bench: Bench) -> None:
    bench.repository()
    repository(bench, "lib", "code.py")
    bench.write("lib/.gitignore", ".env\n")
    bench.write("lib/.env", "KEY=1")
    first = bench.save().record
    assert bench.held(first)["lib/.env"] == b"KEY=1"
    bench.write("lib/code.py", "other")
    bench.save()
    bench.restore(first)
    assert (bench.tree / "lib/.env").read_text() == "KEY=1"


def test_a_record_is_written_with_the_fields_that_others_read(bench: Bench) -> None:
    bench.write("a.txt", "a")
    about = CheckpointInfo(
        name="before-auth-refactor",
        case_states={"task-001": "done", "task-002": "active"},
        state_snapshot=StateSnapshot("fix the login"),
        agent_states=(AgentState("echo-001", "task-002", 5),),
    )
    record = bench.checkpoints.save(about).record
    written = msgspec.json.decode((bench.folder / "records" / "c1.json").read_bytes())
    assert written["name"] == "before-auth-refactor"
    assert written["createdAt"].endswith("Z")
    assert written["gitCommit"] == record.git_commit
    assert written["caseStates"] == {"task-001": "done", "task-002": "active"}
    assert written["stateSnapshot"]["goal"] == "fix the login"
    assert written["agentStates"] == [{"id": "echo-001", "taskId": "task-002", "iteration": 5}]
    assert msgspec.convert(written, CheckpointRecord) == record


def test_one_file_with_several_names_goes_back(bench: Bench) -> None:
    bench.write("a.txt", "1")
    os.link(bench.tree / "a.txt", bench.tree / "b.txt")
    before = bench.save().record
    bench.write("a.txt", "2")
    assert bench.content() == {"a.txt": b"2", "b.txt": b"2"}
    bench.restore(before)
    assert bench.content() == {"a.txt": b"1", "b.txt": b"1"}


def test_a_task_whose_start_is_kept_no_more_is_said_to_be_a_part(bench: Bench) -> None:
    for step in range(8):
        acted(bench, step, a=str(step))
    bench.of(bench.tree, Settings(keep=3)).tidy()
    way = restore_target(list(bench.checkpoints.newest_first()), UndoLevel.TASK)
    assert (way.target.id, way.says) == (
        "c6",
        "everything that run A did since step 5: no older checkpoint is there",
    )
