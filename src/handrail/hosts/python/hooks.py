"""Answer the events of a program that uses Handrail as a library."""

from collections.abc import Callable
from time import time
from typing import TypeVar, cast

import msgspec

from handrail.checkpoint import ConversationPosition
from handrail.config import ConfigError
from handrail.hosts.port import CAUSE, FaultAnswers, Reply, SessionOrigin
from handrail.hosts.python.messages import (
    AfterMessage,
    AnyMessage,
    BeforeMessage,
    DesktopCheckMessage,
    DropMessage,
    EndMessage,
    PromptMessage,
    StartMessage,
    TurnEndMessage,
    UnreadableMessageError,
    read_message,
)
from handrail.hosts.python.profile import PROFILE
from handrail.model.action import Action, Outcome
from handrail.model.desktop import DESKTOP_LOOK
from handrail.model.event import (
    DesktopChecked,
    Event,
    ModelAsked,
    PromptGiven,
    RunEnded,
    RunStarted,
)
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.store.errors import StoreError
from handrail.supervise.decision.decision_progress import DecisionProgress, Ready
from handrail.supervise.decision.verdict import fault_verdict
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.runs.settings_trust import untrusted_notice
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

T = TypeVar("T")
Answer = DecisionProgress[Verdict]

_FINE = Verdict(Decision.ALLOW)
_DOCTOR = "handrail doctor says what is wrong."


class PythonHooks:
    """Answer every event with a verdict. Used from one thread at a time."""

    def __init__(self, runs: RunRegistry, *, clock: Callable[[], float] = time) -> None:
        self._runs = runs
        self._clock = clock

    def handle(self, body: bytes, seat: SessionOrigin) -> DecisionProgress[Reply]:
        """Answer one event; refuse an unreadable message."""
        try:
            payload = read_message(body)
        except UnreadableMessageError as error:
            return _now(self.unreadable(str(error)))
        try:
            return self._answer(payload).then(_lowered)
        except StoreError as error:
            return _now(_lowered(self._without_log(payload, error)))
        except RecursionError:
            return _now(self.unreadable("it is nested too deeply"))

    def reconsider(self, run: str, event: ModelAsked) -> Ready[Reply | None]:
        """Return the reply after a second opinion; None: it has not changed."""
        ready = self._runs.get(run, "/").reconsider(event)
        return ready.then(lambda verdict: None if verdict is None else _lowered(verdict))

    def failed(self, problem: str, body: bytes) -> Reply:
        """Refuse a request over which Handrail itself broke down."""
        return _lowered(
            fault_verdict(harmless=False, problem=problem, fix=_DOCTOR, policy="deny_all")
        )

    def unreadable(self, problem: str) -> Reply:
        """Refuse an unreadable request."""
        says = f"The call cannot be read: {problem.rstrip('.')}."
        return _lowered(Verdict(Decision.BLOCK, says, "Use a shorter and plainer input."))

    def fault_answers(self) -> FaultAnswers:
        """A refusal of everything."""
        refusal = msgspec.json.encode(self.failed(CAUSE, b"")).decode()
        return FaultAnswers(
            event="event",
            tool="tool",
            run="run",
            folder="cwd",
            reads=(),
            refusals={},
            otherwise=refusal,
            unreadable=refusal,
        )

    def place(self, run: str) -> ConversationPosition:
        """Return the run; only the program knows the place in its conversation."""
        return ConversationPosition(PROFILE.name, run)

    def _answer(self, payload: AnyMessage) -> Answer:
        supervisor = self._runs.get(payload.run, payload.cwd)
        if isinstance(payload, StartMessage):
            return self._start(payload, supervisor)
        if supervisor.state.seq == 0:  # its start was missed, or the log is a new one
            supervisor.record(RunStarted(self._clock(), PROFILE.name, payload.cwd))
        return _REACTIONS[type(payload)](self, payload, supervisor)

    def _without_log(self, payload: AnyMessage, error: StoreError) -> Verdict:
        """Answer without the log: only reading may go on."""
        if isinstance(payload, BeforeMessage):
            bare = self._runs.bare(payload.run, payload.cwd)
            return bare.judge_without_log(_action(payload), error)
        return fault_verdict(harmless=False, problem=str(error), fix=_DOCTOR, policy="deny")

    # One method for each event

    def _start(self, payload: StartMessage, supervisor: Supervisor) -> Answer:
        self._runs.renew(payload.run, payload.cwd)
        projects = self._runs.projects
        if problem := projects.at(payload.cwd).problem:
            return _now(_refusal(f"Handrail's settings cannot be used: {problem}"))
        try:
            supervisor.project = projects.narrowed(
                payload.cwd, payload.goal, payload.scope, payload.pipeline
            )
        except ConfigError as error:
            return _now(_refusal(f"the pipeline's settings cannot be used: {error}"))
        except ValueError as error:
            return _now(_refusal(f"scope {' '.join(payload.scope)}: {error}"))
        host, cwd = PROFILE.name, payload.cwd
        event = RunStarted(self._clock(), host, cwd, "startup", model=payload.model)
        started = _noted(supervisor, event)
        if notice := untrusted_notice(supervisor.project.withheld):
            started.value = Verdict(Decision.ALLOW, alarm=notice)
        return started

    def _prompt(self, payload: PromptMessage, supervisor: Supervisor) -> Answer:
        return _noted(supervisor, PromptGiven(self._clock(), payload.text))

    def _before(self, payload: BeforeMessage, supervisor: Supervisor) -> Answer:
        return supervisor.decide(_action(payload), agent=payload.agent)

    def _after(self, payload: AfterMessage, supervisor: Supervisor) -> Answer:
        outcome = Outcome(
            payload.ok,
            payload.exit_code,
            payload.output,
            payload.error,
            payload.seconds * 1000,
            tokens=payload.tokens,
        )
        return supervisor.take_in(EndedCall(_action(payload), outcome))

    def _desktop_check(self, payload: DesktopCheckMessage, supervisor: Supervisor) -> Answer:
        event = DesktopChecked(self._clock(), _step_of_look(supervisor.state), payload.check)
        return _noted(supervisor, event)

    def _drop(self, payload: DropMessage, supervisor: Supervisor) -> Answer:
        receipts = supervisor.drop(payload.id, payload.reason)
        return Ready(_FINE, receipts, lambda error: _FINE)

    def _turn_end(self, payload: TurnEndMessage, supervisor: Supervisor) -> Answer:
        return supervisor.rest(payload.text)

    def _end(self, payload: EndMessage, supervisor: Supervisor) -> Answer:
        ready = _noted(supervisor, RunEnded(self._clock(), payload.reason))
        self._runs.end(payload.run)
        return ready


