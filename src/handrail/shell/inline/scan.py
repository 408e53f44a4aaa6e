"""Split code of a script language into tokens, to tell text from code."""

import re
from functools import lru_cache

import msgspec

from handrail.shell.word import OPAQUE

MAX_TOKENS = 50_000
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{1,2})|x\{([0-9a-fA-F]{1,6})\}"
    r"|([0-7]{1,3})|\r?(\n)|(.))",
    re.DOTALL,
)
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "e": "\x1b",
}


class Token(msgspec.Struct, frozen=True, gc=False):
    """A piece of code: `name`, `number`, `text`, `command` (backticks), `text_hash` or `line`."""

    kind: str
    text: str
    parts: tuple["str | tuple[Token, ...]", ...] = ()
    """Parts of a text that holds code."""
    spaced: bool = False
    """Whether white space comes before it."""


END = Token("end", "")


class TextSyntax(msgspec.Struct, frozen=True):
    """One way to write a text: how it opens, closes, and what is special inside."""

    opens: str
    """A regular expression; a group `open` in it holds the delimiter, if that may vary."""
    closes: str = ""
    """The delimiter; empty for the one that matches `open`."""
    filled: bool = False
    """Escapes and code inside count."""
    kind: str = "text"
    nests: bool = False
    """Delimiters may stand in pairs inside."""


class LanguageSyntax(msgspec.Struct, frozen=True):
    """How a language is written."""

    comments: str
    texts: tuple[TextSyntax, ...]
    names: str = r"[A-Za-z_]\w*"
    fills: str = ""
    """A regular expression for code inside a text, which stands in its first matching group."""
    heredocs: str = r"(?!)"
    """The opening of a here-document, with groups `q` (quote) and `tag`."""
    patterns: bool = False
    """`/…/` is a regular expression where a value may begin."""
    marks: str = r"=>|->|\?\.|::|\|\||&&|\*\*|\.\.\.?|[-+*/.|&]=|[=!]==?|<<|>>|[^\w\s]"


class Scanner:
    """Splits code of one language into tokens."""

    def __init__(self, syntax: LanguageSyntax) -> None:
        self.syntax = syntax
        forms = "|".join(f"(?P<t{i}>{form.opens})" for i, form in enumerate(syntax.texts))
        self._next = re.compile(
            rf"(?P<comment>{syntax.comments})|(?P<line>\n)|(?P<space>[^\S\n]+|\\\n)"
            rf"|(?P<heredoc>{syntax.heredocs})|{forms}"
            rf"|(?P<number>0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)"
            rf"|(?P<name>{syntax.names}|{OPAQUE}+)|(?P<mark>{syntax.marks})|(?P<other>.)",
            re.DOTALL,
        )
        self._fills = re.compile(syntax.fills) if syntax.fills else None

    def scan(self, code: str, depth: int = 0) -> list[Token]:
        """Return all tokens; an unclosed text goes to the end of the code.

        Raises RecursionError for more code than anybody could follow.
        """
        tokens: list[Token] = []
        position = 0
        spaced = False
        while position < len(code):
            if len(tokens) > MAX_TOKENS:
                raise RecursionError
            match = self._next.match(code, position)
            kind = match.lastgroup if match is not None else None
            if match is None or kind is None:
                break
            position = match.end() if match.end() > position else position + 1
            if kind in {"space", "comment"}:
                spaced = True
                continue
            if kind == "heredoc":
                body, code = _heredoc(code, match)
                form = TextSyntax(
                    "", filled=match["q"] != "'", kind=_HEREDOC.get(match["q"], "text")
                )
                tokens.append(self._text(form, body, spaced, depth))
            elif kind[0] == "t" and kind[1:].isdigit():
                form = self.syntax.texts[int(kind[1:])]
                body, position = _body(code, position, form, match)
                if form.kind == "swap":
                    position = self._swap(code, position, match[0], tokens, depth)
                else:
                    tokens.append(self._text(form, body, spaced, depth))
            elif self.syntax.patterns and match[0] in {"/", "/="} and _value_may_begin(tokens):
                end = _pattern_end(code, match.start() + 1)
                tokens.append(Token("pattern", code[match.start() : end], spaced=spaced))
                position = end
            else:
                tokens.append(Token(kind, match[0], spaced=spaced))
            spaced = False
        return tokens

    def _swap(self, code: str, position: int, opening: str, tokens: list[Token], depth: int) -> int:
        """`s/old/new/e`: the second half is code if the flags say so."""
        form = TextSyntax("", nests=True)
        if opening[-1] in _PAIRS:
            match = re.compile(r"\s*\S").match(code, position)
            if match is None:
                return position
            body, position = _body(code, match.end(), form, match)
        else:
            delimiter = re.compile(re.escape(opening[-1])).match(code, position - 1)
            if delimiter is None:
                return position
            body, position = _body(code, position, form, delimiter)
        flags = re.compile(r"[a-z]*").match(code, position)
        tokens.append(Token("pattern", body))
        if flags is not None:
            position = flags.end()
            if "e" in flags[0] and opening[0] == "s" and depth < 4:
                tokens += [Token("mark", ";"), *self.scan(body, depth + 1), Token("mark", ";")]
        return position

    def _text(self, form: TextSyntax, body: str, spaced: bool, depth: int) -> Token:
        if not form.filled:
            plain = body.replace("\\'", "'").replace("\\\\", "\\")
            return Token(form.kind, plain, spaced=spaced)
        parts: list[str | tuple[Token, ...]] = []
        end = 0
        if self._fills is not None and depth < 4:
            for match in self._fills.finditer(body):
                if _escaped(body, match.start()):
                    continue
                inner = next((group for group in match.groups() if group is not None), "")
                parts.append(unescape(body[end : match.start()]))
                parts.append(tuple(self.scan(inner, depth + 1)))
                end = match.end()
        if not parts:
            return Token(form.kind, unescape(body), spaced=spaced)
        parts.append(unescape(body[end:]))
        return Token(form.kind, OPAQUE, tuple(parts), spaced)


