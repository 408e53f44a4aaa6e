"""The progress of a decision: ready, waiting for a checkpoint, or held by a pause."""

from collections.abc import Callable
from concurrent.futures import TimeoutError as WaitTimeoutError
from typing import Generic, TypeVar

import msgspec

from handrail.config.judge import Judge
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.decision.checkpoint_request import CheckpointResult, Save
from handrail.supervise.second_opinion import Question

T = TypeVar("T")
U = TypeVar("U")

_NOT_SAVED = CheckpointResult(problem="the caller does not wait for one")


class NotWrittenError(StoreError):
    """The log did not confirm an entry in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__("", f"the log did not answer within {seconds:g} s")


class OpinionRequest(msgspec.Struct, frozen=True):
    """A question to a model; its answer may make the decision stricter."""

    run: str
    step: int
    question: Question
    settings: Judge


class Ready(Generic[T]):
    """A value, the receipts it waits for, and the fallback if one of them fails."""

    def __init__(
        self,
        value: T,
        receipts: list[Receipt],
        otherwise: Callable[[StoreError], T],
        doubt: OpinionRequest | None = None,
    ) -> None:
        self.value = value
        self.receipts = receipts
        self.otherwise = otherwise
        self.doubt = doubt

    def then(self, change: Callable[[T], U]) -> "Ready[U]":
        """Transform the value."""
        return Ready(
            change(self.value),
            self.receipts,
            lambda error: change(self.otherwise(error)),
            self.doubt,
        )

    def wait(self, seconds: float = 10.0) -> T:
        """Return the value once everything is durable; for callers outside an event loop."""
        try:
            for receipt in self.receipts:
                receipt.result(seconds)
        except StoreError as error:
            return self.otherwise(error)
        except WaitTimeoutError:
            return self.otherwise(NotWrittenError(seconds))
        return self.value


class CheckpointNeeded(Generic[T]):
    """The files must be saved before this decision."""

    def __init__(
        self, save: Save, proceed: "Callable[[CheckpointResult], DecisionProgress[T]]"
    ) -> None:
        """`save`: saves them, in the event loop; `proceed`: decides, in the supervisor's thread."""
        self.save = save
        self.proceed = proceed

    def answer(self) -> "DecisionProgress[T]":
        """Decide now, without a checkpoint."""
        return self.proceed(_NOT_SAVED)

    def then(self, change: Callable[[T], U]) -> "CheckpointNeeded[U]":
        """Transform the decision."""
        return CheckpointNeeded(self.save, lambda saved: self.proceed(saved).then(change))


class Held(Generic[T]):
    """An action waits because its run is paused; call everything in the supervisor's thread."""

    def __init__(
        self,
        run: str,
        seconds: Callable[[], float | None],
        resume: "Callable[[], DecisionProgress[T]]",
        answer: "Callable[[], DecisionProgress[T]]",
        abandon: Callable[[], None],
    ) -> None:
        """`seconds`: the longest hold; None: the run is no longer held.

        `resume`: decides when the run goes on; `answer`: decides now, because the host stops
        waiting; `abandon`: notes that nobody wants an answer.
        """
        self.run = run
        self.seconds = seconds
        self.resume = resume
        self.answer = answer
        self.abandon = abandon

    def then(self, change: Callable[[T], U]) -> "Held[U]":
        """Transform the decision."""
        return Held(
            self.run,
            self.seconds,
            lambda: self.resume().then(change),
            lambda: self.answer().then(change),
            self.abandon,
        )


DecisionProgress = Ready[T] | CheckpointNeeded[T] | Held[T]
