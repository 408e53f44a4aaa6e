"""Requests that other programs write into the topic, taken to the desk in their order."""

from collections.abc import Callable

import msgspec

from handrail.control import message as wire
from handrail.control.desk import Desk
from handrail.control.message import AnyMessage, Request
from handrail.control.topics import CONTROL
from handrail.store.port import Store, Stored

_PAGE = 500


class Inbox:
    """Reads in any thread (`unread`), and is emptied in the brain's (`take`)."""

    def __init__(self, desk: Desk, store: Store, clock: Callable[[], float]) -> None:
        self._desk = desk
        self._store = store
        self._clock = clock

    def look(self) -> None:
        """Read and take what is there."""
        while rows := self.unread():
            self.take(rows)

    def unread(self) -> list[Stored]:
        """The rows that were not looked at yet."""
        return self._store.read(CONTROL, self._desk.read_until, _PAGE)

    def take(self, rows: list[Stored]) -> None:
        """Take requests among these rows to the desk, unless they have come by it."""
        for place, row in enumerate(rows):
            if row.seq <= self._desk.read_until:
                continue
            message = _message(row.body)
            following = rows[place + 1] if place + 1 < len(rows) else None
            if following is None and len(rows) == _PAGE:
                break  # whether the next row is its answer is seen when that is read
            self._desk.read_until = row.seq
            is_request = isinstance(message, Request) or (message is None and _meant(row.body))
            if is_request and (following is None or not _answers(following.body, message)):
                self._desk.take(row.body, waited=self._clock() - row.at)


def _answers(body: bytes, request: AnyMessage | None) -> bool:
    """Whether a row answers to the one before: what comes by the desk is written in one go."""
    message = _message(body)
    return (
        request is not None
        and message is not None
        and not isinstance(message, Request)
        and message.request_id == request.request_id
    )


def _message(body: bytes) -> AnyMessage | None:
    try:
        return wire.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


class _Kind(msgspec.Struct):
    type: str = ""


def _meant(body: bytes) -> bool:
    """Whether a row that is no message was meant to be a request, which gets an answer."""
    try:
        return msgspec.json.decode(body, type=_Kind).type == "REQUEST"
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
