"""Freeze and thaw the processes of a run one after the other, in the order of the requests."""

from collections.abc import Container

from handrail.model.event import ControlAsked


class FreezeQueue:
    """The work under way for each run, and the requests waiting for it.

    A freeze that was overtaken cannot be called back: the thaw has to come after it.
    """

    def __init__(self) -> None:
        self._lines: dict[str, list[ControlAsked]] = {}

    def enter(self, run: str, asked: ControlAsked, wanted: Container[str]) -> bool:
        """Return whether a request may begin now; else it waits. `wanted`: requests still valid."""
        line = self._lines.get(run, [])
        line = line[:1] + [each for each in line[1:] if each.request in wanted]
        if not any(each.request == asked.request for each in line):
            line.append(asked)
        self._lines[run] = line
        return len(line) == 1

    def leave(self, run: str, request: str) -> ControlAsked | None:
        """End a request's turn and return it; None if it was not its turn."""
        line = self._lines.get(run)
        if not line or line[0].request != request:
            return None
        first = line.pop(0)
        if not line:
            del self._lines[run]
        return first

    def first(self, run: str, wanted: Container[str]) -> ControlAsked | None:
        """Return the next request; skip those that were overtaken."""
        line = [each for each in self._lines.pop(run, []) if each.request in wanted]
        if line:
            self._lines[run] = line
        return line[0] if line else None

    def clear(self, run: str) -> None:
        """Drop all requests: the run has no processes left."""
        self._lines.pop(run, None)
