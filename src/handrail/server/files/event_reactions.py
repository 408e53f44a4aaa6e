"""Reacts to events with checkpoints, rollbacks, stops and notifications, all in other threads."""

import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from time import time

import msgspec

from handrail.checkpoint import (
    CheckpointError,
    CheckpointStore,
    CheckpointTrigger,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.errors import NotRestoredError
from handrail.intervene.notify import Notification, Notifier
from handrail.model import event as events
from handrail.model.checkpoint import StateSnapshot
from handrail.model.event_table import by_event
from handrail.model.intervention import InterventionName
from handrail.server.control.emergency_stops import EmergencyStops
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler, RecordEvent
from handrail.server.threads.keyed_executor import log_failure
from handrail.supervise.supervisor import Supervisor
from handrail.words.approval_message import approval_body, approval_title

_log = logging.getLogger(__name__)

_STARTS = frozenset({"startup", "resume"})
_MAX_LINE = 80
_LATE = 120.0
"""Seconds after which a rollback is too late: others may have changed the files since."""
_TOO_LATE = "it is too late for that: files may have been changed since it was decided"

_INTERRUPTED = "Handrail ended in the middle of it; `handrail checkpoints` shows where files are"


class EventReactions:
    """Hears every event in the supervision thread, and starts the reaction."""

    def __init__(
        self,
        scheduler: CheckpointScheduler,
        record: RecordEvent,
        notifier: Notifier,
        stops: EmergencyStops,
        *,
        later: Callable[[Callable[[], None]], None] = lambda work: work(),
        panel: Callable[[], str] = lambda: "",
        clock: Callable[[], float] = time,
    ) -> None:
        """`later`: does work in the supervision thread, after the present message.

        `panel`: returns the address of the panel, or "".
        """
        self._scheduler = scheduler
        self._record = record
        self._notifier = notifier
        self._stops = stops
        self._later = later
        self._panel = panel
        self._clock = clock
        self._told: dict[str, set[str]] = {}
        """The troubles of each run that people were told of."""

    def on_event(self, supervisor: Supervisor, event: events.Event) -> None:
        """Start the reaction to an event; called in the supervision thread."""
        if (react := _REACTIONS.get(type(event))) is not None:
            react(self, supervisor, event)

    # Called in the supervision thread: what is needed of the run is taken along.

    def began(self, supervisor: Supervisor, event: events.RunStarted) -> None:
        """Save before a run without prompts."""
        if not event.attended and event.source in _STARTS:
            self._scheduler.begin(
                supervisor, CheckpointTrigger.UNATTENDED, "before an unattended run"
            )
            self._scheduler.leave(supervisor.state)

    def before_prompt(self, supervisor: Supervisor, event: events.PromptGiven) -> None:
        """Save before a prompt, so that the person can go back to it."""
        self._scheduler.begin(supervisor, CheckpointTrigger.PROMPT, f"prompt: {_line(event.text)}")

    def after_action(self, supervisor: Supervisor, event: events.ActionEnded) -> None:
        """Save after an action, so that a rollback does not go back too far."""
        self._scheduler.after_action(supervisor, event.step, event.at)

    def task(self, supervisor: Supervisor, event: events.TaskNoted) -> None:
        """Save after every few completed tasks."""
        if event.state == "done":
            self._scheduler.after_task(supervisor)

    def rested(self, supervisor: Supervisor, event: events.IterationEnded) -> None:
        """Save the agent's work; sub-agents may still be working."""
        if supervisor.state.phase == "waiting":
            self._scheduler.rest(supervisor, "the agent has stopped")

    def ended(self, supervisor: Supervisor, event: events.RunEnded) -> None:
        """Note that nobody works there any more."""
        self._told.pop(supervisor.state.run, None)
        self._scheduler.ended(supervisor.state)

    def found(self, supervisor: Supervisor, event: events.FindingMade) -> None:
        """Notify people of a severe finding, once for each trouble of a run.

        Handrail sends it after all events of this step: if it stops the run because of the
        finding, the message about the incident says it all.
        """
        state, finding = supervisor.state, event.finding
        settings = supervisor.project.config.notify
        told = self._told.setdefault(state.run, set())
        if finding.severity < settings.severity or finding.name in told:
            return
        told.add(finding.name)
        message = Notification(f"Handrail: {self._name(supervisor)}", finding.says)

        def tell() -> None:
            if not state.course.stopped:
                self._notifier.tell(settings, message)

        self._later(tell)

    def asked(self, supervisor: Supervisor, event: events.ApprovalAsked) -> None:
        """Tell people that an action waits for them."""
        state, notify = supervisor.state, supervisor.project.config.notify
        to = msgspec.structs.replace(notify, urls=notify.approvals or notify.urls)
        title = approval_title(state.cwd.rpartition("/")[2] or state.cwd)
        self._notifier.tell(to, Notification(title, approval_body(event, self._panel())))

    def intervened(self, supervisor: Supervisor, event: events.Intervened) -> None:
        """Carry out a rollback or a stop."""
        done = event.intervention
        if done.means == InterventionName.EMERGENCY_STOP:
            self._stops.stop(supervisor, event)
        elif done.means == InterventionName.CHECKPOINT_ROLLBACK and done.checkpoint:
            self.roll_back(supervisor, event.at, done.checkpoint, done.id, done.files)

    def resolved(self, supervisor: Supervisor, event: events.IncidentResolved) -> None:
        """Roll back, as a person decided about an incident."""
        if event.checkpoint:
            self.roll_back(supervisor, event.at, event.checkpoint)

    def asked_back(self, supervisor: Supervisor, event: events.RestoreAsked) -> None:
        """Record that a restore was interrupted, if an earlier daemon began it."""
        run = supervisor.state.run
        if run not in self._scheduler.restoring:
            back = events.RolledBack(
                self._clock(), event.checkpoint, problem=_INTERRUPTED, asked=True
            )
            self._record(run, back)

    def roll_back(
        self,
        supervisor: Supervisor,
        decided: float,
        checkpoint: str,
        intervention: str = "",
        files: Sequence[str] = (),
    ) -> None:
        """Restore the files, or only these, and report the result to the run.

        Skip it if the decision is old, because an earlier daemon ended after it.
        """
        state = supervisor.state
        run, cwd = state.run, state.cwd
        commit = next((one.commit for one in state.course.checkpoints if one.id == checkpoint), "")
        config, name = supervisor.project.config, self._name(supervisor)
        goal = StateSnapshot(state.history.goal, state.last_prompt)
        late = abs(self._clock() - decided) > _LATE

        def work() -> None:
            if late:
                event = events.RolledBack(
                    self._clock(), checkpoint, intervention, problem=_TOO_LATE
                )
            else:
                checkpoints = self._scheduler.checkpoints(cwd, config.checkpoints)
                restore = partial(self._restored, checkpoints, run, checkpoint, commit)
                event = restore(intervention, files, goal)
            self._record(run, event)
            if event.problem:
                body = f"The files were not put back to checkpoint {checkpoint}: {event.problem}"
                self._notifier.tell(config.notify, Notification(f"Handrail: {name}", body))

        self._scheduler.put(cwd, work).add_done_callback(log_failure)

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
        files: Sequence[str],
        goal: StateSnapshot,
    ) -> events.RolledBack:
        """Restore the files, and return the result whatever happens.

        `goal`: what the run works on now; a person may have changed it since.
        """
        try:
            only = tuple(_place_in(checkpoints.work_tree, path) for path in files)
            way = RestoreTarget(UndoLevel.CHECKPOINT, checkpoints.find(commit), run=run, only=only)
            restored = checkpoints.restore(way, by=self._scheduler.worked(checkpoints.work_tree))
        except Exception as error:  # noqa: BLE001 - the run is held until it hears
            if not isinstance(error, CheckpointError | OSError):
                _log.exception("files could not be put back")
            undo = error.undo if isinstance(error, NotRestoredError) else ""
            return events.RolledBack(
                self._clock(), checkpoint, intervention, undo=undo, problem=str(error)
            )
        unwritable = tuple(each.path for each in restored.spared if each.unwritable)
        return events.RolledBack(
            self._clock(),
            checkpoint,
            intervention,
            restored.files,
            restored.undo.id,
            unwritable=unwritable,
            state=_state_back(way.target.state_snapshot, goal),
        )


def _state_back(saved: StateSnapshot | None, goal: StateSnapshot) -> StateSnapshot | None:
    """Return the state that goes back with the files: tasks and own files, but not the goal."""
    if saved is None:
        return None
    return msgspec.structs.replace(saved, goal=goal.goal, last_prompt=goal.last_prompt)


def _place_in(work_tree: str, path: str) -> str:
    """Return a path as the work tree has it; its folders may be links."""
    folder, name = os.path.split(path)
    real = os.path.join(os.path.realpath(folder), name)
    return os.path.relpath(real, os.path.realpath(work_tree))


def _line(text: str) -> str:
    return " ".join(text.split())[:_MAX_LINE]


_REACTIONS = by_event(
    EventReactions.began, EventReactions.before_prompt, EventReactions.after_action,
    EventReactions.task, EventReactions.rested, EventReactions.ended, EventReactions.found,
    EventReactions.asked,
    EventReactions.intervened, EventReactions.resolved, EventReactions.asked_back,
)  # fmt: skip
