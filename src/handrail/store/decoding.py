"""Events as they stand in the log; to read them takes no redactor and no database."""

import msgspec

from handrail.model.event import Event
from handrail.store.errors import DamagedError
from handrail.store.port import StoredEntry

decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def decode(stored: StoredEntry) -> Event:
    """The event of a log entry."""
    try:
        return decoder.decode(stored.body)
    except (ValueError, RecursionError) as error:
        raise DamagedError("", f"entry {stored.position} of {stored.topic}: {error}") from None
