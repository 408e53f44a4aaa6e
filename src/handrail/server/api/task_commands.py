"""What a person decides about one task."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import msgspec

from handrail.api.messages.fleets import TaskCommandRequest
from handrail.control import message as wire
from handrail.control.client import make_request
from handrail.control.message import Result
from handrail.fleet.answers import PlannedAnswer
from handrail.fleet.engine import events
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.merges.merge_order import merge_together, unmerged_needs
from handrail.fleet.merges.task_merges import TaskMerges
from handrail.fleet.tasks.task_entry import task_of_entry
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.model.control import ControlCommand
from handrail.server.api.problems import ProblemError
from handrail.server.control.endpoint import ControlEndpoint
from handrail.server.fleet.attempt_end import end_agent
from handrail.server.fleet.fleet_access import ReachedFleet
from handrail.server.fleet.merge_jobs import MergeJobs
from handrail.server.fleet.places import open_merging
from handrail.server.fleet.slot_work import LocalSlotWork
from handrail.server.home import Home
from handrail.words.task_decisions import why_not_decide

_LONGEST_TEXT = 10_000
"""Characters of a reason or a message."""


class DecisionOrder(NamedTuple):
    """A command about a task, and who gave it."""

    fleet: ReachedFleet
    task: TaskState
    """As it was when the order came."""
    wanted: TaskCommandRequest
    by: str

    @property
    def id(self) -> str:
        """Return the id of the task."""
        return self.task.task.id


class OrderEnd(NamedTuple):
    """What an order came to."""

    says: str
    ok: bool = True
    request: str = ""
    """The control request that carries it on."""


class TaskCommands:
    """Carries out the commands about tasks, as the command line does."""

    def __init__(
        self,
        control: ControlEndpoint,
        merges: MergeJobs,
        home: Home,
        environ: Mapping[str, str],
        clock: Callable[[], float],
    ) -> None:
        self._control = control
        self._merges = merges
        self._home = home
        self._environ = environ
        self._clock = clock

    async def carry_out(self, order: DecisionOrder) -> OrderEnd:
        """Carry out an order. Raises ProblemError and FleetError."""
        command = order.wanted.command
        if max(len(order.wanted.reason), len(order.wanted.message)) > _LONGEST_TEXT:
            says = f"A reason or message may have {_LONGEST_TEXT:,} characters."
            raise ProblemError(400, "Too long", says)
        if why := why_not_decide(command, order.task):
            raise ProblemError(409, "Not possible now", why)
        return await _COMMANDS[command](self, order)

    async def answer(self, fleet: ReachedFleet, planned: PlannedAnswer, by: str) -> OrderEnd:
        """Record an answer. Raises ProblemError and FleetError."""
        if len(planned.text) > _LONGEST_TEXT:
            raise ProblemError(400, "Too long", f"An answer may have {_LONGEST_TEXT:,} characters.")
        for event in planned.events(self._clock(), by):
            await asyncio.to_thread(fleet.engine.record, event)
        says = f"question {planned.number} is answered"
        released = f"; {planned.task.task.id} may be tried again" if planned.releases else ""
        return OrderEnd(says + released)

    async def _release(self, order: DecisionOrder) -> OrderEnd:
        released = events.TaskReleased(self._clock(), order.id, order.by, order.wanted.message)
        await asyncio.to_thread(order.fleet.engine.record, released)
        return OrderEnd(f"{order.id} may be tried again")

    async def _block(self, order: DecisionOrder) -> OrderEnd:
        says = order.wanted.reason or f"blocked by {order.by}"
        blocked = events.TaskBlocked(self._clock(), order.id, says, order.by)
        await asyncio.to_thread(order.fleet.engine.record, blocked)
        return await self._end_agent(order, "blocked")

    async def _cancel(self, order: DecisionOrder) -> OrderEnd:
        says = order.wanted.reason or f"cancelled by {order.by}"
        await asyncio.to_thread(order.fleet.engine.cancel, order.id, order.by, says)
        return await self._end_agent(order, "cancelled")

    async def _end_agent(self, order: DecisionOrder, did: str) -> OrderEnd:
        fleet, machine = order.fleet, await asyncio.to_thread(this_machine)
        work = LocalSlotWork(
            self._home, fleet.repository, fleet.workspaces, fleet.settings, machine, self._environ
        )
        end = await end_agent(work, machine, order.task)
        return OrderEnd(f"{order.id} is {did}; {end.says}", end.is_gone)

    async def _prefer(self, order: DecisionOrder) -> OrderEnd:
        says = order.wanted.reason
        preferred = events.TaskPreferred(self._clock(), order.id, order.by, says)
        await asyncio.to_thread(order.fleet.engine.record, preferred)
        return OrderEnd(f"the next free slot takes {order.id}")

    async def _change_priority(self, order: DecisionOrder) -> OrderEnd:
        def change() -> None:
            engine = order.fleet.engine
            # As it is now: somebody may have edited it since the order came.
            written = msgspec.to_builtins(engine.copy_of(order.id).task)
            written["priority"] = order.wanted.priority
            engine.submit([task_of_entry(written, engine.overview().tasks)], order.by)

        await asyncio.to_thread(change)
        return OrderEnd(f"{order.id} has priority {order.wanted.priority}")

    async def _redirect(self, order: DecisionOrder) -> OrderEnd:
        wanted = order.wanted
        if not wanted.to:
            raise ProblemError(400, "Which task?", "`to` names the task that the slot takes.")
        request = make_request(
            ControlCommand.REASSIGN,
            order.task.run,
            by=order.by,
            reason=wanted.reason,
            text=wanted.to,
            choice=wanted.workspace,
            at=self._clock(),
        )
        last = (await self._control.submit(wire.encode(request), 0.0))[-1]
        if isinstance(last, Result) and not last.ok:
            status = 400 if last.code == "bad_request" else 409
            raise ProblemError(status, "Not possible now", last.says)
        says = f"the agent of {order.id} ends, and its slot goes on with {wanted.to}"
        return OrderEnd(says, request=request.request_id)

    async def _merge(self, order: DecisionOrder) -> OrderEnd:
        state = await asyncio.to_thread(order.fleet.engine.overview)
        if others := unmerged_needs(state, order.task):
            raise ProblemError(
                409, "Not possible now", merge_together(order.id, others, [order.id])
            )
        name = order.fleet.name
        if not self._merges.begin(name, order.id, lambda: self._merge_now(order)):
            return OrderEnd(f"{order.id} is being merged already")
        return OrderEnd(f"{order.id} is being merged and verified; the task tells the result")

    async def _merge_now(self, order: DecisionOrder) -> None:
        """Merge a task; whatever comes of it stands in its history."""
        fleet, wanted = order.fleet, order.wanted

        def record(event: events.FleetEvent) -> None:
            self._merges.tell(fleet.name, order.id)
            fleet.engine.record(event)

        try:
            merging = await asyncio.to_thread(
                open_merging, self._home, fleet.repository, self._environ
            )
            merges = TaskMerges(
                record,
                merging,
                fleet.workspaces,
                fleet.settings,
                clock=self._clock,
                environ=self._environ,
            )
            target = wanted.to or await asyncio.to_thread(merges.target)
            if wanted.resolve:
                await merges.merge_or_give_back(order.task, target, order.by, keep=wanted.keep)
            else:
                await merges.merge(order.task, target, keep=wanted.keep)
        except (FleetError, WorkspaceError, OSError) as error:
            says = f"it was not merged: {error}"
            at, attempt = self._clock(), order.task.attempt
            told = events.TaskAudited(at, order.id, attempt, "merge", says)
            await asyncio.to_thread(record, told)


_COMMANDS: dict[str, Callable[[TaskCommands, DecisionOrder], Awaitable[OrderEnd]]] = {
    "retry": TaskCommands._release,
    "again": TaskCommands._release,
    "block": TaskCommands._block,
    "cancel": TaskCommands._cancel,
    "prefer": TaskCommands._prefer,
    "priority": TaskCommands._change_priority,
    "redirect": TaskCommands._redirect,
    "merge": TaskCommands._merge,
}
