"""Take secrets out of the free texts of fleet events; names, paths and commands stay exact."""

import msgspec

from handrail.fleet.engine.events import FleetEvent, event_decoder
from handrail.redact import Redactor

_FREE = frozenset({"prompt", "title", "says", "error", "commit", "question", "answer"})
"""The fields with texts of people, agents and programs. A commit is followed by its subject."""


def without_secrets(event: FleetEvent, redactor: Redactor) -> FleetEvent:
    """Return the event as the log may have it."""
    plain = msgspec.to_builtins(event)
    clean = clean_texts(plain, redactor, _FREE)
    return event if clean == plain else event_decoder.decode(msgspec.json.encode(clean))


def clean_texts(
    value: object, redactor: Redactor, names: frozenset[str], *, free: bool = False
) -> object:
    """Take secrets out of the fields with these names."""
    if isinstance(value, dict):
        return {
            name: clean_texts(item, redactor, names, free=name in names)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [clean_texts(item, redactor, names, free=free) for item in value]
    return redactor.text(value) if free and isinstance(value, str) else value
