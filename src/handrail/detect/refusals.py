"""An action that was refused is tried again, as it was or in another way."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.detect.ladder import Ladder
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_LADDER = Ladder(2, 3, 4, 6)
_WINDOW = 20
"""Deeds within which a refused one counts as tried again."""


class Refusals(Detector):
    """Refused actions that are after the same thing."""

    kind: ClassVar[str] = "repeated_refusals"
    recent: list[tuple[int, str, str]] = msgspec.field(default_factory=list)
    """Step, what it was after (empty: it was not refused), and the action in a few words."""

    def see(self, deed: Deed) -> None:
        """Keep what was refused."""
        intent = deed.intent
        after = (intent.blamed or intent.call) if deed.ending == "refused" else ""
        self.recent.append((deed.step, after, intent.shown))
        del self.recent[:-_WINDOW]

    def find(self, settings: Detection) -> Finding | None:
        """The last deed, if it was refused like others before it."""
        if not self.recent or not (after := self.recent[-1][1]):
            return None
        steps = tuple(step for step, what, _ in self.recent if what == after)
        severity = _LADDER.severity(len(steps))
        if severity is Severity.NONE:
            return None
        shown = self.recent[-1][2]
        return Finding(
            self.kind,
            severity,
            min(len(steps) / _LADDER.high, 1.0),
            steps,
            says=f"What was refused was tried again, {len(steps)} times in all: {shown}",
            symptom=after,
            facts={"call": shown, "times": str(len(steps))},
        )

    def prompted(self) -> None:
        """A person may have asked for it."""
        self.recent.clear()
