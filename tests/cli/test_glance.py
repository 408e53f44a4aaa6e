"""A glance at a run says the same as its state."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from handrail.cli.glance import Glance, load_glance
from handrail.model.action import Action
from handrail.model.event import (
    ActionReviewed,
    Event,
    FindingMade,
    Intervened,
    InterventionJudged,
    PromptGiven,
    RunEnded,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk, Verdict
from handrail.store.memory import MemoryStore
from handrail.store.port import Entry, Snapshot
from handrail.supervise.state import RunState, fold

from .logbook import any_event

RUN = "3f2a"
SHARED = (
    "seq",
    "phase",
    "host",
    "cwd",
    "started",
    "changed",
    "step",
    "first_prompt",
    "agents",
    "model",
    "active",
)
HAND = ("standing", "by", "reason", "since", "held")
LOOP = (
    "goal",
    "max",
    "verify",
    "driver",
    "iteration",
    "verified",
    "ended",
    "reason",
    "tokens",
    "cost_usd",
)
ACTION = Action("Bash", {"command": "ls"})
REVIEW = Review(Decision.ALLOW, Risk(0.0, Severity.NONE), Rationality(1.0, 1.0, 1.0, 1.0, 1.0))
COUNTED = ("decided", "overruled", "breaches", "faults")


def told(state: RunState | Glance) -> dict[str, object]:
    fields = {name: getattr(state, name) for name in SHARED}
    course = state.course
    fields["stopped"] = course.stopped
    fields["findings"] = [
        (name, found.step, str(found.finding.severity)) for name, found in course.findings.items()
    ]
    fields["made"] = [(made.id, made.name, made.step, made.worked) for made in course.past.made]
    fields["hand"] = [getattr(state.hand, name) for name in HAND]
    fields["asked"] = [(name, each.command, each.by) for name, each in state.hand.asked.items()]
    fields["loop"] = state.loop and [getattr(state.loop, name) for name in LOOP]
    return fields | {name: getattr(state.usage, name) for name in COUNTED}


def stored(events: list[Event]) -> MemoryStore:
    store = MemoryStore()
    store.append([Entry(f"run:{RUN}", msgspec.json.encode(event)) for event in events])
    return store


def plain(events: list[Event]) -> list[Event]:
    """Without halves of characters, which no log holds."""
    return [event for event in events if _is_text(event)]


def _is_text(event: Event) -> bool:
    try:
        msgspec.json.encode(event)
    except UnicodeEncodeError:
        return False
    return True


@given(st.lists(any_event, max_size=30).map(plain), st.integers(0, 30))
def test_a_glance_is_the_state_in_short_wherever_the_snapshot_was_made(
    events: list[Event], saved: int
) -> None:
    store = stored(events)
    before = fold(RUN, events[:saved])
    if saved:
        snapshot = Snapshot(before.seq, msgspec.json.encode(before))
        store.save_snapshot(f"run:{RUN}", snapshot).result(1)
    assert told(load_glance(store, RUN)) == told(fold(RUN, events))


def test_a_snapshot_of_the_state_is_enough() -> None:
    """Fails when the fold of `RunState` has become another one: then `Glance` has to follow."""
    state = fold(RUN, [PromptGiven(5.0, "fix it"), RunEnded(9.0)])
    store = MemoryStore()
    store.save_snapshot(f"run:{RUN}", Snapshot(2, msgspec.json.encode(state))).result(1)
    assert told(load_glance(store, RUN)) == told(state)


def test_a_snapshot_of_another_fold_is_not_read() -> None:
    store = stored([])
    body = b'{"fold":99,"run":"3f2a","seq":7,"phase":"ended"}'
    store.save_snapshot(f"run:{RUN}", Snapshot(7, body)).result(1)
    assert load_glance(store, RUN) == Glance(RUN)


def found(step: int, severity: Severity, kind: str = "loop") -> FindingMade:
    return FindingMade(9.0, step, Finding(kind, severity, 0.5, (step,), says="again"))


def trouble(*events: Event) -> str:
    seen = load_glance(stored(list(events)), RUN).trouble
    return f"{seen.kind} {seen.severity}" if seen else ""


def test_the_worst_current_finding_is_the_trouble() -> None:
    low, high = found(3, Severity.LOW, "stall"), found(3, Severity.HIGH)
    assert trouble(high, low) == "loop high"
    assert trouble() == ""


def test_a_finding_is_no_trouble_any_more_once_something_helped() -> None:
    seen = found(3, Severity.HIGH)
    done = Intervened(9.0, Intervention("i1", "soft_correction", seen.finding, 3))
    assert trouble(seen, done, InterventionJudged(9.5, "i1", 8, worked=False)) == "loop high"
    assert trouble(seen, done, InterventionJudged(9.5, "i1", 8, worked=True)) == ""


def test_a_finding_of_long_ago_is_no_trouble() -> None:
    later = ActionReviewed(10.0, 30, "n", ACTION, REVIEW, Verdict(Decision.ALLOW))
    assert trouble(found(3, Severity.HIGH), later) == ""


def test_an_event_that_cannot_be_read_is_a_problem_and_not_the_end() -> None:
    store = MemoryStore()
    bodies = (
        b'{"event":"prompt_given","at":5.0,"text":"fix it"}',
        b"\xff broken",
        b'{"event":"made_later","at":6.0}',
        b'{"event":"run_ended","at":9.0}',
    )
    store.append([Entry(f"run:{RUN}", body) for body in bodies])
    glance = load_glance(store, RUN)
    assert (glance.phase, glance.first_prompt, glance.seq) == ("ended", "fix it", 4)
    assert glance.problem.startswith("entry 2: ")
