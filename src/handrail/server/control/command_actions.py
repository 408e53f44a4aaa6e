"""Carries out what is asked of runs: by their drivers, on their processes, on their files."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from time import time

from handrail.checkpoint import CheckpointError, CheckpointRecord
from handrail.checkpoint.names import check_name
from handrail.control.client import make_request
from handrail.control.command_actions import CommandOutcome
from handrail.control.message import Request
from handrail.drive.daemon_client import DriverOrder, DriverReport
from handrail.model.control import ControlCommand
from handrail.model.event import ControlAsked
from handrail.model.host import known_hosts, profile_of
from handrail.server.control.driver_sessions import DriverSessions
from handrail.server.control.process_control import ProcessControl
from handrail.server.files.event_reactions import EventReactions
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.supervise.supervisor import Supervisor

_ORDER_SECONDS = 30.0
"""After which a driver that does not answer is believed to be gone."""
_GUARD_AGAIN = 5.0
"""Seconds after which a freeze is ended, where the log did not take that."""
_HANDRAIL = "handrail"

Tell = Callable[[str, str, CommandOutcome], None]
Ask = Callable[[Request, Callable[[], None]], None]
"""Takes a request of our own, and calls something, in any thread, if the log does not."""


class DaemonCommandActions:
    """The acts of a daemon. Begun in the brain's thread; what comes of them is told in any."""

    def __init__(
        self,
        drivers: DriverSessions,
        processes: ProcessControl,
        reactions: EventReactions,
        restores: RestoreEndpoint,
        tell: Tell,
        ask: Ask,
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        """`tell`: who hears what has come of a request; `ask`: who takes requests of our own."""
        self._drivers = drivers
        self._processes = processes
        self._reactions = reactions
        self._restores = restores
        self._tell = tell
        self._ask = ask
        self._clock = clock
        self._guards: dict[str, asyncio.TimerHandle] = {}
        """By run, what ends its freeze; used in the event loop."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """The daemon's, as soon as it serves."""

    def can(self, supervisor: Supervisor, command: ControlCommand) -> str:
        """Why a command cannot be carried out in this run at all; empty: it can."""
        state, instead = supervisor.state, command.spec.no_driver
        if not instead or self._drivers.is_present(state):
            return ""
        if state.loop is None:
            return f"Handrail has not started this session itself; {instead}"
        return f"Nobody drives the run any more: handrail run --resume {state.run}"

    def begin(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Begin what was asked for."""
        _BEGIN[asked.command](self, supervisor, asked)

    # By the driver

    def _interrupt(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Break off what the agent is doing, the model's answer too."""
        self._order(supervisor, DriverOrder(number=0, order="interrupt", request=asked.request))

    def _switch_model(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Have the agent use another model from its next call on."""
        order = DriverOrder(number=0, order="set_model", request=asked.request, model=asked.text)
        self._order(supervisor, order)

    def _resume(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Start the agent of a stopped run again."""
        state = supervisor.state
        if state.loop is None:
            host = profile_of(state.host) or known_hosts()[0]
            says = f"The run may go on: {host.resume.format(run=state.run)}"
            self._tell(state.run, asked.request, CommandOutcome(says=says))
        elif self._drivers.is_present(state):
            self._order(supervisor, DriverOrder(number=0, order="start", request=asked.request))
        else:
            says = f"Nobody drives the run any more: handrail run --resume {state.run}"
            self._tell(state.run, asked.request, CommandOutcome(ok=False, says=says))

    def reported(self, run: str, report: DriverReport) -> None:
        """What has come of an order."""
        models: dict[str, object] = {}
        if report.model:
            models = {"previous_model": report.previous_model, "new_model": report.model}
        evidence = (report.says,) if report.ok and report.says else ()
        outcome = CommandOutcome(report.ok, "" if report.ok else report.says, evidence, models)
        self._tell(run, report.request, outcome)

    def _order(self, supervisor: Supervisor, order: DriverOrder) -> None:
        run = supervisor.state.run

        def give() -> None:
            self._drivers.give(run, order)
            late = CommandOutcome(
                ok=False, says=f"The driver did not answer within {_ORDER_SECONDS:g} s"
            )
            asyncio.get_running_loop().call_later(
                _ORDER_SECONDS, self._tell, run, order.request, late
            )

        self._in_loop(give)

    # On processes

    def _freeze(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Stop all processes of a run where they are."""
        self._processes.freeze(supervisor, asked)
        self.guard(supervisor)

    def guard(self, supervisor: Supervisor) -> None:
        """See to it that a frozen run does not stay so for longer than is good for it."""
        state = supervisor.state
        run = state.run
        most = supervisor.project.config.control.freeze_seconds
        since = state.hand.frozen or self._clock()
        left = min(max(since + most - self._clock(), 0.0), float(most))
        reason = f"it was frozen for {most} s"

        def pause() -> None:
            self._guards.pop(run, None)
            request = make_request(
                ControlCommand.PAUSE, run, by=_HANDRAIL, reason=reason, expects="frozen"
            )
            self._ask(request, lambda: self._in_loop(wait_again))

        def wait() -> None:
            before = self._guards.pop(run, None)
            if before is not None:  # it would cut this freeze short
                before.cancel()
            self._guards[run] = asyncio.get_running_loop().call_later(left, pause)

        def wait_again() -> None:
            if run not in self._guards:
                later = asyncio.get_running_loop().call_later(_GUARD_AGAIN, pause)
                self._guards[run] = later

        self._in_loop(wait)

    def thaw(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Let them go on."""
        self._processes.thaw(supervisor, asked)

    def _stop(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Save the files, and end all processes of a run; `ok` only if none is left."""
        self._processes.stop(supervisor, asked)

    # On files

    def _checkpoint(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Save the files."""
        run = supervisor.state.run
        why = asked.reason or "on request"
        try:
            if asked.text:
                check_name(asked.text)
        except CheckpointError as error:
            self._tell(run, asked.request, CommandOutcome(ok=False, says=str(error)))
            return
        saved = self._reactions.scheduler.save_for(supervisor, why, asked.text)
        saved.add_done_callback(lambda done: self._tell(run, asked.request, _outcome_of(done)))

    def _roll_back(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Put the files back to a checkpoint."""
        run, cwd = supervisor.state.run, supervisor.state.cwd

        async def work() -> None:
            try:
                back = await self._restores.roll_back(cwd, asked.text, run)
                says = back.problem or f"{len(back.items)} files are as they were at {asked.text}"
                undo = (f"handrail rollback {back.undo} undoes it",) if back.undo else ()
                outcome = CommandOutcome(not back.problem, says, undo)
            except Exception as error:  # noqa: BLE001 - whoever asked has to hear
                outcome = CommandOutcome(ok=False, says=str(error))
            self._tell(run, asked.request, outcome)

        self._spawn(work())

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        if self.loop is None:
            work.close()
        else:
            asyncio.run_coroutine_threadsafe(work, self.loop)

    def _in_loop(self, function: Callable[[], None]) -> None:
        if self.loop is not None:
            with suppress(RuntimeError):  # it has ended
                self.loop.call_soon_threadsafe(function)


_BEGIN: dict[ControlCommand, Callable[[DaemonCommandActions, Supervisor, ControlAsked], None]] = {
    ControlCommand.INTERRUPT: DaemonCommandActions._interrupt,
    ControlCommand.ESCALATE: DaemonCommandActions._switch_model,
    ControlCommand.RESUME: DaemonCommandActions._resume,
    ControlCommand.FREEZE: DaemonCommandActions._freeze,
    ControlCommand.STOP: DaemonCommandActions._stop,
    ControlCommand.CANCEL: DaemonCommandActions._stop,
    ControlCommand.CHECKPOINT: DaemonCommandActions._checkpoint,
    ControlCommand.ROLLBACK: DaemonCommandActions._roll_back,
}


def _outcome_of(saved: Future[CheckpointRecord]) -> CommandOutcome:
    error = saved.exception()
    if error is None:
        record = saved.result()
        named: dict[str, object] = {"checkpoint": record.id}
        return CommandOutcome(True, f"Saved as {record.id}", (record.git_commit,), named)
    says = str(error) if isinstance(error, CheckpointError) else f"{type(error).__name__}: {error}"
    return CommandOutcome(ok=False, says=says)