_Reaction = Callable[[PythonHooks, AnyMessage, Supervisor], Answer]
_REACTIONS = {
    kind: cast("_Reaction", react)
    for kind, react in (
        (PromptMessage, PythonHooks._prompt),
        (BeforeMessage, PythonHooks._before),
        (AfterMessage, PythonHooks._after),
        (DesktopCheckMessage, PythonHooks._desktop_check),
        (DropMessage, PythonHooks._drop),
        (TurnEndMessage, PythonHooks._turn_end),
        (EndMessage, PythonHooks._end),
    )
}


def _action(payload: BeforeMessage | AfterMessage) -> Action:
    return Action(payload.tool, payload.input, payload.cwd, id=payload.id)


def _step_of_look(state: RunState) -> int:
    """Return the step of the look under way; the steps of its recovery come after it."""
    looks = (
        each.step
        for each in reversed(state.open)
        if each.let_through and each.intent is not None and each.intent.tool == DESKTOP_LOOK
    )
    return next(looks, state.step)


def _refusal(says: str) -> Verdict:
    return Verdict(Decision.BLOCK, says)


def _noted(supervisor: Supervisor, event: Event) -> Ready[Verdict]:
    """Write the event; the sender hears of a failure."""
    failed = "Handrail cannot write its log: {}"
    receipt = supervisor.record(event)
    return Ready(_FINE, [receipt], lambda error: _refusal(failed.format(error)))


def _now(value: T) -> Ready[T]:
    return Ready(value, [], lambda error: value)


def _lowered(verdict: Verdict) -> Reply:
    return {"verdict": msgspec.to_builtins(verdict)}
