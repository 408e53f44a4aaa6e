"""Find the values in texts of .env files, and hide them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from handrail.redact.finders import LONGEST_COMMAND, url_login
from handrail.redact.named_values import LONGEST_VALUE
from handrail.redact.secret_names import holds_nothing, looks_random, secret_name
from handrail.redact.spans import SecretSpan, replace_spans

_ENV_NAME = re.compile(r"[\w.-]{0,100}\.env(?:\.[\w.-]{1,100})?")
_ENV_SAMPLE = re.compile(r"\.(?:example|sample|template|tmpl|tpl|dist|defaults|md|[jt]s|py)$")
_ENV_OPENER = re.compile(
    r"(?:>{1,2}|\btee(?: -a)?|\*\*\* (?:Add|Update) File:|\+\+\+|diff --git)[ \t]*"
    r"[\"']?(?P<folder>[^\s\"'|;&<>]{0,120})\Z"
)
_SECTION_END = re.compile(r"\n(?:\*\*\* |diff --git )")
_ENTRY = re.compile(
    r"(?P<lead>[ \t]*(?:\d{1,6}[ \t]*[→:|\t][ \t]*)?[+>-]?[ \t]*(?P<comment>#[ \t]*)?"
    r"(?:(?:export|set|setenv)[ \t]+|(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?(?P<echo>[\"']?))?)"
    r"(?P<key>[A-Za-z_][\w.-]{0,100})[ \t]*(?P<sign>[=:])[ \t]*"
)
_LOGIN_HOST = re.compile(r"@([\w.-]{1,253})")
_NO_COMMENT = re.compile(r"[ \t\r]*[^#\s]")
_FILE_NAME = re.compile(r"[\w.-]*")
_PATCH_LINE = re.compile(
    r"@@|\*\*\*|diff --git |index |--- |\+\+\+ |[ \t]*(?:\d{1,6}[→:|\t]|[+-])?[ \t]*#"
)


class _EnvEntry(NamedTuple):
    key: str
    start: int
    end: int


def is_env_file(path: str) -> bool:
    """Return whether a path names a real .env file, not an example of one."""
    name = re.split(r"[/\\]", path[-300:])[-1]
    return bool(_ENV_NAME.fullmatch(name)) and not _ENV_SAMPLE.search(name)


class EnvSecret(NamedTuple):
    """A value of a .env file that is worth hiding wherever it appears."""

    key: str
    value: str
    host: str = ""
    """The machine that it is for, where the value stands in an address."""


def env_values(text: str) -> tuple[str, ...]:
    """Return the values of a .env file that are worth hiding wherever they appear."""
    return tuple(dict.fromkeys(secret.value for secret in env_secrets(text)))


def env_secrets(text: str) -> Iterator[EnvSecret]:
    """Find the values of a .env file that are worth hiding, with their names."""
    for key, value in env_pairs(text):
        logins = [value[span.start : span.end] for span in _first_login(value)]
        if logins:
            host = _LOGIN_HOST.search(value)
            for login in logins:
                if len(login) >= 6:
                    yield EnvSecret(key, login, host[1] if host else "")
        elif key and _is_worth_hiding(key, value):
            yield EnvSecret(key, value)


def env_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Find all entries of a .env file; a line without a name has an empty one."""
    for entry in env_entries(text, 0, len(text), fragments=True):
        value = text[entry.start : entry.end]
        if text[entry.start - 1 : entry.start] == '"':
            value = re.sub(r"\\([nrt\"\\$])", lambda found: _ESCAPES.get(found[1], found[1]), value)
        yield entry.key, value


def _first_login(value: str) -> Iterable[SecretSpan]:
    at = value.find("://")
    return url_login(value, at) if at > 0 else ()


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_COMMON_VALUE = re.compile(
    r"[A-Za-z]++(?:[-_. ][A-Za-z]++)*+|[\d.,:\-_ ]{1,11}|[\w.-]+\.[a-z]{2,}(?::\d+)?(?:/[\w./-]*)?"
    r"|[\w.+-]+@[\w.-]+|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|[0-9a-f]{40}"
)


