"""How many files and connections the daemon may have open."""

import resource
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
