"""Which processes stand above one: by that it is known who has started a session."""

import psutil

_CLOCK_SECONDS = 1.5
"""The moment of a start is computed by the wall clock, which may be set in between."""


class Above:
    """The processes above one, as they are now."""

    def __init__(self, pid: int) -> None:
        try:
            parents = psutil.Process(pid).parents() if pid > 0 else []
            self._began = {each.pid: each.create_time() for each in parents}
        except psutil.Error:  # it has ended meanwhile, or is not ours to look at
            self._began = {}

    def has(self, pid: int, seen: float) -> bool:
        """Whether one is among them that was there at a moment: numbers come again."""
        began = self._began.get(pid)
        return began is not None and began <= seen + _CLOCK_SECONDS
