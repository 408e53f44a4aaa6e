"""Supervise one run: before each action, after it, and at every other event."""

from collections.abc import Callable
from functools import partial
from time import time

from handrail.intervene import Capability
from handrail.model import event as events
from handrail.model.action import Action
from handrail.model.fingerprint import fingerprint
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.store.journal import Journal
from handrail.store.port import Receipt
from handrail.supervise.deciding_run import DecidingRun
from handrail.supervise.decision.checkpoint_request import CheckpointPlanner
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.decision.messages import with_messages
from handrail.supervise.decision.opinions import opinion_on_goal
from handrail.supervise.decision.verdict import with_notice
from handrail.supervise.followup.breach import EndedCall, command_name
from handrail.supervise.followup.call_end import end_of_call
from handrail.supervise.followup.corrections import Neighbour
from handrail.supervise.followup.message_review import review_message
from handrail.supervise.log.event_bus import EventBus
from handrail.supervise.runs.project import Project
from handrail.supervise.state.reducers import opinion_verdict
from handrail.supervise.state.watched_state import WatchedState
from handrail.supervise.supervised_run import Delivered

_FINE = Verdict(Decision.ALLOW)
_SECRET_SHOWN = (
    "Handrail: the agent's message shows a secret. Replace that secret if others can read this."
)


class Supervisor(DecidingRun):
    """Review the actions of one run, and correct it.

    Used from one thread at a time. `before` and `after` wait until the log has confirmed; `decide`
    and `take_in` leave the waiting to the caller, so that many runs share a commit.
    """

    def __init__(
        self,
        state: WatchedState,
        project: Project,
        journal: Journal,
        *,
        said: set[str] | None = None,
        distrusts_log: bool = False,
        can: Callable[[str], frozenset[Capability]] = lambda host: frozenset(),
        bus: EventBus | None = None,
        delivered: Delivered | None = None,
        planner: CheckpointPlanner | None = None,
        current: "Callable[[], Supervisor] | None" = None,
        neighbour: Neighbour = lambda state, since: "",
        own_problem: Callable[[], str] = lambda: "",
        clock: Callable[[], float] = time,
    ) -> None:
        """`said`: faults announced already; `distrusts_log`: an event was just lost.

        `can`: the capabilities of a host; `bus`: tells listeners of written events; `delivered`:
        answers a person whose message the agent got; `planner`: takes checkpoints; `current`: the
        supervisor of the run after a wait; `neighbour`: finds another run that has changed files in
        the same work tree; `own_problem`: says why Handrail itself is not whole.
        """
        super().__init__(
            state,
            project,
            journal,
            said=said,
            distrusts_log=distrusts_log,
            can=can,
            publish=(lambda event: None) if bus is None else partial(bus.publish, self),
            delivered=delivered,
            planner=planner,
            current=current,
            neighbour=neighbour,
            own_problem=own_problem,
            clock=clock,
        )

    def before(self, action: Action, agent: str = "") -> Verdict:
        """Judge an action; the verdict is on the disk when this returns.

        It waits neither for a paused run nor for a checkpoint: the verdict says so.
        """
        progress = self.decide(action, agent=agent)
        while not isinstance(progress, Ready):
            progress = progress.answer()
        return progress.wait()

    def after(self, ended: EndedCall) -> Verdict:
        """Record the outcome of an action, and check that it is the permitted one."""
        return self.take_in(ended).wait()

    def take_in(self, ended: EndedCall) -> Ready[Verdict]:
        """Record an outcome; a verdict other than `allow` names the problem."""
        action = ended.action
        name = fingerprint(action)
        given = self._ended.find(action.id, name)
        if given is not None:
            return self._ready(given, self.log.under_way)
        command = command_name(action)
        known = self.state.find_ended(action.id, name, command)
        if known is None and self.state.has_ended(action.id, name, command):
            return self._ready(_FINE, self.log.under_way)
        end = end_of_call(
            known,
            ended,
            command,
            self.project.reviewer,
            lambda: self.state.past,
            self.redactor,
            self._clock(),
        )
        receipts = [self.record(event) for event in end.events]
        verdict = end.verdict
        if known is not None:
            self._answers.forget(action.id)
        if known is not None and not end.is_breach:
            verdict = self._correct(verdict, receipts)
            is_of_helper = known.intent is not None and known.intent.agent
            messages = [] if is_of_helper else self.messages
            verdict = with_messages(verdict, messages)
            receipts += self.hand_over(messages)
        self._ended.keep(action.id, name, verdict)
        ready = self._ready(verdict, receipts)
        ready.doubt = opinion_on_goal(self)
        return ready

    def rest(self, says: str, *, for_good: bool = False) -> Ready[Verdict]:
        """Record that the agent has stopped, and check its claims.

        `for_good`: only a person's message sends it on once more.
        """
        number = self.state.messages + 1
        review, unproven = review_message(says, f"m{number}", self.state, self.redactor)
        event = events.IterationEnded(self._clock(), says, review, unproven)
        receipts = [self.record(event)]
        messages = self.messages
        verdict = _FINE if for_good else self._correct(_FINE, receipts)
        if self.state.notices and not (for_good or self.is_over):
            verdict = with_notice(verdict, *self.take_notices(receipts))
        verdict = with_messages(verdict, messages)
        if review is not None and review.effects and self._alarms.is_news("secret in a message"):
            verdict = with_notice(verdict, alarm=_SECRET_SHOWN)
        receipts += self.hand_over(messages)
        return self._ready(verdict, receipts)

    def reconsider(self, event: events.ModelAsked) -> Ready[Verdict | None]:
        """Record a model's opinion; return the new verdict, None if the old one stands."""
        earlier = next((each.verdict for each in self.state.open if each.step == event.step), _FINE)
        receipt = self.record(event)
        if event.question != "action" or event.answer != "block":
            return Ready(None, [receipt], lambda error: None)
        verdict = opinion_verdict(event, earlier)
        return Ready(verdict, [receipt], lambda error: verdict)

    def drop(self, action_id: str, says: str) -> list[Receipt]:
        """Record that a permitted action did not run."""
        known = self.state.find_open(action_id)
        if known is None or not (known.let_through or known.asked):
            return []
        self._answers.forget(action_id)
        return [self.record(events.ActionDropped(self._clock(), known.step, says))]
