"""The same error again and again."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 10
_MOST = 5
_SEVERITIES = {3: Severity.MEDIUM, 4: Severity.HIGH}


class RepetitiveErrors(Detector):
    """Equal errors among the last deeds."""

    kind: ClassVar[str] = "repetitive_errors"
    recent: list[tuple[int, str, str]] = msgspec.field(default_factory=list)
    """Step, error as compared, error as it was."""

    def see(self, deed: Deed) -> None:
        """Keep the error, or that there was none."""
        self.recent.append((deed.step, deed.error, deed.said))
        del self.recent[:-_WINDOW]

    def find(self, settings: Detection) -> Finding | None:
        """The last deed's error, if it is one of several."""
        if not self.recent or not (error := self.recent[-1][1]):
            return None
        steps = tuple(step for step, key, _ in self.recent if key == error)
        times = len(steps)
        if times < min(_SEVERITIES):
            return None
        said = self.recent[-1][2]
        return Finding(
            self.kind,
            _SEVERITIES.get(times, Severity.CRITICAL),
            min(times / _MOST, 1.0),
            steps,
            says=f"The same error came {times} times: {said}",
            symptom=error,
            facts={"error": said, "times": str(times)},
        )
