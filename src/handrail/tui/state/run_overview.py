"""A run as the list shows it: the few facts of its state that a person looks at."""

import msgspec

from handrail.model.checkpoint import Checkpoint
from handrail.model.control import FINAL, Standing
from handrail.model.finding import Finding
from handrail.supervise.state import RunState

NEEDS_YOU = "needs you"
UNREADABLE = "unreadable"
NOT_DONE = "not done"
_QUIET = 30 * 60
_MAX_GOAL = 500


class RunOverview(msgspec.Struct, frozen=True):
    """One run, as of the last event."""

    id: str
    name: str
    standing: Standing = Standing.RUNNING
    phase: str = "ended"
    active: bool = False
    """Whether there is anything to control."""
    driven: bool = False
    """By Handrail, so that it can be interrupted and given another model."""
    host: str = ""
    cwd: str = ""
    goal: str = ""
    iteration: int = 0
    iterations: int = 0
    """At most so many; 0: nobody has set a limit."""
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
    """Who has brought it to stand like that, why and when."""
    held: tuple[str, ...] = ()
    """What waits until it goes on."""
    under_way: tuple[str, ...] = ()
    """Commands that were acknowledged and not answered yet."""
    wants: str = ""
    """What a person is asked for at the host."""
    checkpoint: Checkpoint | None = None
    """The newest one."""
    trouble: Finding | None = None
    incident: str = ""
    """The one that it is stopped for, until a person decides."""
    driver: int = 0
    """The process that drives it."""
    left: bool = False
    """Whoever has driven it is gone."""
    ending: str = ""
    """How its loop has ended; empty: it has not."""
    problem: str = ""
    """Why it cannot be read."""

    def state(self, now: float) -> str:
        """In one or two words, how it is."""
        if self.problem:
            return UNREADABLE
        if self.incident or self.wants:
            return NEEDS_YOU
        if self.standing == Standing.DONE and self.ending not in ("", "COMPLETE"):
            return NOT_DONE
        if self.standing != Standing.RUNNING and (self.active or self.standing in FINAL):
            return self.standing.value
        if self.driven and self.active:
            return "quiet" if self.left else "working"
        quiet = self.phase == "working" and now - self.changed > _QUIET
        return "quiet" if quiet else self.phase

    @property
    def stays(self) -> bool:
        """Whether it is worth being shown however long ago something was heard of it."""
        if self.incident:
            return True
        is_driven = self.driven and not self.left
        return self.active and (is_driven or self.standing != Standing.RUNNING)


def overview_of(state: RunState, name: str, *, incident: str, me: str = "") -> RunOverview:
    """What the list shows of a state; `me` is what whoever looks at it is called."""
    hand, loop, course = state.hand, state.loop, state.course
    goal = loop.goal if loop is not None else state.first_prompt
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
        _wanted(state),
        course.checkpoints[-1] if course.checkpoints else None,
        state.trouble,
        incident,
        loop.driver if loop and not loop.ended and state.active else 0,
        ending="" if loop is None else loop.reason,
    )


def _wanted(state: RunState) -> str:
    """What the host asks a person for now; an answer is not always told, but the next step is."""
    if state.phase != "working" or state.hand.is_final or not state.open:
        return ""
    last = state.open[-1]
    if not last.asked or last.let_through or last.step != state.step or last.intent is None:
        return ""
    return f"{last.intent.tool} {last.intent.shown}"
