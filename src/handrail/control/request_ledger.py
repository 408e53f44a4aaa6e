"""Which requests were seen: a fold of `loop:control`, so that a restart forgets nothing."""

from collections.abc import Iterator

import msgspec

from handrail.control import message as wire
from handrail.control.message import Ack, AnyMessage, Request, Result
from handrail.control.topics import CONTROL
from handrail.model.control import ControlCommand
from handrail.store.port import Receipt, Snapshot, Store, StoredEntry

WINDOW = 300.0
"""Seconds in which the same id means the same request."""
EXPIRY = 30.0
"""Seconds after which a request that nobody has acknowledged is void."""
_PAGE = 500
_THAWS = frozenset(command for command in ControlCommand if command.thaws)


class SeenRequest(msgspec.Struct, omit_defaults=True):
    """A request, and what has become of it."""

    command: str
    run: str
    at: float
    """When it was heard of last."""
    result: bytes = b""
    """Empty: it is under way."""


class RequestLedger(msgspec.Struct, omit_defaults=True, tag_field="fold", tag=1):
    """By id, what was asked for lately and what is under way."""

    seq: int = 0
    """The last row of the topic that is part of it."""
    seen: dict[str, SeenRequest] = {}
    frozen: dict[str, float] = {}
    """By run, since when it is frozen."""

    def find(self, request: str, now: float) -> SeenRequest | None:
        """The request with an id, unless that was too long ago."""
        seen = self.seen.get(request)
        if seen is None or (seen.result and now - seen.at > WINDOW):
            return None
        return seen

    def under_way(self) -> dict[str, str]:
        """By id, the runs of requests that were acknowledged and not answered."""
        return {request: each.run for request, each in self.seen.items() if not each.result}

    def add(self, message: AnyMessage, body: bytes, at: float) -> None:
        """Take in a row, in the order of the topic."""
        if isinstance(message, Request):
            return  # by itself it is only a wish
        if isinstance(message, Result):
            if counts(message):
                self._finish(message, body, at)
        elif message.request_id not in self.seen or self.seen[message.request_id].result:
            self.seen.pop(message.request_id, None)
            self.seen[message.request_id] = SeenRequest(message.command, message.target.run_id, at)

    def undo(self, request: str, known: SeenRequest | None, before: SeenRequest | None) -> None:
        """What was taken in last of a request is not in the log; nothing came after it."""
        if self.seen.get(request) is not known:
            return
        self.seen.pop(request, None)
        if before is not None:
            self.seen[request] = before

    def forget(self, now: float) -> None:
        """Let go of what is too long ago to be asked for again."""
        old = []
        for request, each in self.seen.items():
            if each.result:
                if now - each.at <= WINDOW:
                    break  # those that come after it were finished later
                old.append(request)
        for request in old:
            del self.seen[request]

    def _finish(self, message: Result, body: bytes, at: float) -> None:
        run = message.target.run_id
        before = self.seen.pop(message.request_id, None)
        self.seen[message.request_id] = SeenRequest(message.command, run, at, body)
        if not message.ok or (before is not None and before.result == body):
            return  # of one that is only told again nothing follows
        if message.command == ControlCommand.FREEZE:
            self.frozen[run] = at
        elif message.command in _THAWS:
            self.frozen.pop(run, None)


def counts(result: Result) -> bool:
    """Whether a request is over with it; else it is about one that only has the same id."""
    return result.code not in ("duplicate", "bad_request")


_decoder = msgspec.json.Decoder(RequestLedger)


def load(store: Store, now: float) -> tuple[RequestLedger, list[StoredEntry]]:
    """The ledger as the log tells it, and the rows of requests that nobody has answered."""
    ledger = _saved(store)
    unanswered: dict[str, StoredEntry] = {}
    for row in _rows(store, ledger.seq):
        ledger.seq = row.seq
        message = wire.find(row.body)
        if isinstance(message, Ack | Result):
            ledger.add(message, row.body, row.at)
            unanswered.pop(message.request_id, None)
        elif request := wire.find_request(row.body):
            first = unanswered.get(request)
            if first is None or now - first.at > EXPIRY:  # it was tried again
                unanswered.pop(request, None)
                unanswered[request] = row
        if row.seq % _PAGE == 0:
            ledger.forget(row.at)
    ledger.forget(now)
    return ledger, list(unanswered.values())


def save(store: Store, ledger: RequestLedger) -> Receipt:
    """Keep it, so that the next one need not read from the start."""
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
    except (ValueError, RecursionError):  # damaged, or made by another version
        return RequestLedger()
    return ledger if store.read(CONTROL, ledger.seq - 1, 1) else RequestLedger()
