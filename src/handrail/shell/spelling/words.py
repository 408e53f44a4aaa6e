"""Words: quotes, variables, sums, and the commands that stand in them."""

import re
from abc import ABC, abstractmethod

from handrail.shell.spelling.pieces import (
    NotShellError,
    Piece,
    Pieces,
    SpellingBudget,
    flat,
    hidden,
    in_brackets,
    joined,
    same,
)

_PLAIN = re.compile(r"(?:[^ \t\n;&|<>()'\"\\$`]|\\[^\n])+")
_IN_QUOTES = re.compile(r"(?:[^\"\\$`]|\\.)+", re.DOTALL)
_IN_DOCUMENT = re.compile(r"[^\"\\$`]+")
_IN_BRACKETS = re.compile(r"[^\\$`'\"<>()\[\]{}]+")
_IN_DEFAULT = re.compile(r"[^ \t\n\\$`'\"<>()\[\]{}]+")
_RAW = re.compile(r"'([^']*)'")
_HARMLESS_QUOTE = re.compile(r"'[^'}\"$`]*'")
_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_PARAMETER = re.compile(
    r"\$\{(?P<sign>[!#]?)(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
    # zsh: `${(U)x}`, `${=x}`
    r"|\$\{(?:\([^()\s]*\)|[=^~]+)"
)
_DEFAULT = re.compile(r":?[-=](?=\$)")
_NO_SUM = re.compile(r";|[\w)\]]\s+[\w$~]")
"""What a sum cannot hold, so that shells without sums read two subshells: two words in a row."""
_VALUED = frozenset(":-=+?")
"""What stands in `${x:-y}` before a value, not before a pattern."""
_BEFORE_PATTERN = "?*+@!"
"""What makes brackets behind it an extended pattern: `!(a|b)`."""
_NOT_CLOSED = "a bracket is opened here and not closed"


