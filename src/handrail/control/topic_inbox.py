"""Take requests that other programs write into the topic to the handler, in order."""

import logging
from collections.abc import Callable
from itertools import zip_longest

from handrail.control import message as wire
from handrail.control.handler import ControlHandler
from handrail.control.message import Ack, Result
from handrail.control.topics import CONTROL
from handrail.store.errors import StoreError
from handrail.store.port import Store, StoredEntry

_log = logging.getLogger(__name__)

_PAGE = 500


class TopicInbox:
    """Read in any thread (`unread`), and submit in the supervision thread (`submit`)."""

    def __init__(self, control: ControlHandler, store: Store, clock: Callable[[], float]) -> None:
        self._control = control
        self._store = store
        self._clock = clock

    def poll(self) -> None:
        """Read and submit the pending requests."""
        while rows := self.unread():
            self.submit(rows)

    def unread(self) -> list[StoredEntry]:
        """Return the rows that nobody has looked at yet."""
        return self._store.read(CONTROL, self._control.read_until, _PAGE)

    def submit(self, rows: list[StoredEntry]) -> None:
        """Submit the requests among these rows, unless they were submitted before.

        Raises StoreError; then a row that was not taken stays unread.
        """
        self._control.open()
        for row, following in zip_longest(rows, rows[1:]):
            if row.seq <= self._control.read_until:
                continue
            if following is None and len(rows) == _PAGE:
                break  # the next row may be its answer: wait for it
            request = wire.find_request(row.body)
            if request and not (following is not None and _answers(following.body, request)):
                self._hand_over(row)
            self._control.read_until = row.seq

    def _hand_over(self, row: StoredEntry) -> None:
        try:
            self._control.submit(row.body, waited=self._clock() - row.at)
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - the rows that follow are to be taken
            _log.exception("a request could not be taken: row %d of %s", row.seq, row.topic)


def _answers(body: bytes, request: str) -> bool:
    """Return whether a row answers the one before: both are written in one go."""
    message = wire.find(body)
    return isinstance(message, Ack | Result) and message.request_id == request
