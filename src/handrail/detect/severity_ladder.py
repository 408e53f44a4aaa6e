"""From how often something happened to how bad it is."""

from typing import NamedTuple

from handrail.model.ordinal import Severity


class SeverityLadder(NamedTuple):
    """How often it takes for each severity."""

    low: int
    medium: int
    high: int
    critical: int

    def severity(self, times: int) -> Severity:
        """How bad so many times are."""
        if times < self.low:
            return Severity.NONE
        if times < self.medium:
            return Severity.LOW
        if times < self.high:
            return Severity.MEDIUM
        return Severity.HIGH if times < self.critical else Severity.CRITICAL