class WordSpeller(ABC):
    """Spells the words at a place in a text."""

    def __init__(self, text: str, budget: SpellingBudget, place: int | None = None) -> None:
        """`place`: where the text stands in another one, in which faults are told."""
        self.text = text
        self.at = 0
        self.budget = budget
        self._place = place
        self._in_document = False
        self._tried: set[int] = set()
        """Where a sum or a subscript was looked for in vain, so that it is not looked for again."""

    @abstractmethod
    def commands(self, closer: str) -> Piece:
        """Spell commands up to a closing bracket, and pass over that."""

    @abstractmethod
    def inner(self, text: str, at: int) -> "WordSpeller":
        """A speller for a text that stands inside this one."""

    @abstractmethod
    def all_commands(self) -> Piece:
        """Spell the whole text as commands."""

    def fault(self, offset: int, says: str) -> NotShellError:
        """An error at a place of this text."""
        return NotShellError(self.place(offset), says)

    def place(self, offset: int) -> int:
        """Where a place of this text is in the outermost one."""
        return offset if self._place is None else self._place

    def ahead(self, text: str) -> bool:
        """Whether this comes next."""
        return self.text.startswith(text, self.at)

    def word(self) -> Pieces:
        """The word that begins here; empty if none does."""
        pieces: Pieces = []
        while self.at < len(self.text):
            self.budget.step()
            plain = _PLAIN.match(self.text, self.at)
            if plain:
                pieces.append(hidden(plain[0]))
                self.at = plain.end()
                if self.ahead("(") and plain[0][-1] in _BEFORE_PATTERN:
                    pieces += self._pattern()
                continue
            part = self.part()
            if part is None:
                break
            pieces += part
        return pieces

    def _pattern(self) -> Pieces:
        """`(a|b)` of an extended pattern."""
        start = self.at
        pieces = [hidden("(")]
        self.at += 1
        with self.budget:
            while not self.ahead(")"):
                part = self.word()
                sign = self.text[self.at : self.at + 1]
                if sign and sign in "| \t\n":
                    part.append(hidden(sign))
                    self.at += 1
                if not part:
                    raise self.fault(start, _NOT_CLOSED)
                pieces += part
        self.at += 1
        return [*pieces, hidden(")")]

    def part(self, *, quoted: bool = False) -> Pieces | None:
        """A quote, an expansion, commands in brackets, an escape; None: it is none of these."""
        char = self.text[self.at : self.at + 1]
        if char == "$":
            return self._dollar(quoted=quoted)
        if char == "`":
            return [self._backticks(quoted=quoted)]
        if char == "'" and not quoted:
            return self._single_quotes("'", _RAW)
        if char == '"':
            return self._double_quotes()
        if char == "\\":
            return self._escape()
        if char and char in "<>" and self.ahead(f"{char}(") and not quoted:
            self.at += 2
            return [in_brackets(char, self.commands(")"))]
        return None

    def _escape(self) -> Pieces:
        pair = self.text[self.at : self.at + 2]
        self.at += len(pair)
        if pair == "\\\n":
            return []
        return [hidden(pair if len(pair) == 2 else "\\\\")]

    def _single_quotes(self, head: str, pattern: re.Pattern[str]) -> Pieces:
        match = pattern.match(self.text, self.at)
        if not match:
            raise self.fault(self.at, "a single quote is opened here and not closed")
        self.at = match.end()
        return [same(head), hidden(match[1]), same("'")]

    def _double_quotes(self) -> Pieces:
        start = self.at
        self.at += 1
        pieces = [same('"')]
        while not self.ahead('"'):
            self.budget.step()
            plain = _IN_QUOTES.match(self.text, self.at)
            if plain:
                pieces.append(hidden(plain[0]))
                self.at = plain.end()
            elif self.ahead("$") or self.ahead("`"):
                pieces += self.part(quoted=True) or ()
            else:
                raise self.fault(start, "a double quote is opened here and not closed")
        self.at += 1
        return [*pieces, same('"')]

    def document(self) -> Pieces:
        """The whole text as the body of a here-document, spelled in double quotes."""
        self._in_document = True
        pieces = [same('"')]
        while self.at < len(self.text):
            self.budget.step()
            plain = _IN_DOCUMENT.match(self.text, self.at)
            if plain:
                pieces.append(hidden(plain[0]))
                self.at = plain.end()
            elif self.ahead('"'):
                pieces.append(hidden('\\"'))
                self.at += 1
            elif self.ahead('\\"'):
                pieces.append(hidden('\\\\\\"'))
                self.at += 2
            else:
                pieces += self.part(quoted=True) or ()
        return [*pieces, same('"')]

    # What stands behind a dollar or in backticks

    def _dollar(self, *, quoted: bool) -> Pieces:
        if not quoted and self.ahead("$'"):
            return self._single_quotes("$'", _ANSI_C)
        if not quoted and self.ahead('$"'):
            self.at += 1
            return [same("$"), *self._double_quotes()]
        if self.ahead("$(("):
            total = self.arithmetic(3)
            if total is not None:
                parts = [Piece("$(( ", "${x-"), *total, Piece("))", ".}")]
                return [joined(parts, runs=_runs(total))]
        if self.ahead("$("):
            self.at += 2
            return [in_brackets("$", self.commands(")"))]
        if self.ahead("${"):
            return [self._parameter(quoted=quoted)]
        if self.ahead("$["):
            self.at += 2
            total = self._until("]", self.at - 2)
            return [joined([Piece("$[  ", "${x-"), *total, Piece("]", "}")], runs=_runs(total))]
        name = _VARIABLE.match(self.text, self.at)
        self.at = name.end() if name else self.at + 1
        return [same(name[0]) if name else hidden("$")]

    def arithmetic(self, opened: int, *, counts: bool = False) -> Pieces | None:
        """The sum in `(( ))`, or the three that a loop counts by; None, and nothing is read, if
        it is no sum."""
        start = self.at
        if start in self._tried:
            return None
        self._tried.add(start)
        self.at += opened
        pieces: Pieces = []
        depth = 0
        try:
            while depth or not self.ahead(")"):
                # `<(` is a comparison here, and no command.
                part = None if self.ahead("<") or self.ahead(">") else self.part()
                if part is None:
                    part = self._characters(start)
                    depth += (part[0].data == "(") - (part[0].data == ")")
                pieces += flat(part)
        except NotShellError:
            self.at = start
            return None
        outline = "".join("0" if piece.runs else piece.data for piece in pieces)
        if not self.ahead("))") or not (counts or _NO_SUM.search(outline) is None):
            self.at = start
            return None
        self._tried.remove(start)
        self.at += 2
        return pieces

    def _parameter(self, *, quoted: bool) -> Piece:
        """`${name…}`; its value is worked out from the text, the parser sees what runs in it."""
        start = self.at
        name = _PARAMETER.match(self.text, start)
        if not name:
            raise self.fault(start, "`${` is not followed by a name")
        self.at = name.end()
        valued = self.text[self.at : self.at + 1] in _VALUED
        default = _DEFAULT.match(self.text, self.at)
        rest: Pieces = []
        if default and name["sign"] == "":
            self.at = default.end()
            value = self._plain_default()
            if self.ahead("}"):
                self.at += 1
                parts = [same(name[0]), same(default[0]), *value, same("}")]
                return joined(parts, runs=_runs(value))
            rest = [hidden(default[0]), *flat(value)]
        rest += self._until("}", start, quoted=quoted and valued)
        if not _runs(rest):
            data = self.text[start : self.at]
            return Piece(data, "${" + "x" * (len(data) - 3) + "}")
        first = next(index for index, piece in enumerate(rest) if piece.runs)
        before = name[0] + joined(rest[:first]).data
        if len(before) < len("${x-"):
            raise self.fault(start, "`${` is not followed by a name")
        head = Piece(before, "${" + "x" * (len(before) - 3) + "-")
        return joined([head, *rest[first:], same("}")], runs=True)

    def _plain_default(self) -> Pieces:
        """The default of `${x:-$HOME/y}`, as far as it is made of variables and plain text."""
        pieces: Pieces = []
        with self.budget:
            while True:
                plain = _IN_DEFAULT.match(self.text, self.at)
                if plain:
                    pieces.append(hidden(plain[0]))
                    self.at = plain.end()
                elif self.ahead("$"):
                    pieces += self._dollar(quoted=True)
                else:
                    return pieces

    def _until(self, closer: str, start: int, *, quoted: bool = False) -> Pieces:
        """Everything up to a closing bracket, and over it."""
        pieces: Pieces = []
        nested = 0
        with self.budget:
            while nested or not self.ahead(closer):
                if quoted and self.ahead("'"):
                    self._same_in_all_shells()
                part = None if self._in_document and self.ahead("'") else self.part()
                if part is None:
                    part = self._characters(start)
                    if closer == "]":
                        nested += (part[0].data == "[") - (part[0].data == "]")
                pieces += flat(part)
        self.at += 1
        return pieces

    def _same_in_all_shells(self) -> None:
        """In `"${x:-'…'}"` single quotes quote for bash, but not for other shells."""
        if not (self._in_document or _HARMLESS_QUOTE.match(self.text, self.at)):
            raise self.fault(self.at, "a single quote in `${ }` in double quotes is ambiguous")

    def _characters(self, opened: int) -> Pieces:
        """Characters that mean nothing between brackets, or one bracket."""
        self.budget.step()
        match = _IN_BRACKETS.match(self.text, self.at)
        data = match[0] if match else self.text[self.at : self.at + 1]
        if not data:
            raise self.fault(opened, _NOT_CLOSED)
        self.at += len(data)
        return [hidden(data)]

    def subscript(self) -> Pieces | None:
        """`[…]` behind the name of an array, if it is assigned to; else nothing is read."""
        start = self.at
        if start in self._tried:
            return None
        self._tried.add(start)
        self.at += 1
        try:
            inside = self._until("]", start)
        except NotShellError:
            self.at = start
            return None
        if not (self.ahead("=") or self.ahead("+=")):
            self.at = start
            return None
        self._tried.remove(start)
        return [same("["), *inside, same("]")]

    def _backticks(self, *, quoted: bool) -> Piece:
        start = self.at
        match = _BACKTICKS.match(self.text, start)
        if not match:
            raise self.fault(start, "a backtick is opened here and not closed")
        self.at = match.end()
        escaped = r'\\([$`\\"])' if quoted else r"\\([$`\\])"
        with self.budget:
            return in_brackets(
                "$", self.inner(re.sub(escaped, r"\1", match[1]), start).all_commands()
            )


def _runs(pieces: Pieces) -> bool:
    return any(piece.runs for piece in pieces)
