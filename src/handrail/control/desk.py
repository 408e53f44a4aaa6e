"""Where requests come in: acknowledged, carried out, and answered once it is certain."""

from collections.abc import Callable, Sequence
from functools import partial
from time import time

import msgspec

from handrail.control import message as wire
from handrail.control import timestamp
from handrail.control.acts import Acts, Came
from handrail.control.current import USER_CANCELLED, abort_entry, state_entry
from handrail.control.ledger import EXPIRY, WINDOW, Ledger, Seen, load, save
from handrail.control.machine import OVERTAKES, THEN, move
from handrail.control.message import (
    Ack,
    AnyMessage,
    Asked,
    BadRequestError,
    Code,
    Half,
    Payload,
    Request,
    Result,
)
from handrail.control.said import failure, success
from handrail.control.topics import CONTROL
from handrail.model.control import Command, Standing
from handrail.model.event import (
    ActionDropped,
    ControlAnswered,
    ControlAsked,
    Event,
    LoopEnded,
    RunEnded,
)
from handrail.redact import Redactor
from handrail.store.port import Entry, Receipt
from handrail.supervise.runs import Runs
from handrail.supervise.state import RunState
from handrail.supervise.supervisor import Supervisor

_SAVE_EVERY = 500
"""Requests after which the ledger is kept."""
_FALLS_BACK = {Command.INTERRUPT: Standing.PAUSING, Command.FREEZE: Standing.PAUSING}
"""Where a stronger hold does not work, the weaker one stays."""
_ENDS = frozenset({Command.STOP, Command.CANCEL, Command.RESUME})
"""Requests that the end of a session does not make void."""

Listener = Callable[[Result], None]
Later = Callable[[Callable[[], None]], None]


class Taken(msgspec.Struct, frozen=True):
    """What a request has led to so far."""

    messages: tuple[AnyMessage, ...]
    receipt: Receipt | None
    """When all of that is on the disk; None: nothing of it is written down."""


