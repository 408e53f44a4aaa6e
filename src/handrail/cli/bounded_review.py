"""A review with a hard time limit.

Reviews watch the clock themselves. This timer is the safety net for a loop or a regular
expression that nobody thought of. It counts processor time, so that a busy machine does not
look like a hostile command. It needs signals: the main thread on Linux or macOS.
"""

import signal
import threading

from handrail.model.action import Action
from handrail.model.history import History
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk
from handrail.review import Reviewer

_PATIENCE = 2.5
"""A multiple of the configured limit, so that the review's own deadline comes first."""
_AGAIN = 0.05


class _OverrunError(BaseException):
    """Raised by the timer; no Exception, so that no handler takes it for a faulty rule."""


class _DeadlineTimer:
    """A timer that raises an exception in the running code."""

    def __init__(self) -> None:
        self._armed = False
        self._installed = False

    def start(self, seconds: float) -> None:
        in_main = threading.current_thread() is threading.main_thread()
        if not in_main or not hasattr(signal, "setitimer"):
            return
        if not self._installed:
            signal.signal(signal.SIGPROF, self._fire)
            self._installed = True
        self._armed = True
        signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)

    def stop(self) -> None:
        if self._armed:
            self._armed = False  # first, because a signal may already be pending
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _fire(self, _number: int, _frame: object) -> None:
        if self._armed:
            raise _OverrunError


_net = _DeadlineTimer()


def bounded_review(reviewer: Reviewer, action: Action, history: History | None = None) -> Review:
    """Review an action; refuse it if the review takes far too long."""
    limit = reviewer.config.step_reviewer.performance.max_review_time_ms / 1000
    try:
        try:
            _net.start(limit * _PATIENCE)
            return reviewer.review(action, history or History())
        finally:
            _net.stop()
    except _OverrunError:
        _net.stop()
        return _refusal()


def _refusal() -> Review:
    return Review(
        Decision.BLOCK,
        Risk(1.0, Severity.CRITICAL),
        Rationality(0.6, 0.6, 0.6, 1.0, 1.0),
        reasons=("It cannot be read, so it is not run: it takes too long to read.",),
        alternative="Use several short, plain commands; put long text into a file first.",
        confidence=0.0,
    )
