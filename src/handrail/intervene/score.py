"""Score findings, and find the intervention for a score."""

from bisect import bisect_right

from handrail.intervene.registry import KINDS
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

LADDER = tuple(KINDS)
"""The names of all interventions, from the mildest to the strongest."""

_WEIGHTS = {
    Severity.NONE: 0.0,
    Severity.LOW: 0.2,
    Severity.MEDIUM: 0.5,
    Severity.HIGH: 0.8,
    Severity.CRITICAL: 1.0,
}
_PER_FAILURE = 0.3
_THRESHOLDS = tuple(kind.strength for kind in KINDS.values())[1:]
"""The scores at which the steps of the ladder begin."""
_PRECISION = 6
"""Digits: 0.5 × 0.6 must be 0.3, not a little less."""


def score_of(finding: Finding, failures: int = 0) -> float:
    """Return the score of a finding: more for each intervention that failed."""
    worth = _WEIGHTS[finding.severity] * finding.confidence * (1 + finding.impact)
    return round(worth + _PER_FAILURE * failures, _PRECISION)


def level_of(score: float) -> int:
    """Return the step of the ladder for a score, counted from 0."""
    return bisect_right(_THRESHOLDS, score)
