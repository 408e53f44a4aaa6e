"""Turn the number of repetitions into a severity."""

from typing import NamedTuple

from handrail.model.finding import Facts, Finding
from handrail.model.ordinal import Severity


class SeverityLadder(NamedTuple):
    """The repetitions for each severity."""

    low: int
    medium: int
    high: int
    critical: int

    def severity(self, times: int) -> Severity:
        """Return the severity of so many repetitions."""
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
        most: Severity = Severity.CRITICAL,
    ) -> Finding | None:
        """Report a repetition; None if it is harmless so far.

        `sure`: the repetitions that leave no doubt (by default those for `high`); `forgiven`:
        repetitions that do not count; `most`: the highest severity that the evidence allows.
        """
        severity = min(self.severity(times - forgiven), most)
        if severity is Severity.NONE:
            return None
        confidence = min(times / (sure or self.high), 1.0)
        facts = {**facts, "times": str(times)}
        return Finding(kind, severity, confidence, steps, says=says, symptom=symptom, facts=facts)
