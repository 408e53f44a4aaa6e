"""An action between its verdict and its end."""

import msgspec

from handrail.model.intent import Intent
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

_WAITING = frozenset({"Agent", "Task", "TaskOutput", "AgentOutputTool", "BashOutput"})
"""Tools that only wait for others: what a sub-agent does are actions of its own."""


class OpenAction(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An action that was judged and has not been heard of since."""

    step: int
    id: str
    name: str
    verdict: Verdict
    asked: bool = False
    file_operations: int = 0
    command: str = ""
    """The fingerprint of the command line that may run."""
    intent: Intent | None = None
    """What the detectors need of it once it has ended; None: it was refused some time ago."""

    @property
    def let_through(self) -> bool:
        """Whether it may run without anybody being asked."""
        return self.verdict.decision is not Decision.BLOCK

    @property
    def refused(self) -> bool:
        """Whether it may not run at all."""
        return not self.let_through and not self.asked

    @property
    def only_waits(self) -> bool:
        """Whether it does nothing itself."""
        return self.intent is not None and self.intent.tool in _WAITING
