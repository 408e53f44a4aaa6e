"""Decode the events of the log, without a redactor or a database."""

import msgspec

from handrail.model.event import Event, FaultNoted
from handrail.store.errors import DamagedError
from handrail.store.port import StoredEntry

decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def decode(stored: StoredEntry) -> Event:
    """Return the event of a log entry."""
    try:
        return decoder.decode(stored.body)
    except (ValueError, RecursionError) as error:
        raise DamagedError("", f"entry {stored.position} of {stored.topic}: {error}") from None


def decode_or_fault(stored: StoredEntry) -> Event:
    """Decode an event; return a fault for an unreadable one, so that the others still show."""
    try:
        return decode(stored)
    except DamagedError as error:
        return FaultNoted(stored.at, "log", error.problem)
