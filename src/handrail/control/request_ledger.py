"""Remember the requests seen: a fold of `loop:control`, so that a restart forgets none."""

import json
from collections.abc import Iterator

import msgspec

from handrail.control import message as wire
from handrail.control.message import Ack, AnyMessage, Request, Result
from handrail.control.topics import CONTROL
from handrail.model.control import ControlCommand
from handrail.model.fingerprint import text_key
from handrail.store.port import Receipt, Snapshot, Store, StoredEntry

WINDOW = 300.0
"""Seconds for which an id stands for the same request."""
EXPIRY = 30.0
"""Seconds after which an unacknowledged request is void."""
_PAGE = 500
_THAWS = frozenset(command for command in ControlCommand if command.thaws)


class SeenRequest(msgspec.Struct, omit_defaults=True):
    """A request, and its result."""

    command: str
    run: str
    at: float
    """The time of its last message."""
    result: bytes = b""
    """Empty while it is under way."""
    content: str = ""
    """Names what was asked for; empty: not known."""

    def is_same(self, *asked: Request) -> bool:
        """Return whether it asked for the same; `asked`: a request in its forms, one is enough."""
        first = asked[0]
        if (self.command, self.run) != (first.command, first.target.run_id):
            return False
        return not self.content or self.content in map(content_of, asked)


class RequestLedger(msgspec.Struct, omit_defaults=True, tag_field="fold", tag=1):
    """The recent requests and those under way, by id."""

    seq: int = 0
    """The last row of the topic in this fold."""
    seen: dict[str, SeenRequest] = {}
    frozen: dict[str, float] = {}
    """The start of each run's freeze."""
    asked: dict[str, str] = {}
    """The content of requests without an acknowledgment, by id."""

    def find(self, request: str, now: float) -> SeenRequest | None:
        """Return the request with an id, unless it is too old."""
        seen = self.seen.get(request)
        if seen is None or (seen.result and now - seen.at > WINDOW):
            return None
        return seen

    def under_way(self) -> dict[str, str]:
        """Return the runs of requests without an answer, by id."""
        return {request: each.run for request, each in self.seen.items() if not each.result}

    def add(self, message: AnyMessage, body: bytes, at: float) -> None:
        """Take in a row, in the order of the topic."""
        if isinstance(message, Request):
            # Alone it has no effect; what it asks for is compared with a repetition.
            self.asked[message.request_id] = content_of(message)
            return
        content = self.asked.pop(message.request_id, "")
        if isinstance(message, Result):
            if ends_request(message):
                self._finish(message, body, at, content)
        elif message.request_id not in self.seen or self.seen[message.request_id].result:
            self.seen.pop(message.request_id, None)
            self.seen[message.request_id] = SeenRequest(
                message.command, message.target.run_id, at, content=content
            )

    def undo(self, request: str, known: SeenRequest | None, before: SeenRequest | None) -> None:
        """Undo the last row of a request, which the log refused; nothing came after it."""
        if self.seen.get(request) is not known:
            return
        self.seen.pop(request, None)
        if before is not None:
            self.seen[request] = before

    def forget(self, now: float) -> None:
        """Forget requests that are too old to be repeated."""
        old = []
        for request, each in self.seen.items():
            if each.result:
                if now - each.at <= WINDOW:
                    break  # later ones were finished later
                old.append(request)
        for request in old:
            del self.seen[request]

    def _finish(self, message: Result, body: bytes, at: float, content: str) -> None:
        run = message.target.run_id
        before = self.seen.pop(message.request_id, None)
        content = before.content if before is not None else content
        self.seen[message.request_id] = SeenRequest(message.command, run, at, body, content)
        if not message.ok or (before is not None and before.result == body):
            return  # a repeated result has no effect
        if message.command == ControlCommand.FREEZE:
            self.frozen[run] = at
        elif message.command in _THAWS:
            self.frozen.pop(run, None)


def content_of(request: Request) -> str:
    """Return a short name for what a request asks for, whenever it was made."""
    about = {"payload": request.payload, "issue": request.target.issue_id}
    return text_key(json.dumps(about, sort_keys=True))


def ends_request(result: Result) -> bool:
    """Return whether a result ends its request; otherwise it answers a duplicate of the id."""
    return result.code not in ("duplicate", "bad_request")


_decoder = msgspec.json.Decoder(RequestLedger)


def load_ledger(store: Store, now: float) -> tuple[RequestLedger, list[StoredEntry]]:
    """Load the ledger from the log, with the rows of unanswered requests."""
    ledger = _saved(store)
    unanswered: dict[str, StoredEntry] = {}
    for row in _rows(store, ledger.seq):
        ledger.seq = row.seq
        message = wire.find(row.body)
        if message is not None:
            ledger.add(message, row.body, row.at)
        if isinstance(message, Ack | Result):
            unanswered.pop(message.request_id, None)
        elif request := wire.find_request(row.body):
            first = unanswered.get(request)
            if first is None or now - first.at > EXPIRY:  # it was sent again
                unanswered.pop(request, None)
                unanswered[request] = row
        if row.seq % _PAGE == 0:
            ledger.forget(row.at)
    ledger.forget(now)
    return ledger, list(unanswered.values())


def save_ledger(store: Store, ledger: RequestLedger) -> Receipt:
    """Save the ledger, so that the next daemon need not read from the start."""
    return store.save_snapshot(CONTROL, Snapshot(ledger.seq, msgspec.json.encode(ledger)))


def _rows(store: Store, after: int) -> Iterator[StoredEntry]:
    while page := store.read(CONTROL, after, _PAGE):
        yield from page
        after = page[-1].seq


def _saved(store: Store) -> RequestLedger:
    snapshot = store.load_snapshot(CONTROL)
    if snapshot is None:
        return RequestLedger()
    try:
        ledger = _decoder.decode(snapshot.body)
    except (ValueError, RecursionError):  # damaged, or written by another version
        return RequestLedger()
    return ledger if store.read(CONTROL, ledger.seq - 1, 1) else RequestLedger()
