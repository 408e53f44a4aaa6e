"""From text to a syntax tree, within limits that keep hostile input cheap."""

import re
from collections.abc import Callable
from time import monotonic

import tree_sitter
import tree_sitter_bash

from handrail.shell.errors import TooDeepError, TooLargeError, TooMuchWorkError, TooSlowError

MAX_BYTES = 256 * 1024
"""The longest command that is read; a longer one cannot be judged within the deadline."""
MAX_NESTING = 60
"""Deeper nesting than any person or honest agent writes."""
MAX_REPEATS = 400
"""The parser needs quadratic time for long chains of these: `|`, `<<`, `()`, `` ` ``."""

MAX_SEARCH = 20_000_000
"""Here-document marks times length: each mark may be searched to the end of the text."""

MAX_SECONDS = 0.05
"""The parser needs quadratic time to recover from errors, and cannot be interrupted."""
_SMALL = 1024
_CHUNK = 256

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
_AS_LETTERS = bytes(code if code < 0x80 else ord("x") for code in range(256))
_BRACKETS = re.compile(rb"[({]|[)}]")
_DATA = re.compile(
    rb"""<<-?\s*(?P<quote>['"\\]?)(?P<tag>\w+)(?P=quote)?[^\n]*\n.*?\n\s*(?P=tag)(?=\n|$)"""
    rb"""|'[^']*'|"(?:[^"\\]|\\.)*\"""",
    re.DOTALL,
)


class Source:
    """A text and its syntax tree; nodes point into it by byte offsets."""

    __slots__ = ("data", "root", "top")

    def __init__(self, text: str, *, top: bool) -> None:
        # The shell drops NUL bytes; the parser would take one for the end of the input.
        self.data = text.encode("utf-8", "replace").replace(b"\0", b"")
        if len(self.data) > MAX_BYTES:
            raise TooLargeError(len(self.data), MAX_BYTES)
        _check_shape(self.data)
        # The parser's scanner crashes on some characters beyond ASCII (it looks them up in a
        # table of 256). None of them means anything to a shell, so it sees letters instead.
        shape = self.data if self.data.isascii() else self.data.translate(_AS_LETTERS)
        self.root = _parse(shape).root_node
        self.top = top

    def text(self, node: tree_sitter.Node) -> str:
        """The source text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def slice(self, start: int, end: int) -> str:
        """The source text between two offsets."""
        return self.data[start:end].decode("utf-8", "replace")


def _parse(data: bytes) -> tree_sitter.Tree:
    """The syntax tree, unless it takes too long.

    The parser has no time limit, but the text may end early: then it stops soon.
    """
    if len(data) <= _SMALL:
        return _PARSER.parse(data)
    end = monotonic() + MAX_SECONDS

    def read(offset: int, _: object) -> bytes:
        return data[offset : offset + _CHUNK] if monotonic() < end else b""

    tree = _PARSER.parse(read)
    if monotonic() >= end:
        raise TooSlowError
    return tree


def _check_shape(data: bytes) -> None:
    """Refuse what would take the parser or our recursion too long, before they meet it."""
    if len(data) <= MAX_NESTING:
        return
    brackets = max(data.count(b"(") + data.count(b"{"), data.count(b")") + data.count(b"}"))
    if len(data) > MAX_REPEATS:
        marks = data.count(b"<<")
        if marks * len(data) > MAX_SEARCH:
            raise TooMuchWorkError(MAX_REPEATS)
        repeats = max(marks, *map(data.count, (b"|", b"()", b"`")))
    else:
        repeats = 0
    if repeats <= MAX_REPEATS and brackets <= MAX_NESTING:
        return
    bare = _DATA.sub(_documents(), data)
    if max(map(bare.count, (b"|", b"<<", b"()", b"`"))) > MAX_REPEATS:
        raise TooMuchWorkError(MAX_REPEATS)
    depth = unopened = 0
    for bracket in _BRACKETS.findall(bare):
        if bracket in b"({":
            depth += 1
        elif depth:
            depth -= 1
        else:
            unopened += 1
        if depth > MAX_NESTING or unopened > MAX_REPEATS:
            raise TooDeepError(MAX_NESTING)


def _documents() -> Callable[[re.Match[bytes]], bytes]:
    """Takes data out of a text, and counts the here-documents among it."""
    seen = 0

    def replace(match: re.Match[bytes]) -> bytes:
        nonlocal seen
        seen += match["tag"] is not None
        if seen > MAX_REPEATS:
            raise TooMuchWorkError(MAX_REPEATS)
        return b"''"

    return replace
