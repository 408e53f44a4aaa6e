"""What `${x…}` makes of one value: substrings, patterns, letter case, quoting."""

import re

from handrail.shell.patterns import (
    MAX_MATCHED,
    expression,
    replaced,
    without_prefix,
    without_suffix,
)
from handrail.shell.quoting import MARK, decode_ansi_c, unmask
from handrail.shell.word import OPAQUE, UNKNOWN, Word

_UNKNOWN_TRANSFORMS = frozenset("AaKk")
_PLACES = re.compile(r"[?\[]")
"""Signs that stand for one character, as the locale counts them."""


def substring(word: Word, offset: int, length: int | None) -> Word:
    """`${x:offset:length}`."""
    text = word.text
    if not text.isascii() or word.glob:
        return UNKNOWN  # the locale tells how many characters others make
    if offset < 0:
        offset += len(text)
        if offset < 0:
            return Word("")
    if length is None:
        return Word(text[offset:])
    if length < 0:
        return Word(text[offset : len(text) + length])
    return Word(text[offset : offset + length])


def transformed(word: Word, letter: str) -> Word:
    """`${x@L}` and its like."""
    if not word.exact or word.glob or letter in _UNKNOWN_TRANSFORMS:
        return UNKNOWN
    text = word.text
    if letter in "LUu" and not text.isascii():
        return UNKNOWN
    if letter == "L":
        return Word(text.lower())
    if letter == "U":
        return Word(text.upper())
    if letter == "u":
        return Word(text[:1].upper() + text[1:])
    if letter == "E":
        return Word(decode_ansi_c(text).partition("\0")[0])
    if letter == "P" and not re.search(r"[\\$`!]", text):
        return word
    if letter == "Q" and text.isprintable():
        return Word("'" + text.replace("'", "'\\''") + "'")
    return UNKNOWN


_CASES = {"^": str.upper, ",": str.lower, "~": str.swapcase}


def edited(word: Word, symbol: str, pattern: str, replacement: str) -> Word:
    """`${x%…}`, `${x/…/…}`, `${x^^}`."""
    text = word.text
    by = unmask(replacement)
    if not word.exact or word.glob or OPAQUE in pattern or OPAQUE in by or len(text) > MAX_MATCHED:
        return UNKNOWN
    if symbol[0] in _CASES:
        return _recased(text, symbol, pattern)
    pattern = pattern.replace(MARK, "")
    if symbol in {"/", "//"} and not pattern:
        return word
    found = expression(pattern, shortest=symbol == "#")
    by_place = not text.isascii() and _PLACES.search(pattern)
    if found is None or by_place or (symbol[0] == "/" and "&" in replacement):
        return UNKNOWN
    if symbol[0] == "#":
        return Word(without_prefix(text, found))
    if symbol[0] == "%":
        return Word(without_suffix(text, found, longest=symbol == "%%"))
    return Word(replaced(text, found, by, where=symbol[1:]))


def _recased(text: str, symbol: str, pattern: str) -> Word:
    change = _CASES[symbol[0]]
    found = expression(pattern.replace(MARK, "") or "?")
    if found is None or not text.isascii():
        return UNKNOWN
    first = change(text[:1]) if found.fullmatch(text[:1]) else text[:1]
    if len(symbol) == 1:
        return Word(first + text[1:])
    return Word("".join(change(char) if found.fullmatch(char) else char for char in text))
