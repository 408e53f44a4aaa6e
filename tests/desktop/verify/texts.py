"""Texts and operations for property tests, and what they mean by the plainest code."""

from collections.abc import Sequence
from itertools import count

from hypothesis import strategies as st

from handrail.desktop.verify.session import (
    DeleteOperation,
    EditOperation,
    InsertOperation,
    NavigateOperation,
)

PIECES = ["a", "b", "ü€", "\r", "\n", "\r\n", "\u2028", "\x0b", "🐇"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def starts(text: str) -> list[int]:
    """Where the lines that an editor shows begin: at 0, and behind each line break."""
    return [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]


def filled(text: str) -> int:
    """How many lines have something in them."""
    return len(starts(text)) - (starts(text)[-1] == len(text))


def plainly(text: str, operations: Sequence[EditOperation]) -> str:
    """The text after the operations, by slices of a string."""
    for operation in operations:
        at = [*starts(text), len(text)]
        if isinstance(operation, InsertOperation):
            place = at[operation.line - 1]
            text = text[:place] + operation.content + text[place:]
        elif isinstance(operation, DeleteOperation):
            text = text[: at[operation.line - 1]] + text[at[operation.last] :]
    return text


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[EditOperation]]:
    """A text, and operations that fit it."""
    text = original = draw(texts)
    operations: list[EditOperation] = []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.integers(0, 2))
        operation: EditOperation
        if kind == 0 and filled(text):
            first = draw(st.integers(1, filled(text)))
            operation = DeleteOperation(first, draw(st.integers(first, filled(text))))
        elif kind == 1:
            operation = NavigateOperation(draw(st.integers(1, len(starts(text)))))
        else:
            operation = InsertOperation(draw(st.integers(1, len(starts(text)))), draw(texts))
        operations.append(operation)
        text = plainly(text, [operation])
    return original, operations


def numbered(lines: int) -> str:
    """A text whose lines all differ, of about 45 bytes each."""
    numbers = count(1)
    return "".join(f"line {next(numbers):>8} of a text that is long enough\n" for _ in range(lines))
