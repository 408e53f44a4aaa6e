"""From how often something happened to how bad it is."""

from typing import NamedTuple

from handrail.model.finding import Facts, Finding
from handrail.model.ordinal import Severity


class SeverityLadder(NamedTuple):
    """How often it takes for each severity."""

    low: int
    medium: int
    high: int
    critical: int

    def severity(self, times: int) -> Severity:
        """How bad it is when something happened so many times."""
        if times < self.low:
            return Severity.NONE
        if times < self.medium:
            return Severity.LOW
        if times < self.high:
            return Severity.MEDIUM
        return Severity.HIGH if times < self.critical else Severity.CRITICAL

    def finding(
        self,
        kind: str,
        times: int,
        steps: tuple[int, ...],
        says: str,
        symptom: str,
        facts: Facts,
        *,
        sure: int = 0,
        forgiven: int = 0,
    ) -> Finding | None:
        """Report a repetition; None where it is not bad yet.

        `sure`: so often that there is no doubt (by default as often as for `high`); `forgiven`:
        times that do not count.
        """
        severity = self.severity(times - forgiven)
        if severity is Severity.NONE:
            return None
        confidence = min(times / (sure or self.high), 1.0)
        facts = {**facts, "times": str(times)}
        return Finding(kind, severity, confidence, steps, says=says, symptom=symptom, facts=facts)
