"""Freezing and thawing the processes of a run: one after the other, in the order asked for."""

from collections.abc import Container

from handrail.model.event import ControlAsked


class FreezeQueue:
    """By run, what is under way outside, and what waits for it.

    A freeze that is overtaken cannot be called back: what undoes it has to come after it.
    """

    def __init__(self) -> None:
        self._lines: dict[str, list[ControlAsked]] = {}

    def enter(self, run: str, asked: ControlAsked, wanted: Container[str]) -> bool:
        """Whether it may begin now; else its turn comes. `wanted`: requests not overtaken yet."""
        line = self._lines.get(run, [])
        line = line[:1] + [each for each in line[1:] if each.request in wanted]
        if not any(each.request == asked.request for each in line):
            line.append(asked)
        self._lines[run] = line
        return len(line) == 1

    def leave(self, run: str, request: str) -> ControlAsked | None:
        """Something has come back; None: it was not its turn, or nobody waits for it."""
        line = self._lines.get(run)
        if not line or line[0].request != request:
            return None
        first = line.pop(0)
        if not line:
            del self._lines[run]
        return first

    def first(self, run: str, wanted: Container[str]) -> ControlAsked | None:
        """Whose turn it is; those that were overtaken lose theirs."""
        line = [each for each in self._lines.pop(run, []) if each.request in wanted]
        if line:
            self._lines[run] = line
        return line[0] if line else None

    def clear(self, run: str) -> None:
        """There is nothing left to be frozen."""
        self._lines.pop(run, None)
