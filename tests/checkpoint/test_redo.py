"""Every undo can be undone: undo, undo, redo, redo is where it began."""

import pytest

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointRecord,
    CheckpointTrigger,
    RestoreResult,
    UndoLevel,
)
from handrail.checkpoint.restore.undo_levels import restore_target

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def acted(bench: CheckpointProject, step: int, **files: str) -> CheckpointRecord:
    """An action of a run that wrote these files."""
    for path, content in files.items():
        bench.write(path, content)
    about = CheckpointInfo(
        CheckpointTrigger.AFTER_ACTION, f"step {step}", run="A", step=step, by=("A",)
    )
    return bench.checkpoints.save(about).record


def go(bench: CheckpointProject, level: UndoLevel, *, over: bool = False) -> RestoreResult:
    """Undo or redo as a person does it."""
    way = restore_target(list(bench.checkpoints.newest_first()), level)
    return bench.checkpoints.restore(way, over=over)


def test_undo_undo_redo_redo(project: CheckpointProject) -> None:
    acted(project, 1, a="1")
    acted(project, 2, a="2", b="2")
    acted(project, 3, b="3", c="3")
    stations = [project.content()]
    for level in (UndoLevel.ACTION, UndoLevel.ACTION, UndoLevel.REDO, UndoLevel.REDO):
        go(project, level)
        stations.append(project.content())
    assert stations == [
        {"a": b"2", "b": b"3", "c": b"3"},
        {"a": b"2", "b": b"2"},
        {"a": b"1"},
        {"a": b"2", "b": b"2"},
        {"a": b"2", "b": b"3", "c": b"3"},
    ]


def test_a_restore_is_written_down_with_the_way_back(project: CheckpointProject) -> None:
    before = acted(project, 1, a="1")
    acted(project, 2, a="2")
    done = go(project, UndoLevel.ACTION)
    assert done.undo.moment is CheckpointTrigger.BEFORE_RESTORE
    assert done.after.moment is CheckpointTrigger.RESTORED
    assert (done.after.back_to, done.after.undo) == (before.id, done.undo.id)
    assert done.after.steps == {"A": 2}
    assert project.checkpoints.find(done.after.id) == done.after
    go(project, UndoLevel.REDO)
    assert project.checkpoints.find(done.after.id).redone


def test_after_an_undo_the_agent_works_on_and_the_redo_spares_that(
    project: CheckpointProject,
) -> None:
    acted(project, 1, a="1", b="1")
    acted(project, 2, a="2", b="2")
    go(project, UndoLevel.ACTION)
    acted(project, 3, a="another idea")
    done = go(project, UndoLevel.REDO)
    assert [each.path for each in done.spared if each.conflict] == ["a"]
    assert project.content() == {"a": b"another idea", "b": b"2"}


def test_work_after_an_undo_is_undone_to_what_the_undo_left(project: CheckpointProject) -> None:
    acted(project, 1, a="1")
    acted(project, 2, a="2")
    go(project, UndoLevel.ACTION)
    acted(project, 3, a="3")
    go(project, UndoLevel.ACTION)
    assert project.content() == {"a": b"1"}
    go(project, UndoLevel.REDO)
    assert project.content() == {"a": b"3"}


def test_what_an_agent_deleted_by_a_shell_command_comes_back(project: CheckpointProject) -> None:
    project.repository()
    project.write("notes/today", "nobody has committed this")
    about = CheckpointInfo(
        CheckpointTrigger.BEFORE_ACTION, "Bash: git clean -fdx", run="A", step=4, by=()
    )
    project.checkpoints.save(about)
    before = project.content()
    project.git("clean", "-fdxq")
    assert project.content() != before
    go(project, UndoLevel.ACTION)
    assert project.content() == before
