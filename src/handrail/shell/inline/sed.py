"""Reads sed scripts: the few commands that touch files or run something."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.code import Code
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.value import text
from handrail.shell.word import OPAQUE

_MATTERS = re.compile(rf"[ewWrR{OPAQUE}]")
_SPACE = re.compile(r"[\s;}]*")
_ADDRESS = re.compile(
    r"(?:\d+(?:~\d+)?|\$|[+~]\d+|/(?>\\.|\[\^?\]?(?:\\.|[^\]\n]){0,200}+\]|[^/\\\n])*+/[IM]*"
    r"|\\(?P<mark>[^\n\\])(?>\\.|(?!(?P=mark)).)*+(?P=mark)[IM]*)\s*",
    re.DOTALL,
)
_FLAGS = re.compile(r"[gpiImMe0-9]*")
_WHOLE = re.compile(r"\^?(?:\\\()?\.\*(?:\\\))?\$?$")
"""An expression that takes the whole line, so that nothing of it is left."""
_LINE = re.compile(r"[^\n]*")
_TEXT = re.compile(r"(?:\\\n|\\.|[^\n\\])*", re.DOTALL)
_LABEL = re.compile(r"[^\n;}]*")
_STREAMS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/stdin"})
_FILES = {"w": Kind.WRITE, "W": Kind.WRITE, "r": Kind.READ, "R": Kind.READ}
_ALONE = frozenset("{}=dDgGhHlnNpPqQxzF0123456789 \t")


def read(code: str) -> Code:
    """Return what a sed script does."""
    if _MATTERS.search(code) is None:
        return Code()
    found = EffectCollector()
    at = 0
    while at < len(code):
        at = _command(found, code, _skip(code, at))
    return found.code()


def _skip(code: str, at: int) -> int:
    """Skip blanks and the address in front of a command."""
    at = _end(_SPACE, code, at)
    while True:
        match = _ADDRESS.match(code, at)
        if match is None:
            break
        at = match.end()
        if code[at : at + 1] != ",":
            break
        at = _end(re.compile(r",\s*"), code, at)
    return _end(re.compile(r"\s*!?\s*"), code, at)


def _end(pattern: re.Pattern[str], code: str, at: int) -> int:
    match = pattern.match(code, at)
    return at if match is None else match.end()


def _command(found: EffectCollector, code: str, at: int) -> int:
    """Read one command; return the position of the next."""
    name = code[at : at + 1]
    rest = at + 1
    if name in {"s", "y"}:
        return _substitute(found, code, at)
    if name in _FILES:
        end = _end(_LINE, code, rest)
        _touch(found, _FILES[name], code[rest:end])
        return end
    if name == "e":
        end = _end(_LINE, code, rest)
        line = code[rest:end].strip()
        if line.strip("}; "):
            found.script(text(line))
        else:
            found.unseen("lines of its input, as commands")
        return end
    if name in {"a", "i", "c", "#"}:
        return _end(_LINE if name == "#" else _TEXT, code, rest)
    if name in {"b", "t", "T", ":", "v"}:
        return _end(_LABEL, code, rest)
    if name == OPAQUE:
        return _end(_LINE, code, rest)
    return rest if name in _ALONE else len(code)


def _touch(found: EffectCollector, kind: Kind, name: str) -> None:
    name = name.strip()
    if name and name not in _STREAMS:
        found.path(kind, text(name))


def _substitute(found: EffectCollector, code: str, at: int) -> int:
    """`s/old/new/flags`: `e` runs the result, `w` writes it."""
    mark = code[at + 1 : at + 2]
    if not mark or mark in "\n\\":
        return len(code)
    stop = re.escape(mark)
    # Atomic and bounded, so that no script can make the search explode.
    half = re.compile(
        rf"((?>\\.|\[\^?\]?(?:\\.|[^\]\n]){{0,200}}+\]|[^\\{stop}\n])*+){stop}", re.DOTALL
    )
    # A bracket in the second half has no meaning.
    plain = re.compile(rf"((?:\\.|[^\\{stop}])*+){stop}", re.DOTALL)
    old = half.match(code, at + 2) or plain.match(code, at + 2)
    new = None if old is None else plain.match(code, old.end())
    if old is None or new is None:
        return len(code)
    if code[at] == "y":
        return new.end()
    end = _end(_FLAGS, code, new.end())
    if "e" in code[new.end() : end]:
        rest = "" if _WHOLE.match(old[1]) else OPAQUE
        found.script(text(_replacement(new[1], mark) + rest))
    if code[end : end + 1] == "w":
        line = _end(_LINE, code, end)
        _touch(found, Kind.WRITE, code[end + 1 : line])
        return line
    return end


def _replacement(new: str, mark: str) -> str:
    """Return the replacement text; the parts it takes from the input are unknown."""
    new = re.sub(r"\\[1-9]|(?<!\\)&", OPAQUE, new)
    return re.sub(rf"\\([&\\{re.escape(mark)}])", r"\1", new).replace("\\n", "\n")
