"""A run as the list shows it."""

from typing import TYPE_CHECKING

import msgspec

from handrail.model.checkpoint import Checkpoint
from handrail.model.control import FINAL, HANDRAIL, Standing
from handrail.model.finding import Finding

if TYPE_CHECKING:
    from handrail.supervise.state.run_state import RunState

NEEDS_YOU = "needs you"
UNREADABLE = "unreadable"
NOT_DONE = "not done"
_QUIET = 30 * 60
_MAX_GOAL = 500


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
    """The action that waits for a person, or for which the host asks one."""
    approval: str = ""
    """The id of the approval that it waits for; empty: the host asks."""
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

    def state(self, now: float) -> str:
        """Return its state in one or two words."""
        if self.problem:
            return UNREADABLE
        if self.incident or self.wants:
            return NEEDS_YOU
        if self.aborted and self.active:
            return Standing.CANCELLED.value
        if self.standing == Standing.DONE and self.ending not in ("", "COMPLETE"):
            return NOT_DONE
        if self.left and self.standing not in FINAL and self._is_ours:
            return "interrupted"
        if self.standing != Standing.RUNNING and (self.active or self.standing in FINAL):
            return self.standing.value
        if self.driven and self.active:
            return "working"
        quiet = self.phase == "working" and now - self.changed > _QUIET
        return "quiet" if quiet else self.phase

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


def overview_of(state: "RunState", name: str, *, incident: str, me: str = "") -> RunOverview:
    """Summarise the state of a run; `me` is the user's name."""
    hand, loop, course = state.hand, state.loop, state.course
    goal = loop.goal if loop is not None else state.first_prompt
    waiting = state.approvals.waiting(state.changed)
    return RunOverview(
        state.run,
        name,
        hand.standing,
        state.phase,
        state.active,
        loop is not None,
        state.host,
        state.cwd,
        next((line.strip() for line in goal.splitlines() if line.strip()), "")[:_MAX_GOAL],
        state.iteration,
        0 if loop is None else loop.max,
        "" if loop is None else loop.verify,
        state.model,
        0.0 if loop is None else loop.cost_usd,
        state.usage.tokens if loop is None else loop.tokens,
        state.step,
        dict(state.usage.decided),
        state.started,
        state.changed,
        "you" if hand.by and hand.by == me else hand.by,
        hand.reason,
        hand.since,
        tuple(hand.held.values()),
        tuple(each.command.value for each in hand.asked.values()),
        waiting[0].says if waiting else _wanted(state),
        waiting[0].id if waiting else "",
        course.checkpoints[-1] if course.checkpoints else None,
        state.trouble,
        incident,
        loop.driver if loop and not loop.ended and state.active else 0,
        ending="" if loop is None else loop.reason,
    )


def _wanted(state: "RunState") -> str:
    """Return the action for which the host asks a person now. The next step ends the question."""
    if state.phase != "working" or state.hand.is_final or not state.open:
        return ""
    last = state.open[-1]
    if not last.asked or last.let_through or last.step != state.step or last.intent is None:
        return ""
    return f"{last.intent.tool} {last.intent.shown}"
