"""What takes long is done in a thread of its own: checkpoints, rollbacks, messages."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import time
from typing import TypeVar, cast

from handrail.checkpoint import (
    CheckpointError,
    CheckpointStore,
    CheckpointTrigger,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.errors import NotRestoredError
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.intervene.notify import Notification, Notifier
from handrail.model.event import (
    ActionEnded,
    Event,
    FindingMade,
    IncidentResolved,
    Intervened,
    IterationEnded,
    PromptGiven,
    RestoreAsked,
    RolledBack,
    RunEnded,
    RunStarted,
    TaskNoted,
)
from handrail.model.intervention import InterventionName
from handrail.server.control.emergency_stops import EmergencyStops
from handrail.server.files.checkpoint_scheduler import (
    CheckpointScheduler,
    FindConversation,
    RecordEvent,
)
from handrail.server.home import Home
from handrail.server.threads.keyed_executor import KeyedExecutor, log_failure
from handrail.supervise.supervisor import Supervisor

T = TypeVar("T")

_log = logging.getLogger(__name__)

_STARTS = frozenset({"startup", "resume"})
_MAX_LINE = 80
_LATE = 120.0
"""Seconds after which files are not put back any more: others may have worked in them since."""
_TOO_LATE = "it is too late for that: files may have been changed since it was decided"

_INTERRUPTED = "Handrail ended in the middle of it; `handrail checkpoints` shows where files are"


class EventReactions:
    """Hears of every event, in the brain's thread, and does what has to be done about it."""

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        record: RecordEvent,
        notifier: Notifier,
        stops: EmergencyStops,
        *,
        conversation: FindConversation = lambda host, run: None,
        clock: Callable[[], float] = time,
    ) -> None:
        self._record = record
        self._notifier = notifier
        self._stops = stops
        self._clock = clock
        self.restoring: set[str] = set()
        """Runs whose files are just being put back because a person wants it."""
        self.lanes = KeyedExecutor()
        self.scheduler = CheckpointScheduler(
            home.path, environ, record, self.lanes, conversation=conversation, clock=clock
        )

    def on_event(self, supervisor: Supervisor, event: Event) -> None:
        """Take note of an event; called in the brain's thread."""
        act = _ACTS.get(type(event))
        if act is not None:
            act(self, supervisor, event)

    def settle(self) -> None:
        """Wait until everything that was begun is done."""
        self.lanes.settle()

    def checkpoints(self, folder: str, settings: Settings | None = None) -> CheckpointStore:
        """Those of the project that a folder belongs to."""
        return self.scheduler.checkpoints(folder, settings)

    def worked(self, folder: str) -> tuple[str, ...]:
        """The runs that worked there since the last checkpoint."""
        return self.scheduler.worked(folder)

    def count(self, folder: str, checkpoints: CheckpointStore) -> None:
        """Tidy up now and then after checkpoints that a person takes; called in a lane."""
        self.scheduler.count(folder, checkpoints)

    def do(self, folder: str, work: Callable[[], T]) -> Awaitable[T]:
        """Work in a thread, after all that is done to the files of the same folder."""
        return asyncio.wrap_future(self.lanes.put(self.scheduler.lane(folder), work))

    def close(self) -> None:
        """Finish what was begun."""
        self.lanes.close()

    # Called in the brain's thread: what is needed of the run is taken along.

    def began(self, supervisor: Supervisor, event: RunStarted) -> None:
        """Before a run that nobody watches."""
        if not event.attended and event.source in _STARTS:
            self.scheduler.begin(
                supervisor, CheckpointTrigger.UNATTENDED, "before an unattended run"
            )
            self.scheduler.leave(supervisor.state)

    def before_prompt(self, supervisor: Supervisor, event: PromptGiven) -> None:
        """What the person may want to go back to."""
        self.scheduler.begin(supervisor, CheckpointTrigger.PROMPT, f"prompt: {_line(event.text)}")

    def after_action(self, supervisor: Supervisor, event: ActionEnded) -> None:
        """So that a rollback does not go back too far."""
        self.scheduler.after_action(supervisor, event.step, event.at)

    def task(self, supervisor: Supervisor, event: TaskNoted) -> None:
        """After so many completed tasks."""
        if event.state == "done":
            self.scheduler.after_task(supervisor)

    def rested(self, supervisor: Supervisor, event: IterationEnded) -> None:
        """What the agent has done; sub-agents may still be at work."""
        if supervisor.state.phase == "waiting":
            self.scheduler.rest(supervisor, "the agent has stopped")

    def ended(self, supervisor: Supervisor, event: RunEnded) -> None:
        """Nobody works there any more."""
        self.scheduler.ended(supervisor.state)

    def found(self, supervisor: Supervisor, event: FindingMade) -> None:
        """People are told of what is bad enough."""
        settings = supervisor.project.config.notify
        if event.finding.severity >= settings.severity:
            name = self._name(supervisor)
            self._notifier.tell(settings, Notification(f"Handrail: {name}", event.finding.says))

    def intervened(self, supervisor: Supervisor, event: Intervened) -> None:
        """A rollback or a stop is carried out."""
        done = event.intervention
        if done.means == InterventionName.EMERGENCY_STOP:
            self._stops.stop(supervisor, event)
        elif done.means == InterventionName.CHECKPOINT_ROLLBACK and done.checkpoint:
            self.roll_back(supervisor, event.at, done.checkpoint, done.id)

    def resolved(self, supervisor: Supervisor, event: IncidentResolved) -> None:
        """A person wants the files back as they were."""
        if event.checkpoint:
            self.roll_back(supervisor, event.at, event.checkpoint)

    def asked_back(self, supervisor: Supervisor, event: RestoreAsked) -> None:
        """A restore that a daemon began which has ended since: nobody else will finish it."""
        run = supervisor.state.run
        if run not in self.restoring:
            back = RolledBack(self._clock(), event.checkpoint, problem=_INTERRUPTED, asked=True)
            self._record(run, back)

    def roll_back(
        self, supervisor: Supervisor, decided: float, checkpoint: str, intervention: str = ""
    ) -> None:
        """Put the files back; the run hears how it went.

        Not where a daemon ended after that was decided, and much has happened since.
        """
        state = supervisor.state
        run, cwd = state.run, state.cwd
        commit = next((one.commit for one in state.course.checkpoints if one.id == checkpoint), "")
        config, name = supervisor.project.config, self._name(supervisor)
        late = abs(self._clock() - decided) > _LATE

        def work() -> None:
            if late:
                event = RolledBack(self._clock(), checkpoint, intervention, problem=_TOO_LATE)
            else:
                checkpoints = self.checkpoints(cwd, config.checkpoints)
                event = self._restored(checkpoints, run, checkpoint, commit, intervention)
            self._record(run, event)
            if event.problem:
                body = f"The files were not put back to checkpoint {checkpoint}: {event.problem}"
                self._notifier.tell(config.notify, Notification(f"Handrail: {name}", body))

        self.lanes.put(self.scheduler.lane(cwd), work).add_done_callback(log_failure)

    def _name(self, supervisor: Supervisor) -> str:
        state = supervisor.state
        return f"{state.cwd.rpartition('/')[2] or state.cwd} ({state.run[:8]})"

    # Called in a lane

    def _restored(
        self,
        checkpoints: CheckpointStore,
        run: str,
        checkpoint: str,
        commit: str,
        intervention: str,
    ) -> RolledBack:
        """Put the files back, and say how that went; whatever happens, it says something."""
        try:
            way = RestoreTarget(UndoLevel.CHECKPOINT, checkpoints.find(commit), run=run)
            restored = checkpoints.restore(way, by=self.scheduler.worked(checkpoints.work_tree))
        except Exception as error:  # noqa: BLE001 - the run is held until it hears
            if not isinstance(error, CheckpointError | OSError):
                _log.exception("files could not be put back")
            undo = error.undo if isinstance(error, NotRestoredError) else ""
            return RolledBack(
                self._clock(), checkpoint, intervention, undo=undo, problem=str(error)
            )
        return RolledBack(self._clock(), checkpoint, intervention, restored.files, restored.undo.id)


def _line(text: str) -> str:
    return " ".join(text.split())[:_MAX_LINE]


_Act = Callable[[EventReactions, Supervisor, Event], None]
_ACTS: dict[type, _Act] = {
    kind: cast("_Act", act)
    for kind, act in (
        (RunStarted, EventReactions.began),
        (PromptGiven, EventReactions.before_prompt),
        (ActionEnded, EventReactions.after_action),
        (TaskNoted, EventReactions.task),
        (IterationEnded, EventReactions.rested),
        (RunEnded, EventReactions.ended),
        (FindingMade, EventReactions.found),
        (Intervened, EventReactions.intervened),
        (IncidentResolved, EventReactions.resolved),
        (RestoreAsked, EventReactions.asked_back),
    )
}
