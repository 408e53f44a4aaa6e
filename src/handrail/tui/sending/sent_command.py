"""The command that was sent last, and how far it has come: `pause requested → acknowledged → …`."""

import msgspec

from handrail.tui.sending.port import SendingStage
from handrail.tui.sending.questions import CommandOrder
from handrail.tui.state.run_overview import RunOverview
from handrail.tui.text import Line, StyledSpan, columns, flat, width_of, wrap

_MAX_BELOW = 2
_STARTING = "starting the daemon …"
_STYLES = {"confirmed": "green", "failed": "red", "starting": "yellow"}


class SentCommand(msgspec.Struct):
    """An order, and what was heard of it."""

    order: CommandOrder
    stages: list[SendingStage] = []

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be heard."""
        return bool(self.stages) and self.stages[-1].is_last

    def lines(self, run: RunOverview | None, width: int, *, chosen: bool) -> list[Line]:
        """All stages, and what came of it, which goes into lines of its own where it is long.

        `run` tells what is held since; it is named unless it is the chosen one.
        """
        name = "" if chosen else f"{flat(self.order.name)} "
        spans = [StyledSpan(f" {self.order.command.word} {name}", "bold")]
        for at, stage in enumerate(self.stages):
            word = _STARTING if stage.step == "starting" else stage.step
            spans += [
                StyledSpan(" → " if at else ""),
                StyledSpan(word, _STYLES.get(stage.step, "")),
            ]
        came = self._came(run)
        if not came.text:
            return [tuple(spans)]
        if width_of(spans) + columns(came.text) <= width:
            return [(*spans, came)]
        rest = wrap(came.text.strip(), width - 4, _MAX_BELOW)
        return [tuple(spans), *((StyledSpan(f"   {line}", came.style),) for line in rest)]

    def _came(self, run: RunOverview | None) -> StyledSpan:
        if not self.is_over:
            return StyledSpan("")
        last = self.stages[-1]
        says = flat(last.says)
        if last.step == "failed":
            return StyledSpan(f": {says}" if says else "", "red")
        if self.order.command.holds and run is not None and run.held:
            says = f"held before: {flat(run.held[0])}"
        return StyledSpan(f" ({says})" if says else "")
