"""Match globs against whole paths.

`*`, `?` and `[a-z]` stay within one name; `**` as a whole name stands for any number of
folders, none included; `\\` takes the next character as it is. A glob without a slash is a
name that may stand anywhere. A glob that matches a folder covers everything in it.

Written by hand instead of with fnmatch or pathspec because the paths come from an agent: all
globs of a set become one regular expression whose stars never take back what they took, so
that no path, however hostile, makes it slow.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

_ANY = "**"
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<stars>\*+)|(?P<one>\?)|\[(?P<set>[!^]?+(?:\][^\]]*|[^\]]+))\]|(?P<plain>.)",
    re.DOTALL,
)
_SPECIAL = re.compile(r"[\\*?\[{]")
_KNOWN = re.compile(r"(?:[^\\*?\[{]|\\.)*+", re.DOTALL)


@lru_cache(maxsize=64)
def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return one expression whose `fullmatch` tells whether any of the globs covers a path."""
    return re.compile("|".join(map(translate, globs)) or r"(?!)", re.DOTALL)


def translate(glob: str) -> str:
    """Return the regular expression of one glob."""
    glob = glob.rstrip("/")
    floating = r"(?:.*/)?" if glob and "/" not in glob else ""
    return floating + "".join(_chunks(glob.split("/"))) + r"(?:/.*)?"


def escape(path: str) -> str:
    """Return the glob that matches exactly this path and its content."""
    return _SPECIAL.sub(r"\\\g<0>", path)


def known_folder(glob: str) -> str:
    """Return a glob's path up to its first wildcard, cut back to a whole folder."""
    known = _KNOWN.match(glob)
    assert known is not None  # it matches nothing, too
    path = re.sub(r"\\(.)", r"\1", known.group())
    return path if known.end() == len(glob) else path.rpartition("/")[0]


def must_be_glob(text: str) -> None:
    """Raise ValueError, with the reason, for a text that would not match as written."""
    if not text:
        raise ValueError("is empty")
    if text.startswith("!"):
        raise ValueError("cannot be negated; list what is meant instead")
    plain = {token["plain"] for token in _TOKEN.finditer(text)}
    if "{" in plain:
        raise ValueError("has braces, which are not understood; write one glob for each")
    if "\\" in plain:
        raise ValueError("ends in a backslash")


def _chunks(names: list[str]) -> Iterator[str]:
    """Join the names between two `**`; anchor the first such chunk.

    A later chunk matches at its first fit and never moves: it always spans the same number of
    names, so a later place could only leave less for the rest.
    """
    anchored = True
    for any_depth, group in groupby(names, key=_ANY.__eq__):
        if not any_depth:
            chunk = "/".join(map(_name, group))
            yield chunk if anchored else rf"(?>(?:/[^/]*)*?/{chunk}(?=/|\Z))"
        anchored = False


def _name(name: str) -> str:
    """Translate one name of a path. The text between two stars matches at its first fit."""
    if name and not name.strip("*"):
        return "[^/]+"
    first, *others = _between_stars(name)
    if not others:
        return first
    *middle, last = others
    return first + "".join(rf"(?>[^/]*?{piece})" for piece in middle) + rf"[^/]*{last}(?=/|\Z)"


def _between_stars(name: str) -> list[str]:
    pieces = [""]
    for token in _TOKEN.finditer(name):
        if token["stars"]:
            pieces.append("")
        elif token["one"]:
            pieces[-1] += "[^/]"
        elif token["set"]:
            pieces[-1] += _set(token["set"])
        else:
            pieces[-1] += re.escape(token["escaped"] or token["plain"])
    return pieces


def _set(inside: str) -> str:
    negated = inside[0] in "!^"
    members = re.sub(r"(.)-(.)|(.)", _member, inside[negated:], flags=re.DOTALL)
    if not members:  # [z-a] holds nothing, [!z-a] everything
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' * negated}{members}]"


def _member(found: re.Match[str]) -> str:
    first, last, single = found.groups()
    if single:
        return _literal(single)
    return f"{_literal(first)}-{_literal(last)}" if first <= last else ""


def _literal(character: str) -> str:
    return f"\\{character}" if character in r"\[]^-&~|" else character
