"""The scheduler, with an engine in memory and drivers that a test ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from typing import ParamSpec

import pytest

from handrail.config.fleet import Fleet
from handrail.fleet.engine.engine import Claim, Ticket, Worker
from handrail.fleet.engine.engine_rules import EngineRules
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    DriverStarted,
    Lease,
    MergeChanged,
    TaskAudited,
    TaskWorkspace,
)
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.fleet_limits import FleetLimits, LimitLevel, LimitReport
from handrail.fleet.recovery.orphans import OrphanDecision, OrphanFacts, decide
from handrail.fleet.scheduler import Scheduler, SchedulerOptions
from handrail.fleet.slot_work_port import ProcessesLeftError, SlotWork
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.fleet.workspaces.starting_point import DependencyConflictError
from handrail.fleet.workspaces.workspace_errors import NoCommitsError
from handrail.store.memory import MemoryStore

RULES = EngineRules(lease_seconds=60, max_expiries=3, max_tries=2)
DONE = AttemptResult(outcome=AttemptOutcome.DONE, commit="abc", verified=True)
P = ParamSpec("P")
SECONDS = 30.0
"""More than any test takes; it only ends one that hangs."""


def in_event_loop(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run a test in a loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


class ScriptedSlotWork(SlotWork):
    """Drivers that live until a test ends them."""

    def __init__(self, engine: LogEngine) -> None:
        self.engine = engine
        self.launched: asyncio.Queue[Claim] = asyncio.Queue()
        self.ends: dict[Ticket, asyncio.Future[int]] = {}
        self.alive: set[int] = set()
        self.ended: list[Lease] = []
        self.unprepared: list[Exception] = []
        """What goes wrong with the next workspaces."""
        self.left: list[str] = []
        """Processes that cannot be ended."""
        self.on_end: Callable[[], None] = lambda: None
        """What happens when a driver is told to end."""
        self.facts = OrphanFacts(is_broken_off=True)
        """What is seen of an earlier attempt."""
        self.fresh: list[bool] = []
        """Whether each workspace had to be a new one."""
        self.sessions: list[str] = []
        """The session that each driver was to go on with."""

    async def end_attempt(self, lease: Lease, run: str) -> str:
        if self.left:
            raise ProcessesLeftError(", ".join(self.left))
        self.on_end()
        self.ended.append(lease)
        self.alive.discard(lease.pid)
        return "its processes are gone"

    async def judge(self, claim: Claim, slot: int) -> OrphanDecision:
        return decide(self.facts)

    async def conclude(self, claim: Claim) -> AttemptResult:
        return DONE

    async def prepare(self, claim: Claim, slot: int, *, fresh: bool = False) -> TaskWorkspace:
        self.fresh.append(fresh)
        if self.unprepared:
            raise self.unprepared.pop(0)
        return TaskWorkspace(f"/w/{claim.ticket.task}", f"handrail/{claim.ticket.task}", "base")

    async def launch(
        self, claim: Claim, workspace: TaskWorkspace, slot: int, session: str = ""
    ) -> Awaitable[int]:
        ticket, pid = claim.ticket, 500 + slot
        self.sessions.append(session)
        self.alive.add(pid)
        self.engine.note(DriverStarted(1.0, ticket.task, ticket.attempt, "run", pid))
        end = self.ends[ticket] = asyncio.get_running_loop().create_future()
        self.launched.put_nowait(claim)
        return end

    def is_alive(self, lease: Lease) -> bool:
        return lease.pid in self.alive

    async def next(self) -> Claim:
        """Wait for the next driver."""
        return await asyncio.wait_for(self.launched.get(), SECONDS)

    def finish(self, claim: Claim, result: AttemptResult = DONE) -> None:
        """Let a driver hand in its result and end."""
        self.engine.finish(claim.ticket, result)
        self.ends[claim.ticket].set_result(0)


class ScheduledFleet:
    """One engine, and schedulers that come and go."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.engine = LogEngine(
            MemoryStore(), "f", FleetState(), RULES, clock=self.time, lease_time=self.time
        )
        self.work = ScriptedSlotWork(self.engine)
        self.told: list[LimitReport] = []

    def time(self) -> float:
        return self.now

    def submit(self, *names: str) -> None:
        self.engine.submit([Task(id=name, prompt=f"do {name}") for name in names])

    def task(self, name: str) -> TaskState:
        return self.engine.state().tasks[name]

    async def audited(self, name: str) -> None:
        """Wait for the first entry in the audit log of a task."""
        async with asyncio.timeout(SECONDS):
            while not self.task(name).audit:
                await asyncio.sleep(0)

    def scheduler(
        self,
        name: str = "one",
        *,
        slots: int = 2,
        limits: Callable[[FleetState], LimitReport] | None = None,
        merge: Callable[[TaskState], Awaitable[None]] | None = None,
    ) -> Scheduler:
        return Scheduler(
            self.engine,
            Worker(owner=name, host="here", pid=1),
            self.work,
            SchedulerOptions(slots=slots, lease_seconds=60, look_seconds=0.01),
            limits=limits or FleetLimits(Fleet(), ()).check,
            on_limit=self.told.append,
            merge=merge,
            clock=self.time,
        )


