"""Supervision inside this process: no daemon, no socket; the log in memory or in a file."""

import asyncio
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic, time

import msgspec

from handrail.checkpoint import CheckpointError, UndoLevel
from handrail.checkpoint.restore.undo_levels import restores_run_state
from handrail.control.client import ControlConnection
from handrail.control.handler import ControlHandler
from handrail.control.response_log import ResponseLog
from handrail.hosts.port import Reply, SessionOrigin
from handrail.hosts.python.hooks import PythonHooks
from handrail.hosts.python.host import HOST
from handrail.intervene import Capability
from handrail.intervene.notify import Notifier
from handrail.library.engine import PendingCall, events_in
from handrail.library.local_control import LocalActions, LocalControl
from handrail.library.serial_work import SerialWork
from handrail.library.threads import start_in_thread
from handrail.library.verdict import RestoredFiles
from handrail.model.event import Event, FaultNoted, RestoreAsked, RolledBack
from handrail.server.control.emergency_stops import EmergencyStops
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler
from handrail.server.files.event_reactions import EventReactions
from handrail.server.files.restore_endpoint import undo_target
from handrail.server.files.restore_messages import UndoRequest
from handrail.server.home import open_home
from handrail.store.errors import StoreError
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.opening import open_log
from handrail.supervise.decision.decision_progress import (
    CheckpointNeeded,
    DecisionProgress,
    Held,
    NotWrittenError,
    Ready,
)
from handrail.supervise.runs.extensions import Extensions
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

_WRITE_SECONDS = 10.0
_ORIGIN = SessionOrigin(attended=False)
_CAN = HOST.capabilities | {Capability.FILES}


