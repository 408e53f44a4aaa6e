"""One run under supervision: before an action, after it, and whatever else happens."""

from collections.abc import Callable, Sequence
from time import perf_counter, time

import msgspec

from handrail.config.sources import FILE_NAME
from handrail.intervene import Capability
from handrail.intervene.processes import began_at
from handrail.judge import Question, about_action, about_goal
from handrail.model.action import Action
from handrail.model.control import ENDING, HOLDING
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionHeld,
    ActionReviewed,
    BreachFound,
    ControlAsked,
    Event,
    FaultNoted,
    Intervened,
    IterationEnded,
    ModelAsked,
    RunStarted,
    SettingsChanged,
)
from handrail.model.fingerprint import fingerprint
from handrail.model.in_force import InForce
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.store.errors import StoreError
from handrail.store.journal import Journal
from handrail.store.port import Receipt
from handrail.supervise.alarms import NEWER, Alarms
from handrail.supervise.answers import Answers
from handrail.supervise.breach import Ended, command_name, find_breach, without_env
from handrail.supervise.changes import second_opinion
from handrail.supervise.correct import Neighbour, corrected, corrections, told_of_rollback
from handrail.supervise.first import Keeper, SavedFirst, SaveFirst
from handrail.supervise.foresight import said_before, save_first, shown
from handrail.supervise.gate import gate, slowed
from handrail.supervise.hold import Hold
from handrail.supervise.in_force import in_force
from handrail.supervise.messages import with_messages
from handrail.supervise.open_action import OpenAction
from handrail.supervise.pending import Doubt, Pending
from handrail.supervise.project import Project
from handrail.supervise.recorder import Beside, Recorder
from handrail.supervise.verdict import only_reads, under_fault, verdict_of
from handrail.supervise.watched_state import WatchedState

_LOOK = "Look at what it did; `handrail doctor` says whether refusals are enforced."
_FINE = Verdict(Decision.ALLOW)


Tell = Callable[["Supervisor", Event], None]
"""Who hears of each event that a run has written."""
Delivered = Callable[["Supervisor", ControlAsked], Receipt]
"""Who writes down that the agent was told what a person wants it to know."""