@pytest.fixture
def fleet() -> ScheduledFleet:
    return ScheduledFleet()


@asynccontextmanager
async def at_work(scheduler: Scheduler) -> AsyncIterator["asyncio.Task[FleetState]"]:
    """A scheduler that works; at the end it goes away, as one that is killed."""
    working = asyncio.create_task(scheduler.run())
    try:
        yield working
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def over(working: "asyncio.Task[FleetState]") -> FleetState:
    return await asyncio.wait_for(working, SECONDS)


@in_event_loop
async def test_it_fills_its_slots_and_ends_when_nothing_is_left(fleet: ScheduledFleet) -> None:
    fleet.submit("a", "b", "c")
    async with at_work(fleet.scheduler(slots=2)) as working:
        first, second = await fleet.work.next(), await fleet.work.next()
        assert {first.ticket.task, second.ticket.task} == {"a", "b"}
        assert fleet.task("c").status is TaskStatus.PENDING, "both slots are taken"
        fleet.work.finish(first)
        third = await fleet.work.next()
        fleet.work.finish(second)
        fleet.work.finish(third)
        state = await over(working)
    assert {each.status for each in state.tasks.values()} == {TaskStatus.DONE}


@in_event_loop
async def test_the_next_scheduler_adopts_drivers_that_live(fleet: ScheduledFleet) -> None:
    fleet.submit("a")
    async with at_work(fleet.scheduler("one")):
        claim = await fleet.work.next()
    async with at_work(fleet.scheduler("two")) as working:
        fleet.work.finish(claim)
        await over(working)
    assert fleet.task("a").attempt == 1
    assert not fleet.work.ended


@in_event_loop
async def test_the_next_scheduler_gives_back_tasks_whose_driver_died(fleet: ScheduledFleet) -> None:
    fleet.submit("a")
    async with at_work(fleet.scheduler("one")):
        await fleet.work.next()
    fleet.work.alive.clear()
    async with at_work(fleet.scheduler("two")) as working:
        again = await fleet.work.next()
        assert again.ticket == Ticket("a", 2)
        fleet.work.finish(again)
        await over(working)
    assert [each.kind for each in fleet.task("a").audit] == ["crash", "recovery"]


