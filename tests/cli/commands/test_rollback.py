"""`handrail rollback`: everything goes back, by id or name, and the way on is told."""

import re

import pytest
from tests.cli.undo_project import AFTER, BEFORE, RUN, UndoProject, answer

from handrail.checkpoint import CheckpointTrigger


def test_a_rollback_tells_where_the_conversation_was(project: UndoProject) -> None:
    ran = project.shell.run("rollback", "c1", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == BEFORE
    [command] = re.findall(r"(?m)^   (cd .*)$", ran.out)
    assert command.startswith(f"cd {project.path} && claude -p --resume {RUN} ")
    assert " --resume-session-at m-17 " in command


def test_only_the_files_go_back_if_one_wants_that(project: UndoProject) -> None:
    ran = project.shell.run("rollback", "c1", "--files", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == BEFORE
    assert "claude" not in ran.out


def test_a_rollback_goes_by_name(project: UndoProject) -> None:
    project.shell.run("checkpoint", "good")
    project.counter.by = (RUN,)
    project.write("cart.py", "total = 9\n")
    ran = project.shell.run("rollback", "good", "--yes")
    assert ran.code == 0
    assert ran.out.startswith(" Roll back to c3 good, 0 s ago\n")
    assert project.files == AFTER


def test_where_nothing_differs_there_is_nothing_to_do(project: UndoProject) -> None:
    ran = project.shell.run("rollback", "c2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(" Nothing to do: the files already match.\n")


def test_where_all_was_changed_by_others_one_is_asked_for_that(
    project: UndoProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.shell.run("checkpoint", "mine")
    project.write("passing.txt", "x")
    project.save(CheckpointTrigger.AFTER_ACTION, "after step 3", step=3, by=(RUN,))
    (project.path / "passing.txt").unlink()
    project.save(CheckpointTrigger.AFTER_ACTION, "after step 4", step=4, by=(RUN,))
    project.write("cart.py", "total = 7\n")
    project.shell.run("checkpoint")
    code, out = answer("y\n", monkeypatch, "rollback", "mine")
    assert " Overwrite 1 kept file? [y/N] " in out
    assert code == 0
    assert project.files == AFTER


def test_where_no_agent_has_worked_a_person_takes_back_what_they_did(project: UndoProject) -> None:
    project.shell.run("checkpoint", "mine")
    project.write("cart.py", "total = 7\n")
    project.shell.run("checkpoint")
    ran = project.shell.run("rollback", "mine", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == AFTER


def test_the_conversation_goes_back_where_the_files_are_as_they_were(project: UndoProject) -> None:
    ran = project.shell.run("rollback", "c1", "--yes")
    again = project.shell.run("rollback", "c1")
    assert (again.code, again.err) == (0, "")
    assert "Nothing to do: the files already match." in again.out
    assert again.out.count("--resume-session-at m-17") == ran.out.count("--resume-session-at m-17")
