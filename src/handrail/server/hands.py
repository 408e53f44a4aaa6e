"""What takes long is done in a thread of its own: checkpoints, rollbacks, messages."""

import logging
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from time import time
from typing import cast

import msgspec

from handrail.checkpoint import (
    About,
    CheckpointError,
    Checkpoints,
    Level,
    Moment,
    Way,
    checkpoint_folder,
    work_tree_of,
)
from handrail.checkpoint.errors import NotRestoredError
from handrail.intervene.notify import Message, Notifier
from handrail.model.event import (
    ActionEnded,
    CheckpointTaken,
    Event,
    FaultNoted,
    FindingMade,
    IncidentResolved,
    Intervened,
    PromptGiven,
    RolledBack,
)
from handrail.model.intervention import Means
from handrail.model.run import Checkpoint
from handrail.server.home import Home
from handrail.server.stops import Stops
from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

CHECKPOINT_STEPS = 10
CHECKPOINT_SECONDS = 60.0
"""How far apart two checkpoints are at least, beside those before a prompt."""
_LATE = 120.0
"""Seconds after which files are not put back any more: others may have worked in them since."""
_MAX_TROUBLES = 1000
_DOUBLINGS = 6
_TOO_LATE = "it is too late for that: files may have been changed since it was decided"

Record = Callable[[str, Event], None]
"""Writes an event of a run; may be called in any thread."""


class _Trouble(msgspec.Struct, frozen=True):
    """Why the files of a run could not be saved, and when."""

    at: float
    says: str
    times: int = 1

    def is_over(self, now: float) -> bool:
        """Whether it is time to try again: each time after twice as long."""
        return abs(now - self.at) >= CHECKPOINT_SECONDS * (1 << min(self.times - 1, _DOUBLINGS))


