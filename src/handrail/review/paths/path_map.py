"""Many globs at once: which of them, first in order, covers a path.

Most globs are plain: a folder, a name, an ending. Those are looked up, not matched, so that
the cost does not grow with the length of the tables.
"""

import re
from collections.abc import Iterable
from typing import Generic, TypeVar

from handrail.config.glob import translate

Value = TypeVar("Value")

_WILD = re.compile(r"[*?\[\\]")


class PathMap(Generic[Value]):
    """Globs (as in `handrail.config.glob`) with a value each; the first one in order wins."""

    def __init__(self, globs: Iterable[tuple[str, Value]]) -> None:
        self._values: list[Value] = []
        self._paths: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._pieces: list[tuple[str, int]] = []
        self._prefixes: list[tuple[str, int]] = []
        self._starts: list[tuple[str, int]] = []
        self._ends: list[tuple[str, int]] = []
        wild_names: list[tuple[str, int]] = []
        wild_paths: list[tuple[str, int]] = []
        for order, (glob, value) in enumerate(globs):
            self._values.append(value)
            named = "/" not in glob
            if not _WILD.search(glob):
                (self._names if named else self._paths).setdefault(glob, order)
            elif named and not _WILD.search(glob[1:]) and glob[0] == "*":
                self._ends.append((glob[1:], order))
            elif named and not _WILD.search(glob[:-1]) and glob[-1] == "*":
                self._starts.append((glob[:-1], order))
            elif named:
                wild_names.append((glob, order))
            elif glob.startswith("**/") and not _WILD.search(glob[3:]):
                self._pieces.append((f"/{glob[3:]}/", order))
            elif glob.startswith("**/") and glob[-1] == "*" and not _WILD.search(glob[3:-1]):
                self._pieces.append((f"/{glob[3:-1]}", order))
            elif glob[-1] == "*" and not _WILD.search(glob[:-1]):
                self._prefixes.append((glob[:-1], order))
            else:
                wild_paths.append((glob, order))
        self._begin = tuple(text for text, _ in self._prefixes)
        self._first = tuple(text for text, _ in self._starts)
        self._last = tuple(text for text, _ in self._ends)
        self._roots = self._first_names(glob for glob, _ in wild_paths)
        self._piece_heads = {piece.split("/")[1] for piece, _ in self._pieces}
        self._affixes = self._affix_pattern(glob for glob, _ in wild_names)
        self._wild_names = _Alternatives(wild_names)
        self._wild_paths = _Alternatives(wild_paths)

    def _first_names(self, wild: Iterable[str]) -> "_NameSet":
        """The first names of all rooted globs; a glob that begins with a wildcard has any."""
        firsts = [text.split("/")[1] for text in self._paths]
        firsts += [text.split("/")[1] for text, _ in self._prefixes]
        firsts += [glob.split("/")[1] if glob.startswith("/") else "*" for glob in wild]
        return _NameSet(firsts)

    def _affix_pattern(self, wild: Iterable[str]) -> re.Pattern[str]:
        """Finds whether any name begins or ends like one of the globs, or must be matched."""
        pieces = [f"{re.escape(text)}(?:/|$)" for text, _ in self._ends]
        pieces += [f"(?:^|/){re.escape(text)}" for text, _ in self._starts]
        pieces += [re.escape(max(re.split(r"[*?]|\[.*?\]", glob), key=len)) for glob in wild]
        return re.compile("|".join(pieces) if pieces else r"(?!)")

    def find(self, path: str) -> Value | None:
        """The value of the first glob that covers a path, or None."""
        best = none = len(self._values)
        parts = path.split("/")
        if not self._names.keys().isdisjoint(parts) or self._affixes.search(path):
            best = min(map(self._named, filter(None, parts)), default=none)
        if len(parts) > 1 and parts[1] in self._roots:
            best = min(best, self._rooted(path))
        if not self._piece_heads.isdisjoint(parts):
            whole = path + "/"
            for piece, order in self._pieces:
                if order < best and piece in whole:
                    best = order
        return None if best == none else self._values[best]

    def _rooted(self, path: str) -> int:
        """The order of the first glob from the root that covers a path."""
        best = len(self._values)
        cut = path
        while cut:
            best = min(best, self._paths.get(cut, best))
            cut = cut[: cut.rfind("/")] if "/" in cut else ""
        if self._begin and path.startswith(self._begin):
            best = min(best, *(order for text, order in self._prefixes if path.startswith(text)))
        return min(best, self._wild_paths.first(path)) if self._wild_paths.some else best

    def _named(self, part: str) -> int:
        best = self._names.get(part, len(self._values))
        if self._last and part.endswith(self._last):
            best = min(best, *(order for text, order in self._ends if part.endswith(text)))
        if self._first and part.startswith(self._first):
            best = min(best, *(order for text, order in self._starts if part.startswith(text)))
        if self._wild_names.some:
            return min(best, self._wild_names.first(part))
        return best

    def __contains__(self, path: str) -> bool:
        return self.find(path) is not None


class _NameSet:
    """A set of names, or all of them."""

    def __init__(self, names: list[str]) -> None:
        self._names = frozenset(names)
        self._all = any(_WILD.search(name) for name in names)

    def __contains__(self, name: str) -> bool:
        return self._all or name in self._names


class _Alternatives:
    """Globs that must be matched: one expression whose group says which one it was."""

    def __init__(self, globs: list[tuple[str, int]]) -> None:
        # A name is tried on single names, so that it need not float over the whole path.
        texts = [
            translate(f"/{glob}")[1:] if "/" not in glob else translate(glob) for glob, _ in globs
        ]
        self._pattern = re.compile("|".join(f"({text})" for text in texts), re.DOTALL)
        self._orders = [order for _, order in globs]
        self.some = bool(globs)

    def first(self, text: str) -> int:
        """The order of the first glob that matches, or a number beyond all."""
        match = self._pattern.fullmatch(text)
        return self._orders[match.lastindex - 1] if match and match.lastindex else 1 << 30


def path_set(globs: Iterable[str]) -> PathMap[bool]:
    """A map that only says whether a path is covered."""
    return PathMap((glob, True) for glob in globs)
