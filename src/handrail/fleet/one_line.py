"""Texts from agents and repositories, made safe to stand in a line that others read."""

import unicodedata

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that break a line, turn its direction or cannot be seen."""


def one_line(text: str, longest: int) -> str:
    """Return a text as one visible line of bounded length."""
    cut = text[: 4 * longest + 100]  # whoever sends megabytes waits for no loop over them
    seen = "".join(" " if unicodedata.category(each) in _UNSAFE else each for each in cut)
    joined = " ".join(seen.split())
    if len(joined) > longest or len(cut) < len(text):
        return f"{joined[: longest - 1].rstrip()}…"
    return joined
