"""A run as the list shows it."""

import msgspec

from handrail.model.checkpoint import Checkpoint
from handrail.model.control import FINAL, HANDRAIL, Standing
from handrail.model.desktop import DesktopCheck
from handrail.model.finding import Finding
from handrail.words.run_signs import (
    INTERRUPTED,
    NEEDS_YOU,
    NOT_DONE,
    STUCK,
    UNREADABLE,
    work_in_words,
)

_QUIET = 30 * 60


class RunOverview(msgspec.Struct, frozen=True):
    """One run after its last event."""

    id: str
    name: str
    standing: Standing = Standing.RUNNING
    phase: str = "ended"
    active: bool = False
    """Whether the run can be controlled."""
    driven: bool = False
    """Handrail drives it, so it can be interrupted and given another model."""
    host: str = ""
    cwd: str = ""
    goal: str = ""
    iteration: int = 0
    iterations: int = 0
    """The limit; 0 if there is none."""
    verify: str = ""
    model: str = ""
    cost: float = 0.0
    tokens: int = 0
    step: int = 0
    decided: dict[str, int] = {}
    started: float = 0.0
    changed: float = 0.0
    by: str = ""
    reason: str = ""
    since: float = 0.0
    """Since when it is in this state; `by` and `reason` tell who did it and why."""
    held: tuple[str, ...] = ()
    """The actions that wait for a resume."""
    under_way: tuple[str, ...] = ()
    """Acknowledged commands without a result."""
    wants: str = ""
    """The action that waits for an approval, or for which the host asks a person."""
    asks: str = ""
    """What a blocked agent needs; it waits for the answer."""
    approval: str = ""
    """The approval that `wants` waits for; empty: the host asks."""
    questions: dict[str, float] = {}
    """All approvals without an answer, the oldest first, and when each expires."""
    last_action: str = ""
    """The action under way, or else the last one that ended."""
    task: str = ""
    """The task of a fleet that it is for."""
    seq: int = 0
    """The last event."""
    risks: tuple[float, ...] = ()
    """The risk of its last actions."""
    checkpoint: Checkpoint | None = None
    """The newest checkpoint."""
    trouble: Finding | None = None
    incident: str = ""
    """The emergency stop that waits for a decision."""
    driver: int = 0
    """The process id of its driver."""
    aborted: bool = False
    """A person decided that it stays stopped."""
    left: bool = False
    """Its driver is gone."""
    ending: str = ""
    """How its loop ended, or ""."""
    problem: str = ""
    """Why the run cannot be read."""
    desktop: DesktopCheck | None = None
    """The last look of a desktop watch."""
    is_fleet: bool = False
    """It stands for a fleet, and has no agent of its own."""

    def state(self, now: float) -> str:
        """Return its state in one or two words."""
        if self.problem:
            return UNREADABLE
        expired = self.questions and now >= max(self.questions.values())
        if self.incident or (self.wants and not expired) or self.asks:
            return NEEDS_YOU
        if self.aborted and self.active:
            return Standing.CANCELLED.value
        if self.standing == Standing.DONE and self.ending not in ("", "COMPLETE"):
            return NOT_DONE
        if self.left and self.standing not in FINAL and self._is_ours:
            return INTERRUPTED
        if self.standing != Standing.RUNNING and (self.active or self.standing in FINAL):
            return self.standing.value
        if self.driven and self.active:
            return "working"
        if self.phase != "working":
            return self.phase
        work = work_in_words(self.desktop)
        return "quiet" if now - self.changed > _QUIET and work != STUCK else work

    @property
    def _is_ours(self) -> bool:
        """Whether no person has paused or stopped it."""
        return self.standing == Standing.RUNNING or self.by == HANDRAIL

    @property
    def stays(self) -> bool:
        """Whether the list shows it even without recent events."""
        if self.incident:
            return True
        is_driven = self.driven and not self.left
        return self.active and (is_driven or self.standing != Standing.RUNNING)

    @property
    def need(self) -> str:
        """Return what it wants of a person, in one line, or ""."""
        if self.incident:
            found = f": {self.trouble.says}" if self.trouble else ""
            return f"stopped in an emergency{found}"
        if self.wants or self.asks:
            return f"asks you: {self.wants}" if self.wants else self.asks
        if work_in_words(self.desktop) == STUCK:
            return self.trouble.says if self.trouble else "its screen is stuck"
        return ""


def as_past(run: RunOverview) -> RunOverview:
    """Return a run of which nothing will come any more: nobody waits for it."""
    standing = run.standing if run.standing in FINAL else Standing.RUNNING
    return msgspec.structs.replace(
        run, active=False, left=False, driver=0, asks="", phase="ended", standing=standing
    )