class Desk:
    """Used from one thread, the brain's. Every way for a request to come in ends here."""

    def __init__(
        self,
        runs: Runs,
        acts: Acts,
        *,
        later: Later,
        listen: Listener = lambda result: None,
        clock: Callable[[], float] = time,
    ) -> None:
        """`later`: has something done in the brain's thread, and may be called in any.

        `listen`: hears of each result as soon as it is written, in any thread.
        """
        self._runs = runs
        self._acts = acts
        self._later = later
        self._listen = listen
        self._clock = clock
        self._store = runs.journal.store
        self._redactor = Redactor()
        self._ledger = Ledger()
        self._taken = 0

    def open(self) -> None:
        """Take up what was under way when the last daemon ended."""
        self._ledger, unanswered = load(self._store, self._clock())
        runs = {*self._ledger.under_way().values(), *self._ledger.frozen}
        for run in sorted(runs):
            supervisor = self._runs.find(run)
            if supervisor is not None:
                self._take_up(supervisor)
        for row in unanswered:
            self.take(row.body, waited=self._clock() - row.at)

    def close(self) -> None:
        """Keep what is known of requests."""
        save(self._store, self._ledger)

    def known(self, request: str) -> Taken | None:
        """What has come of a request so far; None: nobody knows it."""
        seen = self._ledger.find(request, self._clock())
        if seen is None:
            return None
        messages = (wire.decode(seen.result),) if seen.result else ()
        # What was written before is on the disk when this is.
        return Taken(messages, self._store.append([]))

    @property
    def read_until(self) -> int:
        """The last row of the topic that was looked at."""
        return self._ledger.seq

    @read_until.setter
    def read_until(self, seq: int) -> None:
        self._ledger.seq = seq

    def take(self, body: bytes, *, waited: float | None = None) -> Taken:
        """Take in a request. `waited`: for so long it has stood in the topic; None: not at all."""
        self._count()
        try:
            asked = wire.read_request(body)
        except BadRequestError as error:
            return self._refuse(error.request or Half(""), "bad_request", str(error))
        request = asked.request
        came = [] if waited is not None else [self._clean(request)]
        seen = self._ledger.find(request.request_id, self._clock())
        if seen is not None:
            return self._again(request, seen, came)
        if void := _void(asked, waited, self._clock()):
            return self._refuse(request, "bad_request", void, came)
        supervisor = self._runs.find(request.target.run_id)
        if supervisor is None or not supervisor.state.active:
            says = f"Run {request.target.run_id} is not active"
            return self._refuse(request, "not_found", says, came)
        return self._acknowledge(supervisor, asked, [*came, self._ack(request)])

    def hear(self, supervisor: Supervisor, event: Event) -> None:
        """Something has happened in a run; a request may be confirmed by it, or void."""
        hand = supervisor.state.hand
        if hand.standing == Standing.PAUSING and not isinstance(event, ControlAsked):
            self._settle(supervisor)
        if hand.asked and isinstance(event, RunEnded | LoopEnded):
            self._give_up(supervisor, event)

    def delivered(self, supervisor: Supervisor, asked: ControlAsked) -> Receipt:
        """The agent was told what a person wants it to know."""
        step = supervisor.state.step
        where = f"at step {step}" if step else "at its start"
        return self._answer(supervisor, asked, Came(says=f"The agent was told {where}"))

    def came(self, run: str, request: str, came: Came) -> None:
        """Something that was begun outside has come to its end."""
        supervisor = self._runs.find(run)
        asked = None if supervisor is None else supervisor.state.hand.asked.get(request)
        if supervisor is None or asked is None:
            return  # overtaken by another request meanwhile
        if asked.command == Command.INTERRUPT and came.ok:
            self._drop_all(supervisor, f"interrupted by {asked.by or 'a person'}")
        if asked.command == Command.PAUSE and came.ok:  # it was frozen, and is no more
            self._confirm_pause(supervisor, came.evidence)
        else:
            self._answer(supervisor, asked, came)
        if supervisor.state.hand.standing == Standing.PAUSING:
            self._settle(supervisor)

    # How a request is taken in

    def _acknowledge(
        self, supervisor: Supervisor, asked: Asked, messages: list[AnyMessage]
    ) -> Taken:
        state, request = supervisor.state, asked.request
        standing = state.hand.standing
        expected = asked.field("expects")
        step = move(standing, asked.command)
        if expected and expected != standing:
            cannot = f"The run is {standing.value}, no longer {expected}"
        elif step is None:
            cannot = f"A run that is {standing.value} cannot be told to {request.command}"
        else:
            cannot = self._acts.can(supervisor, asked.command)
        if cannot or step is None:
            return self._refuse(request, "invalid_state", cannot, messages)
        event = ControlAsked(
            self._clock(),
            request.request_id,
            asked.command,
            step.now,
            asked.field("by"),
            asked.field("reason"),
            wire.text_of(asked),
            request.target.issue_id or "",
        )
        earlier = [
            each
            for each in state.hand.asked.values()
            if each.command in OVERTAKES.get(asked.command, ())
        ]
        receipt = supervisor.record(event, lambda _: self._rows(messages))
        for each in earlier:
            says = f"Overtaken: {event.by or 'somebody'} asked for {asked.command.value}"
            self._answer(supervisor, each, Came(ok=False, says=says), standing=step.now)
        receipt.add_done_callback(partial(self._when_written, state.run, request.request_id))
        return Taken(tuple(messages), receipt)

    def _when_written(self, run: str, request: str, receipt: Receipt) -> None:
        """Nothing is done before it is certain that it was asked for; in the writer's thread."""
        if receipt.exception() is None:
            self._later(lambda: self._begin(run, request))

    def _begin(self, run: str, request: str) -> None:
        supervisor = self._runs.find(run)
        asked = None if supervisor is None else supervisor.state.hand.asked.get(request)
        if supervisor is not None and asked is not None:
            _BEGIN[asked.command](self, supervisor, asked)

    def _take_up(self, supervisor: Supervisor) -> None:
        hand = supervisor.state.hand
        for asked in list(hand.asked.values()):
            self._begin(supervisor.state.run, asked.request)
        if hand.standing == Standing.FROZEN:
            self._acts.guard(supervisor)

    def _again(self, request: Request, seen: Seen, came: Sequence[AnyMessage]) -> Taken:
        if (seen.command, seen.run) != (request.command, request.target.run_id):
            says = "This request_id was used for another request"
        elif not seen.result:
            says = "The request is under way"
        else:
            cached = wire.decode(seen.result)
            return Taken((*came, cached), self._store.append(self._rows([*came, cached])))
        return self._refuse(request, "duplicate", says, came)

    def _refuse(
        self, request: Request | Half, code: Code, says: str, before: Sequence[AnyMessage] = ()
    ) -> Taken:
        result = self._result(request, failure(code, says))
        if not request.request_id:
            return Taken((result,), None)
        messages = (*before, result)
        receipt = self._store.append(self._rows(messages))
        self._announce(result, receipt)
        return Taken(messages, receipt)

    # What is begun for each command

    def _pause(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        if supervisor.state.hand.frozen:
            self._acts.thaw(supervisor, asked)
        else:
            self._settle(supervisor)

    def _resume(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        hand = supervisor.state.hand
        if hand.standing == Standing.STOPPED:
            self._acts.resume(supervisor, asked)
        elif hand.frozen:
            self._acts.thaw(supervisor, asked)
        else:
            self._answer(supervisor, asked, Came())

    def _interrupt(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._acts.interrupt(supervisor, asked)

    def _freeze(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._acts.freeze(supervisor, asked)

    def _stop(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._acts.stop(supervisor, asked)

    def _tell(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Nothing: the agent is told with the next answer that it gets."""

    def _escalate(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._acts.switch_model(supervisor, asked)

    def _checkpoint(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._acts.checkpoint(supervisor, asked)

    def _roll_back(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._acts.roll_back(supervisor, asked)

    # How a request is answered

    def _settle(self, supervisor: Supervisor) -> None:
        """A pause has taken hold when nothing is under way any more."""
        state = supervisor.state
        if not state.at_work and not state.hand.frozen:
            last = f"last: step {state.step}" if state.step else "no action yet"
            self._confirm_pause(supervisor, (f"no action is under way ({last})",))

    def _confirm_pause(self, supervisor: Supervisor, evidence: tuple[str, ...]) -> None:
        asked = supervisor.state.hand.asked.values()
        pauses = [each for each in asked if each.command == Command.PAUSE]
        for each in pauses:
            self._answer(supervisor, each, Came(evidence=evidence))
        if not pauses:  # a stronger hold did not work, and this is what is left of it
            at = self._clock()
            event = ControlAnswered(at, "", Command.PAUSE, Standing.PAUSED, evidence=evidence)
            supervisor.record(event, lambda state: [state_entry(state, at)])

    def _answer(
        self,
        supervisor: Supervisor,
        asked: ControlAsked,
        came: Came,
        *,
        standing: Standing | None = None,
    ) -> Receipt:
        """Write the RESULT, and how the run stands now, at once."""
        state, at = supervisor.state, self._clock()
        if standing is None:
            standing = _after(state, asked.command, ok=came.ok)
        model = str(came.payload.get("new_model", ""))
        if came.ok:
            payload = success(state, asked.command, came)
        else:
            payload = failure("invalid_state", came.says)
        result = self._result(_request_of(state.run, asked), payload)
        event = ControlAnswered(
            at,
            asked.request,
            asked.command,
            standing,
            came.ok,
            str(payload.get("message", came.says)),
            came.evidence,
            model,
        )

        def rows(now: RunState) -> list[Entry]:
            if came.ok and asked.command == Command.CANCEL:
                return [*self._rows([result]), abort_entry(now.run, USER_CANCELLED)]
            changed = came.ok and (asked.command in THEN or model)
            shown = [state_entry(now, at)] if changed else []
            return [*self._rows([result]), *shown]

        receipt = supervisor.record(event, rows)
        self._announce(result, receipt)
        return receipt

    def _announce(self, result: Result, receipt: Receipt) -> None:
        """Whoever waits hears of a result when it is on the disk; in the writer's thread."""

        def listen(written: Receipt) -> None:
            if written.exception() is None:
                self._listen(result)

        receipt.add_done_callback(listen)

    def _give_up(self, supervisor: Supervisor, event: RunEnded | LoopEnded) -> None:
        """Nobody is there any more who could be told or interrupted."""
        if supervisor.state.loop is not None and isinstance(event, RunEnded):
            return  # the agent is started again, or the loop ends too
        for asked in list(supervisor.state.hand.asked.values()):
            if asked.command not in _ENDS:
                says = "The run has ended before that could be done"
                standing = supervisor.state.hand.standing
                self._answer(supervisor, asked, Came(ok=False, says=says), standing=standing)

    def _drop_all(self, supervisor: Supervisor, says: str) -> None:
        for each in supervisor.state.at_work:
            supervisor.record(ActionDropped(self._clock(), each.step, says))

    # Messages and rows

    def _ack(self, request: Request) -> Ack:
        return Ack(
            request_id=request.request_id,
            command=request.command,
            target=request.target,
            timestamp=timestamp.written(self._clock()),
            payload={},
        )

    def _result(self, request: Request | Half, payload: Payload) -> Result:
        return Result(
            request_id=request.request_id,
            command=request.command,
            target=request.target,
            timestamp=timestamp.written(self._clock()),
            payload=payload,
        )

    def _rows(self, messages: Sequence[AnyMessage]) -> list[Entry]:
        """The rows of messages, which from now on are known."""
        rows = []
        for message in messages:
            body = wire.encode(message)
            self._ledger.take(message, body, self._clock())
            rows.append(Entry(CONTROL, body))
        return rows

    def _clean(self, request: Request) -> Request:
        payload = self._redactor.value(request.payload)
        return msgspec.structs.replace(request, payload=payload)

    def _count(self) -> None:
        self._taken += 1
        self._ledger.forget(self._clock())
        if self._taken % _SAVE_EVERY == 0:
            save(self._store, self._ledger)


def _void(asked: Asked, waited: float | None, now: float) -> str:
    """Why a request comes too late; empty: it does not.

    One that was made longer ago than answers are remembered may have been carried out before.
    """
    if waited is not None and waited > EXPIRY:
        return f"The request has expired: nobody was there for {EXPIRY:g} s to acknowledge it"
    if abs(now - asked.at) > WINDOW:
        return (
            f"The request was made at {asked.request.timestamp}, more than {WINDOW:g} s from now: "
            "make a new one, and see whether the clocks agree"
        )
    return ""


def _after(state: RunState, command: Command, *, ok: bool) -> Standing:
    if ok:
        return THEN.get(command, state.hand.standing)
    if command == Command.RESUME and state.hand.frozen:
        return Standing.FROZEN
    return _FALLS_BACK.get(command, state.hand.standing)


def _request_of(run: str, asked: ControlAsked) -> Half:
    target = wire.Target(run, asked.issue or None)
    return Half(asked.request, asked.command.value, target)


_BEGIN: dict[Command, Callable[[Desk, Supervisor, ControlAsked], None]] = {
    Command.PAUSE: Desk._pause,
    Command.RESUME: Desk._resume,
    Command.INTERRUPT: Desk._interrupt,
    Command.FREEZE: Desk._freeze,
    Command.STOP: Desk._stop,
    Command.CANCEL: Desk._stop,
    Command.STEER: Desk._tell,
    Command.REDIRECT: Desk._tell,
    Command.ESCALATE: Desk._escalate,
    Command.CHECKPOINT: Desk._checkpoint,
    Command.ROLLBACK: Desk._roll_back,
}
