"""The watch beside an unattended graphical session."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from handrail.config.desktop import Desktop
from handrail.desktop.watch.checker import ScreenChecker
from handrail.desktop.watch.run_link import RunLink, is_ending, is_held
from handrail.desktop.watch.symptom_ledger import SymptomLedger
from handrail.desktop.watch.worker import DesktopWorker
from handrail.desktop.watch.worker_hold import HoldReason, WorkerHold
from handrail.model.control import Standing
from handrail.model.desktop import CheckOutcome, DesktopCheck, ScreenStatus

_log = logging.getLogger(__name__)

_STOP_SECONDS = 5.0
_PAUSE_SECONDS = 30.0
_NEXT_SECONDS = 2.0
"""After a recovery: something else may have been behind the dialog."""
_MAX_EVENTS = 1_000

CheckListener = Callable[[DesktopCheck], object]


class ScreenWatch:
    """Looks at a screen in intervals and on request, in the name of a run.

    One lock lets one check happen at a time. `stop` never waits for it.
    """

    def __init__(
        self,
        checker: ScreenChecker,
        run: RunLink,
        worker: DesktopWorker,
        hold: WorkerHold,
        ledger: SymptomLedger,
        settings: Desktop,
        *,
        target: str,
        ending: threading.Event,
        on_check: CheckListener = lambda check: None,
        on_critical_failure: CheckListener = lambda check: None,
        interrupt: Callable[[], None] = lambda: None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """`target`: what is looked at, in words. `ending`: set when the watch shall end; whoever
        waits for something on its behalf may wait for it. `interrupt`: ends a look that is under
        way, from another thread. `close`: closes its connections."""
        self.expected_file = ""
        """The file that should be open; the worker may change it at any time."""
        self.run = run.run
        self._checker = checker
        self._link = run
        self._worker = worker
        self._hold = hold
        self._ledger = ledger
        self._settings = settings
        self._target = target
        self._on_check = on_check
        self._on_critical_failure = on_critical_failure
        self._interrupt = interrupt
        self._close = close
        self._events: list[DesktopCheck] = []
        self._lock = threading.Lock()
        self._ending = ending
        self._over = ""
        self._closing = threading.Lock()
        self._is_stopped = False
        self._has_worked = False
        self._thread: threading.Thread | None = None

    @property
    def is_over(self) -> bool:
        """Return whether no more looks will come."""
        return self._ending.is_set()

    @property
    def why_over(self) -> str:
        """Return why the run let no more looks happen, or ""."""
        return self._over

    def start(self) -> None:
        """Look now and then at intervals, in a thread of its own. Twice does no harm."""
        if self._thread is not None or not self._settings.enabled:
            return
        self._link.listen(self)
        self._thread = threading.Thread(target=self._work, name="handrail-desktop", daemon=True)
        self._thread.start()

    def stop(self, reason: str = "") -> None:
        """End the watch and its run, within seconds. Twice does no harm."""
        self._ending.set()
        self._interrupt()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_STOP_SECONDS)
        self._link.close(reason)
        with self._closing:
            self._is_stopped = True
            is_idle = self._thread is None or self._has_worked
        if is_idle:
            self._close()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the watch has ended; return whether it has."""
        return self._ending.wait(seconds)

    def check_now(self, context: str = "", *, worker_waits: bool = True) -> DesktopCheck:
        """Check the screen now. `context` reaches the model's prompt.

        `worker_waits`: the worker calls this between two steps, so it stands still meanwhile.
        Otherwise the watch pauses it for a recovery.
        """
        with self._lock:
            check = self._check(context, worker_waits=worker_waits)
        self._tell(check)
        return check

    def events(self) -> list[DesktopCheck]:
        """Return the last thousand checks, the oldest first."""
        return list(self._events)

    def on_standing(self, standing: Standing) -> None:
        """Let the worker follow the run: paused, running again, ended."""
        if is_ending(standing):
            self._end(f"the run was {standing.value}")
        elif is_held(standing):
            self._hold.hold(HoldReason.RUN, _PAUSE_SECONDS)
        elif standing is Standing.RUNNING:
            self._hold.release(HoldReason.RUN)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.stop("" if error is None else type(error).__name__)

    def _work(self) -> None:
        try:
            while not self._ending.is_set():
                check = self.check_now(worker_waits=False)
                self._ending.wait(self._seconds_after(check))
        finally:
            with self._closing:
                self._has_worked = True
                is_left = self._is_stopped
            if is_left:  # nobody waits any more for a look that took long
                self._close()

    def _check(self, context: str, *, worker_waits: bool) -> DesktopCheck:
        permit = self._link.may_look(self._target)
        if permit.verdict is None:
            if permit.is_over:
                self._end(permit.why)
            return DesktopCheck(ScreenStatus.UNKNOWN, CheckOutcome.FAILED, why=permit.why)
        try:
            check = self._checker.check(self._expected, context, worker_waits=worker_waits)
        except Exception as error:  # noqa: BLE001 - one bad check must not end the watch
            _log.exception("a check of the screen failed")
            says = f"{type(error).__name__}: {error}"[:300]
            check = DesktopCheck(ScreenStatus.UNKNOWN, CheckOutcome.FAILED, why=says)
        self._link.looked(permit, check)
        return check

    def _tell(self, check: DesktopCheck) -> None:
        self._events = [*self._events[1 - _MAX_EVENTS :], check]
        self._on_check(check)
        if check.outcome is CheckOutcome.GIVEN_UP and self._ledger.give_up(check.symptom):
            self._on_critical_failure(check)

    def _seconds_after(self, check: DesktopCheck) -> float:
        settings = self._settings
        cooldown = max(settings.min_cooldown_seconds, _NEXT_SECONDS)
        soon = {
            CheckOutcome.RECOVERED: _NEXT_SECONDS,
            CheckOutcome.NOT_RECOVERED: cooldown,
            CheckOutcome.WAITING: cooldown,
        }
        seconds = soon.get(check.outcome, settings.interval_seconds)
        if check.outcome is CheckOutcome.UNSURE and check.attempt:  # the worker stands still
            seconds = _NEXT_SECONDS
        return min(seconds, settings.interval_seconds)

    def _expected(self) -> str:
        """Return the file that should be open: the one that was named, or the worker's."""
        progress = self._worker.progress()
        return self.expected_file or (progress.file if progress else "")

    def _end(self, why: str) -> None:
        """End with the run."""
        self._over = self._over or why
        self._ending.set()
        self._worker.abort()
