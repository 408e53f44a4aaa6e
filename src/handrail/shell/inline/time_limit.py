"""How long a reader may walk through a piece of code; what it found by then still counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from handrail.shell.reading_clock import reading_time

_DEADLINE: ContextVar[float] = ContextVar("code_deadline", default=float("inf"))
_STEPS_BETWEEN_CHECKS = 128


class OutOfTimeError(Exception):
    """The time for one piece of code is over."""


@contextmanager
def read_until(deadline: float) -> Iterator[None]:
    """Give all readers inside until a moment of this thread's time."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def check_time(steps: int) -> None:
    """Raise an error once the time is over; looks at the clock only now and then."""
    if steps % _STEPS_BETWEEN_CHECKS == 0 and reading_time() > _DEADLINE.get():
        raise OutOfTimeError
