"""A task and a fleet as the screen shows them: immutable, so that two threads can read them."""

from collections.abc import Iterable, Sequence

import msgspec

from handrail.fleet.engine.events import AttemptResult, TaskAudited, TaskWorkspace
from handrail.fleet.engine.fleet_state import AskedQuestion, FleetState, TaskMerge, TaskState
from handrail.fleet.questions import questions_for_person
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.words.fleet_summary import fleet_in_words, last_iteration, paused_in_words
from handrail.words.tasks import TaskLine, TaskWords

_KEPT_AUDIT = 50


class TaskOverview(msgspec.Struct, frozen=True):
    """One task after its last event."""

    fleet: str
    task: Task
    words: TaskWords
    status: TaskStatus
    since: float
    """Since when it waits or is worked on; if it is over: when it ended."""
    held: bool = False
    slot: int = 0
    attempt: int = 0
    iteration: int = 0
    run: str = ""
    workspace: TaskWorkspace | None = None
    result: AttemptResult | None = None
    merge: TaskMerge | None = None
    audit: tuple[TaskAudited, ...] = ()
    tokens: int = 0
    cost: float = 0.0
    questions: tuple[AskedQuestion, ...] = ()
    """Those that wait for a person."""

    @property
    def key(self) -> str:
        """Return what tells it from all tasks of all fleets."""
        return f"{self.fleet}/{self.task.id}"


class FleetView(msgspec.Struct, frozen=True):
    """One fleet at a moment."""

    name: str
    says: str
    """How it stands, in one line."""
    tasks: tuple[TaskOverview, ...]
    """The most urgent ones first."""
    paused: str = ""
    """By whom it is paused, in words; empty: it is not."""
    folder: str = ""
    """The main work tree of its repository; empty: the log does not name it."""
    run: str = ""
    """The run that stands for the whole fleet."""
    slots: int = 0
    """How many agents work at a time; 0: no scheduler has said it."""
    cost: float = 0.0
    budget: float = 0.0
    """In US dollars; 0: no limit."""
    changed: float = 0.0
    """When the last event came."""


def fleet_view(
    name: str,
    state: FleetState,
    lines: Sequence[TaskLine],
    tasks: Iterable[TaskOverview],
    folder: str = "",
) -> FleetView:
    """Summarise the state of a fleet; `lines` and `tasks` in the same order.

    `folder`: its repository, where somebody knows it better than the log.
    """
    return FleetView(
        name,
        fleet_in_words(state, lines),
        tuple(tasks),
        paused_in_words(state),
        folder or state.folder,
        state.run,
        state.slots,
        state.cost_usd,
        state.budget_usd,
        state.changed,
    )


def task_overview(fleet: str, state: TaskState, words: TaskWords) -> TaskOverview:
    """Summarise the state of a task."""
    is_open = state.status in (TaskStatus.PENDING, TaskStatus.ACTIVE)
    return TaskOverview(
        fleet,
        state.task,
        words,
        state.status,
        state.added if is_open else state.changed,
        state.held,
        state.lease.slot if state.lease else 0,
        state.attempt,
        last_iteration(state),
        state.run,
        state.workspace,
        state.result,
        state.merge,
        tuple(state.audit[-_KEPT_AUDIT:]),
        state.tokens,
        state.cost_usd,
        tuple(map(msgspec.structs.replace, questions_for_person(state))),  # the state goes on
    )
