"""Combinations: two findings at the same time are worse than each."""

from collections.abc import Iterable

import msgspec

from handrail.detect.description import FindingDescription
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_SEVERITIES = tuple(Severity)


class Combination(msgspec.Struct, frozen=True):
    """Two kinds of findings that belong together, and the additional severity."""

    kind: str
    parts: tuple[str, str]
    factor: float
    says: str
    about: FindingDescription
    order: int = 100
    """The rank among findings, as for a detector."""

    def parts_beside(self, kinds: set[str]) -> set[str]:
        """Return the missing parts, if one of its parts is among these kinds."""
        return set() if kinds.isdisjoint(self.parts) else {*self.parts} - kinds


def combine(
    combinations: Iterable[Combination], found: Iterable[Finding], recent: Iterable[Finding]
) -> list[Finding]:
    """Combine findings of now with findings of now or shortly before."""
    now = {finding.kind: finding for finding in found}
    lately = {finding.kind: finding for finding in recent} | now
    return [
        _combined(each, lately[each.parts[0]], lately[each.parts[1]])
        for each in combinations
        if not now.keys().isdisjoint(each.parts) and lately.keys() >= set(each.parts)
    ]


def _combined(combination: Combination, one: Finding, other: Finding) -> Finding:
    raised = max(one.confidence, other.confidence) * combination.factor
    severity = max(one.severity, other.severity)
    if raised > 1:
        severity = _SEVERITIES[min(severity.rank + 1, Severity.CRITICAL.rank)]
    return Finding(
        combination.kind,
        severity,
        round(min(raised, 1.0), 2),
        tuple(sorted({*one.evidence, *other.evidence})),
        round(min(max(one.impact, other.impact) * combination.factor, 1.0), 2),
        f"{combination.says}. {one.says} {other.says}",
        f"{one.symptom}, {other.symptom}",
        {**other.facts, **one.facts},
    )
