"""Limits on topics and bodies, the same in every store."""

from collections.abc import Iterable

from handrail.store.port import NewEntry

MAX_TOPIC_BYTES = 1_000
MAX_BODY_BYTES = 64 * 1024 * 1024
LARGEST = 2**63 - 1
"""The largest number in a database; a search beyond it is allowed, and finds nothing."""


def problem_with_entries(entries: Iterable[NewEntry]) -> str:
    """Return why one of the entries cannot be written, or ""."""
    return next(filter(None, (problem_with(entry.topic, entry.body) for entry in entries)), "")


def problem_with(topic: str, body: bytes) -> str:
    """Return why a body cannot be written under a topic, or ""."""
    if not is_topic(topic):
        return f"not a name for a topic: {topic!r:.80}"
    if len(body) > MAX_BODY_BYTES:
        return f"a body of {len(body):,} bytes is too large, {MAX_BODY_BYTES:,} is the most"
    return ""


def is_topic(name: str) -> bool:
    """Return whether a topic may have this name: not empty, valid Unicode, no NUL, not too long."""
    if not name or "\0" in name:
        return False
    try:
        return len(name.encode()) <= MAX_TOPIC_BYTES
    except UnicodeEncodeError:  # half of a surrogate pair: no other program could read it
        return False
