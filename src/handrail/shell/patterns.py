"""Patterns of the shell in `${x%…}`, `${x/…/…}` and `case`: from masked text to expressions."""

import re
from functools import lru_cache

from handrail.shell.quoting import unmask

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "space": r" \t\n\r\f\v", "blank": r" \t", "xdigit": "0-9A-Fa-f", "word": "0-9A-Za-z_",
    "punct": r"!-/:-@\[-`{-~",
}  # fmt: skip

MAX_MATCHED = 1_000
"""Characters of a text that patterns are tried on."""


@lru_cache(maxsize=256)
def expression(masked: str, *, shortest: bool = False) -> re.Pattern[str] | None:
    """A pattern whose quoted characters are masked, as a regular expression; None: unknown.

    What stands between two stars is taken where it fits first, and never moved: a later place could
    only leave less for the rest. So no pattern is slow.
    """
    pieces = [""]
    at = 0
    while at < len(masked):
        char = masked[at]
        at += 1
        if char == "*":
            pieces.append("")
        elif char == "?":
            pieces[-1] += "."
        elif char == "[":
            end, inside = _set(masked, at)
            if inside == "":
                return None
            pieces[-1] += r"\[" if inside is None else inside
            at = at if inside is None else end
        else:
            pieces[-1] += re.escape(unmask(char))
    first, *others = pieces
    middle = "".join(f"(?>.*?{piece})" for piece in others[:-1] if piece)
    last = "".join((".*?" if shortest else ".*") + piece for piece in others[-1:])
    try:
        return re.compile(first + middle + last, re.DOTALL)
    except re.error:
        return None


def _set(masked: str, start: int) -> tuple[int, str | None]:
    """`[a-z]` from behind its bracket; None: it is never closed; empty: too odd to tell."""
    end = start + (masked[start : start + 1] in {"!", "^"})
    first = end
    while end < len(masked) and (masked[end] != "]" or end == first):
        inner = masked.find(":]", end + 2) if masked.startswith("[:", end) else -1
        end = inner + 2 if inner >= 0 else end + 1
    if end >= len(masked):
        return start, None
    body = masked[start:end]
    negated = body[:1] in {"!", "^"}
    body = body[negated:]
    if "[." in body or "[=" in body:
        return end + 1, ""
    for name, characters in _CLASSES.items():
        body = body.replace(f"[:{name}:]", f"\0{characters}\0")
    if "[:" in body:
        return end + 1, ""
    pieces = body.split("\0")
    text = "".join(
        piece if index % 2 else re.sub(r"([\\\[\]^&~|])", r"\\\1", unmask(piece))
        for index, piece in enumerate(pieces)
    )
    return end + 1, f"[{'^' if negated else ''}{text}]"


def without_prefix(text: str, pattern: re.Pattern[str]) -> str:
    """`${x#…}` with a pattern for the shortest, `${x##…}` with one for the longest match."""
    match = pattern.match(text)
    return text[match.end() :] if match else text


def without_suffix(text: str, pattern: re.Pattern[str], *, longest: bool) -> str:
    """`${x%…}` and `${x%%…}`."""
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    for start in starts:
        if pattern.fullmatch(text, start):
            return text[:start]
    return text


def replaced(text: str, pattern: re.Pattern[str], by: str, *, where: str) -> str:
    """`${x/…/…}`: the first match, or all (`/`), one at the start (`#`) or at the end (`%`)."""
    if where == "#":
        found = pattern.match(text)
        return by + text[found.end() :] if found else text
    if where == "%":
        for start in range(len(text) + 1):
            if pattern.fullmatch(text, start):
                return text[:start] + by
        return text
    if not text:
        return by if pattern.fullmatch("") else ""
    pieces: list[str] = []
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            pieces.append(text[at])
            at += 1
            continue
        pieces.append(by)
        at = match.end()
        if where != "/":
            break
    return "".join(pieces) + text[at:]
