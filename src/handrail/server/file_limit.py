"""The limit on open files, which the daemon raises: every held call keeps a connection."""

import resource
import sys
from contextlib import suppress

_ENOUGH = 65_536


def raise_file_limit() -> None:
    """Raise the limit to the most that the system grants.

    Many systems start with 1,024. A daemon that has used them up could not even accept the request
    that releases its held calls.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # what there is has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class FileLimit:
    """Notices a limit that somebody lowers while the daemon runs: it could accept no more calls."""

    def __init__(self) -> None:
        self._least = self._now()

    @property
    def was_lowered(self) -> bool:
        """Return whether the limit is lower than it was at the start."""
        return self._now() < self._least

    def _now(self) -> int:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return sys.maxsize if soft == resource.RLIM_INFINITY else soft
