"""Raises the limit on open files, because every held call keeps a connection."""

import resource
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
