"""The same error again and again."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.detect.ladder import Ladder
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 10
_LADDER = Ladder(3, 3, 4, 5)
_PATIENCE = 2
_MOST = 5


class Error(msgspec.Struct, frozen=True):
    """What went wrong in one deed; empty: nothing."""

    step: int
    key: str
    said: str
    misfit: bool


class RepetitiveErrors(Detector):
    """Equal errors among the last deeds, with no progress between them.

    After a change, or something new, an error that comes back is part of working on it; if it
    stays, that is a stall. A call that does not fit its tool is a slip that agents make often and
    mend: two more of them are allowed. What waits for something may fail until it is there.
    """

    kind: ClassVar[str] = "repetitive_errors"
    recent: list[Error] = msgspec.field(default_factory=list)

    def see(self, deed: Deed) -> None:
        """Keep the error, or that there was none."""
        if deed.progress:
            self.recent.clear()
        error = "" if deed.intent.waits else deed.error
        self.recent.append(Error(deed.step, error, deed.said, deed.misfit))
        del self.recent[:-_WINDOW]

    def find(self, settings: Detection) -> Finding | None:
        """The last deed's error, if it is one of several."""
        if not self.recent or not self.recent[-1].key:
            return None
        last = self.recent[-1]
        steps = tuple(error.step for error in self.recent if error.key == last.key)
        times = len(steps)
        severity = _LADDER.severity(times - _PATIENCE if last.misfit else times)
        if severity is Severity.NONE:
            return None
        return Finding(
            self.kind,
            severity,
            min(times / _MOST, 1.0),
            steps,
            says=f"The same error came {times} times, and nothing new in between: {last.said}",
            symptom=last.key,
            facts={"error": last.said, "times": str(times)},
        )

    def prompted(self) -> None:
        """What a person asks for again may fail again."""
        self.recent.clear()
