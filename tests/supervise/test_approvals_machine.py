"""Whatever calls come, wait and come again: nothing runs more often than a person approved it."""

import shutil
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from handrail.model.action import Action
from handrail.model.event import ApprovalDecided
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.supervise.decision.decision_progress import DecisionProgress, Held, Ready
from tests.supervise.supervision_setup import ran
from tests.supervise.test_approvals import VALID_SECONDS, ApprovalSetup

pytestmark = pytest.mark.slow

COMMANDS = ("echo x > notes/a.txt", "echo y > notes/a.txt", "rm notes/plan.md", "npm publish")
"""The last one is refused; a person may overrule that."""
EDITS = ("", "", "npm publish --dry-run", "echo z > notes/b.txt", "rm -rf ~")
"""What a person runs instead, most often nothing; the last one nobody can approve."""
_HOUR = 3600.0


class Approvals(RuleBasedStateMachine):
    """An agent that calls, a person who answers, a daemon that is restarted, time that passes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp())
        self.bed = ApprovalSetup(self.folder)
        self.bed.settings("approvals: {hold_refused: true}\n")
        self.bed.begin()
        self.calls = 0
        """Never set back: a host uses no id twice, not even after a restart."""
        self.waiting: list[tuple[Action, Held[Verdict]]] = []
        self.approved: Counter[str] = Counter()
        self.runs: Counter[str] = Counter()
        self.edits: dict[str, str] = {}
        """What was approved instead, by approval."""

    # A person

    @rule(data=st.data(), approved=st.booleans(), late=st.booleans(), edited=st.sampled_from(EDITS))
    def answer(self, data: st.DataObject, approved: bool, late: bool, edited: str) -> None:
        """Answer any question, also one that has an answer or was used."""
        asked = self.bed.asked()
        if not asked:
            return
        one = data.draw(st.sampled_from(asked))
        now = self.bed.clock()
        kept = self.bed.run.state.approvals.kept.get(one.approval)
        if approved and kept is not None and kept.is_open(now):
            self.approved[one.name] += 1
            self.edits[one.approval] = edited
        until = now if late else now + VALID_SECONDS
        given: dict[str, object] | None = {"command": edited} if approved and edited else None
        self.bed.run.record(
            ApprovalDecided(now, one.approval, approved, "ann", until=until, edited=given)
        )

    @rule(seconds=st.sampled_from([1.0, VALID_SECONDS, 25 * _HOUR]))
    def pass_time(self, seconds: float) -> None:
        self.bed.clock.advance(seconds)

    @rule()
    def restart(self) -> None:
        self.waiting.clear()
        self.bed.restart()

    # An agent

    @rule(command=st.sampled_from(COMMANDS))
    def call(self, command: str) -> None:
        self.calls += 1
        action = self.bed.bash(command, f"call-{self.calls}")
        self._heard(action, self.bed.run.decide(action))

    @rule(command=st.sampled_from(COMMANDS))
    def call_without_waiting(self, command: str) -> None:
        action = self.bed.bash(command)
        self._heard(action, Ready(self.bed.run.before(action), [], lambda error: _REFUSED))

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), patience=st.booleans())
    def go_on(self, data: st.DataObject, patience: bool) -> None:
        action, held = data.draw(st.sampled_from(self.waiting))
        self.waiting.remove((action, held))
        self._heard(action, held.resume() if patience else held.answer())

    def _heard(self, action: Action, progress: DecisionProgress[Verdict]) -> None:
        if isinstance(progress, Held):
            self.waiting.append((action, progress))
            return
        assert isinstance(progress, Ready)
        if progress.wait().decision is Decision.BLOCK:
            return
        last = self.bed.reviewed()[-1]
        name = last.name
        self.runs[name] += 1
        assert self.runs[name] <= self.approved[name]
        given = progress.value.updated_input or action.input
        if edited := self.edits[last.approval]:
            assert given == {"command": edited}
            assert edited != EDITS[-1]
        self.bed.run.after(ran(Action(action.tool, given, action.cwd, id=action.id)))

    def teardown(self) -> None:
        shutil.rmtree(self.folder)


_REFUSED = Verdict(Decision.BLOCK)
TestApprovals = Approvals.TestCase
TestApprovals.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
