"""How an agent says that it is done, or cannot go on: a line of its own in its last message."""

import re
from collections.abc import Iterator

import msgspec

DONE = "TASK DONE"
BLOCKED = "TASK BLOCKED"

_FENCE = re.compile(
    r"(?P<sign>(?:[-*+]|\d{1,9}[.)])[ ]+)?(?P<fence>`{3,}|~{3,})(?P<rest>.*)", re.DOTALL
)
_MAX_INDENT = 3
"""What stands further in is no fence, but text of a list or of a quoted example."""


class CompletionMark(msgspec.Struct, frozen=True):
    """The agent's word on how far it is."""

    done: bool
    why: str = ""
    """Why it cannot go on."""


def find_completion_mark(message: str) -> CompletionMark | None:
    """The last marker in a message, which is its last word; None: there is none."""
    found = None
    for line in _outside_of_code(message):
        text = line.rstrip(" \t")
        if text == DONE:
            found = CompletionMark(done=True)
        elif text == BLOCKED or text.startswith(f"{BLOCKED}:"):
            found = CompletionMark(
                done=False, why=text.removeprefix(BLOCKED).removeprefix(":").strip()
            )
    return found


def _outside_of_code(message: str) -> Iterator[str]:
    """Lines that are not in a fence; one that is never closed goes on until the end.

    Markers stand at column 0. There, fences inside of lists and quotes do not count, and what is
    indented is no marker: it is enough to follow the fences that begin near the margin.
    """
    open_fence = ""
    for line in re.split(r"\r\n|\n|\r", message):
        fence, rest, bare = _fence(line)
        if open_fence:
            if bare and not rest and fence.startswith(open_fence):
                open_fence = ""
        elif fence and not (fence[0] == "`" and "`" in rest):
            open_fence = fence
        else:
            yield line


def _fence(line: str) -> tuple[str, str, bool]:
    """The signs of a fence, what follows them, and whether no sign of a list stands before."""
    text = line.lstrip(" ")
    match = _FENCE.match(text)
    if match is None:
        return "", "", False
    before = len(line) - len(text) + len(match["sign"] or "")
    if before > _MAX_INDENT:
        return "", "", False
    return match["fence"], match["rest"].strip(" \t"), not match["sign"]