def is_common(value: str) -> bool:
    """Return whether a value is a word, a path, a port, an address, or stands for nothing."""
    if holds_nothing(value):
        return True
    return not looks_random(value) and _COMMON_VALUE.fullmatch(value) is not None


def _is_worth_hiding(key: str, value: str) -> bool:
    if holds_nothing(value):
        return False
    name = secret_name(key)
    if name is None or name.weak:
        return looks_random(value) and not _COMMON_VALUE.fullmatch(value)
    return len(value) >= 6 and (looks_random(value) or not _COMMON_VALUE.fullmatch(value))


def redact_env(text: str) -> str:
    """Replace the values of a .env-like text; keep its keys and comments."""
    return replace_spans(text, _env_spans(text))


def _env_spans(text: str) -> Iterator[SecretSpan]:
    """Find every value, and every line that is neither an entry nor a comment."""
    return (
        SecretSpan(entry.start, entry.end, "env value")
        for entry in env_entries(text, 0, len(text), fragments=True)
    )


def env_entries(text: str, at: int, end: int, fragments: bool = False) -> Iterator[_EnvEntry]:
    """Find the `NAME=value` lines in a part of a text; with `fragments`, all other lines too."""
    while at < end:
        line = text.find("\n", at, end)
        line = end if line < 0 else line
        entry = _ENTRY.match(text, at, line)
        if entry and _is_entry(text, entry, line, fragments):
            start, line, stop = _env_value(text, entry, line, end)
            yield _EnvEntry(entry["key"], start, stop)
        elif fragments and not _PATCH_LINE.match(text, at, line):
            words = text[at:line]
            start = at + len(words) - len(words.lstrip())
            yield _EnvEntry("", start, at + len(words.rstrip()))
        at = line + 1


def _is_entry(text: str, entry: re.Match[str], line: int, fragments: bool) -> bool:
    """Return False for a comment with an equals sign, and for `word: text` outside a .env file."""
    if not entry["comment"]:
        return fragments or entry["sign"] == "="
    tight = text[entry.end("key")] == "=" and entry.end() == entry.end("key") + 1
    return tight and entry["key"].isupper() and entry.end() < line


def _env_value(text: str, entry: re.Match[str], line: int, end: int) -> tuple[int, int, int]:
    """Return the start of the value, the end of its last line, and the end of the value."""
    start = entry.end()
    mark = text[start : start + 1]
    if entry["echo"] or (mark and mark in "\"'`"):
        first = start if entry["echo"] else start + 1
        close = text.find(entry["echo"] or mark, first, min(end, first + LONGEST_VALUE))
        while close > first and text[close - 1] == "\\":
            close = text.find(mark, close + 1, min(end, first + LONGEST_VALUE))
        after = text.find("\n", close, end) if close >= 0 else -1
        after = end if after < 0 else after
        if close >= 0 and (entry["echo"] or not _NO_COMMENT.match(text, close + 1, after)):
            return first, after, close
    comment = re.search(r"[ \t]+#", text[start:line])
    stop = start + comment.start() if comment else line
    return start, line, start + len(text[start:stop].rstrip())


def names_env_section(text: str, at: int) -> bool:
    """Return whether a command or a patch writes to a .env file named here."""
    opener = _ENV_OPENER.search(text, max(0, at - 160), at)
    if opener is None:
        return False
    name = _FILE_NAME.match(text, at)
    return is_env_file(opener["folder"] + (name.group() if name else ""))


def end_of_section(text: str, at: int) -> int:
    """Return the end of the text that a command or a patch writes to a file."""
    found = _SECTION_END.search(text, at)
    return found.start() if found else len(text)


def env_section(text: str, at: int) -> Iterator[SecretSpan]:
    """Find the secrets that a command or a patch writes to a .env file."""
    start = text.rfind("\n", max(0, at - LONGEST_COMMAND), at) + 1
    for entry in env_entries(text, start, end_of_section(text, at)):
        yield SecretSpan(entry.start, entry.end, "env value")
