"""What becomes of attempts whose process died, hung or was too slow, one race at a time."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from handrail.fleet.engine import events
from handrail.fleet.engine.engine import Claim, FleetEngine, StaleAttemptError, Ticket
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, TaskWorkspace
from handrail.fleet.engine.lease_times import PRESENCE_SECONDS
from handrail.fleet.recovery.orphans import OrphanFacts, decide
from handrail.fleet.tasks.task import Task, TaskStatus
from tests.fleet.conftest import RULES, Restart, SteppedClock, worker
from tests.fleet.test_scheduler import (
    DONE,
    ScheduledFleet,
    ScriptedSlotWork,
    at_work,
    in_event_loop,
    over,
)

PAST = RULES.lease_seconds + 1
FAILED = AttemptResult(outcome=AttemptOutcome.FAILED, says="no")


@pytest.fixture
def fleet() -> ScheduledFleet:
    return ScheduledFleet()


def submit(engine: FleetEngine, *names: str) -> None:
    engine.submit([Task(id=name, prompt=f"do {name}") for name in names])


def take(engine: FleetEngine, slot: int, owner: str = "one") -> Claim:
    claim = engine.claim(worker(owner), slot)
    assert claim is not None
    return claim


def drive(engine: FleetEngine, claim: Claim, pid: int) -> None:
    ticket = claim.ticket
    engine.note(events.DriverStarted(1.0, ticket.task, ticket.attempt, f"run-{pid}", pid))


# The engine


def test_a_claim_given_again_still_names_the_attempt_that_may_live(
    engine: FleetEngine, clock: SteppedClock, restart: Restart
) -> None:
    submit(engine, "a")
    drive(engine, take(engine, 1), pid=555)
    clock.now += PAST
    first = take(engine, 1, "two")
    assert first.expired is not None
    again = restart().claim(worker("two"), 1)  # the daemon died before it could answer
    assert again is not None
    assert again.expired == first.expired
    assert again.expired.pid == 555


def test_an_attempt_that_may_live_is_named_until_another_driver_has_started(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    submit(engine, "a")
    drive(engine, take(engine, 1), pid=555)
    clock.now += PAST
    take(engine, 1, "two")
    clock.now += PAST  # it was killed before it could end the first one
    third = take(engine, 1, "three")
    assert third.expired is not None
    assert third.expired.pid == 555
    engine.give_back(third.ticket, "killed too", counts=False)
    fourth = take(engine, 1, "four")
    assert fourth.expired == third.expired
    drive(engine, fourth, pid=666)
    engine.give_back(fourth.ticket, "its driver ended")
    assert take(engine, 1).expired is None


def test_lost_tasks_go_first_and_stay_in_their_slots(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    submit(engine, "a", "b", "c")
    take(engine, 1)
    take(engine, 2)
    clock.now += PAST
    assert {name for name, each in engine.state().tasks.items() if each.overdue} == {"a", "b"}
    assert take(engine, 2, "two").ticket == Ticket("b", 2)
    assert take(engine, 1, "two").ticket == Ticket("a", 2)
    assert not any(each.overdue for each in engine.state().tasks.values())


def test_a_slot_whose_attempt_was_heard_of_again_is_not_given_away(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    submit(engine, "a", "b")
    first = take(engine, 1)
    drive(engine, first, pid=555)
    clock.now += PAST
    assert engine.state().tasks["a"].overdue
    engine.renew(first.ticket)  # between the look of a scheduler and its claim
    assert engine.claim(worker("two"), 1) is None
    assert take(engine, 2, "two").ticket.task == "b"


def test_a_task_whose_driver_crashes_again_and_again_is_blocked(engine: FleetEngine) -> None:
    submit(engine, "a")
    engine.give_back(take(engine, 1).ticket, "its driver ended with exit code -11")
    engine.give_back(take(engine, 1).ticket, "stopped by a person", counts=False)
    engine.give_back(take(engine, 1).ticket, "its driver ended with exit code -11")
    task = engine.state().tasks["a"]
    assert task.status is TaskStatus.BLOCKED
    assert task.says == "2 attempts were lost; the last one: its driver ended with exit code -11"


def test_an_engine_that_was_stopped_takes_nothing_from_those_who_worked_on(
    restart: Restart, clock: SteppedClock
) -> None:
    engine = restart()
    submit(engine, "a")
    ticket = take(engine, 1).ticket
    engine.note_presence()
    clock.now += 10 * RULES.lease_seconds
    assert engine.claim(worker("other"), 2) is None, "it does not know yet that it was away"
    engine.note_presence()
    assert engine.claim(worker("other"), 2) is None
    clock.now += RULES.lease_seconds
    engine.note_presence()
    assert engine.renew(ticket) == "held"


def test_an_engine_that_is_there_lets_leases_end_even_if_nobody_calls(
    restart: Restart, clock: SteppedClock
) -> None:
    engine = restart()
    submit(engine, "a")
    take(engine, 1)
    for _ in range(int(RULES.lease_seconds) + 2):
        engine.note_presence()
        clock.now += PRESENCE_SECONDS
    assert engine.claim(worker("other"), 2) is not None


@pytest.mark.parametrize(
    ("end", "goes_on"),
    [
        (lambda engine, ticket: engine.give_back(ticket, "its driver ended with code -9"), True),
        (lambda engine, ticket: engine.give_back(ticket, "the disk", counts=False), True),
        (lambda engine, ticket: engine.give_back(ticket, "redirected", by="ann"), False),
        (lambda engine, ticket: engine.give_back(ticket, "stopped", held=True), False),
        (lambda engine, ticket: engine.finish(ticket, FAILED), False),
        (lambda engine, ticket: rolled_back(engine), False),
    ],
    ids=["crash", "limit", "redirect", "stop", "result", "rollback"],
)
def test_only_a_run_that_ended_by_accident_is_there_for_the_next_attempt(
    engine: FleetEngine, end: Callable[[FleetEngine, Ticket], None], goes_on: bool
) -> None:
    submit(engine, "a")
    claim = take(engine, 1)
    drive(engine, claim, pid=555)
    end(engine, claim.ticket)
    if engine.state().tasks["a"].held:
        engine.record(events.TaskReleased(2.0, "a", "ann"))
    again = take(engine, 1)
    assert again.state.open_run == ("run-555" if goes_on else "")


def test_a_run_is_there_for_the_next_attempt_after_its_lease_was_over(
    engine: FleetEngine, clock: SteppedClock
) -> None:
    submit(engine, "a")
    drive(engine, take(engine, 1), pid=555)
    clock.now += PAST
    assert take(engine, 1, "two").state.open_run == "run-555"


def test_a_run_is_not_there_for_an_attempt_in_another_workspace(engine: FleetEngine) -> None:
    submit(engine, "a")
    claim = take(engine, 1)
    here, there = (TaskWorkspace(path, "handrail/a", "base") for path in ("/w/a", "/w/a-2"))
    engine.note(events.WorkspaceReady(1.0, "a", 1, here))
    drive(engine, claim, pid=555)
    engine.give_back(claim.ticket, "its driver ended with code -9")
    again = take(engine, 1)
    engine.note(events.WorkspaceReady(2.0, "a", 2, here))
    assert engine.state().tasks["a"].open_run == "run-555"
    engine.note(events.WorkspaceReady(3.0, "a", again.ticket.attempt, there))
    assert engine.state().tasks["a"].open_run == ""


def rolled_back(engine: FleetEngine) -> None:
    tasks = {name: msgspec.to_builtins(each) for name, each in engine.state().tasks.items()}
    engine.record(events.FleetRolledBack(2.0, "before", "r1", tasks))


# The scheduler


@pytest.mark.parametrize(
    ("facts", "session", "fresh"),
    [
        (OrphanFacts(is_broken_off=True, has_session=True), "run", False),
        (OrphanFacts(is_broken_off=True), "", False),
        (OrphanFacts(is_broken_off=True, has_session=True, lacks=("abc",)), "", True),
    ],
    ids=["resume", "requeue", "stale base"],
)
@in_event_loop
async def test_the_next_attempt_goes_on_as_was_decided(
    fleet: ScheduledFleet, facts: OrphanFacts, session: str, fresh: bool
) -> None:
    fleet.submit("a")
    fleet.work.facts = facts
    async with at_work(fleet.scheduler(slots=1)) as working:
        fleet.work.ends[(await fleet.work.next()).ticket].set_result(-9)
        fleet.work.finish(await fleet.work.next())
        await over(working)
    assert fleet.work.sessions == ["", session]
    assert fleet.work.fresh == [False, fresh]
    assert fleet.task("a").audit[-1].says == decide(facts).says


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        (OrphanFacts(is_broken_off=True, said_done=True), TaskStatus.DONE),
        (OrphanFacts(lacks=("abc",), has_work=True), TaskStatus.BLOCKED),
    ],
    ids=["close", "park"],
)
@in_event_loop
async def test_a_task_that_is_done_or_needs_a_person_gets_no_agent(
    fleet: ScheduledFleet, facts: OrphanFacts, status: TaskStatus
) -> None:
    fleet.submit("a")
    fleet.work.facts = facts
    async with at_work(fleet.scheduler(slots=1)) as working:
        fleet.work.ends[(await fleet.work.next()).ticket].set_result(-9)
        await over(working)
    task = fleet.task("a")
    assert (task.status, task.attempt, len(fleet.work.sessions)) == (status, 2, 1)


@in_event_loop
async def test_a_driver_that_outlived_its_scheduler_is_adopted_once(fleet: ScheduledFleet) -> None:
    fleet.submit("a")
    async with at_work(fleet.scheduler("one")):
        claim = await fleet.work.next()
    async with at_work(fleet.scheduler("two")) as working:
        await fleet.audited("a")
        fleet.work.finish(claim)
        await over(working)
    [entry] = fleet.task("a").audit
    assert (entry.kind, entry.says) == (
        "recovery",
        "adopt (alive): Its driver, process 501, is alive. It goes on.",
    )


@in_event_loop
async def test_a_hung_driver_is_replaced_even_if_all_slots_are_taken(fleet: ScheduledFleet) -> None:
    fleet.submit("a", "b")
    async with at_work(fleet.scheduler(slots=1)) as working:
        await fleet.work.next()
        fleet.now += PAST
        again = await fleet.work.next()
        assert again.ticket == Ticket("a", 2), "the lost one goes before the waiting one"
        assert [each.attempt for each in fleet.work.ended] == [1]
        fleet.work.finish(again)
        fleet.work.finish(await fleet.work.next())
        await over(working)


class SlowDrivers(ScriptedSlotWork):
    """Drivers that take over their lease when a test lets them."""

    async def launch(
        self, claim: Claim, workspace: TaskWorkspace, slot: int, session: str = ""
    ) -> Awaitable[int]:
        end = self.ends[claim.ticket] = asyncio.get_running_loop().create_future()
        self.launched.put_nowait(claim)
        return end

    def take_over(self, claim: Claim) -> None:
        """Let a driver hold its lease."""
        self.alive.add(500)
        drive(self.engine, claim, pid=500)


@in_event_loop
async def test_a_driver_may_start_slower_than_a_lease(fleet: ScheduledFleet) -> None:
    fleet.work = work = SlowDrivers(fleet.engine)
    fleet.submit("a")
    renewed = asyncio.Event()
    loop = asyncio.get_running_loop()
    renew = fleet.engine.renew

    def note(ticket: Ticket) -> str:
        loop.call_soon_threadsafe(renewed.set)
        return renew(ticket)

    fleet.engine.renew = note  # type: ignore[method-assign,assignment]
    async with at_work(fleet.scheduler(slots=1)) as working:
        claim = await work.next()
        await asyncio.wait_for(renewed.wait(), 30)
        work.take_over(claim)
        work.finish(claim)
        await over(working)
    assert fleet.task("a").attempt == 1


@in_event_loop
async def test_processes_that_outlive_their_driver_block_the_task(fleet: ScheduledFleet) -> None:
    fleet.submit("a")
    async with at_work(fleet.scheduler()) as working:
        claim = await fleet.work.next()
        fleet.work.left = ["77 agent"]
        fleet.work.ends[claim.ticket].set_result(-9)
        state = await over(working)
    assert state.tasks["a"].status is TaskStatus.BLOCKED
    assert "77 agent" in state.tasks["a"].says


class UnendingPreparation(ScriptedSlotWork):
    """The first workspace is never ready."""

    cancelled = False

    async def prepare(self, claim: Claim, slot: int, *, fresh: bool = False) -> TaskWorkspace:
        if claim.ticket.attempt > 1:
            return await super().prepare(claim, slot)
        try:
            self.launched.put_nowait(claim)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        raise AssertionError("unreachable")


@in_event_loop
async def test_a_start_that_lost_its_lease_is_broken_off_before_the_next_one(
    fleet: ScheduledFleet,
) -> None:
    fleet.work = work = UnendingPreparation(fleet.engine)
    fleet.submit("a")
    async with at_work(fleet.scheduler(slots=2)) as working:
        first = await work.next()
        fleet.now += PAST  # as if this process had been stopped
        again = await work.next()
        assert again.ticket == Ticket("a", 2)
        assert work.cancelled
        with pytest.raises(StaleAttemptError):
            fleet.engine.finish(first.ticket, DONE)
        work.finish(again)
        await over(working)


@in_event_loop
async def test_the_last_hung_driver_of_a_blocked_task_is_ended_too(fleet: ScheduledFleet) -> None:
    fleet.submit("a", "b")
    async with at_work(fleet.scheduler(slots=1)) as working:
        for _ in range(RULES.max_expiries):
            claim = await fleet.work.next()
            assert claim.ticket.task == "a"
            fleet.now += PAST
        other = await fleet.work.next()
        assert other.ticket.task == "b", "the slot is free again"
        fleet.work.finish(other)
        state = await over(working)
    task = state.tasks["a"]
    assert task.status is TaskStatus.BLOCKED
    assert [each.attempt for each in fleet.work.ended] == [1, 2, 3]
    assert [(each.kind, each.attempt) for each in fleet.task("a").audit][-1] == ("recovery", 3)
