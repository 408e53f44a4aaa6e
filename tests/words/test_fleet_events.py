"""Every event of a fleet is one sentence."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.engine import events
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    FleetEvent,
    Lease,
    TaskWorkspace,
)
from handrail.fleet.tasks.task import Task
from handrail.words.fleet_events import audit_sentence, fleet_sentence

DONE = AttemptResult(outcome=AttemptOutcome.DONE, verified=True, says="all\ngreen")
FAILED = AttemptResult(outcome=AttemptOutcome.FAILED, says="no lock")
SAMPLES: list[tuple[FleetEvent, str]] = [
    (
        events.TaskSubmitted(1.0, Task(id="a", prompt="Write\nthe docs"), "ada"),
        "a was added by ada: Write",
    ),
    (
        events.TaskClaimed(1.0, "a", Lease(owner="s", attempt=2, slot=3)),
        "attempt 2 at a began in slot 3",
    ),
    (events.LeaseExpired(1.0, "a", 2, "silent"), "attempt 2 at a was lost: silent"),
    (
        events.WorkspaceReady(1.0, "a", 1, TaskWorkspace("/w/a", "handrail/a", "f00")),
        "a has its workspace /w/a, branch handrail/a",
    ),
    (
        events.DriverStarted(1.0, "a", 1, "3f2a", 42),
        "the agent of a began, process 42, run 3f2a",
    ),
    (events.AttemptFinished(1.0, "a", 1, DONE), "a is done, attempt 1, verified: all green"),
    (
        events.AttemptFinished(1.0, "a", 1, FAILED, again=True),
        "a failed and will be tried again, attempt 1: no lock",
    ),
    (events.TaskGivenBack(1.0, "a", 1, "tired"), "Handrail gave back a, attempt 1: tired"),
    (
        events.TaskGivenBack(1.0, "a", 1, "wrong file", by="ada", held=True),
        "ada stopped a, attempt 1: wrong file",
    ),
    (events.TaskReleased(1.0, "a", "ada"), "ada lets a be tried again"),
    (events.TaskBlocked(1.0, "a", "which port?"), "Handrail blocked a: which port?"),
    (events.QuestionAsked(1.0, "a", 1, "Which\nport?"), "a asks a person: Which port?"),
    (
        events.QuestionTimedOut(1.0, "a", 1, 2, "Decide."),
        "nobody answered question 2 of a in time: Decide.",
    ),
    (events.QuestionAnswered(1.0, "a", 2, "80", "ada"), "ada answered question 2 of a: 80"),
    (events.TaskCancelled(1.0, "a", "ada", "no need"), "ada gave a up: no need"),
    (events.TaskPreferred(1.0, "a", "ada", "the release"), "ada wants a done next: the release"),
    (events.FleetBegun(1.0, "3f2a"), "the fleet began, run 3f2a"),
    (events.DispatchClosed(1.0, "ada", "lunch"), "ada paused the fleet: lunch"),
    (events.DispatchOpened(1.0, "ada"), "ada resumed the fleet"),
    (events.MergeChanged(1.0, "a", "conflict", "main"), "a: it conflicts with main"),
    (events.TaskAudited(1.0, "a", 1, "crash", "exit code 9"), "a: exit code 9"),
    (events.FleetRolledBack(1.0, "start", "1", by="ada"), "ada rolled the fleet back to start"),
    (
        events.FleetRolledBack(1.0, "before", "2", by="ada", redo=True),
        "ada took the rollback back, by before",
    ),
    (
        events.FleetRecovered(
            1.0,
            "backup",
            ("it is damaged",),
            (events.RecoveredKind("agents", "lost", "pending"),),
        ),
        "the fleet was recovered from the last backup, because it is damaged; agents lost: pending",
    ),
]


@pytest.mark.parametrize(("event", "says"), SAMPLES, ids=lambda each: type(each).__name__)
def test_an_event_is_a_sentence_with_its_actor(event: FleetEvent, says: str) -> None:
    assert fleet_sentence(event).text == says


def test_an_audit_entry_names_files_tests_commit_and_error() -> None:
    entry = events.TaskAudited(
        1.0,
        "a",
        1,
        "iteration",
        "it works",
        iteration=2,
        files=("a.py", "b.py", "c.py", "d.py"),
        passed=3,
        failed=1,
        commit='f00 "Add a"',
        error="E 1\nE 2",
    )
    assert audit_sentence(entry).text == (
        "iteration 2: it works, changed a.py, b.py, c.py and 1 more, 3 of 4 tests passed, "
        'last commit f00 "Add a", error: E 1 E 2'
    )


def test_the_kinds_of_an_audit_entry_say_what_happened_without_words_of_their_own() -> None:
    kinds = get_args(events.TaskAudited.__annotations__["kind"])
    said = [audit_sentence(events.TaskAudited(1.0, "a", 1, kind)) for kind in kinds]
    assert len({(each.text, each.mark) for each in said}) == len(kinds)


def test_every_event_has_a_sentence_of_its_own() -> None:
    assert {type(event) for event, _ in SAMPLES} == set(get_args(FleetEvent))


@given(st.from_type(FleetEvent))  # type: ignore[arg-type]
def test_any_event_is_one_line(event: FleetEvent) -> None:
    said = fleet_sentence(event)
    assert said.text
    assert said.mark
