"""One run under supervision: before an action, after it, and whatever else happens."""

from collections import OrderedDict
from collections.abc import Callable
from time import perf_counter, time

import msgspec

from handrail.model.action import Action
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    BreachFound,
    Event,
)
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.review import fingerprint
from handrail.store.errors import DamagedError, DiskFullError, StoreError
from handrail.store.journal import Journal
from handrail.store.port import Receipt, Snapshot
from handrail.supervise.breach import Ended, command_name, find_breach
from handrail.supervise.pending import Pending
from handrail.supervise.project import Project
from handrail.supervise.state import RunState
from handrail.supervise.verdict import fault_verdict, only_reads, verdict_of

SNAPSHOT_EVERY = 100
"""Events after which a state is saved, so that nobody has to read a long run from its start."""
_FIXES: dict[type[StoreError], str] = {
    DiskFullError: "make room on the disk.",
    DamagedError: "handrail doctor --fix moves the damaged log aside and starts a new one.",
}
_FIX = "handrail doctor says what is wrong."
_LOOK = "Look at what it did; `handrail doctor` says whether refusals are enforced."
_MAX_ANSWERS = 256


class Supervisor:
    """Joins the state of one run, the reviewer of its project and the log.

    Used from one thread at a time. `before` and `after` wait until the log has confirmed;
    `decide` and `take_in` leave the waiting to the caller, so that many runs share a commit.
    """

    def __init__(
        self,
        state: RunState,
        project: Project,
        journal: Journal,
        *,
        said: set[str] | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        self.state = state
        self.project = project
        self.broken = False
        """An event was lost: the state has run ahead of the log and must be read again."""
        self._journal = journal
        self._clock = clock
        self._said = set() if said is None else said
        self._answers: OrderedDict[str, tuple[str, Verdict]] = OrderedDict()

    def before(self, action: Action, agent: str = "") -> Verdict:
        """Judge an action; the verdict is on the disk when this returns."""
        return self.decide(action, agent=agent).wait()

    def after(self, ended: Ended) -> Verdict:
        """Take in what came of an action, and see whether it is what was let through."""
        return self.take_in(ended).wait()

    def decide(self, action: Action, *, agent: str = "", may_ask: bool = False) -> Pending[Verdict]:
        """Judge an action; the same call twice gets the same answer."""
        name = fingerprint(action)
        given = self._answers.get(action.id)
        if given is not None and given[0] == name:
            return self._pending(given[1], [], None)
        began = perf_counter()
        review = self.project.reviewer.review(action, self.state.history)
        verdict = self._verdict(name, review)
        receipts: list[Receipt] = []
        known = self.state.find_open(action.id)
        if known is None or known.name != name:  # else it came before the daemon's restart
            event = ActionReviewed(
                self._clock(),
                self.state.step + 1,
                name,
                action,
                review,
                verdict,
                agent,
                round((perf_counter() - began) * 1000, 3),
                may_ask and verdict.overrulable,
                command_name(action, verdict.updated_input),
            )
            receipt = self.record(event)
            receipts = [receipt] if self._waits(review, verdict) else []
        if action.id:
            self._answers[action.id] = (name, verdict)
            if len(self._answers) > _MAX_ANSWERS:
                self._answers.popitem(last=False)
        return self._pending(verdict, receipts, review)

    def take_in(self, ended: Ended) -> Pending[Verdict]:
        """Note an outcome; a verdict that is not `allow` says what is wrong with it."""
        known = self.state.find_open(ended.action.id)
        at = self._clock()
        receipts: list[Receipt] = []
        problem = find_breach(known, ended, self.project.reviewer, self.state.history)
        if problem:
            step = known.step if known else 0
            receipts.append(self.record(BreachFound(at, problem, step, ended.action)))
        if known is not None:
            overruled = known.asked and known.verdict.decision is Decision.BLOCK
            event = ActionEnded(
                at, known.step, ended.outcome, ended.created, ended.changed, overruled
            )
            receipts.append(self.record(event))
            self._answers.pop(ended.action.id, None)
        verdict = Verdict(Decision.ALLOW)
        if problem:
            verdict = Verdict(Decision.BLOCK, problem, _LOOK, stop=True, alarm=f"{problem} {_LOOK}")
        return self._pending(verdict, receipts, None)

    def drop(self, action_id: str, says: str) -> list[Receipt]:
        """Note that an action which was let through did not run."""
        known = self.state.find_open(action_id)
        if known is None or (known.verdict.decision is Decision.BLOCK and not known.asked):
            return []
        return [self.record(ActionDropped(self._clock(), known.step, says))]

    def record(self, event: Event) -> Receipt:
        """Write an event and make it part of the state."""
        written = self._journal.append(topic_of(self.state.run), event, self.project.redactor)
        self.state.apply(written.event)
        written.receipt.add_done_callback(self._written)
        if self.state.seq % SNAPSHOT_EVERY == 0:
            self.save()
        return written.receipt

    def save(self) -> None:
        """Keep the state as it is now."""
        snapshot = Snapshot(self.state.seq, msgspec.json.encode(self.state))
        self._journal.store.save_snapshot(topic_of(self.state.run), snapshot)

    def judge_without_log(self, action: Action, error: StoreError) -> Verdict:
        """Judge an action that cannot be recorded."""
        review = self.project.reviewer.review(action, self.state.history)
        verdict = self._verdict(fingerprint(action), review)
        return self._pending(verdict, [], review).otherwise(error)

    def _written(self, receipt: Receipt) -> None:
        if receipt.exception() is None:
            self._said.discard("log")
        else:
            self.broken = True

    def _verdict(self, name: str, review: Review) -> Verdict:
        verdict = self._limit() or verdict_of(review, self.state.history.refusals(name))
        problem = self.project.problem
        if not problem:
            self._said.discard("settings")
            return verdict
        if self.project.settled:  # what was in force before still is
            if "settings" in self._said:
                return verdict
            self._said.add("settings")
            alarm = f"{problem} The settings from before stay in force."
            return msgspec.structs.replace(verdict, alarm=alarm)
        fault = self._fault("settings", problem, review, "handrail config check")
        return max(verdict, fault, key=lambda item: item.decision)

    def _limit(self) -> Verdict | None:
        """The refusal of a run that has used up what it may use."""
        limits, state = self.project.config.limits, self.state
        minutes = (self._clock() - state.started) / 60 if state.started else 0.0
        if limits.actions and state.step >= limits.actions:
            said = f"The run has taken its {limits.actions} actions (limits.actions)."
        elif limits.minutes and minutes > limits.minutes:
            said = f"The run has had its {limits.minutes:g} minutes (limits.minutes)."
        else:
            return None
        return Verdict(Decision.BLOCK, said, "Stop here, and say what is done and what is not.")

    def _waits(self, review: Review, verdict: Verdict) -> bool:
        settings = self.project.config.step_reviewer
        if settings.mode == "blocking" or verdict.decision > Decision.ALLOW:
            return True
        return review.risk.score >= settings.performance.async_threshold

    def _pending(
        self, verdict: Verdict, receipts: list[Receipt], review: Review | None
    ) -> Pending[Verdict]:
        def otherwise(error: StoreError) -> Verdict:
            if verdict.decision is Decision.BLOCK:
                return verdict
            return self._fault("log", str(error), review, _FIXES.get(type(error), _FIX))

        return Pending(verdict, receipts, otherwise)

    def _fault(self, kind: str, problem: str, review: Review | None, fix: str) -> Verdict:
        """The verdict when Handrail itself is at fault; loud the first time only."""
        verdict = fault_verdict(
            harmless=review is not None and only_reads(review.effects),
            problem=problem,
            fix=fix,
            policy=self.project.config.on_fault,
        )
        if kind in self._said:
            return verdict
        self._said.add(kind)
        alarm = f"Handrail cannot do its work: {problem}. Fix: {fix}"
        return msgspec.structs.replace(verdict, alarm=alarm)


def topic_of(run: str) -> str:
    """Where a run's events stand in the log."""
    return f"run:{run}"
