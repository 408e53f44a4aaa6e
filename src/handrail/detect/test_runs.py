"""Tell the result of a test run."""

import re
from functools import lru_cache

from handrail.detect.completed_step import CompletedStep

_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b"
    r"|(?:failures|errors|Failures|Errors)[=:] ?[1-9]"
    r"|^FAIL(?:ED|URE)?\b|\bFAILED \(|test result: FAILED|^not ok\b"
)
_END = 1_500
"""Characters at the end of an output that tell the result."""


def tests_passed(done: CompletedStep) -> bool:
    """Return whether the tests passed; a pipe hides the exit code, but not the output."""
    return done.ending == "ok" and not _tells_failures(done.outcome.output[-_END:])


@lru_cache(maxsize=8)
def _tells_failures(end: str) -> bool:
    """Several detectors ask about the same step."""
    # Code and logs have these words, too: the expression searches their lines only.
    return _hints_at_failures(end) and any(
        _hints_at_failures(line) and _FAILED.search(line) for line in end.split("\n")
    )


def _hints_at_failures(text: str) -> bool:
    lower = text.lower()
    return "fail" in lower or "error" in lower or "not ok" in lower
