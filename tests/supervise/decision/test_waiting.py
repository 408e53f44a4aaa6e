"""A call that waits is decided about with the run as it is then, and read only once."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.config.checkpoints import Checkpoints
from handrail.model.action import Action
from handrail.model.control import ENDING, HOLDING, ControlCommand, Standing
from handrail.model.event import ActionHeld, ActionReviewed, ControlAnswered, RunStarted
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.review.judgment.checkpoint_cover import CheckpointCover
from handrail.review.reviewer import Reviewer
from handrail.store.errors import DiskFullError, StoreError
from handrail.supervise.decision.checkpoint_request import (
    CheckpointRequest,
    CheckpointResult,
    CheckpointUrgency,
    Save,
)
from handrail.supervise.decision.decision_progress import CheckpointNeeded, DecisionProgress, Held
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState
from tests.supervise.ready import ready
from tests.supervise.supervision_setup import RUN, SupervisionSetup

DELETES = "find notes -name '*.md' -delete"
"""Runs only behind a checkpoint."""


class Planner:
    """Wants a checkpoint before whatever changes something."""

    def __init__(self) -> None:
        self.requests: list[CheckpointRequest] = []

    def plan(
        self, request: CheckpointRequest, state: RunState, settings: Checkpoints
    ) -> Save | None:
        self.requests.append(request)
        return _nobody


async def _nobody() -> CheckpointResult:
    raise AssertionError("the test says what came of it")


class WaitingSetup(SupervisionSetup):
    """A bed in which files are saved before something is decided."""

    def restart(self) -> None:
        super().restart()
        self.planner = Planner()
        self.runs = RunRegistry(self.journal, self.projects, clock=self.clock)
        self.runs.planner = self.planner

    @property
    def saved(self) -> CheckpointResult:
        return CheckpointResult("c7", CheckpointCover(str(self.path)))

    def stand(self, standing: Standing) -> None:
        """A person has the run stand like that."""
        event = ControlAnswered(self.clock(), "r-1", ControlCommand.PAUSE, standing)
        self.run.record(event)

    def reviewed(self) -> list[ActionReviewed]:
        return [event for event in self.events() if isinstance(event, ActionReviewed)]

    def held(self) -> list[str]:
        """Of each action that was held, or let go, why."""
        return [event.released for event in self.events() if isinstance(event, ActionHeld)]


@pytest.fixture
def bed(tmp_path: Path) -> WaitingSetup:
    bed = WaitingSetup(tmp_path)
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path)))
    return bed


def needed(progress: DecisionProgress[Verdict]) -> CheckpointNeeded[Verdict]:
    assert isinstance(progress, CheckpointNeeded)
    return progress


def held(progress: DecisionProgress[Verdict]) -> Held[Verdict]:
    assert isinstance(progress, Held)
    return progress


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Action]:
    """The actions that were read, each time."""
    read: list[Action] = []
    understand = Reviewer._understand

    def count(self: Reviewer, action: Action, *given: object) -> object:
        read.append(action)
        return understand(self, action, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Reviewer, "_understand", count)
    return read


# A checkpoint first


def test_what_waits_for_a_checkpoint_is_read_once(
    bed: WaitingSetup, readings: list[Action]
) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    assert bed.planner.requests[0].need is CheckpointUrgency.MUST
    assert bed.reviewed() == []
    verdict = ready(progress.proceed(bed.saved)).wait()
    assert verdict.decision is Decision.WARN
    assert "Checkpoint c7 has what is there." in verdict.reason
    assert len(readings) == len(bed.reviewed()) == len(bed.planner.requests) == 1


def test_what_another_action_may_have_changed_meanwhile_is_read_again(
    bed: WaitingSetup, readings: list[Action]
) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    bed.run.before(bed.bash("ls", "b"))
    assert ready(progress.proceed(bed.saved)).wait().decision is Decision.WARN
    assert [action.id for action in readings] == ["a", "b", "a"]


def test_settings_that_forbid_more_meanwhile_count(bed: WaitingSetup) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    rule = "rules: [{name: no-find, decision: block, says: not here, commands: [find]}]\n"
    (bed.path / "rules.yaml").write_text(rule)
    bed.settings("step_reviewer: {rules: {custom_rules_path: rules.yaml}}\n")
    assert ready(progress.proceed(bed.saved)).wait().decision is Decision.BLOCK


def test_what_no_checkpoint_holds_is_refused(bed: WaitingSetup) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    kept = CheckpointCover(str(bed.path), uncovered=(f"{bed.path}/notes/plan.md",))
    verdict = ready(progress.proceed(CheckpointResult("c7", kept))).wait()
    assert verdict.decision is Decision.BLOCK


def test_the_same_call_twice_is_answered_once_however_long_it_waits(bed: WaitingSetup) -> None:
    action = bed.bash(DELETES, "a")
    one, other = needed(bed.run.decide(action)), needed(bed.run.decide(action))
    answers = [ready(each.proceed(bed.saved)) for each in (one, other)]
    assert answers[0] is answers[1]
    assert len(bed.reviewed()) == 1


def test_a_run_that_was_paused_meanwhile_holds_what_was_saved_for(bed: WaitingSetup) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    bed.stand(Standing.PAUSED)
    waiting = held(progress.proceed(bed.saved))
    bed.stand(Standing.RUNNING)
    verdict = ready(waiting.resume()).wait()
    assert "Checkpoint c7" in verdict.reason
    assert len(bed.planner.requests) == 1


def test_a_run_that_was_stopped_meanwhile_refuses(bed: WaitingSetup) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    bed.stand(Standing.STOPPED)
    verdict = ready(progress.proceed(bed.saved)).wait()
    assert (verdict.decision, verdict.stop) == (Decision.BLOCK, True)


# Held


def test_a_held_call_is_decided_when_the_run_goes_on(bed: WaitingSetup) -> None:
    bed.stand(Standing.PAUSED)
    waiting = held(bed.run.decide(bed.bash("ls", "a")))
    assert waiting.seconds() == 540
    assert bed.reviewed() == []
    again = held(waiting.resume())
    bed.stand(Standing.RUNNING)
    assert again.seconds() is None
    assert ready(again.resume()).wait().decision is Decision.ALLOW
    assert ready(waiting.resume()) is ready(again.resume())
    assert (len(bed.reviewed()), bed.held()) == (1, [""])


def test_a_held_call_that_has_to_be_answered_is_refused(bed: WaitingSetup) -> None:
    bed.stand(Standing.PAUSED)
    verdict = ready(held(bed.run.decide(bed.bash("ls", "a"))).answer()).wait()
    assert (verdict.decision, verdict.passing) == (Decision.BLOCK, True)
    assert verdict.reason == "This run is paused by a person."


def test_nobody_waits_for_a_held_call_any_more(bed: WaitingSetup) -> None:
    bed.stand(Standing.PAUSED)
    waiting = held(bed.run.decide(bed.bash("ls", "a")))
    waiting.abandon()
    waiting.abandon()
    assert bed.held() == ["", "its agent is gone"]


# The log meanwhile


def test_a_call_that_waited_goes_on_with_the_run_as_the_log_has_it(bed: WaitingSetup) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a")))
    bed.log.refuses = DiskFullError("/log")
    bed.run.before(bed.bash("make", "lost"))
    bed.log.refuses = None
    bed.get(RUN)
    bed.run.before(bed.bash("ls", "b"))
    ready(progress.proceed(bed.saved)).wait()
    assert [event.step for event in bed.reviewed()] == [1, 2]


def test_a_log_that_cannot_be_read_any_more_lets_nothing_through(bed: WaitingSetup) -> None:
    progress = needed(bed.run.decide(bed.bash(DELETES, "a"), may_ask=True))
    bed.runs.let_idle_go(bed.clock() + 1)
    bed.log.unreadable = StoreError("/log", "it is gone")
    verdict = ready(progress.proceed(bed.saved)).wait()
    assert (verdict.decision, verdict.overrulable) == (Decision.BLOCK, False)


# Callers without an event loop


@given(
    standing=st.sampled_from(sorted(Standing)),
    command=st.sampled_from(["ls", "make", DELETES, "rm -rf notes", "echo x > a", "rm -rf /"]),
    call=st.sampled_from(["", "a"]),
    plans=st.booleans(),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_nothing_unfinished_is_an_answer(
    tmp_path_factory: pytest.TempPathFactory,
    standing: Standing,
    command: str,
    call: str,
    plans: bool,
) -> None:
    bed = (WaitingSetup if plans else SupervisionSetup)(tmp_path_factory.mktemp("bed"))
    run = bed.run
    run.record(RunStarted(bed.clock(), "claude", str(bed.path)))
    run.record(ControlAnswered(bed.clock(), "r-1", ControlCommand.PAUSE, standing))
    verdict = run.before(bed.bash(command, call))
    [reviewed] = [event for event in bed.events() if isinstance(event, ActionReviewed)]
    assert reviewed.verdict == verdict
    if standing in HOLDING:
        assert verdict.decision is Decision.BLOCK
        assert "paused" in verdict.reason
    if standing in ENDING or command in (DELETES, "rm -rf /"):
        assert verdict.decision is Decision.BLOCK
    assert not hasattr(Held, "wait")
    assert not hasattr(CheckpointNeeded, "wait")
