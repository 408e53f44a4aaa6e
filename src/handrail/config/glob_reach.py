"""Tell what a glob may mean at most to any reader: a shell, `find -path`, `find -iname`.

A wildcard stands for any text here, even slashes, and case does not count. The time is linear in
the length of the path, because both come from an agent.
"""

import re
from functools import lru_cache

# A `]` at the beginning of a set belongs to it. Nobody agrees on a backslash before a slash.
_PART = re.compile(
    r"(?P<wild>(?:/\*\*(?=/|\Z)|[*?]|\\(?=/|\Z)|\[[!^]?\]?[^\]]*\]?)+)|\\?(?P<plain>.)", re.DOTALL
)


def may_mean(glob: str, path: str) -> bool:
    """Return whether a glob may mean an absolute path, or a folder above it."""
    first, *others = _pieces(glob)
    path = path.rstrip("/").casefold()
    if not path.startswith(first):
        return False
    at = len(first)
    if not others:
        return _ends(path, at)
    *middle, last = others
    for piece in middle:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    while (found := path.find(last, at)) >= 0:
        if not last or _ends(path, found + len(last)):
            return True
        at = found + 1
    return False


def _ends(path: str, at: int) -> bool:
    return at == len(path) or path[at] == "/"


@lru_cache(maxsize=64)
def _pieces(glob: str) -> tuple[str, ...]:
    """Return the texts between wildcards."""
    pieces = [""]
    for part in _PART.finditer(glob.rstrip("/")):
        if part["wild"]:
            pieces.append("")
        else:
            pieces[-1] += part["plain"].casefold()
    return tuple(pieces)
