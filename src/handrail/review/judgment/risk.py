"""How dangerous an action is: the weight of its worst effect, with the sum shown."""

from collections.abc import Iterator, Sequence

from handrail.config import Config
from handrail.model.effect import Effect, Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from handrail.model.review import Risk, RiskFactor

FLOORS = {
    Severity.NONE: 0.0,
    Severity.LOW: 0.3,
    Severity.MEDIUM: 0.6,
    Severity.HIGH: 0.8,
    Severity.CRITICAL: 0.95,
}
"""An effect of a severity weighs at least this much, and less than the next one's floor."""
_CEILINGS = {
    Severity.NONE: 0.29,
    Severity.LOW: 0.59,
    Severity.MEDIUM: 0.79,
    Severity.HIGH: 0.94,
    Severity.CRITICAL: 1.0,
}
_FAILURES = (0.0, 0.1, 0.2, 0.4)
"""What one, two, and three or more failures of the same action add."""
_TROUBLE = {Severity.MEDIUM: 0.1, Severity.HIGH: 0.2, Severity.CRITICAL: 0.3}
"""What a present finding about the run adds to an action that changes something."""
_OUTSIDE = 0.3
_PRIVILEGED = 0.1
_WILDCARD = 0.1


def risk_of(
    effects: Sequence[Effect],
    *,
    outside: set[int],
    privileged: set[int],
    failures: int,
    config: Config,
    trouble: Finding | None = None,
) -> Risk:
    """The risk of an action; `outside` and `privileged` name effects by their index.

    `trouble`: the worst present finding about the run.
    """
    best: tuple[float, tuple[RiskFactor, ...]] = (0.0, ())
    for index, effect in enumerate(effects):
        scored = _score(effect, is_outside=index in outside, is_privileged=index in privileged)
        if scored[0] > best[0] or not best[1]:
            best = scored
    score, factors = best
    if failures or trouble is not None:
        for name, wanted in _by_the_past(effects, failures, trouble):
            # What happened before is a reason to look, not to stop: it makes no step high risk.
            ceiling = max(score, _CEILINGS[Severity.MEDIUM])
            weight = min(wanted, ceiling - score)
            factors = (*factors, RiskFactor(name, round(weight, 2)))
            score += weight
    score = round(score, 2)
    return Risk(score, severity_of(score, config), factors)


def _by_the_past(
    effects: Sequence[Effect], failures: int, trouble: Finding | None
) -> Iterator[tuple[str, float]]:
    if failures:
        yield "failed before", _FAILURES[min(failures, len(_FAILURES) - 1)]
    changes = any(effect.kind is not Kind.READ for effect in effects)
    if trouble is not None and changes and (weight := _TROUBLE.get(trouble.severity)):
        yield f"the run is in trouble ({trouble.kind})", weight


def severity_of(score: float, config: Config) -> Severity:
    """The name of a score, by the thresholds of the settings."""
    thresholds = config.step_reviewer.risk
    if score >= thresholds.critical_threshold:
        return Severity.CRITICAL
    if score >= thresholds.high_threshold:
        return Severity.HIGH
    if score >= thresholds.medium_threshold:
        return Severity.MEDIUM
    return Severity.LOW if score >= thresholds.low_threshold else Severity.NONE


def _score(
    effect: Effect, *, is_outside: bool, is_privileged: bool
) -> tuple[float, tuple[RiskFactor, ...]]:
    factors = [RiskFactor(effect.intent, effect.base)]
    if is_outside:
        factors.append(RiskFactor("outside scope", _OUTSIDE))
    if is_privileged:
        factors.append(RiskFactor("raised privilege", _PRIVILEGED))
    if effect.glob and effect.kind is Kind.DELETE:
        factors.append(RiskFactor("wildcard", _WILDCARD))
    total = sum(factor.weight for factor in factors)
    score = min(max(total, FLOORS[effect.severity]), _CEILINGS[effect.severity])
    difference = round(score - total, 2)
    if difference:
        bound = "at most" if difference < 0 else "at least"
        name = f"{bound} {effect.severity}"
        factors.append(RiskFactor(name, difference))
    return score, tuple(factors)
