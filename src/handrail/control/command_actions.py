"""What a command needs done outside: to processes, to files, by whoever drives the agent."""

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


class CommandActions(Protocol):
    """Begins things and returns at once; called in the brain's thread.

    What comes of each is told to `Desk.came`, in the brain's thread too, with the request's id.
    The same may be begun twice: after a restart nobody knows how far the first one came.
    A freeze and what undoes it are begun one after the other; a stop waits for neither.
    """

    def can(self, supervisor: Supervisor, command: ControlCommand) -> str:
        """Why a command cannot be carried out in this run at all; empty: it can."""

    def begin(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Begin what was asked for: on the processes of a run, on its files, by its driver.

        A freeze that fails leaves no process stopped. A stop is `ok` only if none is left.
        """

    def guard(self, supervisor: Supervisor) -> None:
        """See to it that a frozen run does not stay so for longer than is good for it."""

    def thaw(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Let the processes of a frozen run go on."""
