"""Which processes stand above one: by that it is known who has started a session."""

import psutil

from handrail.intervene.processes.process_tree import began, is_same_moment

_CLOCK_SECONDS = 1.5
"""Where only the clock tells when a process began, it may be set a little in between."""


class ProcessAncestry:
    """The processes above one, as they are now."""

    def __init__(self, pid: int) -> None:
        try:
            parents = psutil.Process(pid).parents() if pid > 0 else []
            self._began = {each.pid: (each.create_time(), began(each)) for each in parents}
        except psutil.Error:  # it has ended meanwhile, or is not ours to look at
            self._began = {}

    def has(self, pid: int, seen: float, since: float = 0.0) -> bool:
        """Whether one is among them that was there at a moment: numbers come again.

        `since`: when it began, in seconds since the machine did; 0: that is not known.
        """
        if pid not in self._began:
            return False
        by_clock, by_machine = self._began[pid]
        return is_same_moment(by_machine, since) if since else by_clock <= seen + _CLOCK_SECONDS
