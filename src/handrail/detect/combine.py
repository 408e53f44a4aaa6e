"""Two troubles at the same time are worse than each."""

from collections.abc import Iterable
from typing import NamedTuple

from handrail.model.finding import Finding
from handrail.model.ordinal import Severity


class Combination(NamedTuple):
    """Two kinds of findings that belong together, and how much worse they are then."""

    kind: str
    parts: tuple[str, str]
    factor: float
    says: str


COMBINATIONS = (
    Combination(
        "error_exploration_loop",
        ("repetitive_errors", "exploration_wandering"),
        1.5,
        "It meets the same error and looks around without end",
    ),
    Combination(
        "runaway_execution",
        ("resource_spiral", "goal_drift"),
        2.0,
        "It uses more and more, for less and less of the goal",
    ),
    Combination(
        "confused_state",
        ("hallucination", "scope_creep"),
        1.8,
        "It relies on things that are not there, and works outside the scope",
    ),
)
PARTNERS: dict[str, str] = {
    one: other for each in COMBINATIONS for one, other in (each.parts, each.parts[::-1])
}
"""The kind that makes each of the combined kinds worse."""
_SEVERITIES = tuple(Severity)


def combine(found: Iterable[Finding], recent: Iterable[Finding]) -> list[Finding]:
    """Combinations of what was found now with what was found now or shortly before."""
    now = {finding.kind: finding for finding in found}
    lately = {finding.kind: finding for finding in recent} | now
    return [
        _combined(each, lately[each.parts[0]], lately[each.parts[1]])
        for each in COMBINATIONS
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
