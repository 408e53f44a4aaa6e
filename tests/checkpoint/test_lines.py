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

from .conftest import CheckpointProject
from .test_redo import acted

pytestmark = pytest.mark.slow


def empty_list(inside: Path) -> None:
    (inside / ".git/info/exclude").write_text("")


def no_repository(inside: Path) -> None:
    shutil.rmtree(inside / ".git")


@pytest.mark.parametrize("change", [empty_list, no_repository])
def test_what_a_nested_repository_ignored_by_its_own_list_is_never_deleted(
    project: CheckpointProject, change: Callable[[Path], None]
) -> None:
    project.repository()
    inside = repository(project, "lib", "code.py")
    project.write("lib/.git/info/exclude", "own.log\n")
    project.write("lib/own.log", "there all the time")
    before = project.save().record
    assert "lib/own.log" not in project.held(before)
    change(inside)
    project.write("lib/code.py", "other")
    assert "lib/own.log" in project.held(project.save().record)
    restored = project.restore(before)
    assert restored.files == ("lib/code.py",)
    assert [each.path for each in restored.spared] == ["lib/own.log"]


def test_local_settings_of_a_nested_repository_are_in_its_first_checkpoint(
    project: CheckpointProject,
) -> None:
    project.repository()
    repository(project, "lib", "code.py")
    project.write("lib/.gitignore", ".env\n")
    project.write("lib/.env", "KEY=1")
    first = project.save().record
    assert project.held(first)["lib/.env"] == b"KEY=1"
    project.write("lib/code.py", "other")
    project.save()
    project.restore(first)
    assert (project.tree / "lib/.env").read_text() == "KEY=1"


def test_a_record_is_written_with_the_fields_that_others_read(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    about = CheckpointInfo(
        name="before-auth-refactor",
        case_states={"task-001": "done", "task-002": "active"},
        state_snapshot=StateSnapshot("fix the login"),
        agent_states=(AgentState("echo-001", "task-002", 5),),
    )
    record = project.checkpoints.save(about).record
    written = msgspec.json.decode((project.folder / "records" / "c1.json").read_bytes())
    assert written["name"] == "before-auth-refactor"
    assert written["createdAt"].endswith("Z")
    assert written["gitCommit"] == record.git_commit
    assert written["caseStates"] == {"task-001": "done", "task-002": "active"}
    assert written["stateSnapshot"]["goal"] == "fix the login"
    assert written["agentStates"] == [{"id": "echo-001", "taskId": "task-002", "iteration": 5}]
    assert msgspec.convert(written, CheckpointRecord) == record


def test_one_file_with_several_names_goes_back(project: CheckpointProject) -> None:
    project.write("a.txt", "1")
    os.link(project.tree / "a.txt", project.tree / "b.txt")
    before = project.save().record
    project.write("a.txt", "2")
    assert project.content() == {"a.txt": b"2", "b.txt": b"2"}
    project.restore(before)
    assert project.content() == {"a.txt": b"1", "b.txt": b"1"}


def test_a_task_whose_start_is_kept_no_more_is_said_to_be_a_part(
    project: CheckpointProject,
) -> None:
    for step in range(8):
        acted(project, step, a=str(step))
    project.of(project.tree, Settings(keep=3)).tidy()
    way = restore_target(list(project.checkpoints.newest_first()), UndoLevel.TASK)
    assert (way.target.id, way.says) == (
        "c6",
        "everything that run A did since step 5: no older checkpoint is there",
    )
