"""Events in and out of a store: encoded, and without the secrets that were in them."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from handrail.model.event import Event
from handrail.store.errors import DamagedError
from handrail.store.port import Entry, Receipt, Store, Stored
from handrail.store.redact import Redactor

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_PAGE = 500

_KEPT = 8_192
"""Of a longer text (a file's content, an output) so much is kept of both ends."""


class Written(NamedTuple):
    """An event as it stands in the log, and when it does so for certain."""

    event: Event
    receipt: Receipt


class Journal:
    """The only way into the log: what it writes has been through a redactor."""

    def __init__(self, store: Store, observers: Sequence[Callable[[Event], None]] = ()) -> None:
        self.store = store
        self._observers = observers

    def append(self, topic: str, event: Event, redactor: Redactor) -> Written:
        """Write an event; what comes back is the event without secrets, as it will be read."""
        raw = msgspec.to_builtins(event)
        # Cut twice: a secret that the first cut goes through lies in what the second one drops.
        clean = _cut(redactor.value(_cut(raw, 4 * _KEPT)), _KEPT)
        if clean != raw:
            event = _convert(clean)
        receipt = self.store.append([Entry(topic, _encoder.encode(clean))])
        for observe in self._observers:
            observe(event)
        return Written(event, receipt)

    def read(self, topic: str, after: int = 0) -> Iterator[tuple[Stored, Event]]:
        """The events of a topic that come after a sequence number."""
        while page := self.store.read(topic, after, _PAGE):
            for stored in page:
                yield stored, decode(stored)
            after = page[-1].seq


def decode(stored: Stored) -> Event:
    """The event of a log entry."""
    try:
        return _decoder.decode(stored.body)
    except msgspec.MsgspecError as error:
        raise DamagedError("", f"entry {stored.position} of {stored.topic}: {error}") from None


def _convert(value: object) -> Event:
    event: Event = msgspec.convert(value, Event)  # type: ignore[call-overload]
    return event


def _cut(value: object, kept: int) -> object:
    """The value with the middle left out of every long text."""
    if isinstance(value, str):
        if len(value) <= 2 * kept:
            return value
        return f"{value[:kept]}\n… {len(value) - 2 * kept:,} characters left out …\n{value[-kept:]}"
    if isinstance(value, dict):
        return {key: _cut(item, kept) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(item, kept) for item in value]
    return value
