"""Find the error of an outcome in one line."""

import re
from typing import NamedTuple

from handrail.detect.normalization import as_seen, normalized_error
from handrail.model.action import Outcome
from handrail.model.fingerprint import text_key

_MAX_TEXT = 1_000
"""Characters of an error to look at."""
_MAX_LINES = 25
_MAX_LINE = 300
_MAX_KEY = 100

_TELLING = (
    "Error", "error:", "Exception", "FAILED", "FAIL:", "fatal:", "panic", "not found", "No such",
    "denied", "annot ",
)  # fmt: skip
_EMPTY = re.compile(r"\[.*\]|[\W_]*|[=\s-]*(?:\d+ [a-z]+,? ?)+(?:in [\d.]+.*)?|Exit code \d+")
"""Rulers, counts and the host's own lines: they say nothing about the error."""
_MISFIT = re.compile(
    r"InputValidationError|[Pp]arameter `?\w+`? is (?:required|missing)|[Rr]equired parameter"
    r"|[Mm]issing (?:required )?(?:parameter|argument)s?\b|[Ii]nvalid `?\w+`? parameter"
    r"|No such tool"
    r"|No replacement was performed|[Ss]tring to replace|old_string and new_string are"
    r"|has not been read yet"
)


class ErrorLine(NamedTuple):
    """An error in one line: normalized, and as the agent saw it."""

    key: str
    """Empty where there are no words to compare, only an exit code."""
    text: str
    misfit: bool = False
    """The call did not fit its tool, which did nothing: no parameter, or nothing to replace."""


_NONE = ErrorLine("", "")


def error_line(outcome: Outcome) -> ErrorLine:
    """Find the line with the error; empty if there was none."""
    if outcome.ok:
        return _NONE
    whole = outcome.error or outcome.output
    if outcome.exit_code is None:
        # A tool's own complaint is short, and all of it counts: it names the missing text, say.
        whole = as_seen(whole[:_MAX_TEXT]).strip()
        line = " ".join(whole[:_MAX_LINE].split()) or "it failed"
        return ErrorLine(_key(whole), line, _MISFIT.search(whole[:_MAX_LINE]) is not None)
    line = _telling(as_seen(whole[-_MAX_TEXT:]))[:_MAX_LINE]
    return ErrorLine(_key(line), line or f"exit code {outcome.exit_code}")


def _telling(text: str) -> str:
    """Return the last line that looks like an error, else the last one with words."""
    last = ""
    lines = text.splitlines()[-_MAX_LINES:]
    for line in map(str.strip, reversed(lines)):
        if _EMPTY.fullmatch(line[:_MAX_LINE]):
            continue
        if any(word in line for word in _TELLING):
            return line
        last = last or line
    return last


def _key(text: str) -> str:
    text = normalized_error(text)
    return text if len(text) <= _MAX_KEY else f"{text[:_MAX_KEY]}{text_key(text)}"
