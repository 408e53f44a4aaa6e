"""Read the line in an agent's last message: it is done, asks a person, or cannot go on."""

import re
from collections.abc import Iterator

import msgspec

DONE = "TASK DONE"
BLOCKED = "TASK BLOCKED"
QUESTION = "TASK QUESTION"

_HEAD = r"(?:\#{1,6}[ \t]+)?"
_SYMBOL = "(?:[\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]\ufe0f?)"
_SIGNS = r"[*_`]*"
_DONE_LINE = re.compile(
    rf"{_HEAD}{_SIGNS}(?:{_SYMBOL}[ ]*)?{_SIGNS}{DONE}[*_`.!]*(?:[ ]*{_SYMBOL})?{_SIGNS}[ ]*\#*"
)
_BLOCKED_LINE = re.compile(
    rf"{_HEAD}(?P<signs>{_SIGNS})(?:{_SYMBOL}[ ]*)?(?P<mark>{BLOCKED}|{QUESTION})(?P<rest>.*)",
    re.DOTALL,
)
_FENCE = re.compile(
    r"(?P<sign>(?:[-*+]|\d{1,9}[.)])[ ]+)?(?P<fence>`{3,}|~{3,})(?P<rest>.*)", re.DOTALL
)
_MAX_INDENT = 3
"""Further indented text is no fence, but part of a list or a quoted example."""


class CompletionMark(msgspec.Struct, frozen=True):
    """The agent's own claim: done, stuck, or in need of an answer."""

    done: bool
    why: str = ""
    """The agent's reason for being stuck, or its question."""
    asks: bool = False
    """It goes on once a person has answered."""


def find_completion_mark(message: str) -> CompletionMark | None:
    """Return the last marker in a message, or None."""
    found = None
    for line in _outside_of_code(message):
        found = _read(line.rstrip(" \t")) or found
    return found


def what_is_missing(message: str) -> str:
    """Return what a message lacks to say how the work stands, or ""."""
    if find_completion_mark(message) is not None:
        return ""
    named = next((mark for mark in (DONE, BLOCKED, QUESTION) if mark in message), "")
    if named:
        return f"Your last message names {named}, but not on a line of its own outside of code."
    return f"You stopped, but no line of your last message says {DONE} or {BLOCKED}."


def _read(line: str) -> CompletionMark | None:
    """Read a marker, also as a heading, emphasized, in a code span, or with a symbol."""
    if _DONE_LINE.fullmatch(line):
        return CompletionMark(done=True)
    match = _BLOCKED_LINE.fullmatch(line)
    if match is None:
        return None
    signs, rest = match["signs"], match["rest"]
    # The emphasis ends after the marker, after its colon, or at the end of the line.
    if rest.startswith((signs, f":{signs}")):
        rest = rest.replace(signs, "", 1)
    else:
        rest = rest.removesuffix(signs)
    if rest in ("", ".", "!") or rest.startswith(":"):
        why = rest.lstrip(":.!").strip()
        return CompletionMark(done=False, why=why, asks=match["mark"] == QUESTION and bool(why))
    return None


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
