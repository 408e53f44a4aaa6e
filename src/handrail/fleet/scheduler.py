"""Give tasks to slots: claim, prepare a workspace, start a driver, and notice its end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import time
from typing import TypeVar

import msgspec

from handrail.drive.background_task import background_task
from handrail.fleet.engine.engine import Claim, FleetEngine, StaleAttemptError, Ticket, Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    Lease,
    TaskAudited,
    WorkspaceReady,
)
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.fleet_limits import NO_LIMIT, LimitLevel, LimitReport
from handrail.fleet.recovery.orphans import (
    FIRST,
    OrphanAction,
    OrphanDecision,
    OrphanFacts,
    decide,
)
from handrail.fleet.slot_work_port import ProcessesLeftError, SlotWork
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.workspaces.starting_point import DependencyConflictError
from handrail.fleet.workspaces.workspace_errors import WorkspaceError

_log = logging.getLogger(__name__)

T = TypeVar("T")

_ENDINGS = frozenset({OrphanAction.CLOSE, OrphanAction.PARK})
"""Decisions after which no agent starts."""
LOOK_SECONDS = 1.0
"""Seconds between two looks at the fleet, unless something wakes the scheduler."""
START_SECONDS = 60.0
"""Seconds for a driver to take over the lease; until then the scheduler renews it."""
_RENEWALS = 4
"""Renewals in the time of a lease."""


class SchedulerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a scheduler."""

    slots: int = 3
    lease_seconds: float = 60.0
    look_seconds: float = LOOK_SECONDS


