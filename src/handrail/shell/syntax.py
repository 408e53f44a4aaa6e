"""From text to a syntax tree, within limits that keep hostile input cheap."""

import re
from collections.abc import Callable

import tree_sitter
import tree_sitter_bash

from handrail.shell.command import SyntaxFault
from handrail.shell.errors import TooDeepError, TooLargeError, TooMuchWorkError, TooSlowError
from handrail.shell.parser_traps import is_misread, takes_lines_along
from handrail.shell.reading_clock import reading_time
from handrail.shell.spelling import NotShellError, respell
from handrail.shell.word_scan import WordScanner

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
_NEAR = 60
"""Characters that are shown of the place of an error."""
_SMALL = 1024
_CHUNK = 256

WORD_ENDS = frozenset({b"", *(bytes([code]) for code in b" \t\n;&|<>()")})
"""What stands behind a word, one of them a byte long or nothing at all."""
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_BACKTICKS = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)
_IN_COMMANDS = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[()]""", re.DOTALL)

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
_AS_LETTERS = bytes(code if code < 0x80 else ord("x") for code in range(256))
_BRACKETS = re.compile(rb"[({]|[)}]")
_DATA = re.compile(
    rb"""<<-?\s*(?P<quote>['"\\]?)(?P<tag>\w+)(?P=quote)?[^\n]*\n.*?\n\s*(?P=tag)(?=\n|$)"""
    rb"""|'[^']*'|"(?:[^"\\]|\\.)*\"""",
    re.DOTALL,
)


class SyntaxSource:
    """A text and its syntax tree; nodes point into it by byte offsets."""

    __slots__ = ("_characters", "_places", "_top", "data", "fault", "root")

    def __init__(self, text: str, *, top: bool, seconds: float = MAX_SECONDS) -> None:
        """`top`: it is what was given; `seconds`: the work that its syntax may take."""
        # The shell drops NUL bytes; the parser would take one for the end of the input.
        self.data = text.encode("utf-8", "replace").replace(b"\0", b"")
        if len(self.data) > MAX_BYTES:
            raise TooLargeError(len(self.data), MAX_BYTES)
        _check_shape(self.data)
        # The parser's scanner crashes on some characters beyond ASCII (it looks them up in a
        # table of 256). None of them means anything to a shell, so it sees letters instead.
        shape = self.data if self.data.isascii() else self.data.translate(_AS_LETTERS)
        self.root = _parse(shape, seconds).root_node
        self.fault: SyntaxFault | None = None
        self._top = top
        self._characters: str | None = None
        self._places: dict[int, tuple[int, int]] | None = None
        if self.root.has_error or is_misread(shape) or takes_lines_along(self.root, shape):
            self._read_again(seconds)

    def _read_again(self, seconds: float) -> None:
        """The parser found errors, or is known to misread this: read it in a plain spelling."""
        try:
            plain = respell(self.data, MAX_NESTING)
        except NotShellError as fault:
            self.fault = self._fault(fault.offset, fault.says)
            return
        root = _parse(plain.shape, seconds).root_node
        if root.has_error:
            self.fault = self._fault(_first_error(self.root).start_byte, "the parser gave up")
            return
        self.data = plain.data
        self.root = root
        self._places = plain.places

    def _fault(self, offset: int, says: str) -> SyntaxFault:
        line = self.data.count(b"\n", 0, offset) + 1
        start = self.data.rfind(b"\n", 0, offset) + 1
        near = self.data[max(start, offset - _NEAR // 2) :].partition(b"\n")[0][:_NEAR]
        return SyntaxFault(line, near.decode("utf-8", "replace"), says)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a command stands in the text that was given; (-1, -1) if that is another one."""
        if not self._top:
            return -1, -1
        return (start, end) if self._places is None else self._places.get(start, (-1, -1))

    def text(self, node: tree_sitter.Node) -> str:
        """The source text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def slice(self, start: int, end: int) -> str:
        """The source text between two offsets."""
        return self.data[start:end].decode("utf-8", "replace")

    @property
    def characters(self) -> str:
        """The text with one character for each byte."""
        if self._characters is None:
            self._characters = self.data.decode("latin-1")
        return self._characters

    def word_scanner(self) -> WordScanner:
        """A scanner for words of this text."""
        return WordScanner(self.characters, self.commands_end, self.substitution_at)

    def ends_word(self, end: int) -> bool:
        """Whether no word goes on at a place."""
        return self.data[end : end + 1] in WORD_ENDS

    def substitution_at(self, start: int) -> tree_sitter.Node | None:
        """The commands in brackets or backticks that begin at a place."""
        node = self.root.descendant_for_byte_range(start, start + 1)
        while node is not None and node.start_byte == start:
            if node.type in _SUBSTITUTIONS:
                return node
            node = node.parent
        return None

    def commands_end(self, start: int) -> int:
        """Where the commands end that begin at a place; negative if it is a sum."""
        node = self.substitution_at(start)
        if node is not None:
            return node.end_byte
        text = self.characters
        if text.startswith("`", start):
            end = _BACKTICKS.match(text, start)
            return end.end() if end else len(text)
        depth = 0
        for found in _IN_COMMANDS.finditer(text, start):
            depth += (found[0] == "(") - (found[0] == ")")
            if depth == 0 and found[0] == ")":
                return -found.end() if text.startswith("$((", start) else found.end()
        return len(text)


def _first_error(node: tree_sitter.Node) -> tree_sitter.Node:
    """The first place that the parser could make nothing of."""
    while node.has_error and not (node.is_error or node.is_missing):
        node = next(child for child in node.children if child.has_error or child.is_missing)
    return node


def _parse(data: bytes, seconds: float) -> tree_sitter.Tree:
    """The syntax tree, unless this thread works longer for it.

    The parser has no time limit, but the text may end early: then it stops soon.
    """
    if len(data) <= _SMALL:
        return _PARSER.parse(data)
    end = reading_time() + seconds

    def read(offset: int, _: object) -> bytes:
        return data[offset : offset + _CHUNK] if reading_time() < end else b""

    tree = _PARSER.parse(read)
    if reading_time() >= end:
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
