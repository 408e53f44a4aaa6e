"""The last command and its progress: `pause requested → acknowledged → …`."""

import msgspec

from handrail.tui.sending.port import SendingStage
from handrail.tui.text import Line, StyledSpan, columns, flat, width_of, wrap
from handrail.views.run_overview import RunOverview

_MAX_BELOW = 2
_STARTING = "starting the daemon …"
_STYLES = {"confirmed": "green", "failed": "red", "starting": "yellow"}


class SentCommand(msgspec.Struct):
    """A command and its stages."""

    word: str
    run: str
    name: str
    holds: bool = False
    """No new action begins once it is confirmed."""
    stages: list[SendingStage] = []

    @property
    def is_over(self) -> bool:
        """Whether the command is complete."""
        return bool(self.stages) and self.stages[-1].is_last

    def lines(self, run: RunOverview | None, width: int, *, chosen: bool) -> list[Line]:
        """Return the stages and the result; a long result gets lines of its own.

        The name of the run is left out if the run is `chosen`.
        """
        name = "" if chosen else f"{flat(self.name)} "
        spans = [StyledSpan(f"{self.word} {name}", "bold")]
        for at, stage in enumerate(self.stages):
            word = _STARTING if stage.step == "starting" else stage.step
            spans += [
                StyledSpan(" → " if at else ""),
                StyledSpan(word, _STYLES.get(stage.step, "")),
            ]
        result = self._result(run)
        if not result.text:
            return [tuple(spans)]
        if width_of(spans) + columns(result.text) <= width:
            return [(*spans, result)]
        rest = wrap(result.text.strip(), width - 2, _MAX_BELOW)
        return [tuple(spans), *((StyledSpan(f"  {line}", result.style),) for line in rest)]

    def _result(self, run: RunOverview | None) -> StyledSpan:
        if not self.is_over:
            return StyledSpan("")
        last = self.stages[-1]
        says = flat(last.says)
        if last.step == "failed":
            return StyledSpan(f": {says}" if says else "", "red")
        if self.holds and run is not None and run.held:
            says = f"held before: {flat(run.held[0])}"
        return StyledSpan(f" ({says})" if says else "")
