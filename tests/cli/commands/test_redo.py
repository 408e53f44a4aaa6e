"""`handrail redo`: the last undo is taken back, once."""

import pytest
from tests.cli.undo_project import AFTER, BEFORE, UndoProject

pytestmark = pytest.mark.slow


def test_an_undo_is_redone(project: UndoProject) -> None:
    project.shell.run("undo", "--yes")
    ran = project.shell.run("redo", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == AFTER
    assert " ✓ 3 changes redone" in ran.out


def test_what_was_redone_is_not_redone_again(project: UndoProject) -> None:
    project.shell.run("undo", "--yes")
    project.shell.run("redo", "--yes")
    ran = project.shell.run("redo", "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing to redo: no undo is left to take back" in ran.err


def test_a_redo_can_be_gone_back_from(project: UndoProject) -> None:
    project.shell.run("undo", "--yes")
    out = project.shell.run("redo", "--yes").out
    [command] = [line.partition(": handrail ")[2] for line in out.splitlines() if "back: " in line]
    assert project.shell.run(*command.split(), "--yes").code == 0
    assert project.files == BEFORE


def test_what_a_person_has_made_since_the_undo_is_kept(project: UndoProject) -> None:
    project.shell.run("undo", "--yes")
    project.write("cart.py", "total = 3\n")
    ran = project.shell.run("redo", "--yes")
    assert ran.code == 1
    assert "   keep      cart.py " in ran.out
    assert project.files == {**AFTER, "cart.py": "total = 3\n"}
