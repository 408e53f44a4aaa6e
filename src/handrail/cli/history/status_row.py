"""One run as `handrail status` shows it."""

import os
from collections.abc import Callable, Iterator

import msgspec

from handrail.cli.history.runs import KnownRun, KnownRuns
from handrail.model.control import HANDRAIL, Standing
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.open_question import blocked_agent_asks, wanted_action
from handrail.supervise.state.run_state import RunState
from handrail.words.amounts import money
from handrail.words.desktop import check_in_words
from handrail.words.run_signs import (
    NEEDS_YOU,
    NOT_DONE,
    OVER,
    RUN_SIGNS,
    STUCK,
    RunSign,
    work_in_words,
)
from handrail.words.times import duration_in_words

QUIET = 30 * 60
_LATELY = 60 * 60
_FORGOTTEN = 24 * 60 * 60
"""A killed session never reports its end, so `status` hides it after a day."""


def _lives(pid: int) -> bool:
    """Return whether the process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        return True
    return True


class StatusRow(msgspec.Struct, frozen=True):
    """One run at this moment."""

    run: KnownRun
    facts: RunState
    quiet: float
    """Seconds since its last event."""
    incident: str = ""
    """The emergency stop that waits for a decision."""
    left: bool = False
    """Its driver, a `handrail run`, is gone."""
    problem: str = ""
    """Why some of its events cannot be read."""
    task: str = ""
    """The task of a fleet that it is for."""
    is_past: bool = False
    """Its task has another run, or is over."""
    is_answered: bool = False
    """Its task goes on: what its agent needed was decided about."""

    @property
    def state(self) -> str:
        """Its state, one of RUN_SIGNS."""
        if self.incident:
            return "stopped"
        facts = self.facts
        if facts.course.stopped and facts.active:  # and a person chose to abort
            return "cancelled"
        standing = facts.hand.standing
        if self.is_past and not facts.hand.is_final:
            return "ended"
        if self.left and (standing == Standing.RUNNING or facts.hand.by == HANDRAIL):
            return "interrupted"
        if standing != Standing.RUNNING and (facts.active or facts.hand.is_final):
            return standing.value
        if facts.loop is not None:
            return "working"
        if facts.phase != "working":
            return facts.phase
        work = work_in_words(facts.desktop)
        return "quiet" if self.quiet > QUIET and work != STUCK else work

    @property
    def shown_state(self) -> str:
        """Its state, with the duration if that is long."""
        loop = self.facts.loop
        if self.state == "done" and loop is not None and loop.reason != "COMPLETE":
            return NOT_DONE
        held = self.facts.hand.standing != Standing.RUNNING and self.state != "ended"
        if self.quiet <= QUIET or (held and not self.incident):
            return self.state
        ago = " ago" if self.state in ("ended", "stopped") else ""
        return f"{self.state} {duration_in_words(self.quiet)}{ago}"

    @property
    def is_over(self) -> bool:
        """Whether the run is over, and nobody has to answer it."""
        return self.state in OVER and not self.question

    @property
    def question(self) -> str:
        """What it asks a person, or ""."""
        if self.is_past or self.is_answered:
            return ""
        if wanted := wanted_action(self.facts):
            return f"asks you: {wanted}"
        return blocked_agent_asks(self.facts)

    @property
    def needs_you(self) -> bool:
        """Whether it waits for a person."""
        now = self.facts.changed + self.quiet
        waits = self.incident or self.question or self.facts.approvals.waiting(now)
        return bool(waits) or self.state == STUCK

    @property
    def sign(self) -> RunSign:
        """Its sign and colour."""
        return RUN_SIGNS[NEEDS_YOU if self.needs_you else self.state]

    @property
    def goal(self) -> str:
        """Its goal in one line; of a desktop watch what it saw last."""
        loop, looked = self.facts.loop, self.facts.desktop
        if looked is not None and not self.is_over:
            return check_in_words(looked)
        text = loop.goal if loop else self.facts.first_prompt
        return next((line.strip() for line in text.splitlines() if line.strip()), "")

    def decided(self, decision: str) -> int:
        """Count the actions with this decision."""
        return self.facts.usage.decided.get(decision, 0)


def find_rows(
    runs: KnownRuns,
    store: Store,
    now: float,
    *,
    show_all: bool,
    is_open: Callable[[str], bool] = lambda incident: True,
    lives: Callable[[int], bool] = _lives,
) -> list[StatusRow]:
    """Return the runs that matter now: active runs first, the latest at the top."""
    rows: list[StatusRow] = []
    for run in runs if show_all else runs.changed_since(now - _FORGOTTEN):
        problems: list[str] = []
        facts = read_state(store, run.id, problems)
        stopped = facts.course.stopped
        incident = stopped if stopped and is_open(stopped) else ""
        loop = facts.loop
        driver = loop.driver if loop and not loop.ended and facts.active else 0
        left = bool(driver and not lives(driver))
        row = StatusRow(
            run, facts, max(now - facts.changed, 0.0), incident, left, next(iter(problems), "")
        )
        if show_all or not row.is_over or row.quiet <= _LATELY:
            rows.append(row)
    return sorted(rows, key=lambda row: row.is_over)


def control_lines(row: StatusRow, me: str) -> Iterator[str]:
    """Tell who controls the run, since when, why, and what waits because of it."""
    now = row.facts.changed + row.quiet
    hand = row.facts.hand
    if row.is_past:
        return
    if hand.standing.value == row.state and hand.by:
        who = "you" if hand.by == me else hand.by
        why = f": {hand.reason}" if hand.reason else ""
        yield f"by {who}, {duration_in_words(now - hand.since)} ago{why}"
    for says in hand.held.values():
        yield f"held before: {says}"
    for asked in row.facts.approvals.waiting(now):
        yield f"waits for your approval: {asked.says}"
        yield f"→ handrail approve {asked.id}"
    if row.left:
        yield f"its driver is gone → {_resume_command(row)}"
    if hand.waiting and not row.is_over:
        yield f"not confirmed yet: {', '.join(hand.waiting)}"


def _resume_command(row: StatusRow) -> str:
    loop = row.facts.loop
    if loop is not None and loop.is_fleet:
        return "handrail run --resume"
    if loop is not None and loop.issue:
        return f"handrail task show {loop.issue}"
    return f"handrail run --resume {row.run.name}"


def loop_line(row: StatusRow) -> str:
    """Describe the progress and the usage of a run, as far as known, or return ""."""
    facts = row.facts
    loop = facts.loop
    task = f"task {row.task}" if row.task else ""
    if loop is None:
        return " · ".join(filter(None, (task, *(_used(facts) if facts.tokens else ()))))
    parts = (
        task,
        _progress(loop),
        _ENDS.get(loop.reason, "") if loop.ended else "",
        facts.model,
        money(facts.cost_usd) if facts.cost_usd else "",
        f"{facts.tokens:,} tokens" if facts.tokens else "",
        "verified" if loop.verified else "",
    )
    return " · ".join(filter(None, parts))


def _progress(loop: LoopState) -> str:
    """Return how far a loop is; a fleet counts the tasks that are over."""
    if loop.is_fleet:
        return f"{loop.iteration}/{loop.max} tasks"
    return f"it {max(loop.iteration, 1)}/{loop.max}"


def _used(facts: RunState) -> Iterator[str]:
    """Yield the measured usage of a session; a cost that nobody knows is called unknown."""
    yield "cost unknown" if facts.cost_usd is None else money(facts.cost_usd)
    yield f"{facts.tokens:,} tokens"
    if facts.usage.memory_mb:
        yield f"{facts.usage.memory_mb:,.0f} MB"


_ENDS = {
    "MAX_ITERATIONS": "no iterations left",
    "STUCK": "the agent is stuck",
    "LIMIT": "limit reached",
    "ERROR": "the agent fails",
}
