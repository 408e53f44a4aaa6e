"""A review that ends in time, whatever it is given.

Reviews watch the clock themselves; this is the net below, for a loop or a regular expression
that nobody thought of. It counts the processor time of this process, so that a busy machine
is not mistaken for a hostile command, and works where Python has signals: in the main thread
on Linux and macOS. Elsewhere a review runs without it.
"""

import signal
import threading

from handrail.model.action import Action
from handrail.model.history import History
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk
from handrail.review import Reviewer

_PATIENCE = 2.5
"""How many times the configured limit: the review's own deadline comes first."""
_AGAIN = 0.05


class _OverrunError(BaseException):
    """Not an Exception, so that no handler on the way takes it for a fault of a rule."""


class _DeadlineTimer:
    """A timer that raises in whatever runs."""

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
            self._armed = False  # first: a signal may be under way already
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _fire(self, _number: int, _frame: object) -> None:
        if self._armed:
            raise _OverrunError


_net = _DeadlineTimer()


def bounded_review(reviewer: Reviewer, action: Action, history: History | None = None) -> Review:
    """The review, or a refusal if it takes far too long."""
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
