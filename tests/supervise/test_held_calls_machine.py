"""Calls that come, wait, and come again while a person pauses, resumes and stops their run."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from handrail.model.action import Action
from handrail.model.control import ENDING, HOLDING, ControlCommand, Standing
from handrail.model.event import ControlAnswered, RunStarted
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.supervise.decision.checkpoint_request import CheckpointResult
from handrail.supervise.decision.decision_progress import DecisionProgress, Held, Ready
from tests.supervise.decision.test_waiting import DELETES, WaitingSetup
from tests.supervise.supervision_setup import ran

pytestmark = pytest.mark.slow

COMMANDS = ("ls", DELETES, "echo x > a")
CALLS = ("a", "b")
_MOST_WAITS = 5
"""One for a checkpoint, one for a hold, and each again after a change meanwhile."""


class HeldCalls(RuleBasedStateMachine):
    """The machine drives each decision as the hook endpoint and the library do."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp())
        self.bed = WaitingSetup(self.folder)
        self.standing = Standing.RUNNING
        self.waiting: list[tuple[Action, DecisionProgress[Verdict]]] = []
        self.allowed: set[tuple[str, str]] = set()
        """Calls that were let through, and have not ended."""

    @initialize(hold=st.sampled_from([0, 540]))
    def start(self, hold: int) -> None:
        self.hold = hold
        self.bed.settings(f"control: {{hold_seconds: {hold}}}\n")
        self.bed.run.record(RunStarted(self.bed.clock(), "claude", str(self.bed.path)))

    # A person

    @rule(standing=st.sampled_from([Standing.PAUSED, Standing.RUNNING, *sorted(ENDING)]))
    def stand(self, standing: Standing) -> None:
        self.standing = standing
        self.bed.run.record(
            ControlAnswered(self.bed.clock(), "r-1", ControlCommand.PAUSE, standing)
        )

    @rule()
    def restart(self) -> None:
        self.waiting.clear()
        self.bed.restart()

    # An agent

    @rule(command=st.sampled_from(COMMANDS), call=st.sampled_from(CALLS))
    def ask(self, command: str, call: str) -> None:
        """A new call, or one that the host repeats."""
        action = self.bed.bash(command, call)
        self._heard(action, self.bed.run.decide(action))

    @rule(command=st.sampled_from(COMMANDS), call=st.sampled_from(("", *CALLS)))
    def ask_without_waiting(self, command: str, call: str) -> None:
        action = self.bed.bash(command, call)
        self._check(action, self.bed.run.before(action))

    @precondition(lambda self: self.allowed)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        call, command = data.draw(st.sampled_from(sorted(self.allowed)))
        self.allowed.discard((call, command))
        self.bed.run.after(ran(self.bed.bash(command, call)))

    # Those who wait

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), saved=st.booleans(), patience=st.booleans())
    def go_on(self, data: st.DataObject, saved: bool, patience: bool) -> None:
        """Something that a call waited for has happened, in any order."""
        action, progress = data.draw(st.sampled_from(self.waiting))
        self.waiting.remove((action, progress))
        if isinstance(progress, Held):
            later = progress.resume() if patience else progress.answer()
        else:
            assert not isinstance(progress, Ready)
            later = progress.proceed(self.bed.saved if saved else CheckpointResult(problem="no"))
        self._heard(action, later)

    @precondition(lambda self: self.waiting)
    @rule()
    def wait_to_the_end(self) -> None:
        """Nothing happens any more: each call gets its answer after the longest hold."""
        waiting, self.waiting = self.waiting, []
        for action, progress in waiting:
            self._check(action, self._answer(progress))

    def _answer(self, progress: DecisionProgress[Verdict]) -> Verdict:
        for _ in range(_MOST_WAITS):
            if isinstance(progress, Ready):
                return progress.wait()
            progress = self._waited(progress)
        raise AssertionError("it waits for ever")

    def _waited(self, progress: DecisionProgress[Verdict]) -> DecisionProgress[Verdict]:
        if isinstance(progress, Held):
            return progress.resume() if progress.seconds() is None else progress.answer()
        assert not isinstance(progress, Ready)
        return progress.proceed(self.bed.saved)

    def _heard(self, action: Action, progress: DecisionProgress[Verdict]) -> None:
        if not isinstance(progress, Ready):
            self.waiting.append((action, progress))
            return
        self._check(action, progress.wait())

    def _check(self, action: Action, verdict: Verdict) -> None:
        """Check that nothing is let through that a person has stopped or holds."""
        if verdict.decision is Decision.BLOCK:
            return
        call = (action.id, str(action.input["command"]))
        assert self.standing not in ENDING, f"{verdict.decision} after {self.standing}"
        # A call that was let through before the pause is under way: its twin hears the same.
        assert self.standing not in HOLDING or call in self.allowed
        if action.id:
            self.allowed.add(call)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)


TestHeldCalls = HeldCalls.TestCase
TestHeldCalls.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
