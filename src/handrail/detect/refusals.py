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
    recent: list[tuple[int, int, str]] = msgspec.field(default_factory=list)
    """Of each refused deed its number, its step, and what it was after."""
    deeds: int = 0
    """How many were seen; the number of the last one."""
    shown: str = ""
    """The last refused action in a few words."""

    def see(self, deed: Deed) -> None:
        """Keep what was refused."""
        self.deeds += 1
        if deed.ending == "refused":
            intent = deed.intent
            self.recent.append((self.deeds, deed.step, intent.blamed or intent.call))
            self.shown = intent.shown
        if self.recent and self.recent[0][0] <= self.deeds - _WINDOW:
            del self.recent[0]

    def find(self, settings: Detection) -> Finding | None:
        """The last deed, if it was refused like others before it."""
        if not self.recent or self.recent[-1][0] != self.deeds:
            return None
        after = self.recent[-1][2]
        steps = tuple(step for _, step, what in self.recent if what == after)
        severity = _LADDER.severity(len(steps))
        if severity is Severity.NONE:
            return None
        return Finding(
            self.kind,
            severity,
            min(len(steps) / _LADDER.high, 1.0),
            steps,
            says=f"What was refused was tried again, {len(steps)} times in all: {self.shown}",
            symptom=after,
            facts={"call": self.shown, "times": str(len(steps))},
        )

    def prompted(self) -> None:
        """A person may have asked for it."""
        self.recent.clear()
