"""A fleet: its state from the log, a free slot until it is used again, and a long list of tasks."""

import asyncio
import statistics
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter, sleep

import msgspec
from benchmarks.measure import Table, milli
from tests.chaos.fleet_world import fleet_world

from handrail.fleet.engine import events
from handrail.fleet.engine.backups import seal
from handrail.fleet.engine.engine import Claim, FleetEngine, Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    FleetEvent,
    Lease,
    TaskAudited,
    TaskWorkspace,
)
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.engine.state_loading import LoadedFleet, StateSource, load_fleet, topic_of
from handrail.fleet.scheduler import Scheduler, SchedulerOptions
from handrail.fleet.slot_work_port import SlotWork
from handrail.fleet.tasks.task import Task
from handrail.store.port import NewEntry, Snapshot
from handrail.store.sqlite import SqliteStore

_TASKS = 1_000
_BATCH = 2_000
_FLEET = "shop-1"
_DONE = AttemptResult(outcome=AttemptOutcome.DONE, commit="c" * 40, verified=True)
_NOTE = (
    "The medians of {rounds} rounds. Goals: replay ≤ 2 s, snapshot ≤ 100 ms, and ≤ 50 ms from a "
    f"free slot to its next workspace, with {_TASKS:,} tasks in the list and a daemon that holds "
    "the engine. The agent is a script; the time of its start includes two starts of Python, for "
    "the driver and for the script."
)


def fleet_table(rounds: int, count: int = 100_000) -> Table:
    """One row for each of them."""
    table = Table("Fleets", ("what", "time"), note=_NOTE.format(rounds=rounds))
    parts = (
        *_states(rounds, count),
        *_slots(rounds),
        *_histories(rounds, count),
        *_starts(rounds),
    )
    for what, seconds in parts:
        table.add(what, milli(seconds))
    return table


