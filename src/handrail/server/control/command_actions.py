"""Carries out control commands through drivers, on processes and on files."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from handrail.checkpoint import CheckpointError, CheckpointRecord
from handrail.checkpoint.names import check_name
from handrail.control.command_actions import CommandOutcome, Finished
from handrail.drive.daemon_client import DriverOrder
from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked
from handrail.model.host import known_hosts, profile_of
from handrail.server.control.driver_sessions import DriverSessions
from handrail.server.control.process_control import ProcessControl
from handrail.server.control.run_processes import has_lost_driver
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.server.fleet.fleet_control import FleetControl
from handrail.server.fleet.task_control import TaskControl
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.server.threads.wake_up import call_in_loop
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor


class DaemonCommandActions:
    """The daemon's implementation of `CommandActions`."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        supervision: SupervisionThread,
        drivers: DriverSessions,
        processes: ProcessControl,
        scheduler: CheckpointScheduler,
        restores: RestoreEndpoint,
        tasks: TaskControl,
    ) -> None:
        self._loop = loop
        self._supervision = supervision
        self._drivers = drivers
        self._processes = processes
        self._scheduler = scheduler
        self._restores = restores
        self._tasks = tasks
        self.fleets: FleetControl | None = None
        """Carries out the commands for whole fleets; it sends requests, so it comes later."""
        self._reminders: dict[str, asyncio.TimerHandle] = {}
        """Timers by run; used in the event loop."""

    def can(
        self, supervisor: Supervisor, command: ControlCommand, text: str = "", choice: str = ""
    ) -> str:
        """Return why this run cannot take a command with its arguments, or "" if it can."""
        state, instead = supervisor.state, command.spec.no_driver
        if command is ControlCommand.REASSIGN:
            return self._tasks.why_not_reassign(state, text, choice)
        if command is ControlCommand.RESUME:
            is_lost = has_lost_driver(state) and not state.is_fleet
            return _undriven(state) if is_lost else ""
        if not instead or self._drivers.is_present(state):
            return ""
        if state.loop is None:
            return f"`handrail run` did not start this session; {instead}"
        return _undriven(state)

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Start to carry out a command."""
        if supervisor.state.is_fleet and asked.command in _FOR_FLEETS:
            assert self.fleets is not None
            self.fleets.begin(supervisor, asked, finished)
            return
        _BEGIN[asked.command](self, supervisor, asked, finished)

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Thaw the processes of a frozen run."""
        self._processes.thaw(supervisor, asked, finished)

    def remind(self, run: str, seconds: float, function: Callable[[], None]) -> None:
        """Call a function in the supervision thread later, instead of the run's earlier one."""

        def ring() -> None:
            del self._reminders[run]
            self._supervision.submit(function)

        def set_timer() -> None:
            if (before := self._reminders.get(run)) is not None:
                before.cancel()
            self._reminders[run] = self._loop.call_later(seconds, ring)

        call_in_loop(self._loop, set_timer)

    # By the driver

    def _interrupt(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Interrupt the agent, even in the middle of an answer."""
        order = DriverOrder(number=0, order="interrupt", request=asked.request)
        self._order(supervisor, order, finished)

    def _switch_model(
        self, supervisor: Supervisor, asked: ControlAsked, finished: Finished
    ) -> None:
        """Switch the agent to another model from its next call on."""
        order = DriverOrder(number=0, order="set_model", request=asked.request, model=asked.text)
        self._order(supervisor, order, finished)

    def _resume(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Start the agent of a stopped run again."""
        state = supervisor.state
        if state.loop is None:
            host = profile_of(state.host) or known_hosts()[0]
            says = f"The run may go on: {host.resume.format(run=state.run)}"
            finished(CommandOutcome(says=says))
        elif self._drivers.is_present(state):
            order = DriverOrder(number=0, order="start", request=asked.request)
            self._order(supervisor, order, finished)
        else:
            finished(CommandOutcome(ok=False, says=_undriven(state)))

    def _order(self, supervisor: Supervisor, order: DriverOrder, finished: Finished) -> None:
        call_in_loop(self._loop, self._drivers.give, supervisor.state.run, order, finished)

    # On processes

    def _freeze(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        self._processes.freeze(supervisor, asked, finished)

    def _stop(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        after = self._tasks.after_stop(supervisor.state, asked, finished)
        self._processes.stop(supervisor, asked, after)

    # On files

    def _checkpoint(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        save_on_request(self._scheduler, supervisor, asked, finished)

    def _roll_back(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Restore the files of a checkpoint."""
        state = supervisor.state
        back = partial(self._restores.roll_back, state.cwd, asked.text, state.run)

        async def work() -> None:
            try:
                done = await back()
                says = done.problem or f"{len(done.items)} files are as they were at {asked.text}"
                undo = (f"handrail rollback {done.undo} undoes it",) if done.undo else ()
                finished(CommandOutcome(not done.problem, says, undo))
            except Exception as error:  # noqa: BLE001 - whoever asked has to hear
                finished(CommandOutcome(ok=False, says=str(error)))

        asyncio.run_coroutine_threadsafe(work(), self._loop)


_FOR_FLEETS = frozenset({ControlCommand.PAUSE, ControlCommand.RESUME, ControlCommand.CANCEL})
_Begin = Callable[[DaemonCommandActions, Supervisor, ControlAsked, Finished], None]
_BEGIN: dict[ControlCommand, _Begin] = {
    ControlCommand.INTERRUPT: DaemonCommandActions._interrupt,
    ControlCommand.ESCALATE: DaemonCommandActions._switch_model,
    ControlCommand.RESUME: DaemonCommandActions._resume,
    ControlCommand.FREEZE: DaemonCommandActions._freeze,
    ControlCommand.STOP: DaemonCommandActions._stop,
    ControlCommand.CANCEL: DaemonCommandActions._stop,
    ControlCommand.REASSIGN: DaemonCommandActions._stop,
    ControlCommand.CHECKPOINT: DaemonCommandActions._checkpoint,
    ControlCommand.ROLLBACK: DaemonCommandActions._roll_back,
}


def _undriven(state: RunState) -> str:
    if state.loop is not None and state.loop.issue:
        return f"Nobody drives the run any more: handrail task retry {state.loop.issue}"
    return f"Nobody drives the run any more: handrail run --resume {state.run}"


def save_on_request(
    scheduler: CheckpointScheduler, supervisor: Supervisor, asked: ControlAsked, finished: Finished
) -> None:
    """Save the files of a run under the name in the request."""
    try:
        if asked.text:
            check_name(asked.text)
    except CheckpointError as error:
        finished(CommandOutcome(ok=False, says=str(error)))
        return
    saved = scheduler.save_for(supervisor, asked.reason or "on request", asked.text)
    saved.add_done_callback(lambda done: finished(_saved_outcome(done)))


def _saved_outcome(saved: Future[CheckpointRecord]) -> CommandOutcome:
    error = saved.exception()
    if error is None:
        record = saved.result()
        named: dict[str, object] = {"checkpoint": record.id}
        return CommandOutcome(True, f"Saved as {record.id}", (record.git_commit,), named)
    says = str(error) if isinstance(error, CheckpointError) else f"{type(error).__name__}: {error}"
    return CommandOutcome(ok=False, says=says)
