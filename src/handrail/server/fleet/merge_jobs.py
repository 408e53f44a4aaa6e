"""Merges of tasks that nobody waits for: they verify, so they take long."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

_log = logging.getLogger(__name__)


class MergeJobs:
    """One merge of a fleet after the other, each task once. Used from the event loop.

    The end of the loop cancels them, and that ends their processes.
    """

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._told: set[tuple[str, str]] = set()
        """Those whose result is in the log."""

    def begin(self, fleet: str, task: str, work: Callable[[], Awaitable[object]]) -> bool:
        """Begin the merge of a task; return False if it is under way already."""
        key = (fleet, task)
        if key in self._jobs:
            return False
        turn = self._turns.setdefault(fleet, asyncio.Lock())

        async def whole() -> None:
            try:
                async with turn:
                    await work()
            except Exception:  # noqa: BLE001 - nobody else would hear of it
                _log.exception("the merge of %s failed", task)
            finally:
                del self._jobs[key]
                self._told.discard(key)

        self._jobs[key] = asyncio.create_task(whole(), name=f"merge {task}")
        return True

    def tell(self, fleet: str, task: str) -> None:
        """Say that the result of a merge is about to be in the log; from any thread."""
        self._told.add((fleet, task))

    def is_under_way(self, fleet: str, task: str) -> bool:
        """Return whether the result of a merge is still to come."""
        return (fleet, task) in self._jobs and (fleet, task) not in self._told

    async def settle(self) -> None:
        """Wait for all merges."""
        await asyncio.gather(*self._jobs.values(), return_exceptions=True)
