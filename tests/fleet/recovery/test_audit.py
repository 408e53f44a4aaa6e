"""The audit log and the recovery context, with the field names that programs outside read."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.recovery.audit import (
    MOST_ENTRIES,
    MOST_FILES,
    AuditDetails,
    AuditEntry,
    RecoveryContext,
    audit_entry,
    last_attempt,
    last_commit_line,
    last_end,
    recovery_context,
)
from handrail.fleet.test_results.suite_result import SuiteResult

TEN = 1_768_471_200.0  # 2026-01-15T10:00:00Z


def _log(*events: str) -> list[AuditEntry]:
    return [audit_entry(TEN + at, event) for at, event in enumerate(events)]


def test_a_full_entry_has_the_promised_field_names() -> None:
    entry = audit_entry(
        TEN,
        "iteration",
        files=["src/auth.ts", "src/auth.test.ts"],
        tests=SuiteResult(4, 2),
        commit=last_commit_line("abc123", "feat: add auth module"),
        error="TypeError: x is undefined",
    )
    assert msgspec.json.decode(msgspec.json.encode(entry)) == {
        "timestamp": "2026-01-15T10:00:00Z",
        "event": "iteration",
        "details": {
            "filesModified": ["src/auth.ts", "src/auth.test.ts"],
            "testStatus": {"passed": 4, "failed": 2},
            "lastCommit": 'abc123 "feat: add auth module"',
            "error": "TypeError: x is undefined",
        },
    }


def test_unknown_details_are_left_out() -> None:
    assert msgspec.json.decode(msgspec.json.encode(audit_entry(TEN, "start"))) == {
        "timestamp": "2026-01-15T10:00:00Z",
        "event": "start",
        "details": {},
    }


def test_a_context_has_the_promised_field_names_even_when_it_is_empty() -> None:
    context = recovery_context([], attempts=0, has_changes=False)
    assert msgspec.json.decode(msgspec.json.encode(context)) == {
        "previousAttempts": 0,
        "auditLog": [],
        "workspaceHasChanges": False,
        "instruction": "There is no previous attempt.",
    }


def test_a_context_survives_the_way_through_json() -> None:
    context = recovery_context(_log("start", "iteration", "crash"), attempts=2, has_changes=True)
    assert msgspec.json.decode(msgspec.json.encode(context), type=RecoveryContext) == context


def test_the_instruction_says_how_the_last_attempt_ended() -> None:
    ends = {
        ("start", "iteration", "crash"): "Previous attempt crashed. Review log.",
        ("start", "signal"): "Previous attempt was stopped. Review log.",
        ("start", "crash", "start", "iteration"): "Previous attempt did not finish. Review log.",
        ("start", "crash", "recovery"): "Previous attempt crashed. Review log.",
    }
    for events, instruction in ends.items():
        context = recovery_context(_log(*events), attempts=1, has_changes=None)
        assert context.instruction == instruction


@pytest.mark.parametrize(
    ("events", "reason", "instruction"),
    [
        (("start", "iteration"), "COMPLETE", "Previous attempt was done. Review log."),
        (("start", "iteration"), "STUCK", "Previous attempt could not go on. Review log."),
        (("start", "iteration"), "MAX_ITERATIONS", "Previous attempt met a limit. Review log."),
        (("start", "iteration"), "NEW", "Previous attempt did not finish. Review log."),
        (("start", "iteration", "crash"), "ERROR", "Previous attempt crashed. Review log."),
    ],
)
def test_an_attempt_that_came_to_its_end_is_not_called_unfinished(
    events: tuple[str, ...], reason: str, instruction: str
) -> None:
    context = recovery_context(_log(*events), attempts=1, has_changes=None, reason=reason)
    assert context.instruction == instruction


def test_the_last_attempt_begins_with_its_start() -> None:
    log = _log("start", "crash", "start", "iteration", "crash")
    assert last_attempt(log) == log[2:]
    assert last_attempt(log[3:]) == log[3:]
    assert last_end([]) is None


def test_a_long_list_of_files_is_cut_with_a_count() -> None:
    files = audit_entry(TEN, "iteration", files=[f"{n}.py" for n in range(1262)]).details
    assert len(files.files_modified) == MOST_FILES + 1
    assert files.files_modified[-1] == "… and 1,212 more"


def test_a_long_error_keeps_its_end() -> None:
    error = audit_entry(TEN, "crash", error="no " * 1_000_000 + "\nKeyError: 'x'\n").details.error
    assert len(error) <= 1_000
    assert error.startswith("…")
    assert error.endswith("no KeyError: 'x'")


def test_a_long_log_keeps_the_start_of_its_last_attempt() -> None:
    log = _log("start", "crash", "start", *["iteration"] * 200, "crash")
    kept = recovery_context(log, attempts=2, has_changes=None).audit_log
    assert len(kept) == MOST_ENTRIES
    assert kept[0] == log[2]
    assert kept[1:] == tuple(log[-MOST_ENTRIES + 1 :])


def test_a_log_of_many_attempts_is_cut_to_the_last_ones() -> None:
    log = _log(*["start", "crash"] * 100)
    assert recovery_context(log, attempts=100, has_changes=None).audit_log == tuple(
        log[-MOST_ENTRIES:]
    )


def test_a_commit_without_a_hash_is_none() -> None:
    assert last_commit_line("", "feat: x") == ""
    assert last_commit_line("abc123", 'say "hi"\nbody') == 'abc123 "say "hi" body"'


@given(
    st.floats(allow_nan=False),
    st.text(max_size=10),
    st.lists(st.text(max_size=500), max_size=70),
    st.text(max_size=3000),
    st.text(max_size=500),
)
def test_any_entry_is_bounded_and_of_one_line_each(
    at: float, event: str, files: list[str], error: str, commit: str
) -> None:
    entry = audit_entry(at, event, files=files, error=error, commit=commit)
    details = entry.details
    texts = [*details.files_modified, details.error, details.last_commit]
    assert all(len(text) <= 1_000 and len(text.splitlines()) <= 1 for text in texts)
    assert len(details.files_modified) <= MOST_FILES + 1
    assert msgspec.json.decode(msgspec.json.encode(entry), type=AuditEntry) == entry


@given(st.lists(st.sampled_from(["start", "iteration", "signal", "crash", "merge"]), max_size=150))
def test_any_log_makes_a_bounded_context(events: list[str]) -> None:
    log = _log(*events)
    context = recovery_context(log, attempts=3, has_changes=None)
    assert len(context.audit_log) <= MOST_ENTRIES
    assert context.audit_log[-1:] == tuple(log[-1:])
    assert ("start" in events) == any(entry.event == "start" for entry in context.audit_log)
    assert last_end(log) == last_end(context.audit_log)


def test_details_are_the_same_for_everybody() -> None:
    assert audit_entry(TEN, "start").details == AuditDetails()