class Scheduler:
    """Fills the slots of one fleet until nothing is left to do.

    It holds no state of its own: what it started goes on without it, and the next scheduler finds
    it in the engine.
    """

    def __init__(
        self,
        engine: FleetEngine,
        worker: Worker,
        work: SlotWork,
        options: SchedulerOptions,
        *,
        on_change: Callable[[FleetState], None] = lambda state: None,
        limits: Callable[[FleetState], LimitReport] = lambda state: NO_LIMIT,
        on_limit: Callable[[LimitReport], None] = lambda report: None,
        merge: Callable[[TaskState], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        """`on_change`: gets the state at every look. `limits`: says whether the fleet may go on,
        and `on_limit` hears when that changes. `merge`: merges a task that is done; None: people
        do that.
        """
        self._engine = engine
        self._worker = worker
        self._work = work
        self._options = options
        self._on_change = on_change
        self._limits = limits
        self._on_limit = on_limit
        self._limit = NO_LIMIT
        self._merge = merge
        self._merging: asyncio.Future[None] | None = None
        self._merge_tried: set[tuple[str, int]] = set()
        """Tasks, with their attempts: each is merged once."""
        self._adopted: set[Ticket] = set()
        """Attempts of an earlier scheduler that were found at work."""
        self._clock = clock
        self._starting: dict[int, asyncio.Task[None]] = {}
        """The slots whose attempt has no driver yet."""
        self._awake = asyncio.Event()
        self.accepts = True
        """Whether it claims new tasks."""
        self._ends_all = False
        """Whether it is ending all agents: then the end of a driver is not a crash."""

    def close(self) -> None:
        """Claim nothing any more; what runs goes on."""
        self.accepts = False
        self._awake.set()

    async def run(self) -> FleetState:
        """Work until no task can be claimed, merged or is under way; return the last state.

        It ends early, without agents, when a limit of the fleet says so.
        """
        try:
            while True:
                self._awake.clear()
                state = await self._call(self._engine.overview)
                self._on_change(state)
                if state.given_up:
                    return await self._give_up(state)
                await self._check_limits(state)
                if self._limit.level is LimitLevel.STOP:
                    await self._cancel_own_work()
                    return await self.stop_agents(self._limit.says)
                await self._give_back_lost(state)
                await self._end_blocked(state)
                self._merge_next(state)
                if await self._fill(state):
                    continue
                if self._is_over(state):
                    return await self._call(self._engine.state)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._options.look_seconds):
                        await self._awake.wait()
        finally:
            await self._cancel_own_work()

    async def stop_agents(self, says: str) -> FleetState:
        """End all agents; their tasks are pending again and keep their workspaces."""
        self.close()
        self._ends_all = True
        state = await self._call(self._engine.overview)
        await asyncio.gather(*(self._stop(each, says) for each in state.active()))
        return await self._call(self._engine.state)

    async def _give_up(self, state: FleetState) -> FleetState:
        """Give back the tasks without a driver; the daemon stops the others."""
        await self._cancel_own_work()
        own = [each for each in state.active() if each.lease and each.lease.pid == self._worker.pid]
        await asyncio.gather(*(self._stop(each, "the fleet was given up") for each in own))
        return await self._call(self._engine.state)

    async def _stop(self, task: TaskState, says: str) -> None:
        if task.lease is None:
            return
        ticket = _ticket(task)
        try:
            ended = await self._work.end_attempt(task.lease, task.run)
        except ProcessesLeftError as error:
            await self._finish(
                ticket, AttemptResult(outcome=AttemptOutcome.BLOCKED, says=str(error))
            )
            return
        with suppress(StaleAttemptError):  # it came to its end meanwhile
            await self._audit(ticket, "signal", f"{says}: {ended}")
            await self._call(
                lambda: self._engine.give_back(ticket, f"{says}: {ended}", counts=False)
            )

    async def _cancel_own_work(self) -> None:
        own = [*self._starting.values(), *((self._merging,) if self._merging else ())]
        for each in own:
            each.cancel()
        await asyncio.gather(*own, return_exceptions=True)

    async def _check_limits(self, state: FleetState) -> None:
        found = await self._call(self._limits, state)
        if found.level != self._limit.level:
            self._on_limit(found)
        self._limit = found

    def _is_over(self, state: FleetState) -> bool:
        """Return whether nothing is left to do."""
        busy = bool(self._starting) or self._merging is not None
        return not busy and not (self.accepts and (state.active() or state.ready()))

    def _merge_next(self, state: FleetState) -> None:
        """Merge the next task that is done: in the order in which they came to it."""
        if self._merge is None or self._merging is not None or not self.accepts:
            return
        done = [
            each
            for name, each in state.tasks.items()
            if each.status is TaskStatus.DONE
            and each.merge is None
            and (name, each.attempt) not in self._merge_tried
        ]
        if done:
            first = min(done, key=lambda each: each.changed)
            self._merge_tried.add((first.task.id, first.attempt))
            self._merging = asyncio.ensure_future(self._merge(first))
            self._merging.add_done_callback(self._merged)

    def _merged(self, merging: "asyncio.Future[None]") -> None:
        self._merging = None
        self._awake.set()
        if not merging.cancelled() and (error := merging.exception()):
            _log.error("a merge failed: %s", error)

    async def _fill(self, state: FleetState) -> bool:
        """Claim a task for a free slot; return whether there was one."""
        may_start = self.accepts and self._limit.level < LimitLevel.PAUSE
        free = self._free_slot(state) if may_start else 0
        if not free:
            return False
        claim = await self._call(self._engine.claim, self._worker, free)
        if claim is None:
            return False
        await self._break_off(claim.ticket.task)
        starting = asyncio.create_task(self._start(claim, free), name=claim.ticket.task)
        self._starting[free] = starting
        starting.add_done_callback(lambda _: self._started(free))
        return True

    async def _break_off(self, task: str) -> None:
        """End the start of an attempt that lost its lease: this process was stopped meanwhile."""
        earlier = [each for each in self._starting.values() if each.get_name() == task]
        for each in earlier:
            each.cancel()
        await asyncio.gather(*earlier, return_exceptions=True)

    def _free_slot(self, state: FleetState) -> int:
        """Return the lowest slot that nobody works in, from 1; 0: there is none.

        An attempt that nothing was heard of holds no slot: it is the next to be claimed.
        """
        heard = (each.lease for each in state.active() if not each.overdue)
        used = {lease.slot for lease in heard if lease} | set(self._starting)
        return next((n for n in range(1, self._options.slots + 1) if n not in used), 0)

    def _started(self, slot: int) -> None:
        del self._starting[slot]
        self._awake.set()

    async def _start(self, claim: Claim, slot: int) -> None:
        """Bring an attempt to the point where its driver holds the lease."""
        ticket = claim.ticket
        try:
            async with background_task(self._renew(ticket)):
                if claim.expired is not None:
                    ended = await self._work.end_attempt(claim.expired, claim.state.run)
                    await self._audit(ticket, "recovery", ended)
                decision = await self._judge(claim, slot)
                if decision.action in _ENDINGS:
                    await self._finish(ticket, await self._conclude(claim, decision))
                    return
                end = await self._launch(claim, slot, decision)
        except (ProcessesLeftError, DependencyConflictError) as error:
            blocked = AttemptResult(outcome=AttemptOutcome.BLOCKED, says=str(error))
            await self._finish(ticket, blocked)
        except (WorkspaceError, OSError) as error:
            await self._fail(ticket, str(error))
        except StaleAttemptError as error:
            _log.info("%s", error)
        else:
            asyncio.create_task(self._watch(ticket, end))  # noqa: RUF006 - it ends with its driver

    async def _judge(self, claim: Claim, slot: int) -> OrphanDecision:
        """Decide how a task goes on after earlier attempts, and write down why."""
        if claim.ticket.attempt == 1:
            return FIRST
        decision = await self._work.judge(claim, slot)
        await self._audit(claim.ticket, "recovery", decision.says)
        return decision

    async def _conclude(self, claim: Claim, decision: OrphanDecision) -> AttemptResult:
        if decision.action is OrphanAction.CLOSE:
            return await self._work.conclude(claim)
        return AttemptResult(outcome=AttemptOutcome.BLOCKED, says=" ".join(decision.evidence))

    async def _launch(self, claim: Claim, slot: int, decision: OrphanDecision) -> Awaitable[int]:
        fresh = not decision.keeps_workspace
        workspace = await self._work.prepare(claim, slot, fresh=fresh)
        at, ticket = self._clock(), claim.ticket
        await self._call(
            self._engine.note, WorkspaceReady(at, ticket.task, ticket.attempt, workspace)
        )
        resumes = decision.action is OrphanAction.RESUME
        session = claim.state.open_run if resumes else ""
        return await self._work.launch(claim, workspace, slot, session)

    async def _watch(self, ticket: Ticket, end: Awaitable[int]) -> None:
        """Wait for the end of a driver; a task that it left without a result goes on at once."""
        renewing = asyncio.create_task(self._renew_until_taken(ticket))
        try:
            code = await end
        finally:
            renewing.cancel()
        if not self._ends_all:
            await self._give_back(ticket, f"its driver ended with exit code {code}")
        self._awake.set()

    async def _give_back_lost(self, state: FleetState) -> None:
        """Give back the tasks whose driver died while another scheduler, or none, looked."""
        starting = set(self._starting)
        for task in state.active():
            lease = task.lease
            if lease is None or lease.slot in starting or lease.owner == self._worker.owner:
                continue
            if self._work.is_alive(lease):
                await self._adopt(task, lease)
            else:
                await self._give_back(_ticket(task), f"process {lease.pid} is gone")

    async def _adopt(self, task: TaskState, lease: Lease) -> None:
        """Write down that the driver of another scheduler goes on."""
        ticket = _ticket(task)
        if ticket in self._adopted or not task.open_run:
            return
        self._adopted.add(ticket)
        with suppress(StaleAttemptError):  # it came to its end meanwhile
            await self._audit(ticket, "recovery", decide(OrphanFacts(driver=lease.pid)).says)

    async def _end_blocked(self, state: FleetState) -> None:
        """End the processes of tasks that were lost too often: nobody else will claim them."""
        for task in state.tasks.values():
            if task.status is not TaskStatus.BLOCKED or task.lost is None:
                continue
            if not self._work.is_alive(task.lost):
                continue
            try:
                says = await self._work.end_attempt(task.lost, task.run)
            except ProcessesLeftError as error:
                says = str(error)
            entry = TaskAudited(self._clock(), task.task.id, task.lost.attempt, "recovery", says)
            await self._call(self._engine.record, entry)

    async def _give_back(self, ticket: Ticket, says: str) -> None:
        """Give a task back unless its attempt is over."""
        state = await self._call(self._engine.overview)
        task = state.tasks.get(ticket.task)
        if task is None or task.attempt != ticket.attempt or task.status is not TaskStatus.ACTIVE:
            return
        with suppress(StaleAttemptError):
            await self._audit(ticket, "crash", says)
            try:
                if task.lease is not None:
                    await self._work.end_attempt(task.lease, task.run)
            except ProcessesLeftError as error:
                left = AttemptResult(outcome=AttemptOutcome.BLOCKED, says=str(error))
                await self._finish(ticket, left)
            else:
                await self._call(self._engine.give_back, ticket, says)

    async def _renew_until_taken(self, ticket: Ticket) -> None:
        """Renew the lease while a new driver starts; that may take longer than a lease."""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_SECONDS):
                while not await self._is_taken(ticket):
                    await self._call(self._engine.renew, ticket)
                    await asyncio.sleep(self._options.lease_seconds / _RENEWALS)

    async def _is_taken(self, ticket: Ticket) -> bool:
        """Return whether the driver of an attempt holds its lease, or the attempt is over."""
        task = (await self._call(self._engine.overview)).tasks[ticket.task]
        return task.lease is None or task.lease.pid != self._worker.pid

    async def _renew(self, ticket: Ticket) -> None:
        while True:
            await asyncio.sleep(self._options.lease_seconds / _RENEWALS)
            await self._call(self._engine.renew, ticket)

    async def _audit(self, ticket: Ticket, kind: str, says: str) -> None:
        entry = TaskAudited(self._clock(), ticket.task, ticket.attempt, kind, says)  # type: ignore[arg-type]
        await self._call(self._engine.note, entry)

    async def _fail(self, ticket: Ticket, says: str) -> None:
        await self._finish(ticket, AttemptResult(outcome=AttemptOutcome.FAILED, says=says))

    async def _finish(self, ticket: Ticket, result: AttemptResult) -> None:
        with suppress(StaleAttemptError):
            await self._call(self._engine.finish, ticket, result)

    async def _call(self, function: Callable[..., T], *args: object) -> T:
        return await asyncio.to_thread(function, *args)


def _ticket(task: TaskState) -> Ticket:
    return Ticket(task.task.id, task.attempt)
