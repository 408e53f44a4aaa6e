"""How many files and connections the daemon may have open."""

import resource
import sys
from contextlib import suppress

_ENOUGH = 65_536


def allow_many() -> None:
    """Take as many as the system gives: every agent that is held keeps a connection.

    Many systems begin with 1,024, and a daemon that has used them up cannot be told to let
    anybody go on.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # what there is has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class DescriptorLimit:
    """Notices that somebody takes the descriptors away: then no call can be accepted any more."""

    def __init__(self) -> None:
        self._least = self._now()

    @property
    def was_lowered(self) -> bool:
        """Whether there are fewer of them than in the beginning."""
        return self._now() < self._least

    def _now(self) -> int:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return sys.maxsize if soft == resource.RLIM_INFINITY else soft
