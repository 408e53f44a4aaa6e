"""Simple commands: assignments, words and redirects, in this order."""

import re

from handrail.shell.spelling.lines import CommandStart, LineSpeller, Output
from handrail.shell.spelling.pieces import (
    NotShellError,
    Piece,
    Pieces,
    flat,
    joined,
    same,
)

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
BRACKETS = re.compile(r"[ \t]*\([ \t]*\)")
"""What makes a function of the word before."""
_REDIRECT = re.compile(
    rf"(?P<both>&>>?)|(?P<number>[0-9]+|\{{{NAME}\}})?"
    r"(?P<operator><<<|<<-|<<|<>|<&|>&|>>|>\||[<>](?!\())"
)
_DISGUISED = {"<<<": "<  ", "<>": ">>"}
"""Operators that the parser does not know everywhere, and how it sees them."""
_ASSIGNMENT = re.compile(rf"{NAME}(?=\+?=|\[)")
_NEW = "9"
"""The descriptor that a shell chooses for `{name}>`: none of those that have a meaning."""
_BARE = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+(?=[ \t\n;&|<>()]|\\\n|\Z)")
_DECLARING = frozenset({"export", "declare", "typeset", "readonly", "local", "unset"})
"""Programs whose arguments are read as assignments."""


class CommandSpeller(LineSpeller):
    """Spells simple commands."""

    def bare(self) -> str:
        """The word here if nothing in it is quoted or expanded; else nothing."""
        match = _BARE.match(self.text, self.at)
        return match[0] if match else ""

    def simple(self) -> Output:
        """A simple command, up to what ends it."""
        assigned: list[Pieces] = []
        words: list[Pieces] = []
        redirects: Output = []
        start, end = self.at, -1
        in_one_piece = True
        while True:
            self.budget.step()
            self.blank()
            redirect = self.redirect()
            if redirect:
                redirects += [same(" "), *redirect]
                continue
            declares = bool(words) and joined(words[0]).data in _DECLARING
            assignment = self._assignment() if declares or not words else None
            if assignment and not words:
                assigned.append(assignment)
                continue
            bare = self.bare()
            word = assignment or self.word()
            if not word:
                break
            words.append([same(bare)] if declares and re.fullmatch(NAME, bare) else word)
            in_one_piece = in_one_piece and not (assigned or redirects)
            end = self.at
        if not (assigned or words or redirects):
            raise self.unexpected()
        if len(assigned) > 1 and not words and not redirects:
            # On a line of their own they take the next line along.
            return [same("{ "), *_spaced(assigned, "; "), same("; }")]
        mark = [CommandStart(start, end)] if words and in_one_piece else []
        return [*mark, *_spaced(assigned), *_in_order(assigned, words, redirects), *redirects]

    def _assignment(self) -> Pieces | None:
        """`name=value`, `name[i]+=value`, `name=(…)`; None if there is none."""
        match = _ASSIGNMENT.match(self.text, self.at)
        if not match:
            return None
        start = self.at
        self.at = match.end()
        subscript = self.subscript() if self.ahead("[") else []
        if subscript is None:
            self.at = start
            return None
        sign = "+=" if self.ahead("+=") else "="
        self.at += len(sign)
        # The parser knows no empty value before a bracket.
        value = self._array() if self.ahead("(") else self.word() or [same("''")]
        return [same(match[0]), *subscript, same(sign), *value]

    def _array(self) -> Pieces:
        start = self.at
        self.at += 1
        elements: list[Pieces] = []
        with self.budget:
            self.lines()
            while word := self.word():
                elements.append(word)
                self.lines()
        if not self.ahead(")"):
            raise self.unexpected(start, "a bracket is opened here and not closed")
        self.at += 1
        return [same("("), *_spaced(elements), same(")")]

    def redirect(self) -> Output:
        """A redirect; empty if there is none."""
        match = _REDIRECT.match(self.text, self.at)
        if not match:
            return []
        self.at = match.end()
        self.blank()
        operator = match["both"] or match["operator"]
        number = _descriptor(match["number"] or "", operator)
        if operator in {"<<", "<<-"}:
            return [number, Piece("<<< ", "<   "), self.document_word(operator)]
        target = self.word()
        if not target:
            raise self.unexpected()
        return [number, Piece(operator, _DISGUISED.get(operator, operator)), same(" "), *target]

    def unexpected(self, opened: int = -1, says: str = "") -> NotShellError:
        """A fault about the sign here or, at the end of the text, about what was opened."""
        if self.at >= len(self.text):
            says = says if opened >= 0 else "it ends before it is complete"
            return self.fault(opened if opened >= 0 else len(self.text), says)
        sign = "the end of the line" if self.ahead("\n") else f"`{self._sign()}`"
        return self.fault(self.at, f"{sign} cannot stand here")

    def _sign(self) -> str:
        operator = re.compile(r";;&?|;&|&&|\|\|?|[;&()<>]").match(self.text, self.at)
        return operator[0] if operator else self.bare()[:30] or self.text[self.at]


def _descriptor(number: str, operator: str) -> Piece:
    if number == "0" and operator[0] == "<":
        return same("")
    if number.startswith("{"):
        return Piece(_NEW, _NEW)
    # The parser takes some numbers for arguments, such as the 0 of `0<`.
    return Piece(number, "3" * len(number))


def _spaced(words: list[Pieces], between: str = " ") -> Pieces:
    pieces: Pieces = []
    for word in words:
        pieces += [*([same(between)] if pieces else []), *word]
    return pieces


def _in_order(assigned: list[Pieces], words: list[Pieces], redirects: Output) -> Pieces:
    """The words of a command, as the parser knows them best."""
    if not words:
        # It knows no redirects of mere assignments.
        return [same("; :")] if assigned and redirects else []
    name = joined(words[0]).data
    before = [same(" ")] if assigned else []
    if name == "[" and len(words) > 2 and joined(words[-1]).data == "]" and not assigned:
        # It has a grammar of its own for tests, which knows less than all.
        inside = _spaced(words[1:-1])
        return [same("[ "), *flat(inside), same(" ]")]
    if name in _DECLARING:
        words[0] = [same(name)]
    return [*before, *_spaced(words)]
