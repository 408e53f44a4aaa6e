"""Undo finds the checkpoints around what a person means, and never twice the same."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger, RestoreTarget, UndoLevel
from handrail.checkpoint.errors import NothingToUndoError
from handrail.checkpoint.restore.undo_levels import restore_target, restores_run_state

_UNDOABLE = [UndoLevel.ACTION, UndoLevel.ITERATION, UndoLevel.TASK]


class Past:
    """The checkpoints of a work tree, one after the other."""

    def __init__(self) -> None:
        self.records: list[CheckpointRecord] = []

    @property
    def newest_first(self) -> list[CheckpointRecord]:
        return self.records[::-1]

    @property
    def now(self) -> str:
        return self.records[-1].tree

    def save(
        self,
        moment: CheckpointTrigger,
        tree: str,
        run: str = "",
        step: int = 0,
        by: tuple[str, ...] | None = None,
    ) -> CheckpointRecord:
        """A checkpoint; by its run unless it says otherwise."""
        record = CheckpointRecord(
            moment=moment,
            why=f"Bash: step {step}",
            run=run,
            step=step,
            by=((run,) if run else ()) if by is None else by,
            number=len(self.records) + 1,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            git_commit="",
            tree=tree,
            work_tree="/shop",
            steps={run: step} if run else {},
        )
        self.records.append(record)
        return record

    def after(self, tree: str, step: int, run: str = "A") -> CheckpointRecord:
        return self.save(CheckpointTrigger.AFTER_ACTION, tree, run, step)

    def person(self, tree: str) -> CheckpointRecord:
        return self.save(CheckpointTrigger.REQUEST, tree)

    def way(self, level: UndoLevel, run: str = "", step: int = 0, now: str = "") -> RestoreTarget:
        return restore_target(self.newest_first, level, run=run, step=step, now=now)

    def take(self, way: RestoreTarget) -> None:
        """A restore that meets nothing in its way."""
        before = self.save(CheckpointTrigger.BEFORE_RESTORE, self.now)
        after = self.save(CheckpointTrigger.RESTORED, way.target.tree)
        steps: dict[str, int] = {}
        for record in self.records:
            steps |= record.steps
        self.records[-1] = msgspec.structs.replace(
            after, back_to=way.target.id, undo=before.id, steps=steps
        )
        if way.level is UndoLevel.REDO and way.base is not None:
            place = way.base.number - 1
            self.records[place] = msgspec.structs.replace(self.records[place], redone=True)


@pytest.fixture
def past() -> Past:
    return Past()


def ids(way: RestoreTarget) -> tuple[str, str]:
    return way.target.id, way.base.id if way.base else ""


def test_without_checkpoints_there_is_nothing_to_undo() -> None:
    with pytest.raises(NothingToUndoError, match="handrail checkpoint"):
        restore_target([], UndoLevel.ACTION)


@pytest.mark.parametrize("level", [*_UNDOABLE, UndoLevel.REDO])
def test_what_a_person_did_is_no_action_of_an_agent(past: Past, level: UndoLevel) -> None:
    past.person("1")
    past.person("2")
    with pytest.raises(NothingToUndoError, match="handrail rollback ID"):
        past.way(level)


def test_everything_since_the_last_checkpoint(past: Past) -> None:
    past.person("1")
    past.person("2")
    assert ids(past.way(UndoLevel.CHECKPOINT)) == ("c2", "")


class TestAction:
    def test_the_last_one_that_changed_something(self, past: Past) -> None:
        past.after("1", 10)
        past.after("2", 11)
        past.save(CheckpointTrigger.ITERATION_END, "2", "A", 12)
        way = past.way(UndoLevel.ACTION)
        assert ids(way) == ("c1", "c2")
        assert way.run == "A"
        assert way.says == "action 11 of run A (Bash: step 11)"

    def test_that_of_a_run(self, past: Past) -> None:
        past.after("1", 10, "A")
        past.after("2", 11, "A")
        past.after("3", 4, "B")
        assert ids(past.way(UndoLevel.ACTION, "A")) == ("c1", "c2")
        assert ids(past.way(UndoLevel.ACTION)) == ("c2", "c3")

    def test_one_that_was_saved_for_and_not_after(self, past: Past) -> None:
        past.after("1", 10)
        past.save(CheckpointTrigger.BEFORE_ACTION, "2", "A", 11)
        assert ids(past.way(UndoLevel.ACTION)) == ("c2", "")

    def test_what_was_done_since_the_last_checkpoint(self, past: Past) -> None:
        past.after("1", 10)
        past.after("2", 11)
        assert ids(past.way(UndoLevel.ACTION, "A", now="3")) == ("c2", "")
        assert ids(past.way(UndoLevel.ACTION, "A", now="2")) == ("c1", "c2")

    def test_a_step(self, past: Past) -> None:
        past.after("1", 10)
        past.after("2", 11)
        past.after("3", 12)
        way = past.way(UndoLevel.ACTION, "A", 11)
        assert ids(way) == ("c1", "c2")
        assert way.says == "action 11 of run A (Bash: step 11)"

    def test_a_step_among_others_is_undone_with_them(self, past: Past) -> None:
        past.after("1", 208)
        past.after("2", 212)
        way = past.way(UndoLevel.ACTION, "A", 210)
        assert ids(way) == ("c1", "c2")
        assert way.says == "steps 209-212 of run A: there is no checkpoint between them"

    def test_a_step_after_the_last_checkpoint(self, past: Past) -> None:
        past.after("1", 10)
        way = past.way(UndoLevel.ACTION, "A", 11)
        assert ids(way) == ("c1", "")
        assert way.says == "what run A did since step 10 (c1)"

    def test_a_step_that_changed_nothing(self, past: Past) -> None:
        past.after("1", 10)
        past.records[-1] = msgspec.structs.replace(past.records[-1], steps={"A": 15})
        past.after("2", 16)
        with pytest.raises(NothingToUndoError, match="action 12 of run A changed no files"):
            past.way(UndoLevel.ACTION, "A", 12)
        assert ids(past.way(UndoLevel.ACTION, "A", 16)) == ("c1", "c2")

    def test_a_step_before_every_checkpoint(self, past: Past) -> None:
        past.after("1", 10)
        with pytest.raises(NothingToUndoError, match="from before action 9"):
            past.way(UndoLevel.ACTION, "A", 9)

    def test_a_step_after_a_restore_goes_back_to_what_that_left(self, past: Past) -> None:
        past.after("1", 10)
        past.after("2", 11)
        past.take(past.way(UndoLevel.ACTION))
        past.after("3", 12)
        assert ids(past.way(UndoLevel.ACTION, "A", 12)) == ("c4", "c5")
        assert ids(past.way(UndoLevel.ACTION)) == ("c4", "c5")

    def test_one_after_the_other(self, past: Past) -> None:
        for step in range(4):
            past.after(str(step), step)
        undone = []
        for _ in range(3):
            way = past.way(UndoLevel.ACTION)
            undone.append(ids(way))
            past.take(way)
        assert undone == [("c3", "c4"), ("c2", "c3"), ("c1", "c2")]
        with pytest.raises(NothingToUndoError, match="no action of run A"):
            past.way(UndoLevel.ACTION, "A")

    def test_one_in_the_middle_is_not_undone_again(self, past: Past) -> None:
        for step in range(4):
            past.after(str(step), step)
        middle = past.way(UndoLevel.ACTION, "A", 2)
        past.take(middle)
        past.records[-1] = msgspec.structs.replace(past.records[-1], tree="3 without 2")
        assert ids(past.way(UndoLevel.ACTION, "A")) == ("c3", "c4")
        past.take(past.way(UndoLevel.ACTION, "A"))
        past.records[-1] = msgspec.structs.replace(past.records[-1], tree="1")
        assert ids(past.way(UndoLevel.ACTION, "A")) == ("c1", "c2")


class TestIteration:
    def test_the_one_under_way(self, past: Past) -> None:
        past.save(CheckpointTrigger.PROMPT, "1", "A", 10)
        past.after("2", 11)
        assert ids(past.way(UndoLevel.ITERATION)) == ("c1", "")

    def test_the_last_that_ended(self, past: Past) -> None:
        past.save(CheckpointTrigger.PROMPT, "1", "A", 10)
        past.after("2", 11)
        past.save(CheckpointTrigger.ITERATION_END, "3", "A", 12)
        past.person("4")
        assert ids(past.way(UndoLevel.ITERATION)) == ("c1", "c3")

    def test_one_that_changed_nothing_is_passed_over(self, past: Past) -> None:
        past.save(CheckpointTrigger.PROMPT, "1", "A", 10)
        past.save(CheckpointTrigger.ITERATION_END, "2", "A", 12)
        past.person("3")
        past.save(CheckpointTrigger.PROMPT, "4", "A", 12)
        assert ids(past.way(UndoLevel.ITERATION, now="4")) == ("c1", "c2")

    def test_one_whose_start_found_nothing_new(self, past: Past) -> None:
        """A prompt right after the end of an iteration has no checkpoint of its own."""
        past.save(CheckpointTrigger.PROMPT, "1", "A", 10)
        past.save(CheckpointTrigger.ITERATION_END, "2", "A", 12)
        past.save(CheckpointTrigger.ITERATION_END, "3", "A", 14)
        assert ids(past.way(UndoLevel.ITERATION)) == ("c2", "c3")
        past.after("4", 15)
        assert ids(past.way(UndoLevel.ITERATION)) == ("c3", "")

    def test_what_a_person_did_between_two_is_none(self, past: Past) -> None:
        past.save(CheckpointTrigger.PROMPT, "1", "A", 10)
        past.save(CheckpointTrigger.ITERATION_END, "2", "A", 12)
        past.save(CheckpointTrigger.PROMPT, "3", "A", 12, by=())
        assert ids(past.way(UndoLevel.ITERATION, now="3")) == ("c1", "c2")

    def test_one_after_the_other(self, past: Past) -> None:
        for turn in range(3):
            past.save(CheckpointTrigger.PROMPT, f"{turn}", "A", turn)
            past.save(CheckpointTrigger.ITERATION_END, f"{turn}+", "A", turn)
        undone = []
        for _ in range(3):
            way = past.way(UndoLevel.ITERATION, "A")
            undone.append(ids(way))
            past.take(way)
        assert undone == [("c5", "c6"), ("c3", "c4"), ("c1", "c2")]


class TestTask:
    def test_everything_that_a_run_did(self, past: Past) -> None:
        past.person("0")
        past.save(CheckpointTrigger.UNATTENDED, "1", "A", 0, by=())
        past.after("2", 1)
        past.save(CheckpointTrigger.ITERATION_END, "3", "A", 2)
        past.person("4")
        way = past.way(UndoLevel.TASK)
        assert ids(way) == ("c2", "c4")
        assert way.says == "everything that run A did"

    def test_one_that_began_where_nothing_was_new(self, past: Past) -> None:
        first = past.person("0")
        past.records[-1] = msgspec.structs.replace(first, steps={"A": 0})
        past.after("1", 1)
        assert ids(past.way(UndoLevel.TASK)) == ("c1", "c2")

    def test_it_is_undone_once(self, past: Past) -> None:
        past.save(CheckpointTrigger.PROMPT, "1", "A", 0)
        past.after("2", 1)
        past.take(past.way(UndoLevel.TASK))
        with pytest.raises(NothingToUndoError, match="no task of run A"):
            past.way(UndoLevel.TASK, "A")


class TestRedo:
    def test_undo_undo_redo_redo(self, past: Past) -> None:
        for step in range(3):
            past.after(str(step), step)
        past.take(past.way(UndoLevel.ACTION))
        past.take(past.way(UndoLevel.ACTION))
        assert past.now == "0"
        past.take(past.way(UndoLevel.REDO))
        assert past.now == "1"
        past.take(past.way(UndoLevel.REDO))
        assert past.now == "2"
        with pytest.raises(NothingToUndoError, match="nothing to redo"):
            past.way(UndoLevel.REDO)

    def test_undo_redo_undo_redo(self, past: Past) -> None:
        past.after("0", 0)
        past.after("1", 1)
        for _ in range(3):
            past.take(past.way(UndoLevel.ACTION))
            assert past.now == "0"
            past.take(past.way(UndoLevel.REDO))
            assert past.now == "1"

    def test_after_more_work_it_starts_from_what_the_undo_left(self, past: Past) -> None:
        past.after("0", 0)
        past.after("1", 1)
        past.take(past.way(UndoLevel.ACTION))
        past.after("2", 2)
        assert ids(past.way(UndoLevel.REDO)) == ("c3", "c4")

    def test_a_restore_whose_way_back_is_forgotten_is_passed_over(self, past: Past) -> None:
        past.after("0", 0)
        past.after("1", 1)
        past.take(past.way(UndoLevel.ACTION))
        kept = [
            each
            for each in past.newest_first
            if each.moment is not CheckpointTrigger.BEFORE_RESTORE
        ]
        with pytest.raises(NothingToUndoError):
            restore_target(kept, UndoLevel.REDO)


_steps = st.tuples(
    st.sampled_from(
        [
            CheckpointTrigger.PROMPT,
            CheckpointTrigger.AFTER_ACTION,
            CheckpointTrigger.ITERATION_END,
            CheckpointTrigger.REQUEST,
        ]
    ),
    st.sampled_from("ABC"),
    st.sampled_from(["", "A", "B"]),
)


def _lived(steps: Sequence[tuple[CheckpointTrigger, str, str]]) -> Past:
    past = Past()
    done = {"A": 0, "B": 0, "": 0}
    for moment, tree, run in steps:
        if not past.records or past.now != tree:
            done[run] += 1
            past.save(moment, tree, run, done[run])
    return past


@given(st.lists(_steps, max_size=12), st.sampled_from(_UNDOABLE), st.sampled_from(["", "A", "B"]))
def test_a_way_leads_from_an_older_checkpoint_to_another_tree(
    steps: list[tuple[CheckpointTrigger, str, str]], level: UndoLevel, run: str
) -> None:
    past = _lived(steps)
    try:
        way = past.way(level, run)
    except NothingToUndoError:
        return
    if way.base is not None:
        assert way.target.number < way.base.number
        assert way.target.tree != way.base.tree
    assert way.run
    assert way.says


@given(st.lists(_steps, max_size=12), st.sampled_from(_UNDOABLE), st.sampled_from(["A", "B"]))
def test_undoing_comes_to_an_end_and_redoing_comes_back(
    steps: list[tuple[CheckpointTrigger, str, str]], level: UndoLevel, run: str
) -> None:
    past = _lived(steps)
    start = past.now if past.records else ""
    undone = 0
    while True:
        try:
            way = past.way(level, run, now=past.now if past.records else "")
        except NothingToUndoError:
            break
        past.take(way)
        undone += 1
        assert undone <= len(steps)
    for _ in range(undone):
        past.take(past.way(UndoLevel.REDO))
    if undone:
        assert past.now == start


def test_a_checkpoint_that_came_too_late_is_not_gone_back_to(past: Past) -> None:
    past.save(CheckpointTrigger.PROMPT, "a", "A", by=())
    late = past.save(CheckpointTrigger.BEFORE_ACTION, "half of it", "A", 1)
    past.records[-1] = msgspec.structs.replace(late, late=True)
    past.after("b", 2)
    assert ids(past.way(UndoLevel.ACTION)) == ("c1", "c3")
    assert ids(past.way(UndoLevel.ACTION, step=2)) == ("c1", "c3")


def test_where_there_is_no_other_one_it_is(past: Past) -> None:
    late = past.save(CheckpointTrigger.PROMPT, "half of it", "A", by=())
    past.records[-1] = msgspec.structs.replace(late, late=True)
    past.after("b", 2)
    assert ids(past.way(UndoLevel.ITERATION)) == ("c1", "")


class TestTheRunItself:
    """Goal, tasks and conversation go back with the files, or not at all."""

    def test_what_was_done_last_takes_the_run_along(self) -> None:
        past = Past()
        start = past.save(CheckpointTrigger.PROMPT, "1", "A", by=())
        end = past.save(CheckpointTrigger.ITERATION_END, "2", "A", 3)
        for base in (None, end):
            way = RestoreTarget(UndoLevel.ITERATION, start, base, "A")
            assert restores_run_state(way, past.newest_first)

    def test_what_was_followed_by_more_does_not(self) -> None:
        past = Past()
        start = past.save(CheckpointTrigger.PROMPT, "1", "A", by=())
        end = past.save(CheckpointTrigger.ITERATION_END, "2", "A", 3)
        past.save(CheckpointTrigger.ITERATION_END, "3", "A", 5)
        assert not restores_run_state(
            RestoreTarget(UndoLevel.ITERATION, start, end, "A"), past.newest_first
        )

    def test_a_single_action_does_not(self) -> None:
        past = Past()
        before = past.after("1", 1)
        after = past.after("2", 2)
        assert not restores_run_state(
            RestoreTarget(UndoLevel.ACTION, before, after, "A"), past.newest_first
        )

    def test_a_checkpoint_does_always(self) -> None:
        past = Past()
        point = past.after("1", 1)
        past.after("2", 2)
        assert restores_run_state(RestoreTarget(UndoLevel.CHECKPOINT, point), past.newest_first)
