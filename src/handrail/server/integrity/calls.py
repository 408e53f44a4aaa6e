"""Which runs are alive, and which of their calls were under way at a moment."""

import threading
from collections import deque
from collections.abc import Callable
from time import time

import msgspec

from handrail.intervene.processes.process_tree import is_same_moment, start_time_of_pid
from handrail.model import event as events
from handrail.model.ordinal import Decision
from handrail.supervise.decision.verdict import only_reads
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

_KEPT_SECONDS = 120.0
"""How long a call or a run that has ended is remembered."""
_SILENT_SECONDS = 1800.0
"""After so long without a word, a run without a known process is not believed to be alive."""
_COARSE = 0.02
"""Seconds by which the clock of a file system may be behind ours."""
_MAX_OPEN = 500
_RESTS = (events.IterationEnded, events.PromptGiven)
_ENDS = (events.ActionEnded, events.ActionDropped)


class AgentCall(msgspec.Struct, frozen=True):
    """A call of an agent that could have changed any file."""

    run: str
    step: int
    says: str
    """What it was, in a few words."""
    began: float
    ended: float = 0.0
    """0: it is under way."""


class LiveRun(msgspec.Struct):
    """A run whose host may be alive."""

    run: str
    host: str
    cwd: str
    attended: bool
    pid: int
    pid_began: float
    began: float
    heard: float
    ended: float = 0.0
    """0: its end was not heard."""

    @property
    def title(self) -> str:
        """What a person calls it."""
        return f"{self.cwd.rpartition('/')[2] or self.cwd} ({self.run[:8]})"

    def lived_at(self, moment: float, now: float) -> bool:
        """Whether it was alive at a moment that is not long ago."""
        if moment < self.began - _COARSE:
            return False
        if self.ended:
            return moment <= self.ended + _COARSE
        if self.pid and self.pid_began:
            began = start_time_of_pid(self.pid)
            return bool(began) and is_same_moment(began, self.pid_began)
        return now - self.heard < _SILENT_SECONDS


class CallLog:
    """Written in the supervision thread, read in another one."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[tuple[str, int], AgentCall] = {}
        self._over: deque[AgentCall] = deque(maxlen=_MAX_OPEN)
        self._runs: dict[str, LiveRun] = {}

    def on_event(self, supervisor: Supervisor, event: events.Event) -> None:
        """Take note of an event of a run."""
        state = supervisor.state
        if isinstance(event, events.RunEnded):
            with self._lock:
                self._end(state, event.at)
            return
        self._hear(state, event.at)
        if isinstance(event, events.ActionReviewed):
            self._begin(state, event)
        elif isinstance(event, _ENDS):
            call = self._open.get((state.run, event.step))
            if call is not None:
                with self._lock:
                    del self._open[state.run, event.step]
                    if isinstance(event, events.ActionEnded):
                        self._over.append(msgspec.structs.replace(call, ended=event.at))
        elif isinstance(event, _RESTS):
            with self._lock:
                self._close(state.run, event.at)

    def know(self, state: RunState) -> None:
        """Take note of a run from before the daemon started."""
        if state.phase != "ended":
            self._hear(state, state.changed)

    def under_way(self, moment: float) -> list[AgentCall]:
        """The calls that could have changed a file at a moment."""
        alive = {run.run for run in self.alive(moment)}
        with self._lock:
            calls = [*self._open.values(), *self._over]
        return [
            call
            for call in calls
            if call.run in alive
            and call.began - _COARSE <= moment
            and (not call.ended or moment <= call.ended + _COARSE)
        ]

    def alive(self, moment: float) -> list[LiveRun]:
        """The runs that were alive at a moment, the one that was heard last first."""
        now = self._clock()
        with self._lock:
            runs = sorted(self._runs.values(), key=lambda run: run.heard, reverse=True)
        return [run for run in runs if run.lived_at(moment, now)]

    def folders(self) -> list[tuple[str, str]]:
        """The hosts and folders of the runs that are alive, the last heard first."""
        return list(dict.fromkeys((run.host, run.cwd) for run in self.alive(self._clock())))

    def title(self, run: str) -> str:
        """What a person calls a run."""
        with self._lock:
            known = self._runs.get(run)
        return known.title if known else run[:8]

    def _hear(self, state: RunState, at: float) -> None:
        known = self._runs.get(state.run)
        if known is None or known.pid != state.pid or known.ended or not known.cwd:
            pid, pid_began, began = state.pid, state.pid_began, state.started or at
            known = LiveRun(
                state.run, state.host, state.cwd, state.attended, pid, pid_began, began, at
            )
            with self._lock:
                self._runs[state.run] = known
        known.heard, known.attended = at, state.attended

    def _begin(self, state: RunState, event: events.ActionReviewed) -> None:
        # A call that a person was asked about may wait for the answer while they change files.
        if event.verdict.decision is Decision.BLOCK or event.asked or only_reads(event.review):
            return
        if any(each.step == event.step and each.only_waits for each in state.open[-1:]):
            return
        says = f"step {event.step}, {event.action.tool}"
        call = AgentCall(state.run, event.step, says, event.at)
        with self._lock:
            self._open[state.run, event.step] = call
            if len(self._open) > _MAX_OPEN:
                del self._open[next(iter(self._open))]

    def _close(self, run: str, at: float) -> None:
        """The agent rests: of what is still open, no end will be heard."""
        for key in [key for key in self._open if key[0] == run]:
            self._over.append(msgspec.structs.replace(self._open.pop(key), ended=at))

    def _end(self, state: RunState, at: float) -> None:
        self._close(state.run, at)
        if (known := self._runs.get(state.run)) is not None:
            known.ended = at
        old = [run for run, each in self._runs.items() if 0 < each.ended < at - _KEPT_SECONDS]
        for run in old:
            del self._runs[run]
