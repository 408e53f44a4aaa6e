"""The state of a fleet: a pure fold of its events."""

import msgspec

from handrail.fleet.engine import events
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    FleetEvent,
    Lease,
    TaskAudited,
    TaskWorkspace,
)
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.model.decodable import decodable
from handrail.model.event_table import by_event

KEPT_AUDIT = 100
"""The last audit entries of a task in memory; the log has all of them."""
KEPT_QUESTIONS = 100


class TaskMerge(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a task's branch."""

    outcome: str
    target: str
    commit: str = ""
    before: str = ""
    says: str = ""


class AskedQuestion(msgspec.Struct, omit_defaults=True):
    """A question of an agent to a person."""

    number: int
    attempt: int
    text: str
    asked: float
    until: float = 0.0
    """When the agent stops waiting for the answer."""
    approval: str = ""
    answer: str = ""
    """By a person, or the default one."""
    answered: float = 0.0
    """When a person answered, or the time-out came."""
    by: str = ""
    is_default: bool = False
    """Nobody answered in time."""
    is_closed: bool = False
    """A person let the task go on without an answer."""

    @property
    def needs_person(self) -> bool:
        """Return whether no person has dealt with it: an answer still counts."""
        return not self.is_closed and (self.is_default or not self.answered)

    @property
    def is_waiting(self) -> bool:
        """Return whether an agent waits for the answer."""
        return not (self.answered or self.is_closed)


class TaskState(msgspec.Struct, omit_defaults=True):
    """One task, folded from events."""

    task: Task
    added: float = 0.0
    changed: float = 0.0
    status: TaskStatus = TaskStatus.PENDING
    says: str = ""
    """Why it is blocked, failed or held."""
    held: bool = False
    """A person stopped it: nobody claims it until it is released."""
    preferred: bool = False
    """A person wants it done before all others."""
    attempt: int = 0
    """The number of the last attempt; it fences the words of all earlier ones."""
    expiries: int = 0
    """Attempts whose process was not heard of any more, since a person last released it."""
    tries: int = 0
    """Attempts that failed, since a person last released it."""
    message: str = ""
    """What the agent is told beside its prompt, since a person last released it."""
    lease: Lease | None = None
    overdue: bool = False
    """Nothing was heard of its process for longer than a lease, as the engine counts it now."""
    lost: Lease | None = None
    """An attempt whose process may still live: whoever takes the task has to end it first."""
    run: str = ""
    """The last run of an agent for it."""
    open_run: str = ""
    """That run, from its start until a result or a person ends it: if it is still there at the next
    claim, the run was broken off by accident, and its conversation fits the files."""
    workspace: TaskWorkspace | None = None
    result: AttemptResult | None = None
    merge: TaskMerge | None = None
    audit: list[TaskAudited] = msgspec.field(default_factory=list)
    questions: list[AskedQuestion] = msgspec.field(default_factory=list)
    """To a person, the oldest first."""
    tokens: int = 0
    cost_usd: float = 0.0

    @property
    def is_claimable(self) -> bool:
        """Return whether an agent may take it, apart from its dependencies."""
        return self.status is TaskStatus.PENDING and not self.held


@decodable
class FleetState(msgspec.Struct, omit_defaults=True):
    """A fold of events: the same events give the same state."""

    seq: int = 0
    """The number of the last event."""
    changed: float = 0.0
    tasks: dict[str, TaskState] = msgspec.field(default_factory=dict)
    closed: bool = False
    """No task is claimed, and no iteration begins: a person has paused everything."""
    closed_by: str = ""
    rolled_back: str = ""
    """The id of the last rollback."""
    closed_says: str = ""
    given_up: bool = False
    """A person gave it up: its schedulers end, and the next one begins anew."""
    run: str = ""
    """The run that stands for the whole fleet."""
    folder: str = ""
    """The main work tree of the repository; empty: nobody has said it."""
    slots: int = 0
    """How many agents work at a time, as its last scheduler said."""
    budget_usd: float = 0.0
    """What they may cost together; 0: no limit."""

    def apply(self, event: FleetEvent) -> None:
        """Take in the next event."""
        self.seq += 1
        self.changed = event.at
        _APPLY[type(event)](self, event)

    def ready(self) -> list[TaskState]:
        """Return the tasks that an agent may take now, in the order of their submission."""
        return [
            each for each in self.tasks.values() if each.is_claimable and self.is_set_free(each)
        ]

    def is_set_free(self, task: TaskState) -> bool:
        """Return whether all tasks that it depends on are done."""
        return all(
            (other := self.tasks.get(name)) is not None and other.status is TaskStatus.DONE
            for name in task.task.depends_on
        )

    def active(self) -> list[TaskState]:
        """Return the tasks with an attempt under way."""
        return [each for each in self.tasks.values() if each.status is TaskStatus.ACTIVE]

    @property
    def cost_usd(self) -> float:
        """Return the cost of all tasks."""
        return sum(each.cost_usd for each in self.tasks.values())


def _submitted(state: FleetState, event: events.TaskSubmitted) -> None:
    state.folder = event.folder or state.folder
    known = state.tasks.get(event.task.id)
    if known is None:
        state.tasks[event.task.id] = TaskState(event.task, event.at, event.at)
    else:
        known.task, known.changed, known.open_run = event.task, event.at, ""


def _claimed(state: FleetState, event: events.TaskClaimed) -> None:
    task = _changed(state, event)
    task.status, task.says = TaskStatus.ACTIVE, ""
    task.attempt, task.lease = event.lease.attempt, event.lease
    task.result, task.preferred = None, False


def _expired(state: FleetState, event: events.LeaseExpired) -> None:
    task = _changed(state, event)
    # The attempts after it had no driver, or they would have ended this one.
    task.lost = task.lost or task.lease
    task.status, task.lease, task.says = TaskStatus.PENDING, None, event.says
    task.expiries += 1


def _workspace(state: FleetState, event: events.WorkspaceReady) -> None:
    task = _changed(state, event)
    if task.workspace != event.workspace:
        task.open_run = ""
    task.workspace = event.workspace


def _driver(state: FleetState, event: events.DriverStarted) -> None:
    task = _changed(state, event)
    task.run, task.open_run, task.lost = event.run, event.run, None
    if task.lease is not None:
        task.lease = msgspec.structs.replace(task.lease, pid=event.pid, pid_began=event.pid_began)


def _audited(state: FleetState, event: TaskAudited) -> None:
    task = _changed(state, event)
    task.audit.append(event)
    del task.audit[:-KEPT_AUDIT]
    task.tokens += event.tokens
    task.cost_usd += event.cost_usd


_ENDS = {
    AttemptOutcome.DONE: TaskStatus.DONE,
    AttemptOutcome.FAILED: TaskStatus.FAILED,
    AttemptOutcome.BLOCKED: TaskStatus.BLOCKED,
}


def _finished(state: FleetState, event: events.AttemptFinished) -> None:
    task = _changed(state, event)
    task.status = TaskStatus.PENDING if event.again else _ENDS[event.result.outcome]
    task.tries += event.result.outcome is AttemptOutcome.FAILED
    task.says, task.result, task.lease = event.result.says, event.result, None
    task.open_run = ""


def _given_back(state: FleetState, event: events.TaskGivenBack) -> None:
    task = _changed(state, event)
    task.status, task.lease, task.says = TaskStatus.PENDING, None, event.says
    task.held = event.held
    if event.held or event.by:
        task.open_run = ""
    task.tries += event.counts


def _released(state: FleetState, event: events.TaskReleased) -> None:
    task = _changed(state, event)
    if task.status is not TaskStatus.ACTIVE:
        task.status = TaskStatus.PENDING
    task.held, task.says, task.message, task.open_run = False, "", event.message, ""
    task.tries = task.expiries = 0
    task.merge = None  # the next attempt makes new work, which nobody has merged yet
    for each in task.questions:
        each.is_closed = each.is_closed or each.needs_person


def _blocked(state: FleetState, event: events.TaskBlocked) -> None:
    task = _changed(state, event)
    task.status, task.says, task.lease = TaskStatus.BLOCKED, event.says, None
    task.open_run = ""


def _asked(state: FleetState, event: events.QuestionAsked) -> None:
    """Take in a question; the same one again is one, as long as nobody has answered it."""
    task = _changed(state, event)
    if waiting_question(task, event.question) is not None:
        return
    number = task.questions[-1].number + 1 if task.questions else 1
    task.questions.append(
        AskedQuestion(number, event.attempt, event.question, event.at, event.until, event.approval)
    )
    del task.questions[:-KEPT_QUESTIONS]


def waiting_question(task: TaskState, text: str) -> AskedQuestion | None:
    """Return the question with this text that waits for an answer, or None."""
    waiting = (each for each in task.questions if each.is_waiting and each.text == text)
    return next(waiting, None)


def _timed_out(state: FleetState, event: events.QuestionTimedOut) -> None:
    for each in _changed(state, event).questions:
        if each.number == event.number and each.is_waiting:
            each.answer, each.answered, each.is_default = event.answer, event.at, True


def _answered(state: FleetState, event: events.QuestionAnswered) -> None:
    for each in _changed(state, event).questions:
        if each.number == event.number:
            each.answer, each.answered, each.by = event.answer, event.at, event.by
            each.is_default = each.is_closed = False


def _cancelled(state: FleetState, event: events.TaskCancelled) -> None:
    task = _changed(state, event)
    task.status, task.lease, task.open_run = TaskStatus.FAILED, None, ""
    task.says = event.says or (f"cancelled by {event.by}" if event.by else "cancelled")


def _preferred(state: FleetState, event: events.TaskPreferred) -> None:
    _changed(state, event).preferred = True


def _begun(state: FleetState, event: events.FleetBegun) -> None:
    state.run, state.slots, state.budget_usd = event.run, event.slots, event.budget_usd
    state.folder = event.folder or state.folder
    if state.given_up:
        _open(state)


def _closed(state: FleetState, event: events.DispatchClosed) -> None:
    state.closed, state.closed_by, state.closed_says = True, event.by, event.says
    state.given_up = state.given_up or event.given_up


def _opened(state: FleetState, event: events.DispatchOpened) -> None:
    _open(state)


def _open(state: FleetState) -> None:
    state.closed = state.given_up = False
    state.closed_by = state.closed_says = ""


def _merged(state: FleetState, event: events.MergeChanged) -> None:
    task = _changed(state, event)
    task.merge = TaskMerge(event.outcome, event.target, event.commit, event.before, event.says)


def _rolled_back(state: FleetState, event: events.FleetRolledBack) -> None:
    """Take the tasks of a checkpoint; what really happened does not go back.

    An attempt's number and the money spent only grow, and nobody works on a task.
    """
    state.rolled_back = event.rollback
    for name, task in msgspec.convert(event.tasks, dict[str, TaskState]).items():
        now = state.tasks.get(name, task)
        task.attempt = max(task.attempt, now.attempt)
        task.tokens, task.cost_usd = max(task.tokens, now.tokens), max(task.cost_usd, now.cost_usd)
        if task.status is TaskStatus.ACTIVE:
            task.status = TaskStatus.PENDING
        task.lease, task.overdue, task.changed, task.open_run = None, False, event.at, ""
        state.tasks[name] = task


def _recovered(state: FleetState, event: events.FleetRecovered) -> None:
    """Take the state that was recovered; its numbers count from this place of the log."""
    if event.state is None:
        return
    found = msgspec.convert(event.state, FleetState)
    for field in found.__struct_fields__:
        if field not in _OF_THE_LOG:
            setattr(state, field, getattr(found, field))


_OF_THE_LOG = frozenset({"seq", "changed"})


def _changed(state: FleetState, event: events.TaskEvent) -> TaskState:
    """Return the task of an event; one that was never submitted is a gap in the log."""
    task = state.tasks.get(event.task)
    if task is None:
        task = state.tasks[event.task] = TaskState(Task(id=event.task, prompt=""), event.at)
    task.changed = event.at
    return task


_APPLY = by_event(
    _submitted, _claimed, _expired, _workspace, _driver, _audited, _finished, _given_back,
    _released, _blocked, _asked, _timed_out, _answered, _cancelled, _preferred,
    _begun, _closed, _opened, _merged, _rolled_back, _recovered,
)  # fmt: skip
