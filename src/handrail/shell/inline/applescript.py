"""Reads AppleScript (and JavaScript for osascript)."""

import re

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline import javascript
from handrail.shell.inline.code import Code
from handrail.shell.inline.cursor import Cursor
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.scan import LanguageSyntax, Scanner, TextSyntax, Token
from handrail.shell.inline.value import NOTHING, Value, concatenate, text
from handrail.shell.word import OPAQUE

SYNTAX = LanguageSyntax(
    comments=r"--[^\n]*|\#[^\n]*|\(\*.*?(?:\*\)|\Z)",
    texts=(TextSyntax('"', filled=True),),
)
_SCANNER = Scanner(SYNTAX)
_MATTERS = re.compile(
    rf"script|delete|trash|shut\s+down|restart|log\s+out|hidden\s+answer|location|login\s+item|{OPAQUE}",
    re.IGNORECASE,
)
_JAVASCRIPT = re.compile(r"\bdoShellScript\b|\bApplication\s*\(")
_POWER = re.compile(r"\b(shut down|restart|log out)\b", re.IGNORECASE)
_APPLICATION = re.compile(r"\bapp(?:lication)?\b", re.IGNORECASE)
_LATER = re.compile(r"\bmake (?:new )?login item\b", re.IGNORECASE)
_ASKS = re.compile(r"\bhidden answer\b", re.IGNORECASE)
_SAME = frozenset({"quoted", "form", "of", "posix", "path", "file", "the", "as", "string", "text"})


def read(code: str) -> Code:
    """Return what AppleScript code does."""
    if _JAVASCRIPT.search(code):
        return javascript.read(code)
    if _MATTERS.search(code) is None:
        return Code()
    found = EffectCollector()
    try:
        tokens = _SCANNER.scan(code)
        _AppleScriptReader(tokens, found).go()
    except RecursionError:
        found.unseen("code that is nested too deeply to be read")
        return found.code()
    plain = " ".join(token.text for token in tokens if token.kind != "text")
    power = _POWER.search(plain)
    if power is not None and _APPLICATION.search(plain):
        found.add(Kind.SYSTEM, power[1].lower())
    if _LATER.search(plain):
        found.add(Kind.PERSIST, "login item", says="makes something start at every login")
    if _ASKS.search(plain):
        says = "asks the person at the screen to type in a password"
        found.add(Kind.SECRET, "a password", Severity.HIGH, says=says)
    return found.code()


class _AppleScriptReader(Cursor):
    """Walks through a script once."""

    def __init__(self, tokens: list[Token], found: EffectCollector) -> None:
        super().__init__()
        self.tokens = tokens
        self.found = found
        self.names: dict[str, Value] = {}

    def go(self) -> None:
        """Add everything that the script does."""
        while self.at < len(self.tokens):
            words = [self.peek(ahead).text.lower() for ahead in range(3)]
            if self.peek().kind != "name":
                self.at += 1
            elif words == ["do", "shell", "script"]:
                self.at += 3
                self._shell()
            elif words[:2] == ["do", "script"]:
                self.at += 2
                self.found.script(self.value())
            elif words[0] == "set" and words[2] == "to":
                self.at += 3
                self.names[words[1]] = self.value() if not self._nested() else NOTHING
            elif words[0] == "delete":
                self.at += 1
                self._delete()
            elif words[:2] == ["empty", "trash"]:
                self.at += 2
                self.found.path(Kind.DELETE, text("~/.Trash"), recursive=True)
            elif words[:2] == ["open", "location"]:
                self.at += 2
                self.found.add(Kind.REACH, self.value().text)
            else:
                self.at += 1

    def _nested(self) -> bool:
        """`set x to do shell script …`: what is set is read as a statement of its own."""
        ahead = 0
        while self.peek(ahead).text in {"(", "the"}:
            ahead += 1
        return self.peek(ahead).text.lower() == "do"

    def _shell(self) -> None:
        self.found.script(self.value())
        words = [self.peek(ahead).text.lower() for ahead in range(3)]
        if words == ["with", "administrator", "privileges"]:
            self.found.add(Kind.PRIVILEGE, "administrator privileges")

    def _delete(self) -> None:
        """Add the deletion of files; anything but a path is an unknown file."""
        names = []
        while self.at < len(self.tokens) and self.peek().kind != "line":
            token = self.advance()
            if token.kind == "text":
                names.append(token.text)
        target = next((name for name in names if "/" in name), OPAQUE)
        self.found.path(Kind.DELETE, text(target), recursive=True)

    def value(self) -> Value:
        """Read a text, or several joined by `&`."""
        parts = [self._one()]
        while self.accept("&"):
            parts.append(self._one())
        return concatenate(parts)

    def _one(self) -> Value:
        while self.peek().kind == "name" and self.peek().text.lower() in _SAME:
            self.at += 1
        token = self.peek()
        if token.kind == "text":
            self.at += 1
            return text(token.text)
        if token.text == "(":
            self.at += 1
            value = self.value()
            while self.at < len(self.tokens) and not self.accept(")"):
                self.at += 1
            return value
        if token.kind == "name":
            self.at += 1
            return self.names.get(token.text.lower(), NOTHING)
        return NOTHING
