"""Find the processes above a session's process, and so the agent that started it."""

import psutil

from handrail.intervene.processes.process_tree import is_same_moment, start_time

_CLOCK_SECONDS = 1.5
"""Tolerance for start times by the clock, which may be adjusted in between."""


class ProcessAncestry:
    """The present processes above one."""

    def __init__(self, pid: int) -> None:
        try:
            parents = psutil.Process(pid).parents() if pid > 0 else []
            self._began = {each.pid: (each.create_time(), start_time(each)) for each in parents}
        except psutil.Error:  # it has ended meanwhile, or belongs to another user
            self._began = {}

    def has(self, pid: int, seen: float, since: float = 0.0) -> bool:
        """Return whether a process with this number, seen at a time, is among them.

        `since`: its start in seconds since the machine booted; 0: unknown. Numbers come again.
        """
        if pid not in self._began:
            return False
        by_clock, by_machine = self._began[pid]
        return is_same_moment(by_machine, since) if since else by_clock <= seen + _CLOCK_SECONDS
