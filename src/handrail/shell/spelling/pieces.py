"""Text in two spellings: the text itself, and a shape in which a parser meets nothing odd.

Both are equally long, so a node that was found in the shape says where its text is. In the shape
stands a dot for each character that is mere data; quotes, variables and commands stay.
"""

from collections.abc import Iterable
from typing import NamedTuple

from handrail.shell.errors import TooDeepError, TooMuchWorkError

MAX_PIECES = 15_000
"""Words, quotes and the like of one text: a script of some 60 KB."""


class NotShellError(Exception):
    """The text is not valid shell, as far as can be told."""

    def __init__(self, offset: int, says: str) -> None:
        super().__init__(says)
        self.offset = offset
        self.says = says


class Piece(NamedTuple):
    """A part of a text and its shape."""

    data: str
    shape: str
    runs: bool = False
    """A command stands in it."""


Pieces = list[Piece]


class Spelled(NamedTuple):
    """A whole text in a plain spelling."""

    data: bytes
    shape: bytes
    places: dict[int, tuple[int, int]]
    """Where simple commands begin in it, and where they stand in the text that was given."""


def same(text: str) -> Piece:
    """A piece that the parser sees as it is."""
    return Piece(text, text)


def hidden(text: str) -> Piece:
    """A piece that is data to the parser."""
    return Piece(text, "." * len(text))


def joined(pieces: Iterable[Piece], *, runs: bool = False) -> Piece:
    """Pieces as one."""
    every = list(pieces)
    return Piece("".join(p.data for p in every), "".join(p.shape for p in every), runs)


def flat(pieces: Pieces) -> Pieces:
    """The same with nothing left for the parser but the commands inside."""
    return [_as_value(piece) if piece.runs else hidden(piece.data) for piece in pieces]


def _as_value(piece: Piece) -> Piece:
    """A command in brackets as `$( )`: the parser does not know `<( )` inside other brackets."""
    return Piece("$" + piece.data[1:], "$" + piece.shape[1:], True)


def in_brackets(sign: str, commands: Piece) -> Piece:
    """Commands as `$( )`, `<( )` or `>( )`; two brackets would begin a sum, none is an error."""
    head = f"{sign}( " if commands.data.startswith("(") else f"{sign}("
    return joined([same(head), commands if commands.data else same(":"), same(")")], runs=True)


class SpellingBudget:
    """Work and depth that all spellers of one text share.

    Work is counted, not timed: a pause of the whole process must not make a command unreadable.
    """

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._steps = 0
        self._depth = 0

    def step(self) -> None:
        """Count a piece of work; raises TooMuchWorkError when there was enough."""
        self._steps += 1
        if self._steps > MAX_PIECES:
            raise TooMuchWorkError(MAX_PIECES)

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth > self._max_depth:
            raise TooDeepError(self._max_depth)

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
