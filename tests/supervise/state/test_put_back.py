"""Files that a person has put back: the run waits, is told once, and knows what it knew."""

from pathlib import Path

import pytest

from handrail.model.checkpoint import StateSnapshot
from handrail.model.event import PromptGiven, RestoreAsked, RolledBack, RunStarted, TaskNoted
from handrail.model.ordinal import Decision
from tests.supervise.supervision_setup import SupervisionSetup


@pytest.fixture
def supervision(tmp_path: Path) -> SupervisionSetup:
    bed = SupervisionSetup(tmp_path)
    bed.run.record(RunStarted(1.0, "claude", str(bed.path)))
    return bed


def put_back(
    bed: SupervisionSetup, *files: str, problem: str = "", state: StateSnapshot | None = None
) -> None:
    back = RolledBack(3.0, "c4", files=files, undo="c5", problem=problem, asked=True, state=state)
    bed.run.record(RestoreAsked(2.0, "c4", "iteration"))
    bed.run.record(back)


def test_until_it_is_done_only_reads_go_on(supervision: SupervisionSetup) -> None:
    supervision.run.record(RestoreAsked(2.0, "c4"))
    assert supervision.do(supervision.bash("ls", "t1")).decision is Decision.ALLOW
    refused = supervision.do(supervision.bash("echo x > new.txt", "t2"))
    assert (refused.decision, refused.passing) == (Decision.BLOCK, True)
    supervision.run.record(RolledBack(3.0, "c4", asked=True))
    assert supervision.do(supervision.bash("echo x > new.txt", "t3")).decision is Decision.ALLOW


def test_the_agent_is_told_which_files_are_not_what_it_knows_once(
    supervision: SupervisionSetup,
) -> None:
    put_back(supervision, "a", "b", "c", "d", "e", "f")
    [said] = supervision.do(supervision.bash("ls", "t1")).guidance
    assert "a, b, c, d, e and 1 more" in said
    assert supervision.do(supervision.bash("ls -l", "t2")).guidance == ()


def test_a_new_daemon_tells_it_if_it_was_not_told_and_not_again(
    supervision: SupervisionSetup,
) -> None:
    put_back(supervision, "a")
    supervision.restart()
    assert len(supervision.do(supervision.bash("ls", "t1")).guidance) == 1
    supervision.restart()
    assert supervision.do(supervision.bash("ls -l", "t2")).guidance == ()


def test_where_nothing_changed_there_is_nothing_to_tell(supervision: SupervisionSetup) -> None:
    put_back(supervision)
    assert supervision.do(supervision.bash("ls", "t1")).guidance == ()


def test_what_could_not_be_put_back_is_said(supervision: SupervisionSetup) -> None:
    put_back(supervision, problem="the disk is full")
    [said] = supervision.do(supervision.bash("ls", "t1")).guidance
    assert "the disk is full" in said


def test_goal_and_prompt_go_back_with_the_files_and_what_was_found_stays(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.record(PromptGiven(1.5, "Fix the cart."))
    supervision.do(supervision.write(supervision.path / "kept.txt", "t1"))
    supervision.run.record(PromptGiven(1.7, "Rewrite everything."))
    supervision.do(supervision.bash("false", "t2"), ok=False)
    step, failures = supervision.run.state.step, supervision.run.state.usage
    put_back(supervision, "x", state=StateSnapshot("Fix the cart.", "Fix the cart."))
    state = supervision.run.state
    assert (state.last_prompt, state.history.goal) == ("Fix the cart.", "Fix the cart.")
    assert (state.step, state.usage) == (step, failures)


def test_tasks_go_back_with_the_files(supervision: SupervisionSetup) -> None:
    supervision.run.record(TaskNoted(1.0, "t1", "pending"))
    supervision.run.record(TaskNoted(1.1, "t1", "done"))
    put_back(supervision, "x", state=StateSnapshot(tasks={"t1": "pending"}))
    assert supervision.run.state.tasks == {"t1": "pending"}


def test_files_only_leaves_what_the_run_knows(supervision: SupervisionSetup) -> None:
    supervision.run.record(PromptGiven(1.5, "Fix the cart."))
    put_back(supervision, "x")
    assert supervision.run.state.last_prompt == "Fix the cart."
