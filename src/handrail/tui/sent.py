"""The command that was sent last, and how far it has come: `pause requested → acknowledged → …`."""

import msgspec

from handrail.model.control import Command
from handrail.tui.asking import Order
from handrail.tui.controls import Stage
from handrail.tui.overview import Overview
from handrail.tui.text import Line, Span, flat

_HOLDS = frozenset({Command.PAUSE, Command.INTERRUPT, Command.FREEZE})
_STARTING = "daemon is down, starting it …"
_STYLES = {"confirmed": "green", "failed": "red", "starting": "yellow"}


class Sent(msgspec.Struct):
    """An order, and what was heard of it."""

    order: Order
    stages: list[Stage] = []

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be heard."""
        return bool(self.stages) and self.stages[-1].is_last

    def line(self, run: Overview | None, *, chosen: bool = False) -> Line:
        """All stages in a line; `run` tells what is held since, and is named unless chosen."""
        name = "" if chosen else f"{flat(self.order.name)} "
        spans = [Span(f" {self.order.word} {name}", "bold")]
        for at, stage in enumerate(self.stages):
            word = _STARTING if stage.step == "starting" else stage.step
            spans += [Span(" → " if at else ""), Span(word, _STYLES.get(stage.step, ""))]
        if self.is_over:
            last = self.stages[-1]
            says = flat(last.says)
            if last.step == "failed":
                spans.append(Span(f": {says}" if says else "", "red"))
            elif self.order.command in _HOLDS and run is not None and run.held:
                spans.append(Span(f" (held before: {flat(run.held[0])})"))
            elif says:
                spans.append(Span(f" ({says})"))
        return tuple(spans)
