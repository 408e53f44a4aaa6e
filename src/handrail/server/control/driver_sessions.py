"""Sessions of drivers: each asks for permission, takes orders, and reports."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.config import ConfigError
from handrail.control.command_actions import CommandOutcome, Finished
from handrail.control.loop_status import USER_CANCELLED, abort_entry, done_entry, state_entry
from handrail.drive.daemon_client import (
    DriverOrder,
    DriverReport,
    IterationPermission,
    LoopProgress,
    LoopStart,
)
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.model import event as events
from handrail.model.control import HOLDING, Standing
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from handrail.server.control.run_processes import driver_of
from handrail.server.http.json_response import json_response, once_written, read_json, wait_seconds
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.server.threads.wake_up import WakeUp, call_in_loop, wait_for_ring
from handrail.store.port import NewEntry, Receipt
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.decision.messages import said_to_agent
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

T = TypeVar("T")

_PRESENT = 10.0
"""Seconds since its last message for which a driver counts as present."""
_MAX_ORDERS = 1000
_MAX_DIGITS = 18
_OVER = frozenset({Standing.CANCELLING, Standing.CANCELLED, Standing.DONE})
"""The standings in which there is nothing left to drive."""
_STILL = frozenset({Standing.PAUSED, Standing.FROZEN})
"""The standings in which a person holds the run."""

_WAKING = (events.ControlAsked, events.ControlAnswered, events.ApprovalDecided)
_HANDRAIL = "Handrail"
_STALL = "stall"
_ITERATIONS = "iterations"
"""The symptom of a stall that a driver sees; the detector counts steps instead."""

_ASKED = "it waits for an approval"
_ORDER_SECONDS = 30.0
"""Seconds to wait for an answer to an order; then the driver counts as gone."""


class NoLoopError(EndpointError):
    """Handrail does not drive this run."""

    status = 404

    def __init__(self, run: str) -> None:
        super().__init__(f"run {run} is not driven by Handrail")


class AlreadyDrivenError(EndpointError):
    """Another driver drives this run."""

    status = 409

    def __init__(self, run: str, pid: int) -> None:
        super().__init__(f"run {run} is driven by process {pid}")


class UnusableSettingsError(EndpointError):
    """The settings of a pipeline cannot be used."""

    status = 400


class _DriverConnection:
    """The connection of one driver."""

    def __init__(self) -> None:
        self.orders: list[DriverOrder] = []
        self.bell = WakeUp()
        self.heard = monotonic()
        self.loop = asyncio.get_running_loop()


class DriverSessions:
    """The drivers of all runs.

    The event loop gives and takes orders; the supervision thread owns the runs.
    """

    def __init__(
        self, supervision: SupervisionThread, runs: RunRegistry, clock: Callable[[], float]
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._clock = clock
        self._lines: dict[str, _DriverConnection] = {}
        self._finished: dict[str, Finished] = {}
        """The listener for the outcome of each order, by request."""
        self._number = int(monotonic() * 1000)
        """The number of the last order, higher than any of an earlier daemon."""

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("POST", "/runs/{run}/loop", self.begin),
            EndpointRow("POST", "/runs/{run}/iterations", self.iterate),
            EndpointRow("GET", "/runs/{run}/orders", self.orders),
            EndpointRow("POST", "/runs/{run}/reports", self.report),
        )

    # In the event loop

    async def begin(self, request: Request) -> Response:
        """Register a loop, before its driver starts the agent."""
        run = _run(request)
        answer = await self._answer(request, LoopStart, self._begin)
        awaited = await self._supervision.call(lambda: set(self._driven(run).state.hand.asked))
        # Whoever drove it before has carried out the others, or nobody waits for them now.
        line = self._line(run)
        line.orders = [each for each in line.orders if each.request in awaited]
        return answer

    async def report(self, request: Request) -> Response:
        """Take a driver's report on its agent."""
        return await self._answer(request, DriverReport, self._take)

    async def iterate(self, request: Request) -> Response:
        """Let a driver go on, once the run is not held; `?iteration=N&wait=SECONDS&stuck=1`."""
        run, number = _run(request), _number(request, "iteration")
        stuck = request.query_params.get("stuck") == "1"
        until = monotonic() + wait_seconds(request)
        line = self._line(run)
        await request.body()  # what comes after it is that somebody leaves
        while True:
            ring = line.bell.next
            if await request.is_disconnected():  # what the agent is to be told would be lost
                return json_response({"error": "nobody waits for it"}, 400)
            go = await self._supervision.answer(lambda: self._go(run, number, stuck=stuck))
            left = until - monotonic()
            if go.standing not in HOLDING or left <= 0:
                return json_response(go)
            await wait_for_ring(ring, left)

    async def orders(self, request: Request) -> Response:
        """Give a driver its next orders, once there are any; `?after=N&held=H&wait=SECONDS`."""
        run, after = _run(request), _number(request, "after")
        known = request.query_params.get("held")
        until = monotonic() + wait_seconds(request)
        line = self._line(run)
        while True:
            line.heard = monotonic()
            ring = line.bell.next
            standing = await self._supervision.call(lambda: self._driven(run).state.hand.standing)
            over, held = standing in _OVER, standing in _STILL
            found = [each for each in line.orders if each.number > after]
            left = until - monotonic()
            news = known is not None and held != (known == "1")
            if found or over or news or left <= 0:
                return json_response({"orders": found, "over": over, "held": held})
            await wait_for_ring(ring, min(left, _PRESENT / 2))

    def give(self, run: str, order: DriverOrder, finished: Finished | None = None) -> None:
        """Give a driver an order."""
        line = self._line(run)
        if finished is not None:
            self._finished[order.request] = finished
            line.loop.call_later(_ORDER_SECONDS, self._finish, order.request, _LATE)
        self._number += 1
        line.orders.append(msgspec.structs.replace(order, number=self._number))
        del line.orders[:-_MAX_ORDERS]
        line.bell.ring()

    def wake(self, run: str) -> None:
        """Wake the drivers that wait for a change of a run."""
        if run in self._lines:
            self._lines[run].bell.ring()

    def on_event(self, supervisor: Supervisor, event: events.Event) -> None:
        """Wake the driver of a run whose standing changed; called in the supervision thread."""
        state = supervisor.state
        if state.loop is None:
            return
        if isinstance(event, _WAKING):
            self._in_loop(state.run, self.wake)
        elif isinstance(event, events.IncidentResolved) and not state.loop.ended:
            self._resolve(supervisor, event)

    def _resolve(self, supervisor: Supervisor, event: events.IncidentResolved) -> None:
        """Start the agent again, or end it for good, after a person resolved an emergency stop."""
        run, at = supervisor.state.run, self._clock()
        if supervisor.state.course.stopped:
            ended = events.LoopEnded(at, "abort", USER_CANCELLED, f"incident {event.incident}")
            supervisor.record(ended, lambda _: [abort_entry(run, USER_CANCELLED)])
            self._in_loop(run, self.wake)
        else:
            order = DriverOrder(number=0, order="start", request=event.incident)
            self._in_loop(run, lambda run: self.give(run, order))

    def _in_loop(self, run: str, function: Callable[[str], None]) -> None:
        line = self._lines.get(run)
        if line is not None:
            call_in_loop(line.loop, function, run)

    async def _answer(
        self, request: Request, kind: type[T], decide: Callable[[str, T], Ready[object]]
    ) -> Response:
        given = await read_json(request, kind)
        return json_response(await self._supervision.answer(lambda: decide(_run(request), given)))

    def _line(self, run: str) -> _DriverConnection:
        return self._lines.setdefault(run, _DriverConnection())

    # In the supervision thread

    def is_present(self, state: RunState) -> bool:
        """Return whether a driver drives a run now; callable from any thread."""
        if state.loop is None or state.loop.ended:
            return False
        if state.loop.driver > 0:
            return driver_of(state) is not None
        line = self._lines.get(state.run)
        return line is not None and monotonic() - line.heard < _PRESENT

    def _begin(self, run: str, loop: LoopStart) -> Ready[object]:
        supervisor = self._runs.get(run, loop.cwd)
        state = supervisor.state
        before = state.loop
        if self.is_present(state) and before is not None and before.driver != loop.driver:
            raise AlreadyDrivenError(run, before.driver)
        pipeline = loop.pipeline
        if pipeline is not None:
            try:
                supervisor.project = self._runs.projects.under_pipeline(loop.cwd, pipeline)
            except ConfigError as error:
                raise UnusableSettingsError(str(error)) from None
        event = events.LoopBegun(
            self._clock(),
            loop.goal,
            loop.max,
            loop.mode,
            model=loop.model,
            verify=loop.verify,
            driver=loop.driver,
            cwd=loop.cwd,
            driver_began=start_time_of_pid(loop.driver),
            max_minutes=loop.max_minutes,
            max_cost_usd=loop.max_cost_usd,
            max_tokens=loop.max_tokens,
            max_memory_mb=loop.max_memory_mb,
            adopts=loop.adopts,
            safety=dict(pipeline.settings) if pipeline else {},
            safety_file=pipeline.file if pipeline else "",
            group=loop.group,
            parent=loop.parent,
            issue=loop.issue,
        )
        receipt = self._record(supervisor, event)
        used = supervisor.state.loop
        begun = LoopProgress()
        if used is not None:
            names = LoopProgress.__struct_fields__
            begun = LoopProgress(**{name: getattr(used, name) for name in names})
        return once_written(begun, [receipt])

    def _go(self, run: str, iteration: int, *, stuck: bool = False) -> Ready[IterationPermission]:
        supervisor = self._driven(run)
        state = supervisor.state
        hand, loop = state.hand, state.loop
        if incident := state.course.stopped:
            stopped = IterationPermission(
                standing=Standing.STOPPED,
                by=_HANDRAIL,
                reason=f"incident {incident}",
                incident=incident,
            )
            return once_written(stopped, [])
        if loop is None or hand.standing != Standing.RUNNING:
            return once_written(
                IterationPermission(standing=hand.standing, by=hand.by, reason=hand.reason), []
            )
        if stuck and not loop.parent and self._waits_for_answer(supervisor):
            return once_written(
                IterationPermission(standing=Standing.PAUSED, by=_HANDRAIL, reason=_ASKED), []
            )
        receipts = []
        if loop.iteration != iteration:
            receipts.append(
                self._record(supervisor, events.IterationBegun(self._clock(), iteration))
            )
        notices = supervisor.take_notices(receipts) if state.notices else ()
        messages = supervisor.messages
        receipts += supervisor.hand_over(messages)
        go = IterationPermission(
            standing=Standing.RUNNING,
            goal=loop.goal,
            messages=(*notices, *map(said_to_agent, messages)),
            model=hand.model,
        )
        return once_written(go, receipts)

    def _waits_for_answer(self, supervisor: Supervisor) -> bool:
        """Return whether a person was asked about an action, and nothing else is to be told."""
        state = supervisor.state
        has_news = state.notices or supervisor.messages
        return bool(state.approvals.waiting(self._clock())) and not has_news

    def _take(self, run: str, report: DriverReport) -> Ready[object]:
        supervisor = self._driven(run)
        at = self._clock()
        receipts: list[Receipt] = []
        if report.kind == "order":
            self._finish(report.request, _outcome_of(report))
        elif report.kind == "verified":
            event: events.Event = events.Verified(
                at, report.iteration, report.command, report.ok, report.says, report.ms
            )
            receipts.append(supervisor.record(event))
        elif report.kind == "stall":
            found = Finding(_STALL, Severity.MEDIUM, 1.0, says=report.says, symptom=_ITERATIONS)
            made = events.FindingMade(at, supervisor.state.step, found)
            receipts.append(supervisor.record(made))
        elif report.kind == "usage":
            event = events.UsageMeasured(
                at,
                report.tokens,
                report.cost_usd,
                report.seconds,
                report.memory_mb,
                report.model,
                report.wanted_model,
            )
            receipts.append(supervisor.record(event))
        elif supervisor.state.hand.standing not in _OVER:  # one end is enough
            event = events.LoopEnded(at, report.kind, report.reason, report.says)
            entry = done_entry if report.kind == "done" else abort_entry
            receipts.append(supervisor.record(event, lambda _: [entry(run, report.reason)]))
        return once_written({"ok": True}, receipts)

    def _finish(self, request: str, outcome: CommandOutcome) -> None:
        """Tell the listener the outcome of an order; callable from any thread."""
        if (finished := self._finished.pop(request, None)) is not None:
            finished(outcome)

    def _record(self, supervisor: Supervisor, event: events.Event) -> Receipt:
        at, loop = self._clock(), supervisor.state.loop
        begun = event if isinstance(event, events.LoopBegun) else loop
        above = self._runs.fleet_state(begun.parent if begun else "")

        def beside(state: RunState) -> list[NewEntry]:
            return [state_entry(state, at, above)]

        return supervisor.record(event, beside)

    def _driven(self, run: str) -> Supervisor:
        supervisor = self._runs.find(run)
        if supervisor is None or supervisor.state.loop is None:
            raise NoLoopError(run)
        return supervisor


_LATE = CommandOutcome(ok=False, says=f"The driver did not answer within {_ORDER_SECONDS:g} s")


def _outcome_of(report: DriverReport) -> CommandOutcome:
    if not report.ok:
        return CommandOutcome(ok=False, says=report.says)
    models: dict[str, object] = {}
    if report.model:
        models = {"previous_model": report.previous_model, "new_model": report.model}
    return CommandOutcome(evidence=(report.says,) if report.says else (), payload=models)


def _run(request: Request) -> str:
    return str(request.path_params["run"])


def _number(request: Request, name: str) -> int:
    given = request.query_params.get(name, "0")
    return int(given) if given.isdigit() and len(given) <= _MAX_DIGITS else 0