@in_event_loop
async def test_a_driver_that_ends_without_a_result_gives_its_task_back(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a")
    async with at_work(fleet.scheduler()) as working:
        claim = await fleet.work.next()
        fleet.work.ends[claim.ticket].set_result(9)
        again = await fleet.work.next()
        fleet.work.finish(again)
        state = await over(working)
    assert state.tasks["a"].attempt == 2
    assert "exit code 9" in state.tasks["a"].audit[0].says


@in_event_loop
async def test_a_driver_that_was_not_heard_of_is_ended_before_the_next_starts(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a")
    async with at_work(fleet.scheduler("one")) as working:
        claim = await fleet.work.next()
        fleet.now += RULES.lease_seconds + 1
        again = await fleet.work.next()
        assert again.ticket == Ticket("a", 2)
        assert [each.attempt for each in fleet.work.ended] == [claim.ticket.attempt]
        fleet.work.finish(again)
        await over(working)


@in_event_loop
async def test_a_closed_scheduler_starts_nothing_and_leaves_what_runs(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a", "b")
    scheduler = fleet.scheduler(slots=1)
    async with at_work(scheduler) as working:
        claim = await fleet.work.next()
        scheduler.close()
        state = await over(working)
    assert state.tasks["a"].status is TaskStatus.ACTIVE
    assert fleet.task("b").attempt == 0
    assert not fleet.work.ends[claim.ticket].done()


@in_event_loop
async def test_a_stopped_fleet_keeps_its_tasks_and_counts_no_try(fleet: ScheduledFleet) -> None:
    fleet.submit("a")
    scheduler = fleet.scheduler()
    async with at_work(scheduler):
        await fleet.work.next()
    state = await scheduler.stop_agents("handrail run was ended")
    task = state.tasks["a"]
    assert (task.status, task.tries, task.held) == (TaskStatus.PENDING, 0, False)
    assert [(each.kind, each.says) for each in task.audit] == [
        ("signal", "handrail run was ended: its processes are gone")
    ]


@in_event_loop
async def test_a_driver_that_ends_because_the_fleet_is_stopped_has_not_crashed(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a")
    scheduler = fleet.scheduler()
    async with at_work(scheduler):
        claim = await fleet.work.next()
        end = fleet.work.ends[claim.ticket]
        fleet.work.on_end = lambda: end.set_result(3)
        state = await scheduler.stop_agents("handrail run was ended")
    task = state.tasks["a"]
    assert (task.status, task.tries) == (TaskStatus.PENDING, 0)
    assert [each.kind for each in fleet.task("a").audit] == ["signal"]


@in_event_loop
async def test_a_task_whose_processes_cannot_be_ended_waits_for_a_person(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a")
    scheduler = fleet.scheduler()
    async with at_work(scheduler):
        await fleet.work.next()
    fleet.work.left = ["77 sleep"]
    state = await scheduler.stop_agents("handrail run was ended")
    assert state.tasks["a"].status is TaskStatus.BLOCKED
    assert "77 sleep" in state.tasks["a"].says


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (NoCommitsError("/shop"), TaskStatus.DONE),
        (DependencyConflictError(Task(id="a", prompt="", depends_on=("x",)), ["f"]),
         TaskStatus.BLOCKED),
    ],
)  # fmt: skip
@in_event_loop
async def test_a_workspace_that_cannot_be_made_is_tried_again_unless_a_person_has_to_help(
    fleet: ScheduledFleet, problem: Exception, status: TaskStatus
) -> None:
    fleet.submit("a")
    fleet.work.unprepared = [problem]
    async with at_work(fleet.scheduler()) as working:
        if status is TaskStatus.DONE:
            fleet.work.finish(await fleet.work.next())
        state = await over(working)
    assert state.tasks["a"].status is status


@in_event_loop
async def test_a_spent_budget_ends_the_agents_and_the_run(fleet: ScheduledFleet) -> None:
    fleet.submit("a", "b")
    limits = FleetLimits(Fleet(budget_usd=1.0), ())
    async with at_work(fleet.scheduler(slots=1, limits=limits.check)) as working:
        claim = await fleet.work.next()
        entry = TaskAudited(1.0, "a", claim.ticket.attempt, "iteration", cost_usd=1.25)
        fleet.engine.note(entry)
        state = await over(working)
    assert {each.status for each in state.tasks.values()} == {TaskStatus.PENDING}
    assert [lease.attempt for lease in fleet.work.ended] == [1]
    (told,) = fleet.told
    assert told.level is LimitLevel.STOP
    assert "$1.25 of $1.00 spent" in told.says


@in_event_loop
async def test_a_short_disk_starts_no_new_task_until_there_is_space_again(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a")
    reports = [LimitReport(LimitLevel.PAUSE, "400 MB are free"), LimitReport(LimitLevel.OK)]
    looks = 0

    def look(_state: FleetState) -> LimitReport:
        nonlocal looks
        looks += 1
        assert fleet.work.launched.empty() or looks > 5
        return reports[looks > 5]

    async with at_work(fleet.scheduler(limits=look)) as working:
        fleet.work.finish(await fleet.work.next())
        await over(working)
    assert looks > 5
    assert fleet.told == reports


@in_event_loop
async def test_done_tasks_are_merged_one_after_the_other_before_it_ends(
    fleet: ScheduledFleet,
) -> None:
    fleet.submit("a", "b")
    merged: list[str] = []

    async def merge(task: TaskState) -> None:
        await asyncio.sleep(0)
        merged.append(task.task.id)
        fleet.engine.record(MergeChanged(1.0, task.task.id, "merged", "main"))

    async with at_work(fleet.scheduler(slots=1, merge=merge)) as working:
        fleet.work.finish(await fleet.work.next())
        fleet.now += 1
        fleet.work.finish(await fleet.work.next())
        await over(working)
    assert merged == ["a", "b"]


@in_event_loop
async def test_a_merge_that_fails_is_tried_once_and_stops_nobody(fleet: ScheduledFleet) -> None:
    fleet.submit("a")
    tried: list[str] = []

    async def merge(task: TaskState) -> None:
        tried.append(task.task.id)
        raise NoCommitsError("/shop")

    async with at_work(fleet.scheduler(merge=merge)) as working:
        fleet.work.finish(await fleet.work.next())
        await over(working)
    assert tried == ["a"]
