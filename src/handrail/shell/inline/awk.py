"""Reads AWK: commands and files behind `system`, `getline`, `|` and `>`."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.code import Code
from handrail.shell.inline.cursor import Cursor
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Call, prints
from handrail.shell.inline.scan import LanguageSyntax, Scanner, TextSyntax, Token
from handrail.shell.inline.value import NOTHING, REMOTE, Value, concatenate, text, variable
from handrail.shell.word import OPAQUE

SYNTAX = LanguageSyntax(
    comments=r"\#[^\n]*",
    texts=(TextSyntax('"', filled=True),),
    names=r"@?[A-Za-z_]\w*",
    patterns=True,
    marks=r"\|&|\|\||&&|>>|[=!<>+*/%^-]=|\+\+|--|[^\w\s]",
)
_SCANNER = Scanner(SYNTAX)
_MATTERS = re.compile(r"system|getline|@include|ENVIRON|[|>]")
_NETWORK = re.compile(r"/inet[46]?/(?:tcp|udp)/\w*/([^/]*)/(.*)", re.DOTALL)
_SHELL = re.compile(r"^\s*(?:\S*/)?(?:ba|z|da|k)?sh(?:\s+-[is])?\s*$")
_STREAMS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/stdin", "-", "/dev/null"})
_STOPS = frozenset({";", "{", "}", ")", ",", "]"})
_OPERATORS = frozenset({"<", ">", "==", "!=", "<=", ">=", "~", "?", ":", "&&", "||", "!"})


def read(code: str) -> Code:
    """Return what an AWK program does."""
    if _MATTERS.search(code) is None and OPAQUE not in code:
        return Code()
    found = EffectCollector()
    try:
        _AwkReader(_SCANNER.scan(code), found).go()
    except RecursionError:
        found.unseen("code that is nested too deeply to be read")
    return found.code()


class _AwkReader(Cursor):
    """Walks through a program once, left to right."""

    def __init__(self, tokens: list[Token], found: EffectCollector) -> None:
        super().__init__()
        self.tokens = tokens
        self.found = found
        self.names: dict[str, Value] = {}

    def go(self) -> None:
        """Add everything that the program does."""
        while self.at < len(self.tokens):
            before = self.at
            self.statement()
            if self.at == before:
                self.at += 1

    def statement(self) -> None:
        """Read one statement, as far as it matters."""
        token = self.peek()
        if token.kind == "name" and token.text in {"print", "printf"}:
            self.at += 1
            self._print()
        elif token.kind == "name" and token.text == "@include":
            self.at += 1
            self.found.add(Kind.RUN, self.advance().text)
        else:
            self._getline(self.value())

    def _print(self) -> None:
        printed = [self.value()]
        while self.accept(","):
            printed.append(self.value())
        prints(self.found, Call("print", tuple(printed)))
        if self.accept(">", ">>"):
            self._touch(Kind.WRITE, self.value())
        elif self.accept("|", "|&"):
            self._pipe(concatenate(printed, " ".join), self.value())

    def _pipe(self, printed: Value, command: Value) -> None:
        if self._dials(command, Kind.SEND):
            return
        if not _SHELL.match(command.text):
            self.found.script(command)
        elif printed.text.strip(OPAQUE + " "):
            self.found.script(printed)
        else:
            self.found.unseen("lines of its input, as commands")

    def _getline(self, value: Value) -> None:
        """Read the rest behind a value: `"command" | getline`, `getline < "file"`."""
        while self.accept("|", "|&"):
            if not self.accept("getline"):
                return
            network = self._dials(value, Kind.REACH)
            if not network:
                self.found.streams_redirected |= bool(value.flags & REMOTE)
                self._run(value)
            if self.peek().kind == "name":
                self.names[self.advance().text] = Value(flags=REMOTE if network else 0)

    def _run(self, command: Value) -> None:
        if _SHELL.match(command.text):
            self.found.unseen("lines of its input, as commands")
        else:
            self.found.script(command)

    def _dials(self, value: Value, kind: Kind) -> bool:
        match = _NETWORK.match(value.text)
        if match is None:
            return False
        host = f"{match[1]}:{match[2]}"
        if kind is Kind.SEND:
            self.found.add(kind, host)
        else:
            self.found.connect(host)
        return True

    def _touch(self, kind: Kind, value: Value) -> None:
        if value.text not in _STREAMS:
            self.found.path(kind, value)

    def value(self) -> Value:
        """Read values side by side, which AWK joins."""
        parts: list[Value] = []
        while True:
            token = self.peek()
            if token.kind in {"line", "end"}:
                break
            if token.kind == "mark":
                if token.text == "(":
                    self.at += 1
                    parts.append(self._brackets())
                elif token.text == "$":
                    self.at += 2
                    parts.append(Value())
                elif token.text in {"|", "|&", ">", ">>"} or token.text in _STOPS:
                    break
                else:
                    self.at += 1
                    parts.append(NOTHING)
                    if token.text in _OPERATORS:
                        self._getline(self.value())
                continue
            if token.kind == "name" and token.text in {"print", "printf"}:
                break
            self.at += 1
            parts.append(self._one(token))
        known = [part for part in parts if part is not NOTHING or len(parts) > 1]
        return concatenate(known) if known else NOTHING

    def _brackets(self) -> Value:
        """Read values in parentheses; return the last."""
        value = NOTHING
        while self.at < len(self.tokens) and not self.accept(")"):
            before = self.at
            value = self.value()
            self._getline(value)
            if not self.accept(",", ";", ">") and self.at == before:
                self.at += 1
        return value

    def _one(self, token: Token) -> Value:
        if token.kind == "text":
            return text(token.text)
        if token.kind == "number":
            return text(token.text)
        if token.kind != "name":
            return NOTHING
        if token.text == "system" and self.accept("("):
            self._run(self._brackets())
            return NOTHING
        if token.text == "getline":
            if self.peek().kind == "name":
                self.names[self.advance().text] = NOTHING
            if self.accept("<"):
                file = self.advance()
                self._touch(Kind.READ, self._one(file))
            return NOTHING
        if token.text == "ENVIRON" and self.accept("["):
            key = self._one(self.advance())
            self.accept("]")
            return variable(key.text)
        if self.peek().text == "=" and self.peek().kind == "mark":
            self.at += 1
            self.names[token.text] = self.value()
            return self.names[token.text]
        if self.peek().text == "[" and self.peek().kind == "mark":
            return self._entry()
        return self.names.get(token.text, NOTHING)

    def _entry(self) -> Value:
        """`array[key]`: not followed."""
        while self.at < len(self.tokens) and not self.accept("]"):
            self.at += 1
        return NOTHING
