"""All runs of a daemon: found again, let go, read again, never mixed up."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.model import Decision
from handrail.model.event import (
    Event,
    PromptGiven,
    RestoreAsked,
    RolledBack,
    RunEnded,
    RunStarted,
)
from handrail.store.errors import DamagedError, DiskFullError, StoreError
from handrail.store.journal import Journal
from handrail.store.port import NewEntry, Snapshot
from handrail.store.sqlite import SqliteStore
from handrail.supervise.log.event_recorder import SNAPSHOT_EVERY
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs import run_registry as room
from handrail.supervise.runs.run_registry import RunRegistry, load_state
from handrail.supervise.state.watched_state import WatchedState, fold
from tests.supervise.strategies import events
from tests.supervise.supervision_setup import RUN, SupervisionSetup, ran

pytestmark = pytest.mark.slow

FULL = DiskFullError("/log")


def saved(bed: SupervisionSetup, run: str = RUN) -> Snapshot:
    snapshot = bed.log.inner.load_snapshot(topic_of(run))
    assert snapshot is not None
    return snapshot


def save(bed: SupervisionSetup, body: bytes, run: str = RUN) -> None:
    bed.log.inner.save_snapshot(topic_of(run), Snapshot(1, body))


def worked(bed: SupervisionSetup, count: int = 3) -> WatchedState:
    """The state of a run that has done a few things, all of it saved."""
    for number in range(count):
        bed.do(bed.bash(f"make target{number}", f"c{number}"), ok=number % 2 == 0)
    bed.runs.save_all()
    return bed.run.state


# --- found again -------------------------------------------------------------------------------


def test_a_run_that_nobody_knows_begins_with_nothing(supervision: SupervisionSetup) -> None:
    assert supervision.run.state == WatchedState(RUN)
    assert supervision.run.project is supervision.projects.at(str(supervision.path))


def test_a_run_is_the_same_as_long_as_it_is_kept(supervision: SupervisionSetup) -> None:
    assert supervision.run is supervision.run


def test_a_run_is_found_again_from_its_events(supervision: SupervisionSetup) -> None:
    action = supervision.bash("make", "a")
    supervision.run.before(action)
    state = supervision.run.state
    supervision.restart()
    assert supervision.run.state == state
    assert supervision.run.after(ran(action)).decision is Decision.ALLOW
    assert supervision.run.state.usage.ran == 1


def test_a_run_is_found_again_from_its_snapshot_and_the_events_since(
    supervision: SupervisionSetup,
) -> None:
    worked(supervision)
    supervision.do(supervision.bash("make more", "d"))
    state = supervision.run.state
    assert saved(supervision).seq == state.seq - 2
    supervision.restart()
    assert supervision.run.state == state == supervision.folded()


def test_only_the_events_since_the_snapshot_are_read(supervision: SupervisionSetup) -> None:
    worked(supervision, count=400)
    supervision.restart()
    supervision.log.calls.clear()
    assert supervision.run.state.usage.ran == 400
    assert supervision.log.calls["read"] <= 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"run":"\xff"}',
        b"null",
        b'{"fold":0,"run":"r1"}',
        b'{"run":"r1","seq":"many"}',
        b"[" * 5000,
        msgspec.json.encode(WatchedState("another run")),
        msgspec.json.encode(WatchedState(RUN, seq=10_000)),
        msgspec.json.encode(WatchedState(RUN, seq=-5)),
    ],
    ids=lambda body: repr(body)[:40],
)
def test_a_snapshot_that_cannot_be_right_is_not_used(
    supervision: SupervisionSetup, body: bytes
) -> None:
    """Damaged, of another version, of another run, or ahead of the log: the events count."""
    state = worked(supervision)
    save(supervision, body)
    supervision.restart()
    assert supervision.run.state == state


def test_a_damaged_event_is_a_damaged_log(supervision: SupervisionSetup) -> None:
    supervision.run.before(supervision.bash("ls", "a"))
    supervision.log.inner.append([NewEntry(topic_of(RUN), b'{"event":"from the future"}')])
    supervision.restart()
    with pytest.raises(DamagedError, match="entry 2 of run:r1"):
        supervision.get(RUN)


def test_another_run_is_not_concerned_by_a_damaged_event(supervision: SupervisionSetup) -> None:
    supervision.log.inner.append([NewEntry(topic_of(RUN), b"\xff")])
    with pytest.raises(DamagedError):
        supervision.get(RUN)
    assert supervision.get("other").before(supervision.bash("ls", "a")).decision is Decision.ALLOW


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(events, max_size=12), st.integers(0, 12))
def test_what_another_version_wrote_is_read_from_any_snapshot(
    supervision: SupervisionSetup, happened: list[Event], at: int
) -> None:
    supervision.log.inner.forget(topic_of(RUN))
    bodies = [msgspec.json.encode(event) for event in happened]
    supervision.log.inner.append([NewEntry(topic_of(RUN), body) for body in bodies])
    if 0 < at <= len(happened):
        save(supervision, msgspec.json.encode(fold(RUN, happened[:at])))
    assert supervision.loaded() == fold(RUN, happened)


# --- let go ------------------------------------------------------------------------------------


def test_only_so_many_runs_are_kept(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 3)
    for number in range(6):
        supervision.get(f"run{number}").before(supervision.bash("ls", "a"))
    assert len(supervision.runs) == 3
    assert [f"run{number}" in supervision.runs for number in range(6)] == [False] * 3 + [True] * 3


def test_a_run_that_was_let_go_is_saved_and_found_again(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 1)
    state = worked(supervision)
    supervision.do(supervision.bash("make more", "d"))
    supervision.get("other")
    assert RUN not in supervision.runs
    assert saved(supervision).seq == state.seq
    assert supervision.run.state == state


def test_a_run_is_not_let_go_while_something_is_on_its_way_to_the_log(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 1)
    supervision.log.held = True
    supervision.run.decide(supervision.bash("make", "a"))
    supervision.get("two").decide(supervision.bash("make", "a"))
    assert (RUN in supervision.runs, "two" in supervision.runs) == (True, True)
    assert supervision.run.state.step == 1
    supervision.log.release()
    supervision.get("three")
    assert len(supervision.runs) == 1


def test_a_run_that_has_ended_is_saved_and_let_go(supervision: SupervisionSetup) -> None:
    supervision.get("older")
    worked(supervision)
    supervision.run.record(RunEnded(supervision.clock(), "exit"))
    state = supervision.run.state
    supervision.runs.end(RUN)
    assert (RUN in supervision.runs, "older" in supervision.runs) == (False, True)
    assert saved(supervision).seq == state.seq
    assert supervision.run.state == state


def test_a_run_that_ends_in_the_middle_of_a_restore_is_not_told_of_it_again(
    supervision: SupervisionSetup,
) -> None:
    heard: list[Event] = []
    supervision.runs.bus.subscribe(lambda supervisor, event: heard.append(event))
    worked(supervision)
    asked = RestoreAsked(supervision.clock(), "c1")
    supervision.run.record(asked)
    supervision.run.record(RunEnded(supervision.clock(), "exit"))
    supervision.runs.end(RUN)
    supervision.run.record(RolledBack(supervision.clock(), "c1", asked=True))
    assert heard.count(asked) == 1


def test_a_run_that_has_ended_is_let_go_when_its_end_is_in_the_log(
    supervision: SupervisionSetup,
) -> None:
    worked(supervision)
    supervision.log.held = True
    supervision.run.record(RunEnded(supervision.clock(), "exit"))
    supervision.runs.end(RUN)
    assert supervision.run.state.phase == "ended"
    supervision.runs.end(RUN)
    supervision.log.release()
    supervision.log.held = False
    supervision.get("another")
    assert RUN not in supervision.runs
    assert supervision.loaded().phase == "ended"


def test_a_run_that_is_taken_up_again_goes_on_where_it_ended(supervision: SupervisionSetup) -> None:
    worked(supervision)
    supervision.run.record(RunEnded(supervision.clock(), "exit"))
    supervision.runs.end(RUN)
    supervision.run.record(
        RunStarted(supervision.clock(), "claude", str(supervision.path), "resume")
    )
    supervision.do(supervision.bash("ls", "z"))
    assert supervision.run.state.step == 4
    assert supervision.run.state == supervision.loaded() == supervision.folded()


def test_an_ended_run_that_somebody_looks_at_is_kept_while_it_is_used(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.record(RunEnded(supervision.clock(), "exit"))
    supervision.runs.end(RUN)
    run = supervision.run
    run.record(PromptGiven(supervision.clock(), "once more"))
    assert supervision.run is run


def test_ending_a_run_that_nobody_knows_does_no_harm(supervision: SupervisionSetup) -> None:
    supervision.runs.end("never seen")
    assert len(supervision.runs) == 0


def test_what_runs_were_told_is_let_go_with_them(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 10)
    supervision.log.refuses = FULL
    for number in range(100):
        supervision.get(f"run{number}").before(supervision.bash("make", "a"))
    assert len(supervision.runs._said) <= 10


# --- read again --------------------------------------------------------------------------------


def test_a_broken_supervisor_is_read_again_and_the_fault_is_noted(
    supervision: SupervisionSetup,
) -> None:
    worked(supervision)
    broken = supervision.run
    supervision.log.refuses = FULL
    broken.before(supervision.bash("make", "x"))
    supervision.log.refuses = None
    assert broken.broken
    assert supervision.run is not broken
    assert supervision.kinds()[-1] == "FaultNoted"
    assert supervision.run.state == supervision.loaded() == supervision.folded()


def test_a_broken_supervisor_is_never_saved(supervision: SupervisionSetup) -> None:
    supervision.log.refuses = FULL
    supervision.run.before(supervision.bash("make", "a"))
    supervision.log.refuses = None
    supervision.runs.save_all()
    supervision.runs.end(RUN)
    assert supervision.log.calls["save_snapshot"] == 0


def test_a_log_that_cannot_be_read_is_tried_again_with_the_next_call(
    supervision: SupervisionSetup,
) -> None:
    worked(supervision)
    supervision.restart()
    supervision.log.unreadable = DamagedError("/log", "page 1")
    with pytest.raises(StoreError):
        supervision.get(RUN)
    supervision.log.unreadable = None
    assert supervision.run.state == supervision.folded()


def test_a_run_whose_log_broke_keeps_its_settings_wherever_its_agent_went(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("limits: {actions: 7}\n")
    supervision.do(supervision.bash("ls", "a"))
    supervision.log.refuses = FULL
    supervision.run.before(supervision.bash("make", "b"))
    supervision.log.unreadable = FULL
    with pytest.raises(StoreError):
        supervision.get(RUN)
    bare = supervision.runs.bare(RUN, str(supervision.elsewhere))
    assert bare.project.config.limits.actions == 7


# --- never mixed up ----------------------------------------------------------------------------


def test_many_runs_interleaved_stay_apart(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 3)
    names = [f"run{number}" for number in range(7)]
    for step in range(5):
        for number, name in enumerate(names):
            action = supervision.bash(f"make {name}", f"c{step}")
            supervision.get(name).before(action)
            if number % 2:
                supervision.get(name).after(ran(action))
    for number, name in enumerate(names):
        state = supervision.get(name).state
        assert state.run == name
        assert state.step == 5
        assert state.usage.ran == (5 if number % 2 else 0)
        assert state == supervision.loaded(name) == supervision.folded(name)


def test_the_same_id_in_another_run_is_another_call(supervision: SupervisionSetup) -> None:
    supervision.get("one").before(supervision.bash("rm -rf /srv/data", "a"))
    verdict = supervision.get("two").before(supervision.bash("rm -rf /srv/data", "a"))
    assert verdict.guidance == ()
    assert len(supervision.events("two")) == 1


def test_runs_whose_states_are_kept_can_be_looked_through(supervision: SupervisionSetup) -> None:
    for name in ("one", "two"):
        supervision.get(name)
    assert sorted(state.run for state in supervision.runs) == ["one", "two"]


# --- a real log --------------------------------------------------------------------------------


def test_a_real_log_gives_back_what_was_in_memory(
    supervision: SupervisionSetup, tmp_path: Path
) -> None:
    """Its receipts, and so the snapshots, come from another thread."""
    path = tmp_path / "log" / "log.db"
    states: dict[str, WatchedState] = {}
    with closing(SqliteStore(path)) as store:
        runs = RunRegistry(Journal(store), supervision.projects, clock=supervision.clock)
        for step in range(SNAPSHOT_EVERY // 2 + 20):
            for name in ("one", "two"):
                action = supervision.bash(f"make {name}{step}", f"c{step}")
                runs.get(name, str(supervision.path)).decide(action)
                if step % 2:
                    runs.get(name, str(supervision.path)).take_in(ran(action))
        for name in ("one", "two"):
            run = runs.get(name, str(supervision.path))
            run.log.settle(30)
            states[name] = run.state
    with closing(SqliteStore(path)) as store:
        for name, state in states.items():
            snapshot = store.load_snapshot(topic_of(name))
            assert snapshot is not None
            assert snapshot.seq == SNAPSHOT_EVERY
            assert load_state(Journal(store), name) == state


# --- idle --------------------------------------------------------------------------------------


def test_a_run_that_is_idle_is_let_go_and_goes_on_as_if_it_had_not_been(
    supervision: SupervisionSetup,
) -> None:
    state = worked(supervision)
    supervision.runs.let_idle_go(supervision.clock() + 1)
    assert RUN not in supervision.runs
    assert supervision.run.state == state


def test_a_run_that_something_was_heard_of_is_kept(supervision: SupervisionSetup) -> None:
    worked(supervision)
    supervision.runs.let_idle_go(supervision.run.state.changed)
    assert RUN in supervision.runs


def test_an_idle_run_keeps_the_settings_that_it_began_with(supervision: SupervisionSetup) -> None:
    supervision.run.record(
        RunStarted(supervision.clock(), "claude", str(supervision.path), "startup")
    )
    supervision.runs.let_idle_go(supervision.clock() + 1)
    supervision.settings("step_reviewer: {enabled: false}\n")
    assert supervision.do(supervision.bash("rm -rf .git", "a")).decision is Decision.BLOCK


def test_a_run_that_lost_an_event_is_not_let_go_before_that_is_noted(
    supervision: SupervisionSetup,
) -> None:
    supervision.log.refuses = FULL
    supervision.run.before(supervision.bash("make", "a"))
    supervision.runs.let_idle_go(supervision.clock() + 1)
    assert RUN in supervision.runs


def test_faults_are_remembered_for_a_bounded_number_of_runs(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 5)
    for number in range(50):
        bare = supervision.runs.bare(f"s{number}", str(supervision.path))
        bare.judge_without_log(supervision.bash("make", "a"), FULL)
    assert (
        supervision.runs.bare("s49", str(supervision.path))
        .judge_without_log(supervision.bash("make"), FULL)
        .alarm
        == ""
    )
    assert (
        supervision.runs.bare("s0", str(supervision.path))
        .judge_without_log(supervision.bash("make"), FULL)
        .alarm
        != ""
    )