class EmbeddedEngine:
    """The parts of the daemon that one run needs, around one lock instead of one thread."""

    def __init__(
        self,
        run: str,
        cwd: str,
        *,
        log: str,
        extensions: Extensions,
        environ: Mapping[str, str],
    ) -> None:
        """`log`: the file of the log; empty: it stays in memory."""
        self._run, self._cwd = run, cwd
        home = open_home(environ)
        with suppress(OSError):  # without it there are no checkpoints, and they say so
            home.prepare()
        environ = {**environ, "HANDRAIL_HOME": home.path}
        self._store = open_log(os.path.abspath(log), "write") if log else MemoryStore()
        self._work = SerialWork()
        later = self._work.later
        responses = ResponseLog(self._store, later=later, listen=lambda result: later(lambda: None))
        self._scheduler = CheckpointScheduler(
            home.path, environ, self._record, conversation=lambda host, run: self._hooks.place(run)
        )
        self._runs = RunRegistry(
            Journal(self._store),
            Projects(environ, extensions=extensions),
            can=lambda host: _CAN,
            planner=self._scheduler,
            delivered=responses.delivered,
        )
        self._hooks = PythonHooks(self._runs)
        self._handler = ControlHandler(self._runs, LocalActions(self._scheduler), responses)
        self.control: ControlConnection = LocalControl(self._handler, self._work)
        self._notifier = Notifier(home.secrets)
        self._stops = EmergencyStops(home, self._record, self._notifier, self._events_of)
        reactions = EventReactions(
            self._scheduler, self._record, self._notifier, self._stops, later=later
        )
        self._runs.bus.subscribe(reactions.on_event, self._handler.on_event, _warn_of_fault)
        self._is_closing = False

    def ask(self, body: bytes, call: PendingCall) -> Reply:
        """Answer one message; any failure is a refusal."""
        began = monotonic()
        call.wake = lambda: self._work.later(lambda: None)
        try:
            with self._work.turn():
                progress = self._hooks.handle(body, _ORIGIN)
            while not isinstance(progress, Ready):
                if isinstance(progress, Held):
                    progress = self._wait_while_paused(progress, call, began)
                else:
                    progress = self._save_first(progress)
            return self._settle(progress)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            _log.exception("a call could not be answered")
            return self._hooks.failed(f"{type(error).__name__}: {error}"[:300], body)

    def restore(self, level: UndoLevel, checkpoint: str) -> RestoredFiles:
        """Put files back, after all other work on them; raises CheckpointError."""
        return self._scheduler.put(self._cwd, lambda: self._put_back(level, checkpoint)).result()

    def events(self, after: int) -> list[tuple[int, Event]]:
        """Return the events after a number."""
        return events_in(self._store, self._run, after)

    def wait_for_events(self, seconds: float) -> None:
        """Wait until something happens."""
        with self._work.changed:
            self._work.changed.wait(seconds)

    def close(self) -> None:
        """Answer the waiting calls, finish pending work, and save the state."""
        self._is_closing = True
        self._work.later(lambda: None)
        self._scheduler.settle()  # postponed work begins now
        self._scheduler.close()
        self._stops.settle()
        self._work.close()
        with self._work.turn():
            self._handler.close()
            self._runs.save_all()
        self._notifier.close()
        self._store.close()

    def _wait_while_paused(
        self, held: Held[Reply], call: PendingCall, began: float
    ) -> DecisionProgress[Reply]:
        """Decide when the run goes on; refuse if it takes too long."""
        with self._work.turn():
            while (seconds := held.seconds()) is not None:
                if call.is_abandoned:
                    held.abandon()
                    return _ready(self._hooks.unreadable("nobody waits for the answer"))
                left = began + seconds - monotonic()
                if left <= 0 or self._is_closing:
                    return held.answer()
                self._work.changed.wait(left)
            return held.resume()

    def _save_first(self, needed: CheckpointNeeded[Reply]) -> DecisionProgress[Reply]:
        # In a thread of its own: there may be an event loop in this one.
        async def save() -> DecisionProgress[Reply]:
            saved = await needed.save()
            with self._work.turn():
                return needed.proceed(saved)

        return start_in_thread(lambda: asyncio.run(save())).result()

    def _settle(self, ready: Ready[Reply]) -> Reply:
        """Return the reply once the log has confirmed it; the lock is free meanwhile."""
        problem: StoreError
        try:
            for receipt in ready.receipts:
                receipt.result(_WRITE_SECONDS)
        except StoreError as error:
            problem = error
        except TimeoutError:
            problem = NotWrittenError(_WRITE_SECONDS)
        else:
            return ready.value
        with self._work.turn():
            return ready.otherwise(problem)

    def _put_back(self, level: UndoLevel, checkpoint: str) -> RestoredFiles:
        """Called in the lane of the work tree: nothing else changes its checkpoints meanwhile."""
        scheduler = self._scheduler
        with self._work.turn():
            settings = self._supervisor().project.config.checkpoints
        checkpoints = scheduler.checkpoints(self._cwd, settings)
        by = scheduler.worked(self._cwd)
        wanted = UndoRequest(cwd=self._cwd, level=level, run=self._run, checkpoint=checkpoint)
        way = undo_target(checkpoints, wanted, by)
        scheduler.restoring.add(self._run)
        back = RolledBack(0.0, way.target.id, problem="it was interrupted", asked=True)
        try:
            with self._work.turn():
                held = self._supervisor().record(RestoreAsked(time(), way.target.id, level))
            held.result(_WRITE_SECONDS)
            done = checkpoints.restore(way, by=by)
            spared = tuple(each.path for each in done.spared if each.conflict)
            state = None
            if restores_run_state(way, checkpoints.newest_first()):
                state = way.target.state_snapshot
            back = msgspec.structs.replace(
                back, files=done.files, undo=done.undo.id, problem="", spared=len(spared),
                state=state,
            )  # fmt: skip
            return RestoredFiles(done.files, done.undo.id, spared)
        except CheckpointError as error:
            back = msgspec.structs.replace(back, problem=str(error))
            raise
        except (OSError, StoreError, TimeoutError) as error:
            back = msgspec.structs.replace(back, problem=str(error))
            raise CheckpointError(str(error)) from error
        finally:
            scheduler.restoring.discard(self._run)
            self._record(self._run, msgspec.structs.replace(back, at=time()))

    def _events_of(self, run: str) -> list[Event]:
        return [event for _, event in events_in(self._store, run, 0)]

    def _supervisor(self) -> Supervisor:
        return self._runs.get(self._run, self._cwd)

    def _record(self, run: str, event: Event) -> None:
        """Write an event; called in any thread."""
        self._work.later(partial(self._record_now, run, event))

    def _record_now(self, run: str, event: Event) -> None:
        self._runs.get(run, self._cwd).record(event)


def _warn_of_fault(supervisor: Supervisor, event: Event) -> None:
    """Log a fault: nobody else watches the log of a run in this process."""
    if isinstance(event, FaultNoted):
        _log.warning("%s", event.says)


def _ready(reply: Reply) -> Ready[Reply]:
    return Ready(reply, [], lambda error: reply)
