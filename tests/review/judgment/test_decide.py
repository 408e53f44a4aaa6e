"""The matrix and what corrects it."""

import msgspec
import pytest

from handrail.config import Config
from handrail.model import (
    Decision,
    Effect,
    Kind,
    Rationality,
    Risk,
    RuleHit,
    Severity,
    Undo,
)
from handrail.model.finding import Finding
from handrail.review.judgment.decide import MATRIX, base_decision, decide, is_dangerous

ALLOW, WARN, MODIFY, BLOCK = Decision
CONFIG = Config()


def risk(severity: Severity) -> Risk:
    return Risk(0.5, severity)


def rationality(score: float) -> Rationality:
    return Rationality(score, score, score, score, score)


def effect(severity: Severity, undo: Undo = Undo.CHECKPOINT) -> Effect:
    return Effect(Kind.WRITE, "/p/x", severity, undo)


@pytest.mark.parametrize(
    ("severity", "score", "decision"),
    [
        (Severity.NONE, 0.0, ALLOW),
        (Severity.LOW, 0.9, ALLOW),
        (Severity.LOW, 0.6, ALLOW),
        (Severity.LOW, 0.1, WARN),
        (Severity.MEDIUM, 0.9, ALLOW),
        (Severity.MEDIUM, 0.6, WARN),
        (Severity.MEDIUM, 0.1, MODIFY),
        (Severity.HIGH, 0.9, WARN),
        (Severity.HIGH, 0.6, MODIFY),
        (Severity.HIGH, 0.1, BLOCK),
        (Severity.CRITICAL, 1.0, BLOCK),
    ],
)
def test_risk_and_rationality_decide_together(
    severity: Severity, score: float, decision: Decision
) -> None:
    assert base_decision(risk(severity), rationality(score), CONFIG) is decision


def test_the_matrix_is_complete() -> None:
    bands = {Severity.LOW, Severity.MEDIUM, Severity.HIGH}
    assert set(MATRIX) == {(band, level) for band in bands for level in ("low", "medium", "high")}


def test_a_critical_effect_blocks_whatever_the_matrix_says() -> None:
    effects = [effect(Severity.CRITICAL)]
    assert decide(ALLOW, risk(Severity.LOW), effects, (), first_time=True) is BLOCK


def test_the_first_warning_is_let_through_silently() -> None:
    effects = [effect(Severity.MEDIUM)]
    assert decide(WARN, risk(Severity.MEDIUM), effects, (), first_time=True) is ALLOW


def test_the_second_time_it_warns() -> None:
    effects = [effect(Severity.MEDIUM)]
    assert decide(WARN, risk(Severity.MEDIUM), effects, (), first_time=False) is WARN


def test_a_first_time_with_a_serious_effect_stays_a_warning() -> None:
    effects = [effect(Severity.HIGH)]
    assert decide(WARN, risk(Severity.HIGH), effects, (), first_time=True) is WARN


def test_a_serious_effect_that_cannot_be_undone_is_never_only_a_warning() -> None:
    effects = [effect(Severity.HIGH, Undo.IMPOSSIBLE)]
    assert decide(WARN, risk(Severity.HIGH), effects, (), first_time=True) is MODIFY


def test_low_rationality_alone_never_stops_anything() -> None:
    effects = [effect(Severity.MEDIUM)]
    assert decide(MODIFY, risk(Severity.MEDIUM), effects, (), first_time=False) is WARN


def test_the_strictest_rule_wins() -> None:
    hits = [RuleHit("a", WARN, "w"), RuleHit("b", BLOCK, "b"), RuleHit("c", MODIFY, "m")]
    assert decide(ALLOW, risk(Severity.NONE), [], hits, first_time=True) is BLOCK


def test_a_lower_threshold_is_stricter() -> None:
    strict = msgspec.convert({"step_reviewer": {"risk": {"high_threshold": 0.61}}}, Config)
    from handrail.review.judgment.risk import severity_of

    assert severity_of(0.62, CONFIG) is Severity.MEDIUM
    assert severity_of(0.62, strict) is Severity.HIGH


# --- a run in trouble --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("severity", "first_time", "decision"),
    [
        (Severity.LOW, False, MODIFY),
        (Severity.MEDIUM, False, MODIFY),
        (Severity.MEDIUM, True, ALLOW),
        (Severity.HIGH, True, MODIFY),
    ],
)
def test_a_warning_is_not_enough_for_a_run_that_gets_worse(
    severity: Severity, first_time: bool, decision: Decision
) -> None:
    effects = [effect(severity)]
    reached = decide(WARN, risk(severity), effects, (), first_time=first_time, dangerous=True)
    assert reached is decision


def test_what_is_allowed_stays_allowed_in_a_run_that_gets_worse() -> None:
    effects = [effect(Severity.LOW)]
    asked = decide(ALLOW, risk(Severity.LOW), effects, (), first_time=False, dangerous=True)
    assert asked is ALLOW


@pytest.mark.parametrize("severity", Severity)
def test_only_a_high_finding_is_dangerous(severity: Severity) -> None:
    found = Finding("loop", severity, 0.9)
    assert is_dangerous(found) is (severity >= Severity.HIGH)
    assert not is_dangerous(None)


# --- at the very edge --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("severity", "level", "decision"),
    [
        (Severity.HIGH, "high_threshold", WARN),
        (Severity.HIGH, "medium_threshold", MODIFY),
        (Severity.MEDIUM, "high_threshold", ALLOW),
        (Severity.MEDIUM, "medium_threshold", WARN),
    ],
)
def test_a_score_at_a_threshold_has_reached_it(
    severity: Severity, level: str, decision: Decision
) -> None:
    score = getattr(CONFIG.step_reviewer.rationality, level)
    assert base_decision(risk(severity), rationality(score), CONFIG) is decision
    assert base_decision(risk(severity), rationality(score - 0.01), CONFIG) > decision


@pytest.mark.parametrize("first", [Severity.LOW, Severity.CRITICAL])
def test_the_worst_of_several_effects_counts(first: Severity) -> None:
    effects = [effect(first), effect(Severity.LOW), effect(Severity.CRITICAL)]
    assert decide(ALLOW, risk(Severity.LOW), effects, (), first_time=True) is BLOCK


def test_one_serious_effect_among_harmless_ones_is_not_let_through_without_an_undo() -> None:
    effects = [effect(Severity.LOW), effect(Severity.HIGH, Undo.IMPOSSIBLE)]
    assert decide(ALLOW, risk(Severity.HIGH), effects, (), first_time=True) is MODIFY


def test_a_milder_rule_does_not_soften_the_matrix() -> None:
    hits = (RuleHit("own", WARN, "beware"),)
    effects = [effect(Severity.HIGH)]
    assert decide(MODIFY, risk(Severity.HIGH), effects, hits, first_time=False) is MODIFY
