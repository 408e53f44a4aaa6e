"""Pause, resume and cancel a whole fleet: its dispatch first, then the runs of its tasks."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from handrail.control.client import make_request
from handrail.control.command_actions import CommandOutcome, Finished
from handrail.control.message import Result, encode
from handrail.control.response_log import TakenRequest
from handrail.control.transitions import transition
from handrail.fleet.events import DispatchClosed, DispatchOpened, FleetEvent
from handrail.fleet.log_engine import LogEngine
from handrail.model.control import ENDING, FINAL, ControlCommand, Standing
from handrail.model.event import ControlAnswered, ControlAsked, Event, LoopBegun, LoopEnded
from handrail.server.control.run_processes import driver_of, has_lost_driver
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

Submit = Callable[[bytes], TakenRequest]
Later = Callable[[Callable[[], None]], None]

_END_SECONDS = 20.0
"""Seconds for the schedulers of a fleet to end."""
_LOOK_SECONDS = 0.1
_STILL = frozenset({Standing.PAUSED, Standing.FROZEN, Standing.STOPPED, *FINAL})
_GONE = frozenset({Standing.STOPPED, *FINAL})
_REACHED = {
    ControlCommand.PAUSE: _STILL,
    ControlCommand.RESUME: frozenset({Standing.RUNNING, *ENDING, *FINAL}),
    ControlCommand.CANCEL: _GONE,
}
"""How each run of a task stands once the command for its fleet is done."""
_FOR_TASKS = {
    ControlCommand.PAUSE: ControlCommand.PAUSE,
    ControlCommand.RESUME: ControlCommand.RESUME,
    ControlCommand.CANCEL: ControlCommand.STOP,
}
"""The command for the runs of the tasks: a task of a fleet that was given up stays open."""


class _SpreadCommand(msgspec.Struct):
    """A command for a fleet that was given on to the runs of its tasks."""

    asked: ControlAsked
    finished: Finished
    engine: LogEngine
    runs: set[str]
    """The runs that are not there yet."""
    requests: set[str] = msgspec.field(default_factory=set)
    many: int = 0


class FleetControl:
    """Used from the supervision thread; engines block on the disk, so jobs call them."""

    def __init__(
        self,
        runs: RunRegistry,
        fleets: OpenFleets,
        jobs: ProcessJobs,
        *,
        submit: Submit,
        later: Later,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`submit`: takes in a control request; `later`: runs in the supervision thread."""
        self._runs = runs
        self._fleets = fleets
        self._jobs = jobs
        self._submit = submit
        self._later = later
        self._clock = clock
        self._sleep = sleep
        self._spread: dict[str, _SpreadCommand] = {}
        """The command under way for each fleet's run."""

    def begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Close or open dispatch, then tell the runs of all tasks."""
        run = supervisor.state.run
        self._spread.pop(run, None)  # a later command overtakes it

        def work() -> None:
            engine = self._fleets.find(lambda each: each.run == run)
            if engine is None:
                finished(CommandOutcome(False, "The fleet of this run is not known"))
                return
            engine.record(self._decision(asked))
            active = [each.run for each in engine.state().active() if each.run]
            self._later(lambda: self._tell_tasks(run, asked, finished, engine, active))

        self._jobs.begin(run, f"{asked.command.value} {asked.request}", _told(work, finished))

    def on_event(self, supervisor: Supervisor, event: Event) -> None:
        """Look whether a command for a fleet is done; a fleet that was paused begins paused."""
        if isinstance(event, ControlAnswered | LoopEnded):
            for fleet, spread in list(self._spread.items()):
                if supervisor.state.run in spread.runs:
                    self._look(fleet, spread, event)
        elif isinstance(event, LoopBegun) and event.mode == "grind":
            run = supervisor.state.run
            self._later(lambda: self._begin_paused(run))

    # In the supervision thread

    def _decision(self, asked: ControlAsked) -> FleetEvent:
        at = self._clock()
        if asked.command is ControlCommand.RESUME:
            return DispatchOpened(at, asked.by)
        given_up = asked.command is ControlCommand.CANCEL
        return DispatchClosed(at, asked.by, asked.reason, given_up=given_up)

    def _begin_paused(self, run: str) -> None:
        supervisor = self._runs.find(run)
        engine = next((e.engine for e in self._fleets.opened() if e.engine.run == run), None)
        if engine is None or supervisor is None or not engine.closed:
            return
        if supervisor.state.hand.standing is Standing.RUNNING:
            by, reason = engine.closed_by
            pause = make_request(ControlCommand.PAUSE, run, by=by, reason=reason, at=self._clock())
            self._submit(encode(pause))

    def _tell_tasks(
        self,
        run: str,
        asked: ControlAsked,
        finished: Finished,
        engine: LogEngine,
        active: Sequence[str],
    ) -> None:
        fleet = self._runs.find(run)
        if fleet is None or asked.request not in fleet.state.hand.asked:
            return  # overtaken meanwhile
        spread = _SpreadCommand(asked, finished, engine, set(), many=len(active))
        self._spread[run] = spread
        for name in active:
            task = self._runs.find(name)
            if task is not None and not _is_there(task.state, asked.command):
                spread.runs.add(name)
        if asked.choice != "iteration":  # then each driver pauses its own run at the boundary
            for name in sorted(spread.runs):
                self._tell(spread, name)
        self._look(run, spread)

    def _tell(self, spread: _SpreadCommand, name: str) -> None:
        asked, task = spread.asked, self._runs.find(name)
        command = _FOR_TASKS[asked.command]
        if task is None or transition(task.state.hand.standing, command) is None:
            return  # it is on its way already
        request = make_request(
            command,
            name,
            by=asked.by,
            reason=asked.reason or f"{asked.command.value} of its fleet",
            at=self._clock(),
        )
        spread.requests.add(request.request_id)
        taken = self._submit(encode(request))
        refused = next((each for each in taken.messages if isinstance(each, Result)), None)
        if refused is not None and not refused.ok:
            self._fail(spread, f"{name}: {refused.says}")

    def _look(self, run: str, spread: _SpreadCommand, event: Event | None = None) -> None:
        if isinstance(event, ControlAnswered) and event.request in spread.requests and not event.ok:
            self._fail(spread, event.says)
        if self._spread.get(run) is not spread:
            return
        for name in list(spread.runs):
            task = self._runs.find(name)
            if task is None or _is_there(task.state, spread.asked.command):
                spread.runs.discard(name)
        if not spread.runs:
            del self._spread[run]
            self._confirm(run, spread)

    def _fail(self, spread: _SpreadCommand, says: str) -> None:
        for run, each in list(self._spread.items()):
            if each is spread:
                del self._spread[run]
                spread.finished(CommandOutcome(False, says))

    def _confirm(self, run: str, spread: _SpreadCommand) -> None:
        command, many = spread.asked.command, spread.many
        if command is ControlCommand.CANCEL:
            fleet = self._runs.find(run)
            if fleet is not None:
                work = partial(self._wait_for_end, fleet.state, spread)
                self._jobs.begin(run, f"end {spread.asked.request}", _told(work, spread.finished))
            return
        dispatch = "open" if command is ControlCommand.RESUME else "closed"
        word = "goes on" if command is ControlCommand.RESUME else "stands still"
        evidence = (f"dispatch is {dispatch}", f"each of {many} runs at work {word}")
        spread.finished(CommandOutcome(evidence=evidence))

    # In a job

    def _wait_for_end(self, fleet: RunState, spread: _SpreadCommand) -> None:
        """Wait until no task is under way and the scheduler is gone, and prove it."""
        left: list[str] = []
        for _ in range(int(_END_SECONDS / _LOOK_SECONDS)):
            if not (left := _left_of(fleet, spread.engine)):
                many = spread.many
                evidence = (
                    "dispatch is closed",
                    f"{many} agents were stopped, and no task is under way",
                    "the scheduler has ended",
                )
                spread.finished(CommandOutcome(evidence=evidence))
                return
            self._sleep(_LOOK_SECONDS)
        spread.finished(CommandOutcome(False, "; ".join(left)))


def _left_of(fleet: RunState, engine: LogEngine) -> list[str]:
    """Return what still goes on in a fleet that was given up."""
    left = [f"task {each.task.id} is under way" for each in engine.state().active()]
    scheduler = driver_of(fleet)
    return left if scheduler is None else [*left, f"process {scheduler.pid} has not ended"]


def _is_there(state: RunState, command: ControlCommand) -> bool:
    """Return whether a task's run stands as a command for its fleet wants it."""
    if state.hand.standing in _REACHED[command] or not state.active:
        return True
    return command is ControlCommand.RESUME and has_lost_driver(state)


def _told(work: Callable[[], None], finished: Finished) -> Callable[[], None]:
    """Return work whose failure reaches whoever asked."""

    def whole() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear
            finished(CommandOutcome(False, f"{type(error).__name__}: {error}"))

    return whole
