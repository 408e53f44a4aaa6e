"""Write the answers to requests, remember them, and tell listeners."""

from collections.abc import Callable, Sequence
from functools import partial
from time import time

import msgspec

from handrail.control import message as wire
from handrail.control import timestamp
from handrail.control.command_actions import CommandOutcome
from handrail.control.loop_status import USER_CANCELLED, abort_entry, state_entry
from handrail.control.message import AnyMessage, Code, PartialRequest, Payload, Request, Result
from handrail.control.request_ledger import RequestLedger, SeenRequest, ends_request, save_ledger
from handrail.control.topics import CONTROL
from handrail.control.transitions import THEN, standing_after
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered, ControlAsked
from handrail.redact import Redactor
from handrail.store.port import NewEntry, Receipt, Store
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervised_run import SupervisedRun

Listener = Callable[[Result], None]
Later = Callable[[Callable[[], None]], None]
Again = Callable[[], object]


class TakenRequest(msgspec.Struct, frozen=True):
    """The messages about a request so far."""

    messages: tuple[AnyMessage, ...]
    receipt: Receipt | None = None
    """Resolves when they are on the disk; None: none of them is written."""


class ResponseLog:
    """Used from the supervision thread. An answer that the log refused counts as never written."""

    def __init__(
        self,
        store: Store,
        *,
        later: Later,
        listen: Listener = lambda result: None,
        clock: Callable[[], float] = time,
    ) -> None:
        """`later`: runs a function in the supervision thread; any thread may call it.

        `listen`: hears each result as soon as it is written, in any thread.
        """
        self.ledger = RequestLedger()
        self.later = later
        self.clock = clock
        self.fleet_state: Callable[[str], RunState | None] = lambda run: None
        """Returns the state of a fleet's run."""
        self.owed: list[Again] = []
        """Work to try again, because the log has failed."""
        self._store = store
        self._listen = listen

    def save(self) -> None:
        """Save the ledger of requests."""
        save_ledger(self._store, self.ledger)

    def written(self) -> Receipt:
        """Return a receipt for everything handed to the log so far."""
        return self._store.append([])

    # Messages

    def rows(self, messages: Sequence[AnyMessage]) -> list[NewEntry]:
        """Return the rows of messages, and remember these."""
        rows = []
        for message in messages:
            body = wire.encode(message)
            self.ledger.add(message, body, self.clock())
            rows.append(NewEntry(CONTROL, body))
        return rows

    def _result(self, request: Request | PartialRequest, payload: Payload) -> Result:
        return Result(
            request_id=request.request_id,
            command=request.command,
            target=request.target,
            timestamp=timestamp.format_timestamp(self.clock()),
            payload=payload,
        )

    # Writing

    def refuse(
        self,
        request: Request | PartialRequest,
        code: Code,
        says: str,
        before: Sequence[AnyMessage] = (),
        again: Again | None = None,
    ) -> TakenRequest:
        """Refuse a request; `again`: what to do if the refusal cannot be written."""
        result = self._result(request, _failure(code, says))
        if not request.request_id:
            return TakenRequest((result,))
        messages = (*before, result)
        known = self.ledger.seen.get(request.request_id)
        receipt = self._store.append(self.rows(messages))
        self.unless_written(receipt, request.request_id, known, again)
        if ends_request(result):
            self._announce(result, receipt)
        return TakenRequest(messages, receipt)

    def repeat(self, seen: SeenRequest, before: Sequence[AnyMessage]) -> TakenRequest:
        """Repeat the earlier answer, byte for byte."""
        cached = wire.decode(seen.result)
        self.ledger.add(cached, seen.result, self.clock())
        receipt = self._store.append([*self.rows(before), NewEntry(CONTROL, seen.result)])
        return TakenRequest((*before, cached), receipt)

    def delivered(self, supervisor: SupervisedRun, asked: ControlAsked) -> Receipt:
        """Answer a person whose message the agent has got."""
        step = supervisor.state.step
        where = f"at step {step}" if step else "at its start"
        # If the log fails, the agent gets another answer, and hears the message once more.
        return self.answer(supervisor, asked, CommandOutcome(says=f"The agent was told {where}"))

    def answer(
        self,
        supervisor: SupervisedRun,
        asked: ControlAsked,
        outcome: CommandOutcome,
        *,
        standing: Standing | None = None,
        again: Again | None = None,
    ) -> Receipt:
        """Write the RESULT and the new standing of the run together.

        `standing`: the standing, if the command does not decide it; `again`: what to do if the log
        fails.
        """
        state, at = supervisor.state, self.clock()
        above = self._above(state)
        payload = _payload(state, asked, outcome, supervisor.project.redactor)
        result = self._result(_request_of(state.run, asked), payload)
        event = ControlAnswered(
            at,
            asked.request,
            asked.command,
            standing_after(state.hand, asked.command, ok=outcome.ok)
            if standing is None
            else standing,
            outcome.ok,
            str(payload.get("message", outcome.says)),
            outcome.evidence,
            str(outcome.payload.get("new_model", "")),
        )

        def rows(now: RunState) -> list[NewEntry]:
            if outcome.ok and asked.command == ControlCommand.CANCEL:
                return [*self.rows([result]), abort_entry(now.run, USER_CANCELLED)]
            changed = event.model or (standing is None and asked.command in THEN)
            return [*self.rows([result]), *([state_entry(now, at, above)] if changed else [])]

        known = self.ledger.seen.get(asked.request)
        receipt = supervisor.record(event, rows)
        self.unless_written(receipt, asked.request, known, again)
        self._announce(result, receipt)
        return receipt

    def note(
        self, supervisor: SupervisedRun, standing: Standing, evidence: tuple[str, ...]
    ) -> None:
        """Write the standing of a run when no request is answered; it is not frozen."""
        at, above = self.clock(), self._above(supervisor.state)
        event = ControlAnswered(at, "", ControlCommand.PAUSE, standing, evidence=evidence)
        shown = standing == Standing.PAUSED
        supervisor.record(event, lambda state: [state_entry(state, at, above)] if shown else [])

    def _above(self, state: RunState) -> RunState | None:
        return None if state.loop is None else self.fleet_state(state.loop.parent)

    def unless_written(
        self, receipt: Receipt, request: str, before: SeenRequest | None, again: Again | None
    ) -> None:
        """If the log fails, restore the earlier knowledge of a request, and try again."""
        now = self.ledger.seen.get(request)

        def undo() -> None:
            self.ledger.undo(request, now, before)
            if again is not None:
                self.owed.append(again)

        def look(done: Receipt) -> None:
            if done.exception() is not None:
                self.later(undo)

        receipt.add_done_callback(look)

    def _announce(self, result: Result, receipt: Receipt) -> None:
        """Tell listeners of a result when it is on the disk; runs in the writer's thread."""
        receipt.add_done_callback(partial(self._tell, result))

    def _tell(self, result: Result, receipt: Receipt) -> None:
        if receipt.exception() is None:
            self._listen(result)


def _failure(code: Code, says: str) -> Payload:
    return {"status": "failure", "code": code, "message": says}


def _payload(
    state: RunState, asked: ControlAsked, outcome: CommandOutcome, redactor: Redactor
) -> Payload:
    """Return the payload of a RESULT."""
    if outcome.ok:
        message = asked.command.spec.result
        if message is not None:
            message = outcome.says or message.format(iteration=state.iteration)
        said = {"message": message} if message else {}
        payload = {"status": "success", **said, **outcome.payload}
    else:
        payload = _failure("invalid_state", outcome.says)
    return {name: redactor.value(value) for name, value in payload.items()}


def _request_of(run: str, asked: ControlAsked) -> PartialRequest:
    target = wire.Target(run, asked.issue or None)
    return PartialRequest(asked.request, asked.command.value, target)
