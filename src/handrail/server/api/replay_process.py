"""Starts the replay of stored runs in a process of low priority, so that no hook waits for it."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Mapping

import msgspec

from handrail.api.messages.statistics import ReplayRequest, ReplayResult
from handrail.server.api.settings_replay import ReplayAnswer, ReplayOrder

_COMMAND = (sys.executable, "-EP", "-m", "handrail.server.api.settings_replay")
_DAY = 86_400.0
_SECONDS = 20.0
"""Seconds for the reviews."""
_PATIENCE = 30.0
"""Seconds after which the process is ended; to start and to load the tables takes some of them."""
_MOST_DAYS = 365


class ReplayError(Exception):
    """No replay took place."""

    def __init__(self, says: str, status: int) -> None:
        super().__init__(says)
        self.status = status


class ReplayProcess:
    """Carries out one replay at a time."""

    def __init__(self, log: str, environ: Mapping[str, str], clock: Callable[[], float]) -> None:
        self._log = log
        self._environ = environ
        self._clock = clock
        self._busy = False

    async def run(self, wanted: ReplayRequest) -> ReplayResult:
        """Review stored runs by other settings. Raises ReplayError."""
        if self._busy:
            raise ReplayError("Another replay is under way; wait for its result.", 409)
        days = min(max(wanted.days, 1), _MOST_DAYS)
        since = self._clock() - days * _DAY
        order = ReplayOrder(self._log, wanted.settings, since, wanted.folder, _SECONDS)
        self._busy = True
        try:
            answer = await asyncio.to_thread(self._carry_out, order)
        finally:
            self._busy = False
        if answer.result is None:
            raise ReplayError(answer.problem, 400)
        return answer.result

    def _carry_out(self, order: ReplayOrder) -> ReplayAnswer:
        try:
            done = subprocess.run(
                _COMMAND,
                input=msgspec.json.encode(order),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(self._environ),
                cwd="/",
                timeout=_PATIENCE,
                check=True,
            )
            return msgspec.json.decode(done.stdout, type=ReplayAnswer)
        except subprocess.TimeoutExpired:
            says = f"It did not come to an end within {_PATIENCE:g} s; try fewer days."
            raise ReplayError(says, 503) from None
        except (subprocess.CalledProcessError, msgspec.MsgspecError) as error:
            raise ReplayError(f"The process of the replay failed: {error}", 503) from None
