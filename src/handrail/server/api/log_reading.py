"""What the operations need of the log: a reader in a thread of its own."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from handrail.store.port import Store

T = TypeVar("T")


class LogReading(Protocol):
    """Runs functions with a read-only store in a thread, so that the event loop never waits."""

    async def read(self, work: Callable[[Store], T]) -> T:
        """Run a function with the store, and return its result."""
