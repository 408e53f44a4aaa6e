"""Carries out a stop even if the log cannot take it; all other requests need the log."""

import asyncio
import logging
from collections.abc import Callable

from handrail.control.message import BadRequestError, read_request
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState

_log = logging.getLogger(__name__)

End = Callable[[RunState], Callable[[], str]]
"""Prepares to end the processes of a run; the returned function does so and says how it went."""


class UnloggedStop:
    """Handles requests that the log could not take."""

    def __init__(self, supervision: SupervisionThread, runs: RunRegistry, end: End) -> None:
        self._supervision = supervision
        self._runs = runs
        self._end = end

    async def carry_out(self, body: bytes) -> str:
        """End the run if the request is a stop, and say so; return "" if nothing was done."""
        try:
            asked = read_request(body)
        except BadRequestError:
            return ""
        if not asked.command.ends:
            return ""
        try:
            work = await self._supervision.call(lambda: self._prepare(asked.request.target.run_id))
        except (StoreError, SupervisionTimeoutError):
            return ""
        if work is None:
            return ""
        try:
            return await asyncio.to_thread(work)
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear
            _log.exception("a run could not be ended without the log")
            return f"It is not known how far its end came: {type(error).__name__}: {error}."

    def _prepare(self, run: str) -> Callable[[], str] | None:
        state = self._runs.kept_state(run)
        if state is None and (supervisor := self._runs.find(run)) is not None:
            state = supervisor.state
        return None if state is None else self._end(state)
