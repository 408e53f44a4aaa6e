"""Fleets, tasks and pipelines."""

from typing import Literal

import msgspec

from handrail.api.messages.runs import Tone


class SlotRow(msgspec.Struct, frozen=True):
    """One slot, and who works in it."""

    slot: int
    task: str
    run: str
    agent: str
    attempt: int
    iteration: int
    workspace: str
    branch: str
    says: str
    cost_usd: float


class QuestionRow(msgspec.Struct, frozen=True):
    """One question of a task's agent to a person."""

    number: int
    text: str
    asked: float
    until: float
    """When the agent stops waiting."""
    answer: str
    by: str
    """Who answered; empty: nobody, so the answer is the default one."""
    says: str
    """What became of it, in words."""
    approval: str
    """The approval that it stands for, which `decide_approval` answers; empty: it needs words."""
    needs_person: bool


class TaskRow(msgspec.Struct, frozen=True):
    """One task in a list or on the board."""

    fleet: str
    id: str
    label: str
    status: Literal["pending", "active", "blocked", "done", "failed"]
    state: str
    why: str
    mark: str
    tone: Tone
    priority: int
    depends_on: tuple[str, ...]
    slot: int
    attempt: int
    iteration: int
    run: str
    workspace: str
    branch: str
    merge: str
    """merging, merged, waiting, conflict, verify_failed, taken_back; empty: never tried."""
    merge_says: str
    cost_usd: float
    tokens: int
    since: float
    held: bool
    questions: tuple[QuestionRow, ...]
    """Those that wait for a person."""
    commands: tuple[str, ...]
    """What can be done with it now, the most likely first: answer (by `answer_question`), retry,
    merge, again (do a done one once more), prefer, redirect, edit, priority, block, cancel."""


class FleetRow(msgspec.Struct, frozen=True):
    """One fleet."""

    id: str
    name: str
    folder: str
    says: str
    paused: str
    run: str
    slots: tuple[SlotRow, ...]
    """Those that are used."""
    slot_count: int
    """How many there are; 0: no scheduler has said it."""
    counts: dict[str, int]
    """How many tasks are in each state."""
    cost_usd: float
    budget_usd: float
    recovered: tuple[str, ...]
    """How completely its state was recovered, one line per kind; empty: nothing was lost."""


class FleetList(msgspec.Struct, frozen=True):
    """All fleets."""

    items: tuple[FleetRow, ...]
    next: str
    """The cursor of the next page; empty: this is the last one."""


class TaskPage(msgspec.Struct, frozen=True):
    """The tasks of a fleet, the most urgent first."""

    items: tuple[TaskRow, ...]
    next: str
    total: int


class AuditRow(msgspec.Struct, frozen=True):
    """One line of a task's history."""

    at: float
    attempt: int
    says: str
    tone: Tone


class TaskDetail(msgspec.Struct, frozen=True):
    """One task in full."""

    row: TaskRow
    title: str
    """As somebody wrote it; empty: its label is the first line of the prompt."""
    prompt: str
    verify: str
    scope: tuple[str, ...]
    model: str
    host: str
    limits: dict[str, float]
    audit: tuple[AuditRow, ...]
    questions: tuple[QuestionRow, ...]
    """All of them."""
    default_answer: str
    """What an agent is told when nobody answers in time; empty: its task is blocked."""
    recovery_context: dict[str, object]
    """As `handrail task show --json` gives it."""


class TaskDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new task, or new values for one."""

    prompt: str = ""
    id: str = ""
    title: str = ""
    verify: str = ""
    depends_on: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    priority: int = 0
    model: str = ""
    host: str = ""
    limits: dict[str, float] = {}
    """iterations, minutes, cost_usd, tokens, memory_mb of one attempt."""


class TaskCommandRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command about a task."""

    command: Literal["retry", "again", "block", "cancel", "prefer", "merge", "redirect", "priority"]
    reason: str = ""
    message: str = ""
    """What the next agent is told, after retry and again."""
    to: str = ""
    """The other task of a redirect, or the branch of a merge (empty: the one checked out)."""
    workspace: Literal["new", "same"] = "new"
    """Of a redirect: where the other task goes on."""
    resolve: bool = False
    """Of a merge: a conflict goes back to the agent of the task."""
    keep: bool = False
    """Of a merge: the workspace stays."""
    priority: int = 0


class TaskAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a question of a task's agent."""

    text: str
    question: int = 0
    """Its number; 0: the only open one."""


class TaskCommandResult(msgspec.Struct, frozen=True):
    """What the command came to."""

    ok: bool
    says: str
    task: TaskRow | None
    request: str = ""
    """The control request of a redirect: `/requests/{request}` tells how it stands."""


class PipelineStepRow(msgspec.Struct, frozen=True):
    """One step of a pipeline."""

    name: str
    type: str
    status: str
    """waiting, running, ok, failed, blocked_by_reviewer, skipped, interrupted, not_run."""
    says: str
    attempts: int
    seconds: float
    runs: tuple[str, ...]
    cost_usd: float


class BlockedRow(msgspec.Struct, frozen=True):
    """An action that was refused in a pipeline."""

    step: str
    run: str
    action: int
    tool: str
    says: str
    reason: str


class PipelineRow(msgspec.Struct, frozen=True):
    """A run of a pipeline."""

    id: str
    name: str
    file: str
    """Empty: it was given as a text."""
    folder: str
    by: str
    """Who started it."""
    status: Literal["running", "ok", "error"]
    error: str
    """step_failed, blocked_by_reviewer, interrupted; empty: none so far."""
    started: float
    seconds: float
    steps: tuple[PipelineStepRow, ...]
    blocked: tuple[BlockedRow, ...]
    review: dict[str, int]
    """total, allowed, warned, modified, blocked_count."""
    cost_usd: float
    failed_step: str
    """The step that decided the error; empty: none did."""


class PipelineList(msgspec.Struct, frozen=True):
    """The pipelines, the latest first."""

    items: tuple[PipelineRow, ...]
    next: str
    """The cursor of the next page; empty: this is the last one."""
