"""The verbs of an engine as messages, so that it can live in another process."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import msgspec

from handrail.fleet.engine.engine import (
    Claim,
    FleetEngine,
    FleetError,
    Renewal,
    StaleAttemptError,
    TaskStatusError,
    Ticket,
    UnknownTaskError,
    Worker,
)
from handrail.fleet.engine.events import AttemptEvent, AttemptResult, FleetEvent
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import Task
from handrail.model.decodable import decodable

T = TypeVar("T")


class _EngineRequest(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="verb"
):
    """One call."""


class SubmitTasks(_EngineRequest, frozen=True, tag="submit"):
    """Add tasks."""

    tasks: tuple[Task, ...]
    by: str = ""


class ClaimTask(_EngineRequest, frozen=True, tag="claim"):
    """Take the next task for a slot."""

    worker: Worker
    slot: int = 0


class RenewLease(_EngineRequest, frozen=True, tag="renew"):
    """Say that an attempt is alive."""

    ticket: Ticket


class NoteEvent(_EngineRequest, frozen=True, tag="note"):
    """Record an event of an attempt under way."""

    event: FleetEvent


class FinishAttempt(_EngineRequest, frozen=True, tag="finish"):
    """Hand in a result."""

    ticket: Ticket
    result: AttemptResult


class GiveTaskBack(_EngineRequest, frozen=True, tag="give_back"):
    """End an attempt without a result."""

    ticket: Ticket
    says: str
    by: str = ""
    held: bool = False
    counts: bool = True


class CancelTask(_EngineRequest, frozen=True, tag="cancel"):
    """Give up a task."""

    task: str
    by: str = ""
    says: str = ""


class RecordDecision(_EngineRequest, frozen=True, tag="record"):
    """Record a decision of a person."""

    event: FleetEvent


class ReadState(_EngineRequest, frozen=True, tag="state"):
    """Return the state."""


class LookAtTask(_EngineRequest, frozen=True, tag="look_at"):
    """Return one task."""

    task: str


class ReadOverview(_EngineRequest, frozen=True, tag="overview"):
    """Return the state without long histories."""


FleetRequest = (
    SubmitTasks
    | ClaimTask
    | RenewLease
    | NoteEvent
    | FinishAttempt
    | GiveTaskBack
    | CancelTask
    | RecordDecision
    | ReadState
    | LookAtTask
    | ReadOverview
)


@decodable
class FleetCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request about the fleet of a folder."""

    folder: str
    request: FleetRequest


@decodable
class DispatchChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A person closes or opens the dispatch of all fleets."""

    open: bool
    by: str = ""
    says: str = ""


@decodable
class ChangedFleets(msgspec.Struct, frozen=True):
    """The fleets whose dispatch was closed or opened."""

    fleets: tuple[str, ...]


class FleetRefusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engine refused a call: an error that travels."""

    kind: Literal["unknown", "stale", "status", "other"]
    says: str
    task: str = ""
    attempt: int = 0
    why: str = ""
    status: str = ""


