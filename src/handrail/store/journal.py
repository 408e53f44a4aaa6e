"""Write events without their secrets, and read them."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple, cast

import msgspec

from handrail.model.event import ActionEnded, Event
from handrail.redact import Redactor
from handrail.store.decoding import decode, decoder
from handrail.store.port import NewEntry, Receipt, Store, StoredEntry

_encoder = msgspec.json.Encoder()
_PAGE = 500

_KEPT = 8_192
"""Characters to keep of each end of a long text (a file's content, an output)."""
_DEEPEST = 50
"""Levels of an input to write; deeper parts are dropped."""
_FIXED = frozenset("agent command cwd host id kind name request rule source tool trigger".split())
"""Fields that identify things. They hold no secrets, and a value that an agent writes
into a .env file must not be able to change them."""


_BARE = (int, float, bool)
_FREE = (str, dict)
_MANY = (tuple, list)


class WrittenEvent(NamedTuple):
    """An event as written, and the receipt for its durability."""

    event: Event
    receipt: Receipt


class RedactedEvent(NamedTuple):
    """An event without secrets, and its bytes."""

    event: Event
    body: bytes


class Journal:
    """The only way into the log: it redacts every event."""

    def __init__(self, store: Store, observers: Sequence[Callable[[Event], None]] = ()) -> None:
        self.store = store
        self._observers = observers

    def append(self, topic: str, event: Event, redactor: Redactor) -> WrittenEvent:
        """Write an event; return it without secrets, as readers will see it."""
        clean = self.prepare(event, redactor)
        return WrittenEvent(clean.event, self.write(topic, clean))

    def prepare(self, event: Event, redactor: Redactor) -> RedactedEvent:
        """Redact and encode an event."""
        body = _as_it_is(event, redactor)
        if body is None:
            body = _encode(_clean(event, redactor))
            event = decoder.decode(body)
        return RedactedEvent(event, body)

    def write(self, topic: str, clean: RedactedEvent, beside: Sequence[NewEntry] = ()) -> Receipt:
        """Write an event after the related rows of other topics: all or none."""
        entry = NewEntry(topic, clean.body, type(clean.event) is ActionEnded)
        receipt = self.store.append([*beside, entry])
        for observe in self._observers:
            observe(clean.event)
        return receipt

    def read(self, topic: str, after: int = 0) -> Iterator[tuple[StoredEntry, Event]]:
        """Yield the events of a topic after a sequence number."""
        while page := self.store.read(topic, after, _PAGE):
            for stored in page:
                yield stored, decode(stored)
            after = page[-1].seq


def _as_it_is(event: Event, redactor: Redactor) -> bytes | None:
    """Return the body of an event without secrets and long texts, as nearly all are; else None."""
    try:
        body = _encoder.encode(event)
    except (ValueError, TypeError, RecursionError):
        return None
    # So few bytes and brackets leave no room for a long text or deep nesting.
    if len(body) > 2 * _KEPT or body.count(b"{") + body.count(b"[") > _DEEPEST:
        return None
    found: list[object] = []
    _collect(event, found)
    return body if redactor.value(found) == found else None


def _encode(event: Event) -> bytes:
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:  # the name of a folder may not be valid text
        return _encoder.encode(_cut(msgspec.to_builtins(event), _KEPT))


def _clean(event: Event, redactor: Redactor) -> Event:
    found: list[object] = []
    _collect(event, found)
    # Cut twice: the second cut drops any secret that the first one split.
    clean = _cut(redactor.value(_cut(found, 4 * _KEPT)), _KEPT)
    if clean == found:
        return event
    return cast("Event", _filled(event, iter(cast("list[object]", clean))))


def _collect(value: object, found: list[object]) -> None:
    """Collect every text and every dict in the fields of a struct, in order."""
    if isinstance(value, _FREE):
        found.append(value)
    elif isinstance(value, _MANY):
        for item in value:
            _collect(item, found)
    elif isinstance(value, msgspec.Struct):
        for item in _free_values(type(value))(value):
            if item:
                if isinstance(item, _FREE):
                    found.append(item)
                else:
                    _collect(item, found)


def _filled(value: object, texts: Iterator[object]) -> object:
    """Return the value with new texts and dicts, in the order of `_collect`."""
    if isinstance(value, _FREE):
        return next(texts)
    if isinstance(value, _MANY):
        return tuple(_filled(item, texts) for item in value)
    if isinstance(value, msgspec.Struct):
        free = ((name, getattr(value, name)) for name in _free_fields(type(value)))
        changed = {name: _filled(item, texts) for name, item in free if item}
        return msgspec.structs.replace(value, **changed)
    return value


@lru_cache
def _free_fields(kind: type) -> tuple[str, ...]:
    return tuple(
        field.name
        for field in msgspec.structs.fields(kind)
        if field.name not in _FIXED and not _is_bare(field.type)
    )


@lru_cache
def _free_values(kind: type) -> Callable[[object], Sequence[object]]:
    """Return a function for the values of these fields: every event asks for all of them."""
    names = _free_fields(kind)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]


def _is_bare(kind: object) -> bool:
    """Whether no value of a field's type can hold free text."""
    return kind in _BARE or (isinstance(kind, type) and issubclass(kind, Enum))


def _cut(value: object, kept: int, deepest: int = _DEEPEST) -> object:
    """Return the value as JSON can hold it, without the middle of every long text."""
    if isinstance(value, str):
        if not value.isascii():  # a host may send half of a character
            value = value.encode("utf-8", "replace").decode()
        if len(value) <= 2 * kept:
            return value
        return f"{value[:kept]}\n… the middle is left out …\n{value[-kept:]}"
    if value is None or isinstance(value, int | float):
        return value
    if not deepest:
        return "… nested too deep …"
    if isinstance(value, dict):
        return {_cut(str(key), kept): _cut(item, kept, deepest - 1) for key, item in value.items()}
    if isinstance(value, _MANY):
        return [_cut(item, kept, deepest - 1) for item in value]
    return _cut(str(value), kept)
