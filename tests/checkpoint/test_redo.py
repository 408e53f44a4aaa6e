"""Every undo can be undone: undo, undo, redo, redo is where it began."""

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointRecord,
    CheckpointTrigger,
    RestoreResult,
    UndoLevel,
)
from handrail.checkpoint.restore.undo_levels import restore_target

from .conftest import Bench


def acted(bench: Bench, step: int, **files: str) -> CheckpointRecord:
    """An action of a run that wrote these files."""
    for path, content in files.items():
        bench.write(path, content)
    about = CheckpointInfo(
        CheckpointTrigger.AFTER_ACTION, f"step {step}", run="A", step=step, by=("A",)
    )
    return bench.checkpoints.save(about).record


def go(bench: Bench, level: UndoLevel, *, over: bool = False) -> RestoreResult:
    """Undo or redo as a person does it."""
    way = restore_target(list(bench.checkpoints.newest_first()), level)
    return bench.checkpoints.restore(way, over=over)


def test_undo_undo_redo_redo(bench: Bench) -> None:
    acted(bench, 1, a="1")
    acted(bench, 2, a="2", b="2")
    acted(bench, 3, b="3", c="3")
    stations = [bench.content()]
    for level in (UndoLevel.ACTION, UndoLevel.ACTION, UndoLevel.REDO, UndoLevel.REDO):
        go(bench, level)
        stations.append(bench.content())
    assert stations == [
        {"a": b"2", "b": b"3", "c": b"3"},
        {"a": b"2", "b": b"2"},
        {"a": b"1"},
        {"a": b"2", "b": b"2"},
        {"a": b"2", "b": b"3", "c": b"3"},
    ]


def test_a_restore_is_written_down_with_the_way_back(bench: Bench) -> None:
    before = acted(bench, 1, a="1")
    acted(bench, 2, a="2")
    done = go(bench, UndoLevel.ACTION)
    assert done.undo.moment is CheckpointTrigger.BEFORE_RESTORE
    assert done.after.moment is CheckpointTrigger.RESTORED
    assert (done.after.back_to, done.after.undo) == (before.id, done.undo.id)
    assert done.after.steps == {"A": 2}
    assert bench.checkpoints.find(done.after.id) == done.after
    go(bench, UndoLevel.REDO)
    assert bench.checkpoints.find(done.after.id).redone


def test_after_an_undo_the_agent_works_on_and_the_redo_spares_that(bench: Bench) -> None:
    acted(bench, 1, a="1", b="1")
    acted(bench, 2, a="2", b="2")
    go(bench, UndoLevel.ACTION)
    acted(bench, 3, a="another idea")
    done = go(bench, UndoLevel.REDO)
    assert [each.path for each in done.spared if each.conflict] == ["a"]
    assert bench.content() == {"a": b"another idea", "b": b"2"}


def test_work_after_an_undo_is_undone_to_what_the_undo_left(bench: Bench) -> None:
    acted(bench, 1, a="1")
    acted(bench, 2, a="2")
    go(bench, UndoLevel.ACTION)
    acted(bench, 3, a="3")
    go(bench, UndoLevel.ACTION)
    assert bench.content() == {"a": b"1"}
    go(bench, UndoLevel.REDO)
    assert bench.content() == {"a": b"3"}


def test_what_an_agent_deleted_by_a_shell_command_comes_back(bench: Bench) -> None:
    bench.repository()
    bench.write("notes/today", "nobody has committed this")
    about = CheckpointInfo(
        CheckpointTrigger.BEFORE_ACTION, "Bash: git clean -fdx", run="A", step=4, by=()
    )
    bench.checkpoints.save(about)
    before = bench.content()
    bench.git("clean", "-fdxq")
    assert bench.content() != before
    go(bench, UndoLevel.ACTION)
    assert bench.content() == before
