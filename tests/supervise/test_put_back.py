"""Files that a person has put back: the run waits, is told once, and knows what it knew."""

from pathlib import Path

import pytest

from handrail.model.checkpoint import StateSnapshot
from handrail.model.event import PromptGiven, RestoreAsked, RolledBack, RunStarted, TaskNoted
from handrail.model.ordinal import Decision
from tests.supervise.bed import Bed


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    bed = Bed(tmp_path)
    bed.run.record(RunStarted(1.0, "claude", str(bed.path)))
    return bed


def put_back(bed: Bed, *files: str, problem: str = "", state: StateSnapshot | None = None) -> None:
    back = RolledBack(3.0, "c4", files=files, undo="c5", problem=problem, asked=True, state=state)
    bed.run.record(RestoreAsked(2.0, "c4", "iteration"))
    bed.run.record(back)


def test_until_it_is_done_only_reads_go_on(bed: Bed) -> None:
    bed.run.record(RestoreAsked(2.0, "c4"))
    assert bed.do(bed.bash("ls", "t1")).decision is Decision.ALLOW
    refused = bed.do(bed.bash("echo x > new.txt", "t2"))
    assert (refused.decision, refused.passing) == (Decision.BLOCK, True)
    bed.run.record(RolledBack(3.0, "c4", asked=True))
    assert bed.do(bed.bash("echo x > new.txt", "t3")).decision is Decision.ALLOW


def test_the_agent_is_told_which_files_are_not_what_it_knows_once(bed: Bed) -> None:
    put_back(bed, "a", "b", "c", "d", "e", "f")
    [said] = bed.do(bed.bash("ls", "t1")).guidance
    assert "a, b, c, d, e and 1 more" in said
    assert bed.do(bed.bash("ls -l", "t2")).guidance == ()


def test_a_new_daemon_tells_it_if_it_was_not_told_and_not_again(bed: Bed) -> None:
    put_back(bed, "a")
    bed.restart()
    assert len(bed.do(bed.bash("ls", "t1")).guidance) == 1
    bed.restart()
    assert bed.do(bed.bash("ls -l", "t2")).guidance == ()


def test_where_nothing_changed_there_is_nothing_to_tell(bed: Bed) -> None:
    put_back(bed)
    assert bed.do(bed.bash("ls", "t1")).guidance == ()


def test_what_could_not_be_put_back_is_said(bed: Bed) -> None:
    put_back(bed, problem="the disk is full")
    [said] = bed.do(bed.bash("ls", "t1")).guidance
    assert "the disk is full" in said


def test_goal_and_prompt_go_back_with_the_files_and_what_was_found_stays(bed: Bed) -> None:
    bed.run.record(PromptGiven(1.5, "Fix the cart."))
    bed.do(bed.write(bed.path / "kept.txt", "t1"))
    bed.run.record(PromptGiven(1.7, "Rewrite everything."))
    bed.do(bed.bash("false", "t2"), ok=False)
    step, failures = bed.run.state.step, bed.run.state.usage
    put_back(bed, "x", state=StateSnapshot("Fix the cart.", "Fix the cart."))
    state = bed.run.state
    assert (state.last_prompt, state.history.goal) == ("Fix the cart.", "Fix the cart.")
    assert (state.step, state.usage) == (step, failures)


def test_tasks_go_back_with_the_files(bed: Bed) -> None:
    bed.run.record(TaskNoted(1.0, "t1", "pending"))
    bed.run.record(TaskNoted(1.1, "t1", "done"))
    put_back(bed, "x", state=StateSnapshot(tasks={"t1": "pending"}))
    assert bed.run.state.tasks == {"t1": "pending"}


def test_files_only_leaves_what_the_run_knows(bed: Bed) -> None:
    bed.run.record(PromptGiven(1.5, "Fix the cart."))
    put_back(bed, "x")
    assert bed.run.state.last_prompt == "Fix the cart."
