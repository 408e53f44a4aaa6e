"""An answer that may be given only when what led to it is on the disk."""

from collections.abc import Callable
from concurrent.futures import TimeoutError as WaitTimeoutError
from typing import Generic, TypeVar

import msgspec

from handrail.config.judge import Judge
from handrail.judge import Question
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.first import SaveFirst
from handrail.supervise.hold import Hold

T = TypeVar("T")
U = TypeVar("U")


class NotWrittenError(StoreError):
    """The log did not confirm an entry in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__("", f"the log did not answer within {seconds:g} s")


class Doubt(msgspec.Struct, frozen=True):
    """A question to a model, whose answer may make what was decided stricter."""

    run: str
    step: int
    question: Question
    settings: Judge


class Pending(Generic[T]):
    """A value, the receipts it has to wait for, and what is answered if one of them fails."""

    def __init__(
        self, value: T, receipts: list[Receipt], otherwise: Callable[[StoreError], T]
    ) -> None:
        self.value = value
        self.receipts = receipts
        self.otherwise = otherwise
        self.doubt: Doubt | None = None
        self.first: SaveFirst | None = None
        """What has to be saved before this is decided at all: the value is no answer yet."""
        self.hold: Hold | None = None
        """The run is paused: the value is no answer yet."""

    @property
    def is_answer(self) -> bool:
        """Whether the value is one; else something has to come before it is decided."""
        return self.first is None and self.hold is None

    def then(self, change: Callable[[T], U]) -> "Pending[U]":
        """The same, made into something else."""
        changed = Pending(
            change(self.value), self.receipts, lambda error: change(self.otherwise(error))
        )
        changed.doubt = self.doubt
        changed.first = self.first
        changed.hold = self.hold
        return changed

    def wait(self, seconds: float = 10.0) -> T:
        """The value, once everything is durable; for callers outside of an event loop."""
        try:
            for receipt in self.receipts:
                receipt.result(seconds)
        except StoreError as error:
            return self.otherwise(error)
        except WaitTimeoutError:
            return self.otherwise(NotWrittenError(seconds))
        return self.value
