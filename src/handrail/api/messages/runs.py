"""Runs, and what they need from a person."""

from typing import Literal

import msgspec

Tone = Literal["", "green", "yellow", "red", "dim", "bold"]
"""The colour of a sign: green ran, yellow changed or waits, red stopped."""


class CommandState(msgspec.Struct, frozen=True):
    """A command of the protocol, and whether this run takes it now."""

    command: str
    allowed: bool
    why_not: str = ""
    choices: tuple[str, ...] = ()
    """The values of its choice that this run takes, the default first; empty: it has no choice."""


class RunRow(msgspec.Struct, frozen=True):
    """One run in a list."""

    id: str
    name: str
    state: str
    """In one or two words: working, waiting, needs you, paused, stopped, done …"""
    mark: str
    tone: Tone
    needs_you: str
    """What it needs from a person, in half a sentence; empty: nothing."""
    approval: str
    """The approval that it waits for, the first of them."""
    questions: int
    """How many approvals it waits for."""
    incident: str
    """The emergency stop that waits for a decision."""
    goal: str
    project: str
    """The name of its folder."""
    cwd: str
    host: str
    model: str
    task: str
    iteration: int
    iterations: int
    """The limit; 0: none."""
    actions: int
    changed_actions: int
    stopped_actions: int
    cost_usd: float | None
    """None: nobody knows it."""
    tokens: int
    started: float
    changed: float
    last_action: str
    trouble: str
    """The worst current finding, in a sentence."""
    risks: tuple[float, ...]
    """The risk of its last actions, the oldest first."""
    by: str
    reason: str
    since: float
    """Who brought it into this state, why, and when."""
    held: tuple[str, ...]
    """The actions that wait until it goes on."""
    under_way: tuple[str, ...]
    """Acknowledged commands without a result."""
    active: bool
    driven: bool
    seq: int
    """The last event in this row."""
    explained: str = ""
    """How it came into a state that nobody asked for, such as the end of its driver."""


class RunPage(msgspec.Struct, frozen=True):
    """A page of runs: those that need a person first, then the latest."""

    items: tuple[RunRow, ...]
    next: str
    """The cursor of the next page; empty: this is the last one."""
    total: int


class RunDetail(msgspec.Struct, frozen=True):
    """One run, with its controls."""

    row: RunRow
    prompt: str
    commands: tuple[CommandState, ...]
    limits: dict[str, str]
    verify: str
    scope: tuple[str, ...]
    findings: int
    interventions: int
    checkpoints: int
    session: str
    """The host's own id of the session."""


class Overview(msgspec.Struct, frozen=True):
    """The first look."""

    needs_you: tuple[RunRow, ...]
    by_state: dict[str, int]
    cost_today_usd: float
    tokens_today: int
    stopped_today: int
    changed_today: int
    notices: tuple[str, ...]
    """What was noticed about Handrail's own parts and nobody has seen yet."""
    problem: str
    """What is wrong with the daemon or its log; empty: nothing."""


class RunSeries(msgspec.Struct, frozen=True):
    """Values of a run over time, for charts; lists of equal length, with gaps as null."""

    at: tuple[float, ...]
    step: tuple[int, ...]
    risk: tuple[float | None, ...]
    tokens: tuple[float | None, ...]
    cost_usd: tuple[float | None, ...]
    memory_mb: tuple[float | None, ...]
    marks: tuple["SeriesMark", ...]


class SeriesMark(msgspec.Struct, frozen=True):
    """A moment worth a line in the chart: a finding, an intervention, a rollback."""

    at: float
    step: int
    says: str
    tone: Tone
