"""Whoever reads a log gets the state that a supervisor has, without loading what judges actions."""

import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.event import (
    Event,
    FindingMade,
    Intervened,
    InterventionJudged,
    PromptGiven,
    RunEnded,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.ordinal import Severity
from handrail.store.errors import DamagedError
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Snapshot
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.run_state import RunState
from handrail.supervise.state.watched_state import WatchedState, fold
from tests.supervise.state.test_state import LOG, STATE
from tests.supervise.strategies import events, reviewed

RUN = "3f2a"
HEAVY = {"click", "handrail.shell", "handrail.review", "handrail.detect", "handrail.config"} | {
    "handrail.intervene",
    "handrail.redact",
    "starlette",
    "tree_sitter",
    "yaml",
}


def stored(happened: list[Event]) -> MemoryStore:
    store = MemoryStore()
    store.append([NewEntry(f"run:{RUN}", msgspec.json.encode(event)) for event in happened])
    return store


def bare(state: WatchedState) -> RunState:
    """The state without what its detectors remember."""
    return msgspec.json.decode(msgspec.json.encode(state), type=RunState)


@given(st.lists(events, max_size=30), st.integers(0, 30))
def test_it_is_the_state_of_the_supervisor_wherever_the_snapshot_was_made(
    happened: list[Event], saved: int
) -> None:
    store = stored(happened)
    before = fold(RUN, happened[:saved])
    if saved:
        snapshot = Snapshot(before.seq, msgspec.json.encode(before))
        store.save_snapshot(f"run:{RUN}", snapshot).result(1)
    assert read_state(store, RUN) == bare(fold(RUN, happened))


def test_the_golden_log_gives_the_golden_state() -> None:
    store = MemoryStore()
    store.append([NewEntry("run:golden", line) for line in LOG.read_bytes().splitlines()])
    assert read_state(store, "golden") == msgspec.json.decode(STATE.read_bytes(), type=RunState)


def test_a_snapshot_of_another_fold_is_not_read() -> None:
    store = stored([])
    body = b'{"fold":99,"run":"3f2a","seq":7,"phase":"ended"}'
    store.save_snapshot(f"run:{RUN}", Snapshot(7, body)).result(1)
    assert read_state(store, RUN) == RunState(RUN)


@pytest.mark.parametrize("module", ["state.run_state", "log.state_reader"])
def test_to_read_a_log_takes_no_shell_reader(module: str) -> None:
    code = f"import sys, handrail.supervise.{module}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(ran.stdout.split())


def test_an_event_that_cannot_be_read_is_a_problem_and_not_the_end() -> None:
    store = MemoryStore()
    bodies = (
        b'{"event":"prompt_given","at":5.0,"text":"fix it"}',
        b"\xff broken",
        b'{"event":"made_later","at":6.0}',
        b'{"event":"run_ended","at":9.0}',
    )
    store.append([NewEntry(f"run:{RUN}", body) for body in bodies])
    problems: list[str] = []
    state = read_state(store, RUN, problems)
    assert (state.phase, state.first_prompt, state.seq) == ("ended", "fix it", 4)
    assert [problem.partition(":")[0] for problem in problems] == ["entry 2 of run"]
    with pytest.raises(DamagedError):
        read_state(store, RUN)


def found(step: int, severity: Severity, kind: str = "loop") -> FindingMade:
    return FindingMade(9.0, step, Finding(kind, severity, 0.5, (step,), says="again"))


def trouble(*happened: Event) -> str:
    seen = read_state(stored(list(happened)), RUN).trouble
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
    assert trouble(found(3, Severity.HIGH), reviewed(30)) == ""


def test_a_run_that_has_ended_is_read_from_its_snapshot_alone() -> None:
    state = fold(RUN, [PromptGiven(5.0, "fix it"), RunEnded(9.0)])
    store = stored([PromptGiven(5.0, "never read"), RunEnded(9.0)])
    store.save_snapshot(f"run:{RUN}", Snapshot(2, msgspec.json.encode(state))).result(1)
    assert read_state(store, RUN) == bare(state)
