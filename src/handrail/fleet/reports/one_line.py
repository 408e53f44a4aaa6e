"""Texts from agents and repositories, made safe to stand in a line that others read."""

import unicodedata

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that break a line, turn its direction or cannot be seen."""


def one_line(text: str, longest: int) -> str:
    """Return a text as one visible line, cut at its end."""
    cut = text[: _reach(longest)]  # whoever sends megabytes waits for no loop over them
    joined = _joined(cut)
    if len(joined) > longest or len(cut) < len(text):
        return f"{joined[: longest - 1].rstrip()}…"
    return joined


def end_of_line(text: str, longest: int) -> str:
    """Return a text as one visible line, cut at its beginning: an error ends with its reason."""
    cut = text[-_reach(longest) :]
    joined = _joined(cut)
    if len(joined) > longest or len(cut) < len(text):
        return f"…{joined[1 - longest :].lstrip()}"
    return joined


def _reach(longest: int) -> int:
    """Return how many characters are looked at: some of them are spaces that fall together."""
    return 4 * longest + 100


def _joined(text: str) -> str:
    seen = "".join(" " if unicodedata.category(each) in _UNSAFE else each for each in text)
    return " ".join(seen.split())
