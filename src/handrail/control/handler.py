"""Take requests in: acknowledge them, have them carried out, and answer them."""

from collections.abc import Sequence
from functools import partial

import msgspec

from handrail.control import message as wire
from handrail.control import timestamp
from handrail.control.command_actions import CommandActions
from handrail.control.command_runner import CommandRunner, overtaken_requests
from handrail.control.message import (
    AnyMessage,
    BadRequestError,
    ParsedRequest,
    PartialRequest,
    Request,
)
from handrail.control.request_ledger import EXPIRY, WINDOW, SeenRequest, load_ledger
from handrail.control.response_log import Again, ResponseLog, TakenRequest
from handrail.control.transitions import THEN, next_transition
from handrail.model.event import ControlAsked, Event
from handrail.redact import Redactor
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor

UNDER_WAY = "The request is under way"
"""What a repetition of a request is told that has no result yet."""
_SAVE_EVERY = 500
"""Save the ledger after this many requests."""
_MOST = 100
"""Maximal number of requests under way in a run."""
_MOST_BESIDE = 50
"""Maximal number of messages and the like among them, so that a stop always has room."""


class ControlHandler:
    """Take in every request, from any source. Used from the supervision thread alone."""

    def __init__(self, runs: RunRegistry, actions: CommandActions, responses: ResponseLog) -> None:
        self._runs = runs
        self._actions = actions
        self._responses = responses
        responses.fleet_state = runs.fleet_state
        self._later = responses.later
        self._clock = responses.clock
        self._redactor = Redactor()
        self.runner = CommandRunner(runs, actions, responses, self._submit_own)
        self._is_open = False
        self._catches_up = False
        self._taken = 0

    def open(self) -> None:
        """Take up the requests that the last daemon left unfinished, once.

        Raises StoreError; then the next request tries again.
        """
        if self._is_open:
            return
        self._responses.ledger, unanswered = load_ledger(self._runs.journal.store, self._clock())
        under_way = self._responses.ledger.under_way()
        for run in sorted({*under_way.values(), *self._responses.ledger.frozen}):
            supervisor = self._runs.find(run)
            if supervisor is not None:
                self.runner.take_up(supervisor)
            if supervisor is None or not supervisor.state.hand.frozen:
                self._responses.ledger.frozen.pop(run, None)
        for request in under_way:
            self._close_lost(request)
        self._is_open = True
        for row in unanswered:
            self.submit(row.body, waited=self._clock() - row.at)
        self._responses.save()

    def close(self) -> None:
        """Save the ledger of requests."""
        if self._is_open:
            self._responses.save()

    def known(self, request: str) -> TakenRequest | None:
        """Return the messages about a request so far; None if it is unknown."""
        seen = self.seen(request)
        if seen is None:
            return None
        messages = (wire.decode(seen.result),) if seen.result else ()
        # This receipt covers everything written before it.
        return TakenRequest(messages, self._responses.written())

    def seen(self, request: str) -> SeenRequest | None:
        """Return what a request asked for, and its result; None if it is unknown."""
        self.open()
        self._catch_up()
        return self._responses.ledger.find(request, self._clock())

    @property
    def read_until(self) -> int:
        """Return the last row of the topic that was read."""
        return self._responses.ledger.seq

    @read_until.setter
    def read_until(self, seq: int) -> None:
        self._responses.ledger.seq = seq

    def submit(self, body: bytes, *, waited: float | None = None) -> TakenRequest:
        """Take in a request. `waited`: its seconds in the topic; None: it came directly.

        Raises StoreError; then the request has no effect.
        """
        self.open()
        self._catch_up()
        self._count()
        since = None if waited is None else self._clock() - waited
        again = None if since is None else partial(self._take_again, body, since)
        try:
            asked = wire.read_request(body)
        except BadRequestError as error:
            half = error.request or PartialRequest("")
            return self._responses.refuse(half, "bad_request", str(error), again=again)
        request = asked.request
        supervisor = self._runs.find(request.target.run_id)
        clean = self._clean(request, supervisor)
        received = [] if waited is not None else [clean]
        seen = self._responses.ledger.find(request.request_id, self._clock())
        if seen is not None:
            # The log may have either form: without secrets, or as another program wrote it.
            is_same = seen.is_same(request, clean)
            return self._again(request, seen, received, again, is_same=is_same)
        if void := _void(asked, waited, self._clock()):
            return self._responses.refuse(request, "bad_request", void, received, again)
        if supervisor is None or not supervisor.state.active:
            says = f"Run {request.target.run_id} is not active"
            return self._responses.refuse(request, "not_found", says, received, again)
        if stranger := _other_task(request.target, supervisor):
            return self._responses.refuse(request, "not_found", stranger, received, again)
        if spoilt := _spoilt(asked, supervisor):
            return self._responses.refuse(request, "bad_request", spoilt, received, again)
        if waited is not None:  # the topic has it already
            self._responses.ledger.add(clean, b"", self._clock())
        ack = wire.ack_to(request, timestamp.format_timestamp(self._clock()))
        return self._acknowledge(supervisor, asked, [*received, ack], again)

    def on_event(self, supervisor: Supervisor, event: Event) -> None:
        """Check whether an event of a run confirms a request, or makes it void."""
        if self._is_open:
            self.runner.on_event(supervisor, event)
        if self._responses.owed:
            self._later(self._catch_up)

    # How a request is taken in

    def _acknowledge(
        self,
        supervisor: Supervisor,
        asked: ParsedRequest,
        messages: list[AnyMessage],
        again: Again | None,
    ) -> TakenRequest:
        state, request = supervisor.state, asked.request
        step = next_transition(state.hand, asked.command)
        cannot = self._why_not(supervisor, asked)
        if cannot or step is None:
            return self._responses.refuse(request, "invalid_state", cannot, messages, again)
        event = ControlAsked(
            self._clock(),
            request.request_id,
            asked.command,
            step.now,
            asked.field("by"),
            asked.field("reason"),
            wire.text_of(asked),
            request.target.issue_id or "",
            wire.choice_of(asked),
        )
        receipt = supervisor.record(event, lambda _: self._responses.rows(messages))
        self._responses.unless_written(receipt, request.request_id, None, again)
        self.runner.overtake(supervisor, event)
        receipt.add_done_callback(partial(self._when_written, state.run, request.request_id))
        return TakenRequest(tuple(messages), receipt)

    def _why_not(self, supervisor: Supervisor, asked: ParsedRequest) -> str:
        """Return why the run cannot carry out a command now, or ""."""
        hand, command = supervisor.state.hand, asked.command
        expected = asked.field("expects")
        if expected and expected != hand.standing:
            return f"The run is {hand.standing.value}, no longer {expected}"
        if next_transition(hand, command) is None:
            return f"The run is {hand.standing.value}: it does not take {command.value} now"
        if why := _not_for_fleet(supervisor, asked):
            return why
        left = len(hand.asked) - len(overtaken_requests(hand.asked.values(), command))
        if left >= (_MOST if command in THEN else _MOST_BESIDE):
            return f"{left} requests are under way in the run already"
        can = self._actions.can(supervisor, command, wire.text_of(asked), wire.choice_of(asked))
        return can.replace("{text}", wire.text_of(asked))

    def _when_written(self, run: str, request: str, receipt: Receipt) -> None:
        """Begin only after the request is on the disk; runs in the writer's thread."""
        if receipt.exception() is None:
            self._later(lambda: self.runner.begin(run, request))

    def _again(
        self,
        request: Request,
        seen: SeenRequest,
        received: Sequence[AnyMessage],
        again: Again | None,
        *,
        is_same: bool,
    ) -> TakenRequest:
        if not is_same:
            says = "This request_id was used for another request"
        elif not seen.result:
            says = UNDER_WAY
        else:
            return self._responses.repeat(seen, received)
        return self._responses.refuse(request, "duplicate", says, received, again)

    def _clean(self, request: Request, supervisor: Supervisor | None) -> Request:
        """Return the request without secrets, ready for the log."""
        redactor = self._redactor if supervisor is None else supervisor.project.redactor
        return msgspec.structs.replace(request, payload=redactor.value(request.payload))

    # Failures

    def _close_lost(self, request: str) -> None:
        """Answer a request that was acknowledged but never reached its run."""
        seen = self._responses.ledger.seen[request]
        if seen.result:
            return
        supervisor = self._runs.find(seen.run)
        if supervisor is None or request not in supervisor.state.hand.asked:
            half = PartialRequest(request, seen.command, wire.Target(seen.run))
            self._responses.refuse(half, "not_found", f"Nothing is known of it in run {seen.run}")

    def _submit_own(self, request: Request) -> Receipt | None:
        return self.submit(wire.encode(request)).receipt

    def _take_again(self, body: bytes, since: float) -> None:
        self.submit(body, waited=self._clock() - since)

    def _catch_up(self) -> None:
        """Try again what the log refused; it may refuse again."""
        if self._catches_up:
            return
        self._catches_up = True
        owed, self._responses.owed = self._responses.owed, []
        try:
            while owed:
                owed[0]()
                del owed[0]
        except StoreError:
            self._responses.owed[:0] = owed
        finally:
            self._catches_up = False

    def _count(self) -> None:
        self._taken += 1
        self._responses.ledger.forget(self._clock())
        if self._taken % _SAVE_EVERY == 0:
            self._responses.save()


