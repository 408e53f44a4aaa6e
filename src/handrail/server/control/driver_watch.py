"""Hold runs whose driver was killed, and end their agents if no driver comes back."""

import asyncio
import logging
from collections.abc import Callable

from handrail.control.client import make_request
from handrail.control.message import encode
from handrail.control.response_log import TakenRequest
from handrail.model.control import ENDING, FINAL, HANDRAIL, ControlCommand, Standing
from handrail.server.control.run_processes import driver_of, has_lost_driver
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState

_log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0
_GONE = "the process that drove it is gone"
_OF_THE_LOST = frozenset({Standing.PAUSING, Standing.PAUSED, Standing.STOPPED})
"""PAUSING, too: an action that the killed agent had begun never ends."""


class DriverWatch:
    """Nobody counts the iterations and the usage of an agent without a driver, so it waits.

    All but `keep` runs in the supervision thread.
    """

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        submit: Callable[[bytes], TakenRequest],
        clock: Callable[[], float],
    ) -> None:
        """`submit`: takes in a control request."""
        self._supervision = supervision
        self._runs = runs
        self._submit = submit
        self._clock = clock
        self._lost: dict[str, float] = {}
        """Runs without their driver, and when that was noticed."""

    async def keep(self) -> None:
        """Look from time to time."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            try:
                await self._supervision.call(self.look)
            except (StoreError, SupervisionTimeoutError) as error:
                _log.info("cannot look after drivers: %s", error)

    def open(self, since: float) -> None:
        """Find the runs that lost their driver while there was no daemon."""
        for state in list(self._runs.since(since)):
            if _needs_a_driver(state):
                self._runs.get(state.run, state.cwd)

    def look(self) -> None:
        """Hold each run that has lost its driver; end it after `control.hold_seconds`."""
        lost = [state for state in self._runs if _needs_a_driver(state)]
        # A list, because a request may change the runs.
        for state in [state for state in self._runs if _has_its_driver_back(state)]:
            self._ask(ControlCommand.RESUME, state)
        now = self._clock()
        self._lost = {state.run: self._lost.get(state.run, now) for state in lost}
        for state in lost:
            most = self._runs.get(state.run, state.cwd).project.config.control.hold_seconds
            if now >= self._lost[state.run] + most:
                self._ask(ControlCommand.STOP, state)
            elif state.hand.standing == Standing.RUNNING:
                self._ask(ControlCommand.PAUSE, state)

    def _ask(self, command: ControlCommand, state: RunState) -> None:
        loop = state.loop
        assert loop is not None
        reason = f"{_GONE} ({loop.driver}): handrail run --resume {state.run}"
        request = make_request(command, state.run, by=HANDRAIL, reason=reason, at=self._clock())
        self._submit(encode(request))


def _needs_a_driver(state: RunState) -> bool:
    if state.is_fleet:
        return False  # the drivers of its tasks outlive a scheduler
    standing = state.hand.standing
    return standing not in ENDING and standing not in FINAL and has_lost_driver(state)


def _has_its_driver_back(state: RunState) -> bool:
    """Return whether a run of a fleet, held for want of a driver, has one that goes on with it.

    Whoever resumes another run by hand says so himself.
    """
    hand, loop = state.hand, state.loop
    if loop is None or not loop.issue or hand.standing not in _OF_THE_LOST:
        return False
    by_us = hand.by == HANDRAIL and hand.reason.startswith(_GONE)
    return by_us and driver_of(state) is not None