class Supervisor:
    """Joins the state of one run, the reviewer of its project and the log.

    Used from one thread at a time. `before` and `after` wait until the log has confirmed;
    `decide` and `take_in` leave the waiting to the caller, so that many runs share a commit.
    """

    def __init__(
        self,
        state: WatchedState,
        project: Project,
        journal: Journal,
        *,
        said: set[str] | None = None,
        distrusts_log: bool = False,
        can: frozenset[Capability] = frozenset(),
        tell: Tell | None = None,
        delivered: Delivered | None = None,
        keeper: Keeper | None = None,
        neighbour: Neighbour = lambda state, since: "",
        clock: Callable[[], float] = time,
    ) -> None:
        """`said`: the faults that were told already; `distrusts_log`: an event was just lost.

        `can`: what the host can do; `tell`: who hears of each event that was written;
        `delivered`: who answers to a person whose message the agent was given; `keeper`: who takes
        checkpoints;
        `neighbour`: who else has changed files in a run's work tree since a moment.
        """
        self.state = state
        self.project = project
        self._can = can
        self._tell = tell
        self._delivered = delivered
        self._keeper = keeper
        self._neighbour = neighbour
        self._clock = clock
        self._alarms = Alarms(set() if said is None else said)
        self._distrusts_log = distrusts_log
        self._log = Recorder(state, journal, self._log_works)
        self._answers: Answers[Pending[Verdict]] = Answers()
        self._ended: Answers[Verdict] = Answers()
        self._saved_first: Answers[SavedFirst] = Answers()
        self._waited: Answers[bool] = Answers()
        self._inherited = frozenset(each.step for each in state.open)
        """Actions that were let through before: their ends may have been told to nobody."""

    @property
    def broken(self) -> bool:
        """An event was lost: the state has run ahead of the log and must be read again."""
        return self._log.lost is not None

    @property
    def settled(self) -> bool:
        """Whether the log has answered to everything that was written."""
        return self._log.settled

    def follow(self, now: Project) -> None:
        """Take note of the settings on the disk; what they loosen counts when a session starts."""
        if not self.state.seq:  # nothing has begun
            self.project = now
            return
        before, self.project = self.project, self.project.under_way(now)
        newer = self.project.newer
        if newer is None:
            self._alarms.over("newer")
            if not before.settled and self.project.settled:
                at = self._clock()
                self.record(SettingsChanged(at, FILE_NAME, "handrail", settings=self._settings()))
        elif before.newer is None or before.newer.config != newer.config:
            self.note_newer()

    def note_newer(self) -> None:
        """Write down that there are settings which count only so far as they forbid."""
        self.record(SettingsChanged(self._clock(), FILE_NAME, "handrail", NEWER))

    def before(self, action: Action, agent: str = "") -> Verdict:
        """Judge an action; the verdict is on the disk when this returns."""
        return self.decide(action, agent=agent).wait()

    def after(self, ended: Ended) -> Verdict:
        """Take in what came of an action, and see whether it is what was let through."""
        return self.take_in(ended).wait()

    def decide(self, action: Action, *, agent: str = "", may_ask: bool = False) -> Pending[Verdict]:
        """Judge an action; the same call twice gets the same answer."""
        name = fingerprint(action)
        answer = self._answers.find(action.id, name)
        if answer is None:
            held = self._hold(action, name, agent)
            answer = held or self._judge(action, name, agent, may_ask=may_ask)
            if answer.first is None and held is None:
                self._answers.keep(action.id, name, answer)
        return answer

    def note_waited(self, hold: Hold) -> None:
        """An action was held for as long as the host waits: it is answered next."""
        self._waited.keep(hold.action, hold.name, True)

    def note_gone(self, hold: Hold) -> None:
        """Nobody waits for a held action any more."""
        if hold.action in self.state.hand.held:
            self.record(ActionHeld(self._clock(), hold.action, "", released="its agent is gone"))

    def note_saved(self, first: SaveFirst, saved: SavedFirst) -> None:
        """What came of saving the files before an action, which is decided about next."""
        self._saved_first.keep(first.action, first.name, saved)

    def take_in(self, ended: Ended) -> Pending[Verdict]:
        """Note an outcome; a verdict that is not `allow` says what is wrong with it."""
        action = ended.action
        name = fingerprint(action)
        given = self._ended.find(action.id, name)
        if given is not None:
            return self._pending(given, self._log.under_way)
        command = command_name(action)
        known = self.state.find_ended(action.id, name, command)
        if known is None and self.state.has_ended(action.id, name, command):
            return self._pending(_FINE, self._log.under_way)
        at = self._clock()
        receipts: list[Receipt] = []
        problem = find_breach(known, ended, self.project.reviewer, self.state.history)
        if problem:
            step = known.step if known else 0
            receipts.append(self.record(BreachFound(at, problem, step, action)))
        if known is not None:
            overruled = known.asked and not known.let_through
            outcome = without_env(ended, self.project.redactor)
            event = ActionEnded(at, known.step, outcome, ended.created, ended.changed, overruled)
            receipts.append(self.record(event))
            self._answers.forget(action.id)
        verdict = _FINE
        if problem:
            verdict = Verdict(Decision.BLOCK, problem, _LOOK, stop=True, alarm=f"{problem} {_LOOK}")
        elif known is not None:
            verdict = self._correct(verdict, receipts)
            messages = self.messages if self._is_by_main_agent(known) else []
            verdict = with_messages(verdict, messages)
            receipts += self.hand_over(messages)
        self._ended.keep(action.id, name, verdict)
        pending = self._pending(verdict, receipts)
        every = self.project.config.judge.goal_every
        if every and self.state.step % every == 0 and self._goal and self._may_doubt():
            question = about_goal(self._goal, self.state.course.shown, self.project.redactor)
            pending.doubt = self._doubt(question)
        return pending

    def rest(self, says: str, *, for_good: bool = False) -> Pending[Verdict]:
        """Note that the agent has stopped, and see whether what it says is true.

        `for_good`: it is not sent on by us once more, only for what a person tells it.
        """
        receipts = [self.record(IterationEnded(self._clock(), says))]
        messages = self.messages
        verdict = _FINE if for_good else self._correct(_FINE, receipts)
        verdict = with_messages(verdict, messages)
        receipts += self.hand_over(messages)
        return self._pending(verdict, receipts)

    @property
    def messages(self) -> list[ControlAsked]:
        """What the agent has to be told by a person, and can be told now."""
        hand = self.state.hand
        can_hear = self._delivered is not None and hand.standing not in ENDING
        return hand.messages if can_hear else []

    def hand_over(self, messages: Sequence[ControlAsked]) -> list[Receipt]:
        """The agent is told; whoever wanted that is answered."""
        if self._delivered is None:
            return []
        return [self._delivered(self, each) for each in messages]

    def reconsider(self, event: ModelAsked) -> Pending[Verdict | None]:
        """Note what a model thinks; the verdict is what counts now, None: what was decided."""
        receipt = self.record(event)
        if event.question != "action" or event.answer != "block":
            return Pending(None, [receipt], lambda error: None)
        verdict = second_opinion(event)
        return Pending(verdict, [receipt], lambda error: verdict)

    def drop(self, action_id: str, says: str) -> list[Receipt]:
        """Note that an action which was let through did not run."""
        known = self.state.find_open(action_id)
        if known is None or not (known.let_through or known.asked):
            return []
        self._answers.forget(action_id)
        return [self.record(ActionDropped(self._clock(), known.step, says))]

    def record(self, event: Event, beside: Beside | None = None) -> Receipt:
        """Write an event and make it part of the state.

        `beside`: rows of other topics that the new state brings along; all are written or none.
        """
        if type(event) is RunStarted:
            event = msgspec.structs.replace(event, settings=self._settings())
            if not event.pid_began and (began := began_at(event.pid)):
                event = msgspec.structs.replace(event, pid_began=began)
        written = self._log.write(event, self.project.redactor, beside)
        if self._tell is not None:
            self._tell(self, written.event)
        self._log.save_now_and_then()
        return written.receipt

    def _settings(self) -> InForce | None:
        """What the log has to give back after a restart."""
        return in_force(self.project.config) if self.project.settled else None

    def save(self) -> None:
        """Keep the state as it is now, as soon as all of it is in the log."""
        self._log.save()

    def settle(self, seconds: float) -> None:
        """Wait until the log has answered to everything; raises NotWrittenError if it does not."""
        self._log.settle(seconds)

    def judge_without_log(self, action: Action, error: StoreError) -> Verdict:
        """Judge an action that cannot be recorded."""
        review = self.project.review(action, self.state.history)
        verdict = self._tell_all(self._decided(fingerprint(action), review), review)
        harmless = only_reads(review)
        return self._pending(verdict, [], harmless=harmless, error=error).value

    def _hold(self, action: Action, name: str, agent: str) -> Pending[Verdict] | None:
        """The answer that is none yet, while the run is paused; None: it may be decided about."""
        hand = self.state.hand
        if hand.standing not in HOLDING or not action.id or self._log.lost is not None:
            return None
        if self._waited.find(action.id, name) or self._judged_before(action.id, name) is not None:
            return None
        if action.id not in hand.held:
            says = self.project.redactor.text(shown(action))
            self.record(ActionHeld(self._clock(), action.id, says, agent))
            self._close_unheard(agent)
        held = Pending(_FINE, [], lambda error: _FINE)
        held.hold = Hold(self.state.run, self.state.cwd, action.id, name)
        return held

    def _close_unheard(self, agent: str) -> None:
        """An agent that comes with its next action has ended those of before the daemon died."""
        for each in self.state.at_work:
            of_agent = each.intent is not None and each.intent.agent == agent
            if of_agent and each.step in self._inherited:
                self.record(ActionDropped(self._clock(), each.step, "its end was not heard"))

    def _judge(self, action: Action, name: str, agent: str, *, may_ask: bool) -> Pending[Verdict]:
        known = self._judged_before(action.id, name)
        if known is not None and known.verdict.decision is not Decision.MODIFY:
            return self._pending(known.verdict, self._log.under_way)
        began = perf_counter()
        saved = self._saved_first.find(action.id, name)
        kept = saved.kept if saved is not None else None
        review = self.project.review(action, self.state.history, kept)
        decided = self._decided(name, review, saved)
        if saved is None and (first := self._first(action, name, review, decided)) is not None:
            held = Pending(decided, [], lambda error: decided)
            held.first = first
            return held
        verdict = slowed(action, self._tell_all(decided, review), self.state.course.allowance)
        command = command_name(action, verdict.updated_input)
        harmless = only_reads(review)
        if self._log.lost is not None:
            return self._pending(verdict, [], harmless=harmless, error=self._log.lost)
        if known is not None and known.command == command:
            # The log has the rewritten input without its secrets; this one is complete.
            return self._pending(verdict, self._log.under_way, harmless=harmless)
        messages = [] if agent else self.messages
        verdict = with_messages(verdict, messages)
        asked = may_ask and verdict.overrulable
        receipt = self.record(
            ActionReviewed(
                self._clock(),
                self.state.step + 1,
                name,
                action,
                review,
                verdict,
                agent,
                round((perf_counter() - began) * 1000, 3),
                asked,
                command,
            )
        )
        self._ended.forget(action.id)
        receipts = [receipt] if self._waits(review, verdict) or messages else []
        receipts += self.hand_over(messages)
        final = verdict.decision is Decision.BLOCK and not (asked or verdict.passing)
        if final and not self.state.course.stopped:
            # Nothing more is heard of what was refused: its time to be looked at is now.
            verdict = self._correct(verdict, receipts)
        pending = self._pending(verdict, receipts, harmless=harmless)
        if verdict.decision is Decision.WARN and self._may_doubt():
            question = about_action(self._goal, action, review, self.project.redactor)
            pending.doubt = self._doubt(question)
        return pending

    def _first(
        self, action: Action, name: str, review: Review, verdict: Verdict
    ) -> SaveFirst | None:
        """What has to be saved before an action is decided about."""
        if self._keeper is None or self._log.lost is not None or self.state.course.stopped:
            return None
        state = self.state
        first = save_first(action, review, verdict, state.run, state.cwd, state.step, name)
        if first is None:
            return None
        why = self.project.redactor.text(said_before(action))
        first = msgspec.structs.replace(first, why=why)
        return first if self._keeper.wants(first, state, self.project.config.checkpoints) else None

    @property
    def _goal(self) -> str:
        return self.state.history.goal or self.project.config.goal

    def _may_doubt(self) -> bool:
        judge = self.project.config.judge
        return judge.enabled and self.state.usage.opinions < judge.calls_per_run

    def _doubt(self, question: Question) -> Doubt:
        return Doubt(self.state.run, self.state.step, question, self.project.config.judge)

    def _correct(self, verdict: Verdict, receipts: list[Receipt]) -> Verdict:
        """Write down what the last deed shows, and do something about it if need be."""
        now = self._clock()
        for event in corrections(self.state, self.project, self._can, now, self._neighbour):
            receipts.append(self.record(event))
            if isinstance(event, Intervened):
                verdict = corrected(verdict, event.intervention)
        faults = (*self.state.course.watch.faults, *self.project.controller.faults)
        receipts += [
            self.record(FaultNoted(now, "plugin", fault))
            for fault in faults
            if self._alarms.is_news(fault)
        ]
        return verdict

    def _judged_before(self, action_id: str, name: str) -> OpenAction | None:
        """What the log knows of the same call, from before a restart for example."""
        known = self.state.find_open(action_id)
        return known if known is not None and known.name == name and not self.broken else None

    @staticmethod
    def _is_by_main_agent(known: OpenAction) -> bool:
        return known.intent is None or not known.intent.agent

    def _log_works(self) -> None:
        """The log has taken an event; called in its thread."""
        self._distrusts_log = False
        self._alarms.over("log")

    def _decided(self, name: str, review: Review, saved: SavedFirst | None = None) -> Verdict:
        refused = gate(self.state, review, self.project.limits, self._clock())
        return refused or verdict_of(review, self.state.history.refusals(name), saved)

    def _tell_all(self, verdict: Verdict, review: Review) -> Verdict:
        back = self.state.course.rolled_back
        if back is not None and self.state.course.back_untold:
            verdict = told_of_rollback(verdict, back)
        return self._alarms.told(verdict, review, self.project)

    def _waits(self, review: Review, verdict: Verdict) -> bool:
        settings = self.project.config.step_reviewer
        if settings.mode == "blocking" or self._distrusts_log:
            return True
        risk = review.risk.score
        return verdict.decision > Decision.ALLOW or risk >= settings.performance.async_threshold

    def _pending(
        self,
        verdict: Verdict,
        receipts: list[Receipt],
        *,
        harmless: bool = False,
        error: StoreError | None = None,
    ) -> Pending[Verdict]:
        def otherwise(error: StoreError) -> Verdict:
            fault = self._alarms.log_fault(error, self.project.on_fault, harmless=harmless)
            return under_fault(verdict, fault)

        return Pending(verdict if error is None else otherwise(error), receipts, otherwise)
