"""Read the line in an agent's last message that says it is done, or cannot go on."""

import re
from collections.abc import Iterator

import msgspec

DONE = "TASK DONE"
BLOCKED = "TASK BLOCKED"

_FENCE = re.compile(
    r"(?P<sign>(?:[-*+]|\d{1,9}[.)])[ ]+)?(?P<fence>`{3,}|~{3,})(?P<rest>.*)", re.DOTALL
)
_MAX_INDENT = 3
"""Further indented text is no fence, but part of a list or a quoted example."""


class CompletionMark(msgspec.Struct, frozen=True):
    """The agent's own claim: done, or stuck."""

    done: bool
    why: str = ""
    """The agent's reason for being stuck."""


def find_completion_mark(message: str) -> CompletionMark | None:
    """Return the last marker in a message, or None."""
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
    """Yield the lines outside fences; an unclosed fence reaches to the end.

    Markers stand at column 0. Fences inside lists and quotes do not reach it, and indented text is
    no marker, so this follows only the fences near the margin.
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
    """Return the signs of a fence, the text after them, and whether no list sign stands before."""
    text = line.lstrip(" ")
    match = _FENCE.match(text)
    if match is None:
        return "", "", False
    before = len(line) - len(text) + len(match["sign"] or "")
    if before > _MAX_INDENT:
        return "", "", False
    return match["fence"], match["rest"].strip(" \t"), not match["sign"]