def _body(code: str, start: int, form: TextSyntax, match: re.Match[str]) -> tuple[str, int]:
    """Return the content of a text, and the position behind it."""
    opening = match[0][-1]
    closing = form.closes or _PAIRS.get(opening, opening)
    if len(closing) > 1 or closing == "\n":
        end = code.find(closing, start)
        return (code[start:], len(code)) if end < 0 else (code[start:end], end + len(closing))
    level = 1
    nests = form.nests and opening != closing
    for step in _delimiters(opening, closing).finditer(code, start):
        if step[0] == closing:
            level -= 1
        elif nests and step[0] == opening:
            level += 1
        if not level:
            return code[start : step.start()], step.end()
    return code[start:], len(code)


@lru_cache(maxsize=128)
def _delimiters(opening: str, closing: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|[{re.escape(opening + closing)}]", re.DOTALL)


_HEREDOC = {"`": "command"}


def _heredoc(code: str, match: re.Match[str]) -> tuple[str, str]:
    """Return the lines of a here-document, and the code without them."""
    start = code.find("\n", match.end())
    if start < 0:
        return "", code
    end = re.compile(rf"^[ \t]*{match['tag']}\b", re.MULTILINE).search(code, start)
    if end is None:
        return code[start + 1 :], code[:start]
    return code[start + 1 : end.start()], code[:start] + code[end.end() :]


def _escaped(body: str, at: int) -> bool:
    start = at
    while start and body[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def _value_may_begin(tokens: list[Token]) -> bool:
    if not tokens:
        return True
    last = tokens[-1]
    if last.kind in {"mark", "line"}:
        return last.text not in {")", "]", "}"}
    return last.kind == "name" and last.text in _BEFORE_VALUE


_BEFORE_VALUE = frozenset({"return", "typeof", "if", "unless", "and", "or", "not", "split", "when"})


def _pattern_end(code: str, start: int) -> int:
    match = re.compile(r"(?>\\.|\[(?:\\.|[^\]\n]){0,200}+\]|[^/\\\n])*+/?\w*").match(code, start)
    return match.end() if match is not None else start


def unescape(text: str) -> str:
    """Resolve the escapes in a text."""
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3] or match[4]
    if digits or match[5]:
        number = int(digits, 16) if digits else int(match[5], 8)
        return chr(number) if number < 0x110000 else ""
    if match[6]:
        return ""
    return _LETTERS.get(match[7], match[7])


def bare(tokens: list[Token]) -> str:
    """Return the code without its texts and comments, one blank between tokens."""
    return " ".join('""' if token.kind in {"text", "command"} else token.text for token in tokens)
