"""The port for work outside the supervision thread: on processes, files, or by the driver."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked
from handrail.supervise.supervisor import Supervisor


class CommandOutcome(msgspec.Struct, frozen=True):
    """The outcome of a command."""

    ok: bool = True
    says: str = ""
    evidence: tuple[str, ...] = ()
    """Evidence, read back after the command."""
    payload: dict[str, object] = {}
    """Further facts for the result, such as the old and the new model."""


Finished = Callable[[CommandOutcome], None]
"""Receives the outcome of a command; any thread may call it, even more than once."""


class CommandActions(Protocol):
    """Begin work and return at once; called in the supervision thread.

    It may begin the same work twice: after a restart nobody knows how far it came. A freeze and
    its thaw begin one after the other; a stop waits for neither.
    """

    def can(
        self, supervisor: Supervisor, command: ControlCommand, text: str = "", choice: str = ""
    ) -> str:
        """Return why this run cannot carry out the command with its arguments, or ""."""

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Begin the requested work: on the run's processes, on its files, or by its driver.

        A freeze that fails leaves no process stopped. A stop is `ok` only if none is left.
        """

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Thaw the processes of a frozen run."""

    def remind(self, run: str, seconds: float, function: Callable[[], None]) -> None:
        """Call a function in the supervision thread later; it replaces the run's earlier one."""
