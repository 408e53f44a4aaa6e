"""Adopt the orphans below this process, so that none of them escapes."""

import ctypes
import os
import sys
from contextlib import suppress

import psutil

_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> bool:
    """Let orphans below this process become its children; return whether the system does that."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return False
    return bool(prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


class OrphanReaper:
    """Take note of the ends of adopted processes, for which nobody else waits.

    Whoever starts a process waits for its end at once. So a process that is dead at two looks
    in a row was adopted.
    """

    def __init__(self) -> None:
        self._dead: set[int] = set()

    def look(self) -> list[int]:
        """Reap the adopted processes that were dead at the last look, too; return them."""
        dead = {child.pid for child in psutil.Process().children() if _is_dead(child)}
        adopted = sorted(dead & self._dead)
        self._dead = dead
        for pid in adopted:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return adopted


def _is_dead(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.status() == psutil.STATUS_ZOMBIE
    return False
