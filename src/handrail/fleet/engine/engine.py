"""The port of engines: verbs that give tasks away, and take their results.

`tests/fleet/test_engine_contract.py` checks every implementation. An attempt's number fences all
its later words: once a task was claimed again, cancelled or finished, an earlier attempt can
neither renew, finish nor give back.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from handrail.fleet.engine.events import AttemptEvent, AttemptResult, FleetEvent, Lease
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.tasks.task import Task

Renewal = Literal["held", "paused", "lost", "cancelled"]
"""`held`: work on; `paused`: yours, but begin no iteration; `lost`: another attempt has it, or
nobody needs it any more; `cancelled`: a person gave it up."""


class Worker(msgspec.Struct, frozen=True, kw_only=True):
    """A process that claims tasks."""

    owner: str
    host: str
    boot: str = ""
    pid: int = 0
    pid_began: float = 0.0


class Ticket(msgspec.Struct, frozen=True):
    """The right to speak for a task: its number of the attempt fences it."""

    task: str
    attempt: int


class Claim(msgspec.Struct, frozen=True):
    """A task for a slot, with what is known from earlier attempts."""

    ticket: Ticket
    state: TaskState
    """As it is after the claim."""
    expired: Lease | None = None
    """The attempt before, if its process was not heard of any more: it may still live."""
    needs: tuple[str, ...] = ()
    """The last commits of the tasks that it depends on: its workspace has to hold their work."""


class FleetError(Exception):
    """The engine refuses a call; the text says why."""


class UnknownTaskError(FleetError, LookupError):
    """There is no such task."""

    def __init__(self, task: str) -> None:
        super().__init__(f"there is no task {task!r}")
        self.task = task


class StaleAttemptError(FleetError):
    """Another attempt, or a person, has the task now; the words of this one do not count."""

    def __init__(self, ticket: Ticket, why: str) -> None:
        super().__init__(f"attempt {ticket.attempt} at {ticket.task} does not count: {why}")
        self.ticket = ticket
        self.why = why


class TaskStatusError(FleetError):
    """A task is not in a state for this."""

    def __init__(self, task: str, status: str, wanted: str) -> None:
        super().__init__(f"{task} is {status}; {wanted}")
        self.task = task
        self.status = status
        self.wanted = wanted


class BadDependencyError(FleetError, ValueError):
    """A task would wait for one that does not exist, or for itself through others."""


class FleetEngine(Protocol):
    """Gives tasks away, one attempt at a time.

    Safe to use from several threads. A call that returns is durable: its events, and what follows
    from them for other tasks, are written in one transaction. It raises a FleetError for a call
    that it refuses, and a StoreError if the log does not take it; then nothing has changed.
    """

    def submit(self, tasks: Sequence[Task], by: str = "") -> list[str]:
        """Add tasks, all or none; return the ids of the new ones.

        A task submitted twice is one. One that is known with other words is changed, unless an
        agent is at work on it. Raises BadDependencyError for a dependency that is neither known
        nor among these tasks, and for a cycle.
        """
        ...

    def claim(self, worker: Worker, slot: int = 0) -> Claim | None:
        """Take the next task, as its next attempt; None: nothing can be claimed now.

        Asked again for a slot whose claim has no driver yet, it gives the same claim: the first
        answer was lost.
        """
        ...

    def renew(self, ticket: Ticket) -> Renewal:
        """Say that an attempt is alive; its lease counts from now."""
        ...

    def note(self, event: AttemptEvent) -> None:
        """Record an event of an attempt under way. Raises StaleAttemptError."""
        ...

    def finish(self, ticket: Ticket, result: AttemptResult) -> None:
        """Hand in the result of an attempt; twice is once. Raises StaleAttemptError."""
        ...

    def give_back(
        self, ticket: Ticket, says: str, *, by: str = "", held: bool = False, counts: bool = True
    ) -> None:
        """End an attempt without a result. Raises StaleAttemptError.

        `held`: nobody claims the task until a person releases it. `counts`: as a try.
        """
        ...

    def cancel(self, task: str, by: str = "", says: str = "") -> None:
        """Give up a task; whoever works on it hears that when it renews."""
        ...

    def record(self, event: FleetEvent) -> None:
        """Record a decision of a person, who needs no ticket."""
        ...

    def state(self) -> FleetState:
        """Return a copy of the state."""
        ...

    def look_at(self, task: str) -> TaskState:
        """Return a copy of one task: who waits for a change looks often."""
        ...

    def overview(self) -> FleetState:
        """Return a copy with only the last audit entries of each task: a scheduler looks often,
        and long histories are large."""
        ...
