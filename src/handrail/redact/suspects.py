"""Find places in a text that might hold a secret, and the finder for each, cheaply."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from handrail.redact.dotenv import end_of_section, env_section, names_env_section
from handrail.redact.finders import (
    LOGIN_PAIR,
    PIPED_INTO,
    bare_shape,
    bearer,
    command_around,
    login_pair,
    options,
    piped,
    private_key,
    sql_password,
    token_by_shape,
    url_login,
)
from handrail.redact.named_values import AFTER, named, named_place
from handrail.redact.patterns import PROGRAM, SHORTEST_RUN, STARTS
from handrail.redact.secret_names import NAME_HINTS, UUID, SecretPlace
from handrail.redact.spans import SecretSpan

Finder = Callable[[str, int], Iterable[SecretSpan]]


class Suspect(NamedTuple):
    """A place to look at closely, with its finder or the reader of the name's value."""

    at: int
    find: Finder | None = None
    place: SecretPlace | None = None

    def look(self, text: str) -> Iterable[SecretSpan]:
        """Return the secrets that really are there."""
        if self.place:
            return named(text, self.place)
        return self.find(text, self.at) if self.find else ()


_RUN_BYTES = bytes(
    ord("x") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "-_") else ord(" ")
    for code in range(256)
)
_RUN = b"x" * SHORTEST_RUN
_BEFORE_RUN = {".": 8, "=": 24, "/": 3, "~": 5}
"""Maximal distance from a run back to the token's start, by the last sign of its prefix."""
_OPTION = re.compile(rb" -(?:[a-zA-Z]{0,8}[uUpPawNbkKS]|-(?:user|proxy-user|auth|body))")


def suspects(text: str) -> Iterator[Suspect]:
    """Find the places that might hold a secret, and the finder for each."""
    data = text.encode("latin-1", "replace")  # one byte for one character
    low = data.lower()
    runs = data.translate(_RUN_BYTES)
    if _RUN in runs:
        yield from _suspect_runs(text, runs)
    hints = [at for hint in NAME_HINTS if hint in low for at in _all(low, hint)]
    if hints:
        yield from _suspect_names(text, low, sorted(hints))
    if b"@" in data and b"://" in data:
        yield from (Suspect(at, url_login) for at in _all(data, b"://"))
    if b" -" in data:
        yield from _suspect_options(text, data)
    if b".env" in low:
        yield from _suspect_env(text, low)
    if b"identified " in low:
        yield from (Suspect(at, sql_password) for at in _all(low, b"identified "))


def _all(data: bytes, part: bytes) -> Iterator[int]:
    at = data.find(part)
    while at >= 0:
        yield at
        at = data.find(part, at + len(part))


def _suspect_runs(text: str, runs: bytes) -> Iterator[Suspect]:
    start = runs.find(_RUN)
    while start >= 0:
        end = runs.find(b" ", start)
        end = len(runs) if end < 0 else end
        # Every payload has ids of sessions and prompts, and they never look like a token.
        if end - start == 36 and UUID.match(text, start):
            start = runs.find(_RUN, end)
            continue
        at = max(0, start - _BEFORE_RUN.get(text[start - 1 : start], 0))
        while found := STARTS.search(text, at, end):
            at = found.start() + 1
            if found.group() != "eyJ" or text.startswith(".", end):
                yield Suspect(found.start(), token_by_shape)
        if _may_be_bare(text, start, end):
            yield Suspect(start, bare_shape)
        start = runs.find(_RUN, end)


def _may_be_bare(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start]
    if before == "/":
        return text.find("hook", max(0, start - 80), start) >= 0
    if before == ":":
        return text[start - 2 : start - 1].isdigit()
    return text.startswith(".", end) and text[start] in "MNO"


def _suspect_names(text: str, low: bytes, hints: list[int]) -> Iterator[Suspect]:
    done = 0
    for at in hints:
        if low.startswith(b"bearer", at):
            yield Suspect(at, bearer)
        elif low.startswith(b"key", at) and low.startswith(b"private ", max(0, at - 8)):
            yield Suspect(at, private_key)
        elif low.startswith(b"passw", at) and PIPED_INTO.match(text, at):
            yield Suspect(at, piped)
        elif low.startswith(b"auth", at) and LOGIN_PAIR.match(text, at):
            yield Suspect(at, login_pair)
        if at < done:
            continue
        after = AFTER.match(text, at)
        if after is None:
            continue
        done = after.end("rest")
        if place := named_place(text, at, after):
            yield Suspect(at, place=place)


def _suspect_options(text: str, data: bytes) -> Iterator[Suspect]:
    done = 0
    for option in _OPTION.finditer(data):
        at = option.start()
        if at < done:
            continue
        start, done = command_around(text, at)
        if PROGRAM.search(text, start, at + 1):
            yield Suspect(at, options)


def _suspect_env(text: str, low: bytes) -> Iterator[Suspect]:
    done = 0
    for at in _all(low, b".env"):
        if at >= done and names_env_section(text, at):
            yield Suspect(at, env_section)
            done = end_of_section(text, at)
