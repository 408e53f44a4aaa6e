"""The text that an action replaces, as a diff. Bounded: an agent may write megabytes."""

from collections.abc import Iterator
from difflib import unified_diff
from typing import NamedTuple

from handrail.model.action import Action

_MAX_LINES = 2_000
"""Lines of each side that are compared; of more, only the beginning is."""
_MAX_DIFF = 200_000

_PATHS = ("file_path", "path", "notebook_path", "absolute_path")


class TextReplacement(NamedTuple):
    """One replacement."""

    old: str
    new: str


def edits_of(action: Action) -> tuple[TextReplacement, ...]:
    """Return the replacements that the input of an action tells."""
    given = action.input
    several = given.get("edits")
    parts = several if isinstance(several, list) else [given]
    return tuple(_edits(parts))


def changed_lines(action: Action) -> tuple[int, int]:
    """Return how many lines an action adds and removes, at most."""
    edits = edits_of(action)
    return sum(_lines(each.new) for each in edits), sum(_lines(each.old) for each in edits)


def diff_of(action: Action) -> str:
    """Return the edits of an action as a unified diff; empty: it edits no text."""
    given = action.input
    name = next((str(given[key]) for key in _PATHS if isinstance(given.get(key), str)), "file")
    lines: list[str] = []
    for edit in edits_of(action):
        lines += unified_diff(_split(edit.old), _split(edit.new), name, name, lineterm="")
    return "\n".join(lines)[:_MAX_DIFF]


def _edits(parts: list[object]) -> Iterator[TextReplacement]:
    for part in parts:
        if not isinstance(part, dict):
            continue
        old, new = part.get("old_string", ""), part.get("new_string", part.get("content"))
        if isinstance(old, str) and isinstance(new, str):
            yield TextReplacement(old, new)


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _split(text: str) -> list[str]:
    return text.splitlines()[:_MAX_LINES]
