"""Write the part of a prompt that tells an agent about earlier attempts at its task.

File names, commit subjects and errors come from an agent or a repository: they are data. Each stays
in its own line, without marks that could end it. The caller has taken out secrets.
"""

from collections.abc import Sequence

from handrail.fleet.recovery.audit import (
    AuditEntry,
    AuditEvent,
    RecoveryContext,
    last_attempt,
    last_end,
)
from handrail.fleet.reports.one_line import end_of_line, one_line
from handrail.fleet.test_results.suite_result import SuiteResult

MOST_FILES = 50
_LONGEST_NAME = 200
_LONGEST_TEXT = 500

_OPENING = {
    AuditEvent.CRASH: "This Task was previously attempted but crashed.",
    AuditEvent.SIGNAL: "This Task was previously attempted but stopped.",
    None: "This Task was previously attempted but did not finish.",
}
_END = {
    AuditEvent.CRASH: "Crashed during iteration {}",
    AuditEvent.SIGNAL: "Stopped during iteration {}",
    None: "Ended during iteration {}, nobody saw how",
}
_LOOP_ENDS = {
    "COMPLETE": ("and its agent said that it was done.", "Said that it was done, in iteration {}"),
    "STUCK": ("but its agent could not go on without a person.", "Could not go on in iteration {}"),
    "LIMIT": ("but met a limit.", "Met a limit in iteration {}"),
    "MAX_ITERATIONS": ("but met a limit.", "Met a limit in iteration {}"),
    "ERROR": ("but failed.", "Failed in iteration {}"),
}
"""The opening and the last line, by the reason for which a loop ended."""
_RESUMED = {
    AuditEvent.CRASH: "Your process crashed in the middle of this Task.",
    AuditEvent.SIGNAL: "Your process was stopped in the middle of this Task.",
    None: "Your process ended in the middle of this Task, and nobody saw how.",
}
_CHANGES = {True: "Yes", False: "No", None: "Unknown"}
_MARKS = str.maketrans("`<>", "'‹›")
"""Marks that begin code or look like tags, and characters that only look like them."""
_CLOSING = (
    "Please review the workspace state and continue from where the previous attempt left off."
)

_RESUMED_CLOSING = (
    "A command or an edit that ran then may be half done, and no command runs any more. "
    "Please look at the workspace before you continue from where you left off."
)


def recovery_prompt(context: RecoveryContext, *, iteration: int = 0, reason: str = "") -> str:
    """Write it. `iteration`: the one in which the last attempt ended; 0: counted from the log.

    `reason`: why its loop ended, if it came to its end.
    """
    opening, last_line = _how_it_ended(context.audit_log, iteration, reason)
    return "\n".join(
        (
            "## Recovery Context",
            "",
            opening,
            "",
            f"**Previous attempts:** {context.previous_attempts}",
            f"**Workspace has uncommitted changes:** {_CHANGES[context.workspace_has_changes]}",
            "",
            "### Last Attempt Log",
            *_log_lines(last_attempt(context.audit_log), last_line),
            "",
            _CLOSING,
            "",
        )
    )


def resumption_prompt(context: RecoveryContext) -> str:
    """Write the short form, for an agent that goes on with its conversation."""
    end = last_end(context.audit_log)
    return "\n".join(
        (
            "## Recovery Context",
            "",
            f"{_RESUMED[end]} You go on in the same conversation and the same workspace.",
            "",
            f"**Previous attempts:** {context.previous_attempts}",
            f"**Workspace has uncommitted changes:** {_CHANGES[context.workspace_has_changes]}",
            "",
            _RESUMED_CLOSING,
            "",
        )
    )


def _how_it_ended(log: Sequence[AuditEntry], iteration: int, reason: str) -> tuple[str, str]:
    """Return the opening and the last line."""
    end, seen = last_end(log), _iterations(last_attempt(log))
    if end is None and reason in _LOOP_ENDS:
        opening, line = _LOOP_ENDS[reason]
        return f"This Task was previously attempted {opening}", line.format(iteration or seen)
    return _OPENING[end], _END[end].format(iteration or seen + 1)


def _log_lines(log: Sequence[AuditEntry], last_line: str) -> tuple[str, ...]:
    if not log:
        return ("- No log of it was kept",)
    started = log[0].timestamp if log[0].event == AuditEvent.START else "unknown"
    errors = [
        _without_marks(end_of_line(entry.details.error, _LONGEST_TEXT))
        for entry in log
        if entry.details.error
    ]
    commits = [entry.details.last_commit for entry in log if entry.details.last_commit]
    return (
        f"- Started: {_quoted(started, _LONGEST_NAME)}",
        f"- Files modified: {_files(log)}",
        f"- Tests: {_tests(log)}",
        f"- Last commit: {_quoted(commits[-1], _LONGEST_TEXT) if commits else 'none known'}",
        *(f"- Last error: {error}" for error in errors[-1:]),
        f"- {last_line}",
    )


def _files(log: Sequence[AuditEntry]) -> str:
    """Return the files of all entries, each once."""
    names = dict.fromkeys(name for entry in log for name in entry.details.files_modified)
    shown = [_file_name(name) for name in list(names)[:MOST_FILES]]
    left = len(names) - len(shown)
    return ", ".join([*shown, *([f"… and {left:,} more"] if left else [])]) or "none known"


def _file_name(name: str) -> str:
    plain = _quoted(name, _LONGEST_NAME)
    return f'"{plain}"' if "," in plain else plain


def _tests(log: Sequence[AuditEntry]) -> str:
    known: list[SuiteResult] = [
        entry.details.test_status for entry in log if entry.details.test_status is not None
    ]
    if not known:
        return "unknown"
    return f"{known[-1]} passing" if known[-1].total else "none ran"


def _iterations(log: Sequence[AuditEntry]) -> int:
    """Return the number of iterations that the log saw the end of."""
    return sum(entry.event == AuditEvent.ITERATION for entry in log)


def _quoted(text: str, longest: int) -> str:
    return _without_marks(one_line(text, longest))


def _without_marks(line: str) -> str:
    return line.translate(_MARKS)