class Hands:
    """Hears of every event, in the brain's thread, and does what has to be done about it."""

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        record: Record,
        notifier: Notifier,
        stops: Stops,
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        self._home = home
        self._environ = environ
        self._record = record
        self._notifier = notifier
        self._stops = stops
        self._clock = clock
        self._saving: set[str] = set()
        self._troubles: dict[str, _Trouble] = {}
        """The runs whose files could not be saved when it was last tried."""
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="hands", daemon=True)
        self._thread.start()

    def hear(self, supervisor: Supervisor, event: Event) -> None:
        """Take note of an event; called in the brain's thread."""
        act = _ACTS.get(type(event))
        if act is not None:
            act(self, supervisor, event)

    def settle(self) -> None:
        """Wait until everything that was begun is done."""
        done = threading.Event()
        self._queue.put(done.set)
        done.wait()

    def close(self) -> None:
        """Finish what was begun."""
        self._queue.put(None)
        self._thread.join()

    # Called in the brain's thread: what is needed of the run is taken along.

    def before_prompt(self, supervisor: Supervisor, event: PromptGiven) -> None:
        """What the person may want to go back to."""
        self._save_soon(supervisor, "before a prompt")

    def after_action(self, supervisor: Supervisor, event: ActionEnded) -> None:
        """Now and then, so that a rollback does not go back too far."""
        state = supervisor.state
        trouble = self._troubles.get(state.run)
        if trouble is not None and not trouble.is_over(self._clock()):
            return
        last = state.course.checkpoints[-1] if state.course.checkpoints else None
        # The clock may have been set back since.
        if last is None or (
            event.step - last.step >= CHECKPOINT_STEPS
            and abs(event.at - last.at) >= CHECKPOINT_SECONDS
        ):
            self._save_soon(supervisor, f"after step {event.step}")

    def found(self, supervisor: Supervisor, event: FindingMade) -> None:
        """People are told of what is bad enough."""
        settings = supervisor.project.config.notify
        if event.finding.severity >= settings.severity:
            name = self._name(supervisor)
            self._notifier.tell(settings, Message(f"Handrail: {name}", event.finding.says))

    def intervened(self, supervisor: Supervisor, event: Intervened) -> None:
        """A rollback or a stop is carried out."""
        done = event.intervention
        if done.means == Means.EMERGENCY_STOP:
            self._stops.stop(supervisor, event)
        elif done.means == Means.CHECKPOINT_ROLLBACK and done.checkpoint:
            self.roll_back(supervisor, event.at, done.checkpoint, done.id)

    def resolved(self, supervisor: Supervisor, event: IncidentResolved) -> None:
        """A person wants the files back as they were."""
        if event.checkpoint:
            self.roll_back(supervisor, event.at, event.checkpoint)

    def roll_back(
        self, supervisor: Supervisor, decided: float, checkpoint: str, intervention: str = ""
    ) -> None:
        """Put the files back; the run hears how it went.

        Not where a daemon ended after that was decided, and much has happened since.
        """
        state = supervisor.state
        run, cwd = state.run, state.cwd
        commit = next((one.commit for one in state.course.checkpoints if one.id == checkpoint), "")
        settings, name = supervisor.project.config.notify, self._name(supervisor)
        late = abs(self._clock() - decided) > _LATE

        def work() -> None:
            if late:
                event = RolledBack(self._clock(), checkpoint, intervention, problem=_TOO_LATE)
            else:
                event = self._restored(cwd, checkpoint, commit, intervention)
            self._record(run, event)
            if event.problem:
                body = f"The files were not put back to checkpoint {checkpoint}: {event.problem}"
                self._notifier.tell(settings, Message(f"Handrail: {name}", body))

        self._queue.put(work)

    def _save_soon(self, supervisor: Supervisor, why: str) -> None:
        config = supervisor.project.config.interventions
        state = supervisor.state
        run, cwd, step = state.run, state.cwd, state.step
        if run in self._saving or not (config.enabled and config.checkpoint_rollback.enabled):
            return
        known = {each.commit for each in state.course.checkpoints}
        self._saving.add(run)
        self._queue.put(lambda: self._save(run, cwd, step, why, known))

    def _name(self, supervisor: Supervisor) -> str:
        state = supervisor.state
        return f"{state.cwd.rpartition('/')[2] or state.cwd} ({state.run[:8]})"

    # Called in the hands' thread

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                work()
            except Exception:  # noqa: BLE001 - one job of many; what it was is in the log
                _log.exception("something could not be done")

    def _checkpoints(self, cwd: str) -> Checkpoints:
        tree = work_tree_of(cwd, self._environ)
        folder = checkpoint_folder(self._home.path, tree)
        return Checkpoints(folder, tree, environ=self._environ)

    def _save(self, run: str, cwd: str, step: int, why: str, known: set[str]) -> None:
        try:
            about = About(Moment.PERIODIC, why, run=run, step=step)
            record = self._checkpoints(cwd).save(about).record
        except (CheckpointError, OSError) as error:
            self._note_trouble(run, str(error))
            return
        finally:
            self._saving.discard(run)
        self._troubles.pop(run, None)
        if record.git_commit not in known:
            at = self._clock()
            checkpoint = Checkpoint(record.id, run, step, record.git_commit, at, why)
            self._record(run, CheckpointTaken(at, checkpoint, record.files))

    def _note_trouble(self, run: str, says: str) -> None:
        """Remember why the files could not be saved, and write it down if it is news."""
        before = self._troubles.pop(run, None)
        self._troubles[run] = _Trouble(self._clock(), says, before.times + 1 if before else 1)
        if len(self._troubles) > _MAX_TROUBLES:
            del self._troubles[next(iter(self._troubles))]
        if before is None or before.says != says:
            self._record(run, FaultNoted(self._clock(), "checkpoint", says))

    def _restored(self, cwd: str, checkpoint: str, commit: str, intervention: str) -> RolledBack:
        """Put the files back, and say how that went; whatever happens, it says something."""
        try:
            checkpoints = self._checkpoints(cwd)
            way = Way(Level.CHECKPOINT, checkpoints.find(commit))
            restored = checkpoints.restore(way)
        except Exception as error:  # noqa: BLE001 - the run is held until it hears
            if not isinstance(error, CheckpointError | OSError):
                _log.exception("files could not be put back")
            undo = error.undo if isinstance(error, NotRestoredError) else ""
            return RolledBack(
                self._clock(), checkpoint, intervention, undo=undo, problem=str(error)
            )
        return RolledBack(self._clock(), checkpoint, intervention, restored.files, restored.undo.id)


_Act = Callable[[Hands, Supervisor, Event], None]
_ACTS: dict[type, _Act] = {
    kind: cast("_Act", act)
    for kind, act in (
        (PromptGiven, Hands.before_prompt),
        (ActionEnded, Hands.after_action),
        (FindingMade, Hands.found),
        (Intervened, Hands.intervened),
        (IncidentResolved, Hands.resolved),
    )
}
