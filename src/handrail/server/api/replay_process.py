"""Starts the replay of stored runs in a process of low priority, so that no hook waits for it."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

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

    def __init__(
        self,
        log: str,
        environ: Mapping[str, str],
        clock: Callable[[], float],
        command: Sequence[str] = _COMMAND,
    ) -> None:
        self._command = command
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
            answer = await self._carry_out(order)
        finally:
            self._busy = False
        if answer.result is None:
            raise ReplayError(answer.problem, 400)
        return answer.result

    async def _carry_out(self, order: ReplayOrder) -> ReplayAnswer:
        try:
            async with asyncio.timeout(_PATIENCE), self._process() as process:
                answer, _ = await process.communicate(msgspec.json.encode(order))
        except TimeoutError:
            says = f"It did not come to an end within {_PATIENCE:g} s; try fewer days."
            raise ReplayError(says, 503) from None
        try:
            return msgspec.json.decode(answer, type=ReplayAnswer)
        except msgspec.MsgspecError:
            says = f"The process of the replay failed, with exit code {process.returncode}."
            raise ReplayError(says, 503) from None

    @asynccontextmanager
    async def _process(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """Start the process; it ends with this, so that no end of the daemon waits for it."""
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=self._environ, cwd="/"
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
