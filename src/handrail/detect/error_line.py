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
_MAX_COMPLAINT = 3
"""Line breaks of a tool's own complaint; more are the output of a program."""

_TELLING = (
    "Error", "error:", "Exception", "FAILED", "FAIL:", "fatal:", "panic", "not found", "No such",
    "denied", "annot ",
)  # fmt: skip
_EMPTY = re.compile(
    r"\[.*\]|[\W_]*|[=\s-]*(?:\d+ [a-z]+,? ?)+(?:in [\d.]+.*)?|(?:Error: )?Exit code \d+"
    r"|(?:={3,}|-{3,}|_{3,}) .* (?:={3,}|-{3,}|_{3,})"
)
"""Rulers, counts and the host's own lines: they say nothing about the error."""
_TRAILER = re.compile(
    r"g?make(?:\[\d+\])?: (?:\*\*\* )?.*(?:Error \d+|Waiting for unfinished jobs.*|not remade.*)"
    r"|FAILED \(.*\)|FAIL(?:ED|URE)?|Ran \d+ tests? in .*"
    r"|(?:npm (?:ERR!|error)|pnpm|yarn).*(?:code|errno|exit|ELIFECYCLE|lifecycle|complete log).*"
    r"|.*ELIFECYCLE.*|error Command failed with exit code \d+\.?"
    r"|error: Recipe .* failed.*|error: could not compile .*|error: aborting due to .*"
    r"|error: test failed, to rerun pass .*|For more information about this error, .*"
    r"|test result: FAILED\..*|Found \d+ errors?.*|\d+ errors? generated\.?|FAIL\t\S+(?:\t.*)?"
    r"|subprocess\.CalledProcessError: .*|ninja: build stopped: .*|Error: Process completed with .*"
    r"|(?:Execution|Build) FAILED.*|BUILD FAILED.*|\* Try:.*|.*Command failed with exit code \d+.*"
)
"""The last words of programs that ran others: the error itself stands above."""
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
        misfit = _MISFIT.search(whole[:_MAX_LINE]) is not None
        told = whole if misfit or whole.count("\n") <= _MAX_COMPLAINT else _telling(whole)
        line = " ".join(told[:_MAX_LINE].split()) or "it failed"
        return ErrorLine(_key(whole), line, misfit)
    line = _telling(as_seen(whole[-_MAX_TEXT:]))[:_MAX_LINE]
    return ErrorLine(_key(line), line or f"exit code {outcome.exit_code}")


def _telling(text: str) -> str:
    """Return the last line that looks like an error, else the last one with words.

    A trailer is better than nothing, and no more.
    """
    last = trailer = ""
    lines = text.splitlines()[-_MAX_LINES:]
    for line in map(str.strip, reversed(lines)):
        is_telling = any(word in line for word in _TELLING)
        if (last and not is_telling) or _EMPTY.fullmatch(line[:_MAX_LINE]):
            continue
        if _TRAILER.fullmatch(line[:_MAX_LINE]):
            trailer = trailer or line
        elif is_telling:
            return line
        else:
            last = line
    return last or trailer


def _key(text: str) -> str:
    text = normalized_error(text)
    return text if len(text) <= _MAX_KEY else f"{text[:_MAX_KEY]}{text_key(text)}"
