"""Take secrets out of the free texts of fleet events; names, paths and commands stay exact."""

import msgspec

from handrail.fleet.engine.events import FleetEvent, event_decoder
from handrail.redact import Redactor

_FREE = frozenset({"prompt", "title", "says", "error", "commit", "question", "answer"})
"""The fields with texts of people, agents and programs. A commit is followed by its subject."""


def without_secrets(event: FleetEvent, redactor: Redactor) -> FleetEvent:
    """Return the event as the log may have it."""
    plain = msgspec.to_builtins(event)
    clean = _clean(plain, redactor)
    return event if clean == plain else event_decoder.decode(msgspec.json.encode(clean))


def _clean(value: object, redactor: Redactor, *, free: bool = False) -> object:
    if isinstance(value, dict):
        return {name: _clean(item, redactor, free=name in _FREE) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, redactor, free=free) for item in value]
    return redactor.text(value) if free and isinstance(value, str) else value
