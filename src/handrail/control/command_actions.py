"""What a command needs done outside: to processes, to files, by whoever drives the agent."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked
from handrail.supervise.supervisor import Supervisor


class CommandOutcome(msgspec.Struct, frozen=True):
    """What has come of a command."""

    ok: bool = True
    says: str = ""
    evidence: tuple[str, ...] = ()
    """What was read back and shows that it is so."""
    payload: dict[str, object] = {}
    """What else the result tells, such as the model before and the new one."""


Finished = Callable[[CommandOutcome], None]
"""Told what has come of a command; may be called in any thread, and more than once."""


class CommandActions(Protocol):
    """Begins things and returns at once; called in the supervision thread.

    The same may be begun twice: after a restart nobody knows how far the first one came.
    A freeze and what undoes it are begun one after the other; a stop waits for neither.
    """

    def can(self, supervisor: Supervisor, command: ControlCommand) -> str:
        """Why a command cannot be carried out in this run at all; empty: it can."""

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Begin what was asked for: on the processes of a run, on its files, by its driver.

        A freeze that fails leaves no process stopped. A stop is `ok` only if none is left.
        """

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Let the processes of a frozen run go on."""

    def remind(self, run: str, seconds: float, function: Callable[[], None]) -> None:
        """Call a function in the supervision thread later, in place of the one set for the run."""
