"""Scroll a long list so that the chosen item is visible and nothing jumps."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from handrail.tui.text import Line

T = TypeVar("T")

Shown = list[tuple[int, list[Line]]]
"""Items by index, each with its lines."""


def visible_window(
    count: int, cursor: int, top: int, room: int, lines_of: Callable[[int], list[Line]]
) -> tuple[int, Shown]:
    """Return the index of the first visible item, and the items that fit.

    It starts at `top`, as before, unless the cursor would be outside.
    """
    if not count or room <= 0:
        return 0, []
    cursor = min(max(cursor, 0), count - 1)
    top = min(max(top, 0), cursor)
    shown: Shown = []
    used = 0
    for index in range(top, count):
        lines = lines_of(index)
        if used + len(lines) > room and index > cursor:
            break
        used += len(lines)
        shown.append((index, lines))
        while used > room and len(shown) > 1:
            used -= len(shown.pop(0)[1])
    first = shown[0][0]
    while first > 0 and used + len(lines := lines_of(first - 1)) <= room:
        first -= 1
        used += len(lines)
        shown.insert(0, (first, lines))
    return first, shown


def move_in_list(items: Sequence[T], at: int, by: int) -> int:
    """Move an index, and keep it valid."""
    return min(max(at + by, 0), max(len(items) - 1, 0))