def _void(asked: ParsedRequest, waited: float | None, now: float) -> str:
    """Return why a request comes too late, or "".

    A request older than the remembered answers may have been carried out before.
    """
    if waited is not None and waited > EXPIRY:
        return f"The request has expired: nobody acknowledged it within {EXPIRY:g} s"
    # A request from the future would be fresh again after its answer is forgotten.
    if not -EXPIRY <= now - asked.at <= WINDOW:
        return (
            f"The request was made at {asked.request.timestamp}, which is too far from now: "
            "make a new one, and see whether the clocks agree"
        )
    return ""


def _not_for_fleet(supervisor: Supervisor, asked: ParsedRequest) -> str:
    """Return why a fleet, or a run that is none, does not take a command, or ""."""
    is_fleet, command = supervisor.state.is_fleet, asked.command
    if is_fleet and not command.spec.for_fleet:
        return f"This run stands for a fleet: {command.value} the run of one of its tasks instead"
    if not is_fleet and wire.choice_of(asked) in command.spec.choice.fleet_only:
        return "Only a fleet pauses at the end of iterations; pause this run before its next action"
    return ""


def _other_task(target: wire.Target, supervisor: Supervisor) -> str:
    """Return that a run does not work on the task that a request names, or ""."""
    loop, task = supervisor.state.loop, target.issue_id
    if not task or loop is None or loop.issue == task or not (loop.issue or loop.is_fleet):
        return ""
    return f"Run {target.run_id} does not work on {task}"


def _spoilt(asked: ParsedRequest, supervisor: Supervisor) -> str:
    """Return why a text would arrive changed, or "".

    It passes through the log, which removes everything that looks like a secret.
    """
    name = asked.command.spec.text.name
    text = asked.field(name)
    if supervisor.project.redactor.text(text) == text:
        return ""
    return (
        f"payload.{name} seems to contain a secret, and Handrail never writes secrets down: "
        "name the place of the secret instead"
    )
