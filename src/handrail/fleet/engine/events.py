"""The events of a fleet, as its topic in the log records them.

One struct per event; the field `event` tells them apart. New fields need a default. Nobody renames
or removes a field, because logs stay readable forever.
"""

from enum import StrEnum
from typing import Literal

import msgspec

from handrail.fleet.tasks.task import Task

Completeness = Literal["complete", "partly", "lost"]


class Lease(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who works on a task: the process, and the attempt that fences all its words."""

    owner: str
    """The scheduler that claimed it."""
    attempt: int
    slot: int = 0
    host: str = ""
    """The machine."""
    boot: str = ""
    """The boot of that machine: process numbers and start times count within it."""
    pid: int = 0
    """The driver, or the scheduler until there is one."""
    pid_began: float = 0.0
    """When that process began, in seconds since the boot."""


class TaskWorkspace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The worktree of a task."""

    path: str
    branch: str
    base: str
    """The commit that it started from."""


class AttemptOutcome(StrEnum):
    """How an attempt ended."""

    DONE = "done"
    """The agent says so, and the verify command succeeded."""
    FAILED = "failed"
    BLOCKED = "blocked"
    """It needs a person."""


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of an attempt, by the process that worked on it."""

    outcome: AttemptOutcome
    says: str = ""
    commit: str = ""
    """The last commit of its branch; only that is merged."""
    verified: bool = False
    iterations: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


class _FleetEvent(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event"):
    at: float
    """When it happened, in seconds since 1970."""


class TaskEvent(_FleetEvent, frozen=True, omit_defaults=True):
    """An event of one task."""

    task: str


class AttemptEvent(TaskEvent, frozen=True, omit_defaults=True):
    """An event of one attempt at a task."""

    attempt: int


class TaskSubmitted(_FleetEvent, frozen=True, omit_defaults=True, tag="task_submitted"):
    """Somebody added a task, or changed one."""

    task: Task
    by: str = ""
    folder: str = ""
    """The main work tree of the repository, where the log does not name it yet."""


class TaskClaimed(TaskEvent, frozen=True, omit_defaults=True, tag="task_claimed"):
    """A scheduler took a task for one of its slots."""

    lease: Lease


class LeaseExpired(AttemptEvent, frozen=True, omit_defaults=True, tag="lease_expired"):
    """The process of an attempt was not heard of for too long."""

    says: str = ""


class WorkspaceReady(AttemptEvent, frozen=True, omit_defaults=True, tag="workspace_ready"):
    """The worktree of an attempt is there."""

    workspace: TaskWorkspace


class DriverStarted(AttemptEvent, frozen=True, omit_defaults=True, tag="driver_started"):
    """The driver of an attempt holds its lease from now on."""

    run: str
    pid: int
    pid_began: float = 0.0


class TaskAudited(AttemptEvent, frozen=True, omit_defaults=True, tag="task_audited", gc=False):
    """One entry of a task's audit log; the recovery context is made of these."""

    kind: Literal["start", "iteration", "signal", "crash", "recovery", "refused", "merge", "stall"]
    says: str = ""
    iteration: int = 0
    files: tuple[str, ...] = ()
    """The files that were modified."""
    passed: int = -1
    failed: int = -1
    """The result of the tests; -1: unknown."""
    commit: str = ""
    """The last commit: its hash and subject."""
    error: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    end: str = ""
    """How the agent's loop ended, if this is its last entry: COMPLETE, LIMIT …"""
    run: str = ""
    """The run of that agent."""


class AttemptFinished(AttemptEvent, frozen=True, omit_defaults=True, tag="attempt_finished"):
    """An attempt ended, and its result counts."""

    result: AttemptResult
    again: bool = False
    """It failed, and the task is tried again."""


class TaskGivenBack(AttemptEvent, frozen=True, omit_defaults=True, tag="task_given_back"):
    """An attempt ended without a result; the task is pending again."""

    says: str = ""
    by: str = ""
    held: bool = False
    """Nobody claims it until a person releases it."""
    counts: bool = True
    """It counts as a try."""


class TaskReleased(TaskEvent, frozen=True, omit_defaults=True, tag="task_released"):
    """A person lets a task be tried again."""

    by: str = ""
    message: str = ""
    """What the agent is told beside the prompt of the task."""


class TaskBlocked(TaskEvent, frozen=True, omit_defaults=True, tag="task_blocked"):
    """A task waits for a person."""

    says: str = ""
    by: str = ""


class QuestionAsked(AttemptEvent, frozen=True, omit_defaults=True, tag="question_asked"):
    """An agent asks a person; the fold numbers the questions of a task."""

    question: str
    until: float = 0.0
    """When it stops waiting for the answer."""
    approval: str = ""
    """The approval that it stands for: an action waits, and `handrail approve` answers it."""


class QuestionTimedOut(AttemptEvent, frozen=True, omit_defaults=True, tag="question_timed_out"):
    """Nobody answered in time."""

    number: int
    answer: str = ""
    """The default answer that the agent was given; empty: there is none."""


class QuestionAnswered(TaskEvent, frozen=True, omit_defaults=True, tag="question_answered"):
    """A person answered a question."""

    number: int
    answer: str
    by: str = ""


class TaskCancelled(TaskEvent, frozen=True, omit_defaults=True, tag="task_cancelled"):
    """A person gave up a task."""

    by: str = ""
    says: str = ""


class TaskPreferred(TaskEvent, frozen=True, omit_defaults=True, tag="task_preferred"):
    """A person wants a task done before all others: the next free slot takes it."""

    by: str = ""
    says: str = ""


class FleetBegun(_FleetEvent, frozen=True, omit_defaults=True, tag="fleet_begun"):
    """A scheduler works for a fleet from now on; one that was given up begins anew."""

    run: str
    """The run that stands for the whole fleet."""
    folder: str = ""
    """The main work tree of the repository."""
    slots: int = 0
    """How many agents work at a time."""
    budget_usd: float = 0.0
    """What they may cost together; 0: no limit."""


class DispatchClosed(_FleetEvent, frozen=True, omit_defaults=True, tag="dispatch_closed"):
    """No task is claimed from now on, and no iteration begins."""

    by: str = ""
    says: str = ""
    given_up: bool = False
    """For good: the schedulers end."""


class DispatchOpened(_FleetEvent, frozen=True, omit_defaults=True, tag="dispatch_opened"):
    """Tasks are claimed again."""

    by: str = ""


class MergeChanged(TaskEvent, frozen=True, omit_defaults=True, tag="merge_changed"):
    """The merge of a task's branch came to an outcome."""

    outcome: Literal["merged", "waiting", "conflict", "verify_failed", "taken_back"]
    target: str
    """The branch."""
    commit: str = ""
    """The merged commit."""
    before: str = ""
    """The commit of the target before."""
    says: str = ""


class FleetRolledBack(_FleetEvent, frozen=True, omit_defaults=True, tag="fleet_rolled_back"):
    """A person took the fleet back to a checkpoint, or took such a rollback back."""

    checkpoint: str
    rollback: str
    """The id of the rollback: a process that goes on after a crash writes it once."""
    tasks: dict[str, object] = {}
    """The state that each task has from now on."""
    by: str = ""
    redo: bool = False


class RecoveredKind(msgspec.Struct, frozen=True):
    """What was recovered of one kind of data."""

    kind: Literal["state", "agents", "tasks", "workspaces", "conversation"]
    how: Completeness
    says: str = ""


class FleetRecovered(_FleetEvent, frozen=True, omit_defaults=True, tag="fleet_recovered"):
    """The log was damaged, and the fleet goes on from what was left of it."""

    source: str
    problems: tuple[str, ...] = ()
    """Why the better sources were not used."""
    kinds: tuple[RecoveredKind, ...] = ()
    state: dict[str, object] | None = None
    """The whole state from now on; None: every event could be read."""


FleetEvent = (
    TaskSubmitted
    | TaskClaimed
    | LeaseExpired
    | WorkspaceReady
    | DriverStarted
    | TaskAudited
    | AttemptFinished
    | TaskGivenBack
    | TaskReleased
    | TaskBlocked
    | QuestionAsked
    | QuestionTimedOut
    | QuestionAnswered
    | TaskCancelled
    | TaskPreferred
    | FleetBegun
    | DispatchClosed
    | DispatchOpened
    | MergeChanged
    | FleetRolledBack
    | FleetRecovered
)


event_decoder: msgspec.json.Decoder[FleetEvent] = msgspec.json.Decoder(FleetEvent)
