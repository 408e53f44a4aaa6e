"""An action between its verdict and its end."""

import msgspec

from handrail.model.desktop import DESKTOP_LOOK
from handrail.model.intent import Intent
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

_WAITING = frozenset({"Agent", "Task", "TaskOutput", "AgentOutputTool", "BashOutput", DESKTOP_LOOK})
"""Tools that only wait for others: the actions of a sub-agent, or of a recovery that began with a
look at the screen, are counted by themselves."""


class OpenAction(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An action with a verdict, but without an end."""

    step: int
    id: str
    name: str
    verdict: Verdict
    asked: bool = False
    file_operations: int = 0
    command: str = ""
    """The fingerprint of the permitted command line."""
    intent: Intent | None = None
    """The facts for the detectors at its end; None: it was refused some time ago."""

    failed: bool = False
    """The review after its end found that it failed, whatever the host reports."""
    approved: bool = False
    """A person approved it, as it is or in another form."""
    overruled: bool = False
    """The review was against it, and a person's answer decided."""

    @property
    def let_through(self) -> bool:
        """Return whether it may run without asking anybody."""
        return self.verdict.decision is not Decision.BLOCK

    @property
    def refused(self) -> bool:
        """Return whether it may not run at all."""
        return not self.let_through and not self.asked

    @property
    def only_waits(self) -> bool:
        """Return whether it does nothing itself."""
        return self.intent is not None and self.intent.tool in _WAITING
