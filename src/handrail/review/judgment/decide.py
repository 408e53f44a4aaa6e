"""From risk and rationality to a decision."""

from collections.abc import Sequence

from handrail.config import Config
from handrail.model.effect import Effect
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.review import Rationality, Risk, RuleHit

_ALLOW, _WARN, _MODIFY, _BLOCK = Decision

MATRIX: dict[tuple[Severity, str], Decision] = {
    (Severity.LOW, "high"): _ALLOW,
    (Severity.LOW, "medium"): _ALLOW,
    (Severity.LOW, "low"): _WARN,
    (Severity.MEDIUM, "high"): _ALLOW,
    (Severity.MEDIUM, "medium"): _WARN,
    (Severity.MEDIUM, "low"): _MODIFY,
    (Severity.HIGH, "high"): _WARN,
    (Severity.HIGH, "medium"): _MODIFY,
    (Severity.HIGH, "low"): _BLOCK,
}
"""Risk and rationality decide together; no risk is allowed, a critical one is blocked."""


def base_decision(risk: Risk, rationality: Rationality, config: Config) -> Decision:
    """What the matrix says."""
    if risk.severity is Severity.CRITICAL:
        return _BLOCK
    if risk.severity is Severity.NONE:
        return _ALLOW
    return MATRIX[risk.severity, _level(rationality.score, config)]


def decide(
    base: Decision,
    risk: Risk,
    effects: Sequence[Effect],
    hits: Sequence[RuleHit],
    *,
    first_time: bool,
    dangerous: bool = False,
) -> Decision:
    """The matrix, corrected by what the effects and the rules say.

    `dangerous`: the run is in such trouble that a warning is not enough.
    """
    worst = max((effect.severity for effect in effects), default=Severity.NONE)
    if base is _ALLOW and not hits and worst < Severity.HIGH:
        return _ALLOW
    if worst is Severity.CRITICAL:
        return _BLOCK
    decision = max([base, *(hit.decision for hit in hits)])
    if risk.severity < Severity.HIGH:
        # Low rationality alone never stops anything: only risk or a rule can.
        stopping = [hit.decision for hit in hits if hit.decision.stops]
        decision = max([min(decision, _WARN), *stopping])
        if decision is _WARN and first_time and not hits:
            return _ALLOW
        return _MODIFY if decision is _WARN and dangerous else decision
    if decision < _MODIFY and (irreversible(effects) or dangerous):
        return _MODIFY
    return decision


def is_dangerous(trouble: Finding | None) -> bool:
    """Whether there is evidence that the run gets worse."""
    return trouble is not None and trouble.severity >= Severity.HIGH


def irreversible(effects: Sequence[Effect], least: Severity = Severity.HIGH) -> bool:
    """Whether something serious happens that no checkpoint could undo."""
    return any(effect.severity >= least and effect.undo > Undo.CHECKPOINT for effect in effects)


def _level(score: float, config: Config) -> str:
    thresholds = config.step_reviewer.rationality
    if score >= thresholds.high_threshold:
        return "high"
    return "medium" if score >= thresholds.medium_threshold else "low"
