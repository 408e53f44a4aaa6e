"""Program files that would change what supervises agents: read only where they speak of it."""

import re
import shlex
from collections.abc import Callable

from handrail.model.effect import Effect, Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity
from handrail.shell import UnreadableError, default_knowledge, read

_LANGUAGES = {
    ".py": "python3 -c", ".pyw": "python3 -c", ".js": "node -e", ".mjs": "node -e",
    ".cjs": "node -e", ".rb": "ruby -e", ".pl": "perl -e", ".php": "php -r", ".lua": "lua -e",
}  # fmt: skip
_SHEBANG = re.compile(r"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?/?(python|node|ruby|perl|php|lua)[\d.]*\b")
_SHEBANGS = {
    "python": "python3 -c", "node": "node -e", "ruby": "ruby -e", "perl": "perl -e",
    "php": "php -r", "lua": "lua -e",
}  # fmt: skip
_FOLDERS = "".join(rf"{re.escape(host.folder)}\b|" for host in known_hosts())
_STEERS = re.compile(rf"{_FOLDERS}handrail", re.IGNORECASE)
_MAX_TEXT = 64 * 1024


def may_be_code(path: str) -> bool:
    """Whether a file's name is that of a program in a language that can be read."""
    name = path.rpartition("/")[2]
    start, dot, end = name.rpartition(".")
    return not start or dot + end in _LANGUAGES


def tampering_code(
    path: str,
    text: str,
    *,
    weigh: Callable[[Effect], Effect],
    home: str,
    cwd: str,
    state: str,
    marks: tuple[str, ...] = (),
) -> Effect | None:
    """The first thing that a program does to the controls, if it does any.

    `marks` are further words that make it worth reading.
    """
    if not may_be_code(path) or len(text) > _MAX_TEXT:
        return None
    if not _STEERS.search(text) and not any(mark in text for mark in marks):
        return None
    program = _LANGUAGES.get(f".{path.rpartition('.')[2]}")
    if program is None and (match := _SHEBANG.match(text)):
        program = _SHEBANGS[match[1]]
    if program is None:
        return None
    command = f"{program} {shlex.quote(text)}"
    try:
        environ = {"HOME": home, "HANDRAIL_HOME": state}
        reading = read(command, cwd=cwd, environ=environ, knowledge=default_knowledge())
    except UnreadableError:
        return None
    for effect in map(weigh, reading.effects):
        if effect.kind is Kind.TAMPER and effect.severity is Severity.CRITICAL:
            return effect
    return None
