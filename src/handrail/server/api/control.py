"""The operations that control runs."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import islice

import msgspec

from handrail.api.messages.control import (
    CommandRequest,
    FleetCommandRequest,
    RequestList,
    RequestProgress,
    RunLeftOut,
)
from handrail.control import message as wire
from handrail.control.client import make_request
from handrail.control.handler import UNDER_WAY, ControlHandler
from handrail.control.message import Request, Result
from handrail.fleet.engine.requests import DispatchChange
from handrail.model.control import ControlCommand
from handrail.model.event import ControlAnswered
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.known_runs import find_run
from handrail.server.api.live_log import LiveLog
from handrail.server.api.problems import ProblemError, not_found
from handrail.server.control.endpoint import ControlEndpoint
from handrail.server.fleet.endpoint import FleetEndpoint
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.errors import DamagedError
from handrail.store.journal import Journal
from handrail.store.port import Store
from handrail.supervise.log.topics import RUNS, run_of, topic_of
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.views.commandable_runs import CommandableRuns, commandable_runs

_AT_ONCE = 32
"""Requests under way at the same time, of one for all runs."""
_LOOKED_AT = 500
"""The last events of a run among which the evidence of a request is sought."""


class ControlOperations:
    """Takes commands to runs in, and tells how they stand."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        control: ControlHandler,
        endpoint: ControlEndpoint,
        fleets: FleetEndpoint,
        live: LiveLog,
        clock: Callable[[], float],
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._control = control
        self._endpoint = endpoint
        self._fleets = fleets
        self._live = live
        self._clock = clock

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions."""
        return {
            "send_command": self.send_command,
            "get_request": self.get_request,
            "command_all": self.command_all,
        }

    async def send_command(self, call: ApiCall) -> RequestProgress:
        """Send a command to a run, and wait a while for its result."""
        run, wanted = call.path("run"), call.body(CommandRequest)
        command = _command(wanted.command)
        if await self._supervision.call(lambda: self._runs.find(run)) is None:
            run = (await find_run(self._live, run)).id
        request = make_request(
            command,
            run,
            by=_name(call),
            reason=wanted.reason,
            text=wanted.text,
            choice=wanted.choice,
            expects=wanted.expects,
            at=self._clock(),
        )
        if wanted.request_id:
            request = msgspec.structs.replace(request, request_id=wanted.request_id)
        return await self._send(request, call.number("wait"))

    async def get_request(self, call: ApiCall) -> RequestProgress:
        """Return how a request stands, and wait a while for its result."""
        name = call.path("request")
        seen = await self._supervision.call(lambda: self._control.seen(name))
        if seen is None:
            raise not_found("request", name)
        result = await self._endpoint.result(name, call.number("wait"))
        return await self._progress(name, seen.command, seen.run, result)

    async def command_all(self, call: ApiCall) -> RequestList:
        """Send a command to all runs: first to the dispatch of the fleets, then to each run."""
        wanted = call.body(FleetCommandRequest)
        command, by, now = ControlCommand(wanted.command), _name(call), self._clock()
        found = await self._live.read(lambda store: _targets(store, command, now))
        opens = command is ControlCommand.RESUME
        changed = await self._fleets.change_dispatch(DispatchChange(opens, by, wanted.reason))
        few = asyncio.Semaphore(_AT_ONCE)

        async def send(run: str) -> RequestProgress:
            values = command.spec.choice.values_for(is_fleet=run in found.fleets)
            choice = wanted.at if wanted.at in values else ""
            async with few:
                return await self._send(
                    make_request(
                        command, run, by=by, reason=wanted.reason, choice=choice, at=self._clock()
                    ),
                    0.0,
                )

        items = await asyncio.gather(*map(send, found.runs))
        left_out = tuple(RunLeftOut(run, why) for run, why in found.left_out)
        return RequestList(tuple(items), left_out, changed.fleets)

    async def _send(self, request: Request, seconds: float) -> RequestProgress:
        body = wire.encode(request)
        if len(body) > wire.MAX_BYTES:
            raise ProblemError(413, "Too large", f"It has more than {wire.MAX_BYTES:,} bytes.")
        last = (await self._endpoint.submit(body, seconds))[-1]
        result = last if isinstance(last, Result) else None
        if result is not None and result.code == "duplicate" and result.says == UNDER_WAY:
            result = await self._endpoint.result(request.request_id, seconds)
        if result is not None and result.code == "bad_request":
            raise ProblemError(400, "Not possible", result.says)
        return await self._progress(
            request.request_id, request.command, request.target.run_id, result
        )

    async def _progress(
        self, request: str, command: str, run: str, result: Result | None
    ) -> RequestProgress:
        if result is None:
            return RequestProgress(request, command, run, "acknowledged")
        if not result.ok:
            return RequestProgress(
                request, command, run, "refused", says=result.says, code=result.code
            )
        evidence = await self._live.read(lambda store: _evidence(store, run, request))
        return RequestProgress(request, command, run, "confirmed", result.says, evidence)


def _command(name: str) -> ControlCommand:
    try:
        return ControlCommand(name)
    except ValueError:
        known = ", ".join(ControlCommand)
        raise ProblemError(400, "No such command", f"The commands are {known}.") from None


def _name(call: ApiCall) -> str:
    return call.caller.user[: wire.MAX_NAME]


def _targets(store: Store, command: ControlCommand, now: float) -> CommandableRuns:
    runs = (run_of(topic.name) for topic in store.topics(RUNS))
    return commandable_runs(store, runs, command, now)


def _evidence(store: Store, run: str, request: str) -> tuple[str, ...]:
    """Return the evidence in the answer to a request, from the end of its run's log."""
    topic = topic_of(run)
    last = next((each.seq for each in store.topics(topic) if each.name == topic), 0)
    try:
        for _, event in islice(Journal(store).read(topic, max(last - _LOOKED_AT, 0)), _LOOKED_AT):
            if isinstance(event, ControlAnswered) and event.request == request:
                return event.evidence
    except DamagedError:  # the result is known without it
        return ()
    return ()