def _median(rounds: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(rounds):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return statistics.median(times)


# The state


def _states(rounds: int, count: int) -> Iterator[tuple[str, float]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(SqliteStore(Path(folder, "log"))) as store,
    ):
        _fill(store, _FLEET, count)

        def load(source: StateSource) -> LoadedFleet:
            loaded = load_fleet(store, _FLEET, folder)
            assert loaded.source is source, loaded.problems
            return loaded

        replay = _median(rounds, lambda: load(StateSource.EVENTS))
        yield f"state from {count:,} events, by replay", replay
        _save(store, load(StateSource.EVENTS).state)
        snapshot = _median(rounds, lambda: load(StateSource.SNAPSHOT))
        yield f"state from {count:,} events, by snapshot", snapshot


def _save(store: SqliteStore, state: FleetState) -> None:
    store.save_snapshot(topic_of(_FLEET), Snapshot(state.seq, seal(state))).result()


def _fill(store: SqliteStore, fleet: str, count: int) -> None:
    encode = msgspec.json.encode
    entries = [NewEntry(topic_of(fleet), encode(event)) for event in _history(count)]
    for first in range(0, count, _BATCH):
        store.append(entries[first : first + _BATCH]).result()


def _history(count: int) -> list[FleetEvent]:
    """Many attempts at each task, with their iterations."""
    written: list[FleetEvent] = [events.TaskSubmitted(1.0, each) for each in _tasks()]
    attempt = 0
    while len(written) < count:
        attempt += 1
        for number in range(_TASKS):
            written += _attempt(f"task-{number}", attempt)
    return written[:count]


def _tasks() -> list[Task]:
    prompt = "Move the prices into a module of their own, and test them. " * 5
    return [Task(id=f"task-{n}", prompt=prompt, verify="make test") for n in range(_TASKS)]


def _attempt(name: str, attempt: int) -> list[FleetEvent]:
    lease = Lease(owner="o" * 36, attempt=attempt, slot=1, host="h", boot="b" * 36, pid=4711)
    place = TaskWorkspace(f"/home/ada/.local/share/handrail/workspaces/{name}", name, "c" * 40)
    files = ("src/prices.py", "tests/test_prices.py")
    iterations: list[FleetEvent] = [
        TaskAudited(2.0, name, attempt, "iteration", iteration=n, files=files, tokens=1000)
        for n in range(1, 11)
    ]
    return [
        events.TaskClaimed(2.0, name, lease),
        events.WorkspaceReady(2.0, name, attempt, place),
        events.DriverStarted(2.0, name, attempt, "r" * 36, 4711, 9.5),
        *iterations,
        events.TaskGivenBack(3.0, name, attempt, "its driver ended with exit code -9"),
    ]


# A slot


class _InstantWork(SlotWork):
    """Drivers that are done at once; it notes how long a slot was free."""

    def __init__(self, engine: FleetEngine, most: int) -> None:
        self.engine = engine
        self.times: list[float] = []
        self.scheduler: Scheduler | None = None
        self._most = most
        self._freed = 0.0

    async def end_attempt(self, lease: Lease, run: str) -> str:
        return ""

    async def prepare(self, claim: Claim, slot: int, *, fresh: bool = False) -> TaskWorkspace:
        if self._freed:
            self.times.append(perf_counter() - self._freed)
        return TaskWorkspace("/w", "b", "c")

    async def launch(
        self, claim: Claim, workspace: TaskWorkspace, slot: int, session: str = ""
    ) -> Awaitable[int]:
        await asyncio.to_thread(self.engine.finish, claim.ticket, _DONE)
        if len(self.times) >= self._most:
            assert self.scheduler is not None
            self.scheduler.close()

        async def end() -> int:
            await asyncio.sleep(0.2)
            self._freed = perf_counter()
            return 0

        return end()

    def is_alive(self, lease: Lease) -> bool:
        return True


def _slots(rounds: int) -> Iterator[tuple[str, float]]:
    with fleet_world() as world:
        engine = world.engine
        engine.submit(_tasks())
        yield f"the state of {_TASKS:,} new tasks, from the daemon", _median(rounds, engine.state)
        work = _InstantWork(engine, 3 * rounds)
        worker = Worker(owner="bench", host="here", pid=1)
        work.scheduler = Scheduler(engine, worker, work, SchedulerOptions(slots=1))
        asyncio.run(work.scheduler.run())
        yield "free slot → claim durable, workspace begun", statistics.median(work.times)


def _histories(rounds: int, count: int) -> Iterator[tuple[str, float]]:
    with fleet_world() as world:
        with closing(SqliteStore(Path(world.sandbox.state.log))) as store:
            _fill(store, world.repository.fleet, count)
        engine = world.engine
        engine.state()  # which starts the daemon
        yield f"the same with {count:,} events behind them", _median(rounds, engine.state)


# An agent


def _starts(rounds: int) -> Iterator[tuple[str, float]]:
    with fleet_world(slots=1) as world:
        names = world.write_tasks(rounds + 1)
        trees = (str(world.folder / f"tree{number}") for number in range(rounds))
        yield (
            "`git worktree add` alone",
            _median(rounds, lambda: world.git("worktree", "add", "-q", "--detach", next(trees))),
        )
        while world.keep_scheduler():
            sleep(0.05)
        log = [event for event in world.events() if isinstance(event, events.TaskEvent)]
        times: dict[str, list[float]] = {}
        for name in names[1:]:  # the first one pays for everything that is loaded once
            claimed, ready, driver = (
                next(e.at for e in log if isinstance(e, kind) and e.task == name)
                for kind in (events.TaskClaimed, events.WorkspaceReady, events.DriverStarted)
            )
            run = world.engine.state().tasks[name].run
            began = (world.sandbox.bed.config / "projects/standin" / f"{run}.jsonl").stat().st_mtime
            times.setdefault("claim → workspace ready", []).append(ready - claimed)
            times.setdefault("claim → driver holds the lease", []).append(driver - claimed)
            times.setdefault("claim → agent has its prompt", []).append(began - claimed)
        for what, found in times.items():
            yield what, statistics.median(found)
