"""Hold the runs whose lease is over: their driver may be frozen while agent and daemon work on."""

import asyncio
import logging
from collections.abc import Callable
from time import time

from handrail.control.client import make_request
from handrail.control.message import encode
from handrail.control.response_log import TakenRequest
from handrail.model.control import HANDRAIL, ControlCommand, Standing
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState

_log = logging.getLogger(__name__)

LEASE = "lease"
"""The reason of these pauses."""
_LOOK_SECONDS = 1.0
_RECENT_SECONDS = 86_400.0
_HELD = frozenset({Standing.PAUSING, Standing.PAUSED})


class LeaseWatch:
    """Another attempt may begin once a lease is over, so the run of this one has to stand still."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        fleets: OpenFleets,
        submit: Callable[[bytes], TakenRequest],
        clock: Callable[[], float] = time,
    ) -> None:
        """`submit`: takes in a control request."""
        self._supervision = supervision
        self._runs = runs
        self._fleets = fleets
        self._submit = submit
        self._clock = clock

    async def keep(self) -> None:
        """Look from time to time, until cancelled."""
        try:
            # A frozen driver asks for nothing, so nobody else would open its fleet.
            await asyncio.to_thread(self._fleets.all, self._clock() - _RECENT_SECONDS)
        except StoreError as error:
            _log.warning("cannot open the fleets: %s", error)
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                over, alive = await asyncio.to_thread(self.leases)
                if over or alive:
                    await self._supervision.call(lambda: self.hold(over, alive))  # noqa: B023
            except (StoreError, SupervisionTimeoutError) as error:
                _log.info("cannot look after leases: %s", error)

    def leases(self) -> tuple[list[str], list[str]]:
        """Return the runs whose lease is over, and those whose driver was heard of in time."""
        engines = [each.engine for each in self._fleets.opened()]
        over = [task.run for each in engines for task in each.expired() if task.run]
        return over, [task.run for each in engines for task in each.alive() if task.run]

    def hold(self, over: list[str], alive: list[str]) -> None:
        """Pause the runs whose lease is over, and let the others go on; in supervision."""
        for state in self._states(over):
            if state.hand.standing is Standing.RUNNING:
                self._ask(ControlCommand.PAUSE, state.run)
        for state in self._states(alive):
            hand = state.hand
            if hand.standing in _HELD and (hand.by, hand.reason) == (HANDRAIL, LEASE):
                self._ask(ControlCommand.RESUME, state.run)

    def _states(self, runs: list[str]) -> list[RunState]:
        found = [self._runs.find(run) for run in runs]
        return [each.state for each in found if each is not None and each.state.active]

    def _ask(self, command: ControlCommand, run: str) -> None:
        request = make_request(command, run, by=HANDRAIL, reason=LEASE, at=self._clock())
        self._submit(encode(request))
