"""What is written about requests: rows of the topic, what is known of them, and who hears of it."""

from collections.abc import Callable, Sequence
from functools import partial
from time import time

import msgspec

from handrail.control import message as wire
from handrail.control import timestamp
from handrail.control.command_actions import CommandOutcome
from handrail.control.loop_status import USER_CANCELLED, abort_entry, state_entry
from handrail.control.message import AnyMessage, Code, PartialRequest, Payload, Request, Result
from handrail.control.request_ledger import RequestLedger, SeenRequest, counts, save
from handrail.control.topics import CONTROL
from handrail.control.transitions import THEN, answered
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
    """What a request has led to so far."""

    messages: tuple[AnyMessage, ...]
    receipt: Receipt | None = None
    """When all of that is on the disk; None: nothing of it is written down."""


class ResponseLog:
    """Used from the supervision thread. What the log did not take counts as never written."""

    def __init__(
        self,
        store: Store,
        *,
        later: Later,
        listen: Listener = lambda result: None,
        clock: Callable[[], float] = time,
    ) -> None:
        """`later`: has something done in the supervision thread, and may be called in any.

        `listen`: hears of each result as soon as it is written, in any thread.
        """
        self.ledger = RequestLedger()
        self.later = later
        self.clock = clock
        self.owed: list[Again] = []
        """What has to be tried again, because the log has failed."""
        self._store = store
        self._listen = listen

    def save(self) -> None:
        """Keep what is known of requests."""
        save(self._store, self.ledger)

    def written(self) -> Receipt:
        """Tells when all that was handed to the log so far is on the disk."""
        return self._store.append([])

    # Messages

    def rows(self, messages: Sequence[AnyMessage]) -> list[NewEntry]:
        """The rows of messages, which from now on are known."""
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
            timestamp=timestamp.written(self.clock()),
            payload=payload,
        )

    # What is written

    def refuse(
        self,
        request: Request | PartialRequest,
        code: Code,
        says: str,
        before: Sequence[AnyMessage] = (),
        again: Again | None = None,
    ) -> TakenRequest:
        """Say that nothing comes of a request; `again`: what to do if that cannot be written."""
        result = self._result(request, _failure(code, says))
        if not request.request_id:
            return TakenRequest((result,))
        messages = (*before, result)
        known = self.ledger.seen.get(request.request_id)
        receipt = self._store.append(self.rows(messages))
        self.unless_written(receipt, request.request_id, known, again)
        if counts(result):
            self._announce(result, receipt)
        return TakenRequest(messages, receipt)

    def repeat(self, seen: SeenRequest, before: Sequence[AnyMessage]) -> TakenRequest:
        """Give the answer that was given before, to the byte."""
        cached = wire.decode(seen.result)
        self.ledger.add(cached, seen.result, self.clock())
        receipt = self._store.append([*self.rows(before), NewEntry(CONTROL, seen.result)])
        return TakenRequest((*before, cached), receipt)

    def delivered(self, supervisor: SupervisedRun, asked: ControlAsked) -> Receipt:
        """Answer to a person whose message the agent was given."""
        step = supervisor.state.step
        where = f"at step {step}" if step else "at its start"
        # If that cannot be written, the agent gets another answer: it is told once more.
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
        """Write the RESULT, and how the run stands now, at once.

        `standing`: where something else decides about that; `again`: what to do if that cannot be
        written.
        """
        state, at = supervisor.state, self.clock()
        payload = _payload(state, asked, outcome, supervisor.project.redactor)
        result = self._result(_request_of(state.run, asked), payload)
        event = ControlAnswered(
            at,
            asked.request,
            asked.command,
            answered(state.hand, asked.command, ok=outcome.ok) if standing is None else standing,
            outcome.ok,
            str(payload.get("message", outcome.says)),
            outcome.evidence,
            str(outcome.payload.get("new_model", "")),
        )

        def rows(now: RunState) -> list[NewEntry]:
            if outcome.ok and asked.command == ControlCommand.CANCEL:
                return [*self.rows([result]), abort_entry(now.run, USER_CANCELLED)]
            changed = event.model or (standing is None and asked.command in THEN)
            return [*self.rows([result]), *([state_entry(now, at)] if changed else [])]

        known = self.ledger.seen.get(asked.request)
        receipt = supervisor.record(event, rows)
        self.unless_written(receipt, asked.request, known, again)
        self._announce(result, receipt)
        return receipt

    def note(
        self, supervisor: SupervisedRun, standing: Standing, evidence: tuple[str, ...]
    ) -> None:
        """Write how a run stands, where no request is answered by that; it is not frozen."""
        at = self.clock()
        event = ControlAnswered(at, "", ControlCommand.PAUSE, standing, evidence=evidence)
        shown = standing == Standing.PAUSED
        supervisor.record(event, lambda state: [state_entry(state, at)] if shown else [])

    def unless_written(
        self, receipt: Receipt, request: str, before: SeenRequest | None, again: Again | None
    ) -> None:
        """If the log fails: what was known of a request before counts, and it is tried again."""
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
        """Whoever waits hears of a result when it is on the disk; in the writer's thread."""
        receipt.add_done_callback(partial(self._tell, result))

    def _tell(self, result: Result, receipt: Receipt) -> None:
        if receipt.exception() is None:
            self._listen(result)


def _failure(code: Code, says: str) -> Payload:
    return {"status": "failure", "code": code, "message": says}


def _payload(
    state: RunState, asked: ControlAsked, outcome: CommandOutcome, redactor: Redactor
) -> Payload:
    """What a RESULT tells."""
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
