"""The audit log of a task as others read it, and the recovery context made of it.

The field names are a promise: programs outside read them.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from handrail.control.timestamp import format_timestamp
from handrail.fleet.reports.one_line import end_of_line, one_line
from handrail.fleet.test_results.suite_result import SuiteResult
from handrail.model.decodable import decodable

MOST_FILES = 50
"""Files named in one entry; the last line counts the others."""
MOST_ENTRIES = 50
"""Entries in one context."""
_LONGEST_PATH = 300
_LONGEST_COMMIT = 200
_LONGEST_ERROR = 1_000
_LATEST = 253_402_300_799.0
"""The last second that a timestamp can name."""


class AuditEvent(StrEnum):
    """The events that a recovery context knows; the log of a task may have others."""

    START = "start"
    ITERATION = "iteration"
    SIGNAL = "signal"
    """A person or a program stopped the attempt."""
    CRASH = "crash"


class AuditDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What is known at an entry; an unknown field is left out."""

    files_modified: tuple[str, ...] = ()
    test_status: SuiteResult | None = None
    last_commit: str = ""
    """Its hash, and its subject in quotes."""
    error: str = ""


class AuditEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One entry of a task's audit log."""

    timestamp: str
    event: str
    details: AuditDetails = AuditDetails()


@decodable
class RecoveryContext(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the next attempt at a task is told about those before it."""

    previous_attempts: int
    audit_log: tuple[AuditEntry, ...]
    workspace_has_changes: bool | None
    """What `git status` says; None: nobody could ask."""
    instruction: str


def audit_entry(
    at: float,
    event: str,
    *,
    files: Sequence[str] = (),
    tests: SuiteResult | None = None,
    commit: str = "",
    error: str = "",
) -> AuditEntry:
    """Make an entry of bounded size. `commit`: as `last_commit_line` writes it."""
    return AuditEntry(
        format_timestamp(min(max(at, 0.0), _LATEST)),
        event,
        AuditDetails(
            files_modified=_some_of(files),
            test_status=tests,
            last_commit=one_line(commit, _LONGEST_COMMIT),
            error=end_of_line(error, _LONGEST_ERROR),
        ),
    )


def last_commit_line(commit: str, subject: str) -> str:
    """Return `abc123 "feat: add auth module"`, or "" if there is no commit."""
    return one_line(f'{commit} "{subject}"', _LONGEST_COMMIT) if commit else ""


def recovery_context(
    entries: Iterable[AuditEntry], *, attempts: int, has_changes: bool | None, reason: str = ""
) -> RecoveryContext:
    """Make the context of a task's next attempt. `attempts`: those before it.

    `reason`: why the loop of the last one ended, if it came to its end.
    """
    log = _last_of(list(entries))
    return RecoveryContext(
        previous_attempts=attempts,
        audit_log=log,
        workspace_has_changes=has_changes,
        instruction=_instruction(attempts, log, reason),
    )


def last_attempt(log: Sequence[AuditEntry]) -> Sequence[AuditEntry]:
    """Return the entries of the last attempt, from its start on."""
    for place in reversed(range(len(log))):
        if log[place].event == AuditEvent.START:
            return log[place:]
    return log


def last_end(log: Sequence[AuditEntry]) -> AuditEvent | None:
    """Return how the last attempt ended: a crash, a signal, or None if the log has no end."""
    for entry in reversed(last_attempt(log)):
        if entry.event in _ENDS:
            return AuditEvent(entry.event)
    return None


_ENDS = frozenset({AuditEvent.SIGNAL, AuditEvent.CRASH})
_INSTRUCTIONS = {
    AuditEvent.CRASH: "Previous attempt crashed. Review log.",
    AuditEvent.SIGNAL: "Previous attempt was stopped. Review log.",
    None: "Previous attempt did not finish. Review log.",
}


_LOOP_ENDS = {
    "COMPLETE": "Previous attempt was done. Review log.",
    "STUCK": "Previous attempt could not go on. Review log.",
    "LIMIT": "Previous attempt met a limit. Review log.",
    "MAX_ITERATIONS": "Previous attempt met a limit. Review log.",
    "ERROR": "Previous attempt failed. Review log.",
}
"""By the reason for which a loop ended, if the log has no other end after it."""


def _instruction(attempts: int, log: Sequence[AuditEntry], reason: str) -> str:
    if not attempts:
        return "There is no previous attempt."
    end = last_end(log)
    return _INSTRUCTIONS[end] if end else _LOOP_ENDS.get(reason, _INSTRUCTIONS[None])


def _last_of(entries: list[AuditEntry]) -> tuple[AuditEntry, ...]:
    """Return the last entries, and the start of their attempt even if it is further back."""
    last = last_attempt(entries)
    if len(last) > MOST_ENTRIES:
        return (last[0], *last[1 - MOST_ENTRIES :])
    return tuple(entries[-MOST_ENTRIES:])


def _some_of(files: Sequence[str]) -> tuple[str, ...]:
    named = tuple(one_line(each, _LONGEST_PATH) for each in files[:MOST_FILES])
    left = len(files) - len(named)
    return (*named, f"… and {left:,} more") if left else named
