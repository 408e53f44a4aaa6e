"""Compares Handrail's parts with what they should be, and does something about a difference."""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from time import monotonic, time
from typing import Protocol

from handrail.detect import tampering
from handrail.model import event as events
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from handrail.server.integrity import wording
from handrail.server.integrity.calls import AgentCall, CallLog
from handrail.server.integrity.notices import Notice, NoticeBoard
from handrail.server.integrity.parts import Loss, WatchedPart
from handrail.server.integrity.suspicion import RepairLimit, Suspicion
from handrail.server.integrity.watcher import Watcher, changed_at, stamp
from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

_FULL_SECONDS = 600.0
"""How often everything is compared, whatever was noticed."""
_NICE = 10
_REASONS = (events.RunStarted, events.RunEnded)


class Consequences(Protocol):
    """What follows where something was lost; called in the monitor's thread."""

    def stop(self, run: str, finding: Finding) -> str:
        """Stop a run; the incident, once that is written down."""

    def tell(self, notice: Notice) -> None:
        """Send people a message."""


class IntegrityMonitor:
    """Looks after each call, compares in a thread of low priority."""

    def __init__(
        self,
        parts: Sequence[WatchedPart],
        watcher: Watcher,
        calls: CallLog,
        notices: NoticeBoard,
        consequences: Consequences,
        *,
        trees: Callable[[], Iterable[str]] = tuple,
        now: Callable[[], float] = monotonic,
        clock: Callable[[], float] = time,
    ) -> None:
        """`trees`: folders in which every file counts."""
        self._parts = parts
        self._trees = trees
        self._watcher = watcher
        self._calls = calls
        self._notices = notices
        self._consequences = consequences
        self._now = now
        self._clock = clock
        self._limit = RepairLimit()
        self._open: dict[str, Suspicion] = {}
        self._unsettled = 0
        self._compared = -_FULL_SECONDS
        self._comparing = False
        self._asked = False
        """A run has begun or ended: that is a reason to compare."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="integrity", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        if self._thread.ident is not None:
            self._watcher.wake()
            self._thread.join()
        self._watcher.close()

    @property
    def is_unsettled(self) -> bool:
        """Whether something has changed and it is not known yet what that means."""
        return self._watcher.is_dirty or self._comparing or self._unsettled > 0

    def on_event(self, supervisor: Supervisor, event: events.Event) -> None:
        """Take note of a call or a run; called in the supervision thread, for every event."""
        self._calls.on_event(supervisor, event)
        kind = type(event)
        if kind in _REASONS:
            self._asked = True
            self._watcher.wake()
        elif kind is events.ActionEnded and self._watcher.look():
            self._watcher.wake()

    # In the thread

    def _run(self) -> None:
        _lower_priority()
        while not self._closing.is_set():
            try:
                self.turn()
            except Exception:  # noqa: BLE001 - the next look may work
                _log.exception("Handrail's own files could not be compared")
                self._closing.wait(1.0)
            self._watcher.wait(self._patience())

    def turn(self) -> None:
        """Look once, and compare if there is a reason to."""
        try:
            # Notifications of other files in the same folders hold nobody up.
            self._comparing = self._watcher.look_at_all()
            is_due = self._now() - self._compared >= _FULL_SECONDS or self._watcher.lost
            is_asked, self._asked = self._asked, False
            changed = self._watcher.take()
            if changed or is_due or is_asked or self._unsettled:
                named = (path for part in self._parts for path in part.paths())
                self._watcher.name(named, self._trees())
                self._compare()
            if is_due:
                self._compared = self._now()
        finally:
            self._comparing = False

    def _patience(self) -> float:
        now = self._now()
        full = self._compared + _FULL_SECONDS - now
        waits = (each.due_in(now) for each in self._open.values() if not each.is_settled)
        return max(0.0, min(full, *waits, _FULL_SECONDS))

    def _compare(self) -> None:
        now = self._now()
        found = {loss.name: loss for part in self._parts for loss in part.losses()}
        self._open = {name: each for name, each in self._open.items() if name in found}
        for name, loss in found.items():
            seen = stamp(loss.path)
            known = self._open.get(name)
            if known is None:
                known = self._open[name] = Suspicion(loss, seen, changed_at(loss.path), now)
            known.see(loss, seen, now)
        self._unsettled = sum(not each.is_settled for each in self._open.values())
        for known in list(self._open.values()):
            if not known.is_settled and known.is_due(now):
                try:
                    self._settle(known, now)
                finally:
                    known.is_settled = True
                    self._unsettled -= 1

    def _settle(self, suspicion: Suspicion, now: float) -> None:
        loss, moment = suspicion.loss, suspicion.moment
        versioned = loss.is_versioned
        calls = [] if versioned else self._culprits(loss, moment)
        if not calls and loss.accept():
            del self._open[loss.name]
            return
        alive = self._calls.alive(moment)
        why_not = ""
        if not alive:
            why_not = "no session was open, so it may be what you want"
        elif not suspicion.is_quiet(now):
            why_not = "the file is changed all the time"
        elif not self._limit.allows(loss.path, now):
            why_not = "it was put back twice already, so another tool owns the file"
        done = wording.not_put_back(loss, why_not or "it cannot be put back")
        if versioned:
            done = wording.not_put_back(loss, "the file is under version control")
            # A call may have brought it with a branch. No run is blamed for that, but none gets
            # rid of its hooks by it.
            by_call = not why_not and self._calls.under_way(moment)
            if by_call and (winner := loss.overrule()):
                self._limit.count(loss.path, now)
                done = wording.overruled(winner)
        elif not why_not and loss.repair(bool(calls)):
            self._limit.count(loss.path, now)
            del self._open[loss.name]
            done = wording.PUT_BACK
        self._say(loss, calls, *done)

    def _culprits(self, loss: Loss, moment: float) -> list[AgentCall]:
        """The calls of the one run that explains a change; empty: somebody else may have done it"""
        calls = self._calls.under_way(moment)
        if loss.is_explained or len({call.run for call in calls}) != 1:
            return []
        if loss.hosts_write and any(run.attended for run in self._calls.alive(moment)):
            return []
        return calls

    def _say(self, loss: Loss, calls: Sequence[AgentCall], did: str, fix: str) -> None:
        run = calls[0].run if calls else ""
        what = wording.blame(loss, calls, self._calls.title(run)) if calls else ""
        what = what or wording.somebody(loss)
        incident = ""
        if calls:
            incident = self._consequences.stop(run, _finding(loss, calls, f"{what} {did}"))
            did += " The run is stopped."
        notice = Notice(0, self._clock(), loss.part, loss.path, f"{what} {did}", fix, run, incident)
        _log.warning("%s", notice.text)
        kept = self._notices.add(notice)
        if kept is not None:
            self._consequences.tell(kept)


def _finding(loss: Loss, calls: Sequence[AgentCall], says: str) -> Finding:
    return Finding(
        tampering.KIND,
        Severity.CRITICAL,
        confidence=1.0,
        evidence=tuple(call.step for call in calls),
        impact=1.0,
        says=says,
        symptom=loss.path,
        facts={"path": loss.path, "part": loss.part},
    )


def _lower_priority() -> None:
    """Leave the processor to those who answer agents; where a thread has no priority, nothing."""
    if os.uname().sysname == "Linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