@decodable
class FleetAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a call."""

    answer: object = None
    refused: FleetRefusal | None = None


def perform(engine: FleetEngine, request: FleetRequest) -> FleetAnswer:
    """Carry out a call."""
    try:
        answer = _perform(engine, request)
    except FleetError as error:
        return refused(error)
    return FleetAnswer(answer)


def refused(error: FleetError) -> FleetAnswer:
    """Return an error as an answer."""
    return FleetAnswer(refused=_refusal(error))


def _perform(engine: FleetEngine, request: FleetRequest) -> object:
    """Call the engine; return its answer, or None for a verb without one."""
    match request:
        case SubmitTasks():
            return engine.submit(request.tasks, request.by)
        case ClaimTask():
            return engine.claim(request.worker, request.slot)
        case RenewLease():
            return engine.renew(request.ticket)
        case ReadState():
            return engine.state()
        case LookAtTask():
            return engine.look_at(request.task)
        case ReadOverview():
            return engine.overview()
        case NoteEvent():
            engine.note(_of_attempt(request.event))
        case FinishAttempt():
            engine.finish(request.ticket, request.result)
        case GiveTaskBack():
            engine.give_back(
                request.ticket,
                request.says,
                by=request.by,
                held=request.held,
                counts=request.counts,
            )
        case CancelTask():
            engine.cancel(request.task, request.by, request.says)
        case RecordDecision():
            engine.record(request.event)
    return None


class RemoteFleetEngine(FleetEngine):
    """An engine in another process."""

    def __init__(self, send: Callable[[FleetRequest], FleetAnswer]) -> None:
        """`send`: carries a request there, and its answer back."""
        self._send = send

    def submit(self, tasks: Sequence[Task], by: str = "") -> list[str]:
        """Add tasks, all or none; return the ids of the new ones."""
        return self._ask(SubmitTasks(tuple(tasks), by), list[str])

    def claim(self, worker: Worker, slot: int = 0) -> Claim | None:
        """Take the next task, as its next attempt; None: nothing can be claimed now."""
        return self._ask(ClaimTask(worker, slot), Claim | None)  # type: ignore[arg-type]

    def renew(self, ticket: Ticket) -> Renewal:
        """Say that an attempt is alive; its lease counts from now."""
        return self._ask(RenewLease(ticket), Renewal)  # type: ignore[arg-type]

    def note(self, event: AttemptEvent) -> None:
        """Record an event of an attempt under way. Raises StaleAttemptError."""
        self._ask(NoteEvent(event), type(None))  # type: ignore[arg-type]

    def finish(self, ticket: Ticket, result: AttemptResult) -> None:
        """Hand in the result of an attempt; twice is once. Raises StaleAttemptError."""
        self._ask(FinishAttempt(ticket, result), type(None))

    def give_back(
        self, ticket: Ticket, says: str, *, by: str = "", held: bool = False, counts: bool = True
    ) -> None:
        """End an attempt without a result. Raises StaleAttemptError."""
        self._ask(GiveTaskBack(ticket, says, by, held, counts), type(None))

    def cancel(self, task: str, by: str = "", says: str = "") -> None:
        """Give up a task; whoever works on it hears that when it renews."""
        self._ask(CancelTask(task, by, says), type(None))

    def record(self, event: FleetEvent) -> None:
        """Record a decision of a person."""
        self._ask(RecordDecision(event), type(None))

    def state(self) -> FleetState:
        """Return a copy of the state."""
        return self._ask(ReadState(), FleetState)

    def look_at(self, task: str) -> TaskState:
        """Return a copy of one task."""
        return self._ask(LookAtTask(task), TaskState)

    def overview(self) -> FleetState:
        """Return a copy with only the last audit entries of each task."""
        return self._ask(ReadOverview(), FleetState)

    def _ask(self, request: FleetRequest, kind: type[T]) -> T:
        answer = self._send(request)
        if answer.refused is not None:
            raise _error(answer.refused)
        return msgspec.convert(answer.answer, type=kind)


class NotOfAttemptError(FleetError):
    """Only events of an attempt are noted in its name."""

    def __init__(self, event: FleetEvent) -> None:
        super().__init__(f"{type(event).__name__} is not an event of an attempt")


def _of_attempt(event: FleetEvent) -> AttemptEvent:
    if not isinstance(event, AttemptEvent):
        raise NotOfAttemptError(event)
    return event


def _refusal(error: FleetError) -> FleetRefusal:
    match error:
        case UnknownTaskError():
            return FleetRefusal("unknown", str(error), error.task)
        case StaleAttemptError():
            ticket = error.ticket
            return FleetRefusal("stale", str(error), ticket.task, ticket.attempt, error.why)
        case TaskStatusError():
            return FleetRefusal("status", str(error), error.task, why=error.wanted,
                                status=error.status)  # fmt: skip
    return FleetRefusal("other", str(error))


def _error(said: FleetRefusal) -> FleetError:
    match said.kind:
        case "unknown":
            return UnknownTaskError(said.task)
        case "stale":
            return StaleAttemptError(Ticket(said.task, said.attempt), said.why)
        case "status":
            return TaskStatusError(said.task, said.status, said.why)
    return FleetError(said.says)
