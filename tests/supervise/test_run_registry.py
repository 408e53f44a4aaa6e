"""All runs of a daemon: found again, let go, read again, never mixed up."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.model import Decision
from handrail.model.event import Event, PromptGiven, RunEnded, RunStarted
from handrail.store.errors import DamagedError, DiskFullError, StoreError
from handrail.store.journal import Journal
from handrail.store.port import NewEntry, Snapshot
from handrail.store.sqlite import SqliteStore
from handrail.supervise import run_registry as room
from handrail.supervise.event_recorder import SNAPSHOT_EVERY
from handrail.supervise.run_registry import RunRegistry, load_state
from handrail.supervise.topics import topic_of
from handrail.supervise.watched_state import WatchedState, fold
from tests.supervise.bed import RUN, Bed, ran
from tests.supervise.strategies import events

pytestmark = pytest.mark.slow

FULL = DiskFullError("/log")


def saved(bed: Bed, run: str = RUN) -> Snapshot:
    snapshot = bed.log.inner.load_snapshot(topic_of(run))
    assert snapshot is not None
    return snapshot


def save(bed: Bed, body: bytes, run: str = RUN) -> None:
    bed.log.inner.save_snapshot(topic_of(run), Snapshot(1, body))


def worked(bed: Bed, count: int = 3) -> WatchedState:
    """The state of a run that has done a few things, all of it saved."""
    for number in range(count):
        bed.do(bed.bash(f"make target{number}", f"c{number}"), ok=number % 2 == 0)
    bed.runs.save_all()
    return bed.run.state


# --- found again -------------------------------------------------------------------------------


def test_a_run_that_nobody_knows_begins_with_nothing(bed: Bed) -> None:
    assert bed.run.state == WatchedState(RUN)
    assert bed.run.project is bed.projects.at(str(bed.path))


def test_a_run_is_the_same_as_long_as_it_is_kept(bed: Bed) -> None:
    assert bed.run is bed.run


def test_a_run_is_found_again_from_its_events(bed: Bed) -> None:
    action = bed.bash("make", "a")
    bed.run.before(action)
    state = bed.run.state
    bed.restart()
    assert bed.run.state == state
    assert bed.run.after(ran(action)).decision is Decision.ALLOW
    assert bed.run.state.usage.ran == 1


def test_a_run_is_found_again_from_its_snapshot_and_the_events_since(bed: Bed) -> None:
    worked(bed)
    bed.do(bed.bash("make more", "d"))
    state = bed.run.state
    assert saved(bed).seq == state.seq - 2
    bed.restart()
    assert bed.run.state == state == bed.folded()


def test_only_the_events_since_the_snapshot_are_read(bed: Bed) -> None:
    worked(bed, count=400)
    bed.restart()
    bed.log.calls.clear()
    assert bed.run.state.usage.ran == 400
    assert bed.log.calls["read"] <= 2


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
def test_a_snapshot_that_cannot_be_right_is_not_used(bed: Bed, body: bytes) -> None:
    """Damaged, of another version, of another run, or ahead of the log: the events count."""
    state = worked(bed)
    save(bed, body)
    bed.restart()
    assert bed.run.state == state


def test_a_damaged_event_is_a_damaged_log(bed: Bed) -> None:
    bed.run.before(bed.bash("ls", "a"))
    bed.log.inner.append([NewEntry(topic_of(RUN), b'{"event":"from the future"}')])
    bed.restart()
    with pytest.raises(DamagedError, match="entry 2 of run:r1"):
        bed.get(RUN)


def test_another_run_is_not_concerned_by_a_damaged_event(bed: Bed) -> None:
    bed.log.inner.append([NewEntry(topic_of(RUN), b"\xff")])
    with pytest.raises(DamagedError):
        bed.get(RUN)
    assert bed.get("other").before(bed.bash("ls", "a")).decision is Decision.ALLOW


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(events, max_size=12), st.integers(0, 12))
def test_what_another_version_wrote_is_read_from_any_snapshot(
    bed: Bed, happened: list[Event], at: int
) -> None:
    bed.log.inner.forget(topic_of(RUN))
    bodies = [msgspec.json.encode(event) for event in happened]
    bed.log.inner.append([NewEntry(topic_of(RUN), body) for body in bodies])
    if 0 < at <= len(happened):
        save(bed, msgspec.json.encode(fold(RUN, happened[:at])))
    assert bed.loaded() == fold(RUN, happened)


# --- let go ------------------------------------------------------------------------------------


def test_only_so_many_runs_are_kept(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 3)
    for number in range(6):
        bed.get(f"run{number}").before(bed.bash("ls", "a"))
    assert len(bed.runs) == 3
    assert [f"run{number}" in bed.runs for number in range(6)] == [False] * 3 + [True] * 3


def test_a_run_that_was_let_go_is_saved_and_found_again(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 1)
    state = worked(bed)
    bed.do(bed.bash("make more", "d"))
    bed.get("other")
    assert RUN not in bed.runs
    assert saved(bed).seq == state.seq
    assert bed.run.state == state


def test_a_run_is_not_let_go_while_something_is_on_its_way_to_the_log(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 1)
    bed.log.held = True
    bed.run.decide(bed.bash("make", "a"))
    bed.get("two").decide(bed.bash("make", "a"))
    assert (RUN in bed.runs, "two" in bed.runs) == (True, True)
    assert bed.run.state.step == 1
    bed.log.release()
    bed.get("three")
    assert len(bed.runs) == 1


def test_a_run_that_has_ended_is_saved_and_let_go(bed: Bed) -> None:
    bed.get("older")
    worked(bed)
    bed.run.record(RunEnded(bed.clock(), "exit"))
    state = bed.run.state
    bed.runs.end(RUN)
    assert (RUN in bed.runs, "older" in bed.runs) == (False, True)
    assert saved(bed).seq == state.seq
    assert bed.run.state == state


def test_a_run_that_has_ended_is_let_go_when_its_end_is_in_the_log(bed: Bed) -> None:
    worked(bed)
    bed.log.held = True
    bed.run.record(RunEnded(bed.clock(), "exit"))
    bed.runs.end(RUN)
    assert bed.run.state.phase == "ended"
    bed.runs.end(RUN)
    bed.log.release()
    bed.log.held = False
    bed.get("another")
    assert RUN not in bed.runs
    assert bed.loaded().phase == "ended"


def test_a_run_that_is_taken_up_again_goes_on_where_it_ended(bed: Bed) -> None:
    worked(bed)
    bed.run.record(RunEnded(bed.clock(), "exit"))
    bed.runs.end(RUN)
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "resume"))
    bed.do(bed.bash("ls", "z"))
    assert bed.run.state.step == 4
    assert bed.run.state == bed.loaded() == bed.folded()


def test_an_ended_run_that_somebody_looks_at_is_kept_while_it_is_used(bed: Bed) -> None:
    bed.run.record(RunEnded(bed.clock(), "exit"))
    bed.runs.end(RUN)
    run = bed.run
    run.record(PromptGiven(bed.clock(), "once more"))
    assert bed.run is run


def test_ending_a_run_that_nobody_knows_does_no_harm(bed: Bed) -> None:
    bed.runs.end("never seen")
    assert len(bed.runs) == 0


def test_what_runs_were_told_is_let_go_with_them(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 10)
    bed.log.refuses = FULL
    for number in range(100):
        bed.get(f"run{number}").before(bed.bash("make", "a"))
    assert len(bed.runs._said) <= 10


# --- read again --------------------------------------------------------------------------------


def test_a_broken_supervisor_is_read_again_and_the_fault_is_noted(bed: Bed) -> None:
    worked(bed)
    broken = bed.run
    bed.log.refuses = FULL
    broken.before(bed.bash("make", "x"))
    bed.log.refuses = None
    assert broken.broken
    assert bed.run is not broken
    assert bed.kinds()[-1] == "FaultNoted"
    assert bed.run.state == bed.loaded() == bed.folded()


def test_a_broken_supervisor_is_never_saved(bed: Bed) -> None:
    bed.log.refuses = FULL
    bed.run.before(bed.bash("make", "a"))
    bed.log.refuses = None
    bed.runs.save_all()
    bed.runs.end(RUN)
    assert bed.log.calls["save_snapshot"] == 0


def test_a_log_that_cannot_be_read_is_tried_again_with_the_next_call(bed: Bed) -> None:
    worked(bed)
    bed.restart()
    bed.log.unreadable = DamagedError("/log", "page 1")
    with pytest.raises(StoreError):
        bed.get(RUN)
    bed.log.unreadable = None
    assert bed.run.state == bed.folded()


def test_a_run_whose_log_broke_keeps_its_settings_wherever_its_agent_went(bed: Bed) -> None:
    bed.settings("limits: {actions: 7}\n")
    bed.do(bed.bash("ls", "a"))
    bed.log.refuses = FULL
    bed.run.before(bed.bash("make", "b"))
    bed.log.unreadable = FULL
    with pytest.raises(StoreError):
        bed.get(RUN)
    bare = bed.runs.bare(RUN, str(bed.elsewhere))
    assert bare.project.config.limits.actions == 7


# --- never mixed up ----------------------------------------------------------------------------


def test_many_runs_interleaved_stay_apart(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 3)
    names = [f"run{number}" for number in range(7)]
    for step in range(5):
        for number, name in enumerate(names):
            action = bed.bash(f"make {name}", f"c{step}")
            bed.get(name).before(action)
            if number % 2:
                bed.get(name).after(ran(action))
    for number, name in enumerate(names):
        state = bed.get(name).state
        assert state.run == name
        assert state.step == 5
        assert state.usage.ran == (5 if number % 2 else 0)
        assert state == bed.loaded(name) == bed.folded(name)


def test_the_same_id_in_another_run_is_another_call(bed: Bed) -> None:
    bed.get("one").before(bed.bash("rm -rf /srv/data", "a"))
    verdict = bed.get("two").before(bed.bash("rm -rf /srv/data", "a"))
    assert verdict.guidance == ()
    assert len(bed.events("two")) == 1


def test_runs_whose_states_are_kept_can_be_looked_through(bed: Bed) -> None:
    for name in ("one", "two"):
        bed.get(name)
    assert sorted(state.run for state in bed.runs) == ["one", "two"]


# --- a real log --------------------------------------------------------------------------------


def test_a_real_log_gives_back_what_was_in_memory(bed: Bed, tmp_path: Path) -> None:
    """Its receipts, and so the snapshots, come from another thread."""
    path = tmp_path / "log" / "log.db"
    states: dict[str, WatchedState] = {}
    with closing(SqliteStore(path)) as store:
        runs = RunRegistry(Journal(store), bed.projects, clock=bed.clock)
        for step in range(SNAPSHOT_EVERY // 2 + 20):
            for name in ("one", "two"):
                action = bed.bash(f"make {name}{step}", f"c{step}")
                runs.get(name, str(bed.path)).decide(action)
                if step % 2:
                    runs.get(name, str(bed.path)).take_in(ran(action))
        for name in ("one", "two"):
            run = runs.get(name, str(bed.path))
            run.settle(30)
            states[name] = run.state
    with closing(SqliteStore(path)) as store:
        for name, state in states.items():
            snapshot = store.load_snapshot(topic_of(name))
            assert snapshot is not None
            assert snapshot.seq == SNAPSHOT_EVERY
            assert load_state(Journal(store), name) == state


# --- idle --------------------------------------------------------------------------------------


def test_a_run_that_is_idle_is_let_go_and_goes_on_as_if_it_had_not_been(bed: Bed) -> None:
    state = worked(bed)
    bed.runs.let_idle_go(bed.clock() + 1)
    assert RUN not in bed.runs
    assert bed.run.state == state


def test_a_run_that_something_was_heard_of_is_kept(bed: Bed) -> None:
    worked(bed)
    bed.runs.let_idle_go(bed.run.state.changed)
    assert RUN in bed.runs


def test_an_idle_run_keeps_the_settings_that_it_began_with(bed: Bed) -> None:
    bed.run.record(RunStarted(bed.clock(), "claude", str(bed.path), "startup"))
    bed.runs.let_idle_go(bed.clock() + 1)
    bed.settings("step_reviewer: {enabled: false}\n")
    assert bed.do(bed.bash("rm -rf .git", "a")).decision is Decision.BLOCK


def test_a_run_that_lost_an_event_is_not_let_go_before_that_is_noted(bed: Bed) -> None:
    bed.log.refuses = FULL
    bed.run.before(bed.bash("make", "a"))
    bed.runs.let_idle_go(bed.clock() + 1)
    assert RUN in bed.runs


def test_faults_are_remembered_for_a_bounded_number_of_runs(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_KEPT", 5)
    for number in range(50):
        bare = bed.runs.bare(f"s{number}", str(bed.path))
        bare.judge_without_log(bed.bash("make", "a"), FULL)
    assert bed.runs.bare("s49", str(bed.path)).judge_without_log(bed.bash("make"), FULL).alarm == ""
    assert bed.runs.bare("s0", str(bed.path)).judge_without_log(bed.bash("make"), FULL).alarm != ""
