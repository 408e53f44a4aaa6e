"""Lists, a page at a time."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from handrail.server.api.call import ApiCall
from handrail.server.api.problems import ProblemError

T = TypeVar("T")

_DIGITS = 9


class PagePlace(NamedTuple):
    """The part of a list that a caller wants."""

    begin: int
    end: int

    @classmethod
    def of(cls, call: ApiCall) -> "PagePlace":
        """Read it from `cursor` and `limit`. Raises ProblemError."""
        begin = number_of(call.text("cursor"))
        return cls(begin, begin + call.number("limit"))

    def cut(self, items: Sequence[T]) -> Sequence[T]:
        """Return the page of a list."""
        return items[self.begin : self.end]

    def following(self, count: int) -> str:
        """Return the cursor of the next page of so many items; empty: this is the last one."""
        return str(self.end) if self.end < count else ""


def number_of(cursor: str) -> int:
    """Return how many items come before a page. Raises ProblemError."""
    if not cursor:
        return 0
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > _DIGITS:
        raise ProblemError(400, "No such page", f"{cursor[:40]!r} is not the `next` of a page.")
    return int(cursor)
