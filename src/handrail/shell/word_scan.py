"""A word as it is written: literal text, and the parts that the shell replaces.

The text stands as one character for each byte, so that places are those of the parser's nodes.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from handrail.shell.quoting import MARK, decode_ansi_c, mask
from handrail.shell.word import OPAQUE

_FIRST_PLACE = 0xF0000
_PLACES = re.compile("[\U000f0000-\U0010ffff]")
PART = re.compile("([\U000f0000-\U000ffffd])")
"""Stands in a skeleton for a part."""
_BEFORE_PATTERN = frozenset("?*+@!")
_ENDS = frozenset(" \t\n;&|<>()")
_BARE = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_IN_QUOTED_ARGUMENT = re.compile(r"[^\"\\$`]+(?:)")
_IN_DOCUMENT = re.compile(r"[^\\$`]+")
_IN_ARGUMENT = re.compile(r"[^'\"\\$`]+")
_ESCAPED = {_IN_QUOTES: '$`"\\', _IN_QUOTED_ARGUMENT: '$`"\\}', _IN_DOCUMENT: "$`\\"}
"""What a backslash quotes, where not everything."""
_DULL = re.compile(r"[^}\\'\"$`]+")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]", re.ASCII)
_ANSI_C = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)


class WordPart(NamedTuple):
    """What the shell replaces: its kind, where it stands, and whether in double quotes."""

    kind: str
    """`name`, `braces`, `sum`, `commands` or `files`."""
    start: int
    end: int
    quoted: bool


class ScannedWord(NamedTuple):
    """A word: its skeleton with quoted specials masked, its parts, and where it ends."""

    skeleton: str
    parts: list[WordPart]
    end: int


class WordScanner:
    """Scans words of a text; `commands_end` says where commands in brackets end.

    A backtick inside of backticks ends a word, unless it `opens` commands itself.
    """

    def __init__(
        self, text: str, commands_end: Callable[[int], int], opens: Callable[[int], object]
    ) -> None:
        self._text = text
        self._commands_end = commands_end
        self._opens = opens
        self._parts: list[WordPart] = []
        self._at = 0
        self._end = 0

    def word(self, start: int) -> ScannedWord:
        """The word that begins here, up to a blank or an operator."""
        return self._scan(start, len(self._text), _BARE, quoted=False)

    def argument(self, start: int, end: int, *, quoted: bool) -> ScannedWord:
        """What stands behind an operator in `${ }`: blanks are a part of it."""
        pattern = _IN_QUOTED_ARGUMENT if quoted else _IN_ARGUMENT
        return self._scan(start, end, pattern, quoted=quoted)

    def document(self, start: int, end: int) -> ScannedWord:
        """The body of a here-document."""
        return self._scan(start, end, _IN_DOCUMENT, quoted=True)

    def _scan(self, start: int, end: int, plain: re.Pattern[str], *, quoted: bool) -> ScannedWord:
        self._parts = []
        self._at, self._end = start, end
        pieces: list[str] = []
        while self._at < end:
            found = plain.match(self._text, self._at, end)
            if found:
                self._at = found.end()
                literal = self._literal(found[0])
                pieces.append(mask(literal) if quoted else literal)
            elif plain is _BARE and self._text[self._at] == "(" and pieces:
                if not self._pattern(pieces):
                    break
            elif plain is _BARE and self._is_end():
                break
            else:
                pieces.append(self._special(plain, quoted=quoted))
        return ScannedWord("".join(pieces), self._parts, self._at)

    def _pattern(self, pieces: list[str]) -> bool:
        """Pass over `(a|b)` of an extended pattern, which may stand for anything."""
        end = abs(self._commands_end(self._at))
        if pieces[-1][-1:] not in _BEFORE_PATTERN or end <= self._at:
            return False
        pieces[-1] = pieces[-1][:-1] + "*"
        self._at = min(end, self._end)
        return True

    def _is_end(self) -> bool:
        char = self._text[self._at]
        if char == "`":
            return not self._opens(self._at)
        return char in _ENDS and not self._ahead("<(", ">(")

    def _ahead(self, *texts: str) -> bool:
        return self._text.startswith(texts, self._at, self._end)

    def _literal(self, text: str) -> str:
        if not text.isascii():
            text = text.encode("latin-1").decode("utf-8", "replace")
            text = _PLACES.sub(OPAQUE, text)
        return text

    def _special(self, plain: re.Pattern[str], *, quoted: bool) -> str:
        char = self._text[self._at]
        if char == "$":
            return self._dollar(quoted=quoted)
        if char == "\\":
            return self._escape(plain, quoted=quoted)
        if char == "'":
            return self._single()
        if char == '"':
            return self._double() if plain is not _IN_QUOTED_ARGUMENT else self._toggle()
        if char == "`":
            return self._part("commands", self._commands_end(self._at), quoted)
        return self._part("files", self._commands_end(self._at), quoted)

    def _toggle(self) -> str:
        """A double quote in `"${x:-"a"}"`: what it holds is quoted either way."""
        self._at += 1
        return MARK

    def _escape(self, plain: re.Pattern[str], *, quoted: bool) -> str:
        pair = self._text[self._at : self._at + 2]
        if len(pair) < 2 or self._at + 1 >= self._end:
            self._at += 1
            return mask("\\")
        if not pair[1].isascii():
            self._at += 1
            return mask("\\") if quoted else ""
        self._at += 2
        if pair[1] == "\n":
            return ""
        if not quoted:
            return MARK + mask(pair[1])
        special = _ESCAPED[plain]
        return mask(pair[1] if pair[1] in special else pair)

    def _single(self) -> str:
        end = self._text.find("'", self._at + 1, self._end)
        end = end if end >= 0 else self._end
        text = self._text[self._at + 1 : end]
        self._at = min(end + 1, self._end)
        return MARK + mask(self._literal(text))

    def _double(self) -> str:
        """Text in double quotes; it is a field even if empty, unless it only holds `$@`."""
        self._at += 1
        pieces: list[str] = []
        lists = False
        while self._at < self._end and self._text[self._at] != '"':
            found = _IN_QUOTES.match(self._text, self._at, self._end)
            if found:
                self._at = found.end()
                pieces.append(mask(self._literal(found[0])))
                continue
            start = self._at
            pieces.append(
                self._escape(_IN_QUOTES, quoted=True)
                if self._text[start] == "\\"
                else self._special(_IN_DOCUMENT, quoted=True)
            )
            lists = lists or _is_list(self._text[start : self._at])
        self._at = min(self._at + 1, self._end)
        return "".join(pieces) if lists else MARK + "".join(pieces)

    def _dollar(self, *, quoted: bool) -> str:
        if not quoted and self._ahead("$'"):
            found = _ANSI_C.match(self._text, self._at + 2, self._end)
            end = found.end() if found else self._end
            text = self._literal(self._text[self._at + 2 : end])
            self._at = min(end + 1, self._end)
            return MARK + mask(decode_ansi_c(text).partition("\0")[0])
        if not quoted and self._ahead('$"'):
            self._at += 1
            return self._double()
        if self._ahead("$(("):
            end = self._commands_end(self._at)
            kind = "commands" if end > 0 else "sum"
            return self._part(kind, end if end > 0 else -end, quoted)
        if self._ahead("$("):
            return self._part("commands", abs(self._commands_end(self._at)), quoted)
        if self._ahead("${"):
            return self._part("braces", self._closing_brace(quoted=quoted), quoted)
        if self._ahead("$["):
            end = self._text.find("]", self._at, self._end)
            return self._part("sum", end + 1 if end >= 0 else self._end, quoted)
        name = _NAME.match(self._text, self._at + 1, self._end)
        if name:
            return self._part("name", name.end(), quoted)
        self._at += 1
        return mask("$")

    def _closing_brace(self, *, quoted: bool) -> int:
        return closing_brace(self._text, self._at, self._end, self._commands_end, quoted)

    def _part(self, kind: str, end: int, quoted: bool) -> str:
        end = min(max(end, self._at + 1), self._end)
        self._parts.append(WordPart(kind, self._at, end, quoted))
        self._at = end
        return chr(_FIRST_PLACE + len(self._parts) - 1)


def place_of(character: str) -> int:
    """Which part a character of a skeleton stands for."""
    return ord(character) - _FIRST_PLACE


def _is_list(text: str) -> bool:
    return text == "$@" or re.match(r"\$\{(?:@|!?\w+\[@\])", text) is not None


def closing_brace(
    text: str, start: int, end: int, commands_end: Callable[[int], int], quoted: bool
) -> int:
    """Where the `${` at a place ends."""
    at = start + 2
    found = re.compile(r"[!#]?(?:\w+|[@*#?$!-])(?:\[[^\]]*\])?(:?[-=+?])?").match(text, at, end)
    valued = bool(found and found[1])
    if found:
        at = found.end()
    while at < end:
        dull = _DULL.match(text, at, end)
        if dull:
            at = dull.end()
            continue
        char = text[at]
        if char == "}":
            return at + 1
        if char == "\\":
            at += 2
        elif char == "'" and not (quoted and valued):
            close = text.find("'", at + 1, end)
            at = close + 1 if close >= 0 else end
        elif char == '"':
            at = _closing_quote(text, at + 1, end, commands_end)
        elif text.startswith("${", at):
            at = closing_brace(text, at, end, commands_end, quoted)
        elif char == "`" or text.startswith("$(", at):
            at = max(abs(commands_end(at)), at + 1)
        else:
            at += 1
    return end


def _closing_quote(text: str, at: int, end: int, commands_end: Callable[[int], int]) -> int:
    while at < end:
        dull = _IN_QUOTES.match(text, at, end)
        if dull:
            at = dull.end()
            continue
        char = text[at]
        if char == '"':
            return at + 1
        if char == "\\":
            at += 2
        elif text.startswith("${", at):
            at = closing_brace(text, at, end, commands_end, True)
        elif char == "`" or text.startswith("$(", at):
            at = max(abs(commands_end(at)), at + 1)
        else:
            at += 1
    return end
