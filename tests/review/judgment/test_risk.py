"""The sum behind a risk score."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config import Config
from handrail.model import KINDS, Action, Effect, Kind, Review, Risk, RiskFactor, Severity, Undo
from handrail.model.finding import Finding
from handrail.review import Reviewer
from handrail.review.judgment.risk import FLOORS, risk_of

CONFIG = Config()


def risk(
    *effects: Effect,
    outside: bool = False,
    sudo: bool = False,
    failures: int = 0,
    trouble: Finding | None = None,
) -> Risk:
    everything = set(range(len(effects)))
    return risk_of(
        effects,
        outside=everything if outside else set(),
        privileged=everything if sudo else set(),
        failures=failures,
        config=CONFIG,
        trouble=trouble,
    )


def effect(kind: Kind, severity: Severity | None = None, *, glob: bool = False) -> Effect:
    facts = KINDS[kind]
    return Effect(kind, "x", severity or facts.severity, facts.undo, glob=glob)


@pytest.mark.parametrize(
    ("kind", "base"),
    [(Kind.DELETE, 0.8), (Kind.FETCH, 0.6), (Kind.WRITE, 0.4), (Kind.READ, 0.1)],
)
def test_the_base_comes_from_what_is_done(kind: Kind, base: float) -> None:
    assert KINDS[kind].base == base
    assert risk(effect(kind)).factors[0].weight == base


def test_no_effects_are_no_risk() -> None:
    assert risk().score == 0.0


def test_outside_the_scope_weighs_more() -> None:
    outside = risk(effect(Kind.WRITE, Severity.MEDIUM), outside=True)
    assert outside.score == pytest.approx(0.7)
    assert [factor.name for factor in outside.factors] == ["modify", "outside scope"]


def test_a_raised_privilege_weighs_more() -> None:
    plain = risk(effect(Kind.WRITE, Severity.MEDIUM))
    assert risk(effect(Kind.WRITE, Severity.MEDIUM), sudo=True).score >= plain.score


def test_a_wildcard_makes_a_deletion_riskier() -> None:
    one = risk(effect(Kind.DELETE))
    assert risk(effect(Kind.DELETE, glob=True)).score == pytest.approx(one.score + 0.1)


def test_the_worst_effect_counts() -> None:
    together = risk(effect(Kind.READ), effect(Kind.DEVICE), effect(Kind.WRITE))
    assert together.severity is Severity.CRITICAL


@pytest.mark.parametrize(("failures", "added"), [(0, 0.0), (1, 0.1), (2, 0.2), (3, 0.4), (9, 0.4)])
def test_failing_again_adds_risk(failures: int, added: float) -> None:
    assert risk(effect(Kind.READ), failures=failures).score == pytest.approx(0.1 + added)


def test_failing_again_alone_never_makes_a_step_high_risk() -> None:
    assert risk(effect(Kind.FETCH), failures=50).severity <= Severity.MEDIUM


@pytest.mark.parametrize(
    ("severity", "added"),
    [(Severity.LOW, 0.0), (Severity.MEDIUM, 0.1), (Severity.HIGH, 0.2), (Severity.CRITICAL, 0.3)],
)
def test_trouble_of_the_run_adds_risk_to_what_changes_something(
    severity: Severity, added: float
) -> None:
    found = Finding("loop", severity, 0.9)
    before = risk(effect(Kind.WRITE, Severity.LOW))
    after = risk(effect(Kind.WRITE, Severity.LOW), trouble=found)
    assert after.score == pytest.approx(before.score + added)
    assert ("loop" in after.factors[-1].name) is bool(added)
    assert risk(effect(Kind.READ), trouble=found) == risk(effect(Kind.READ))


def test_trouble_alone_never_makes_a_step_high_risk() -> None:
    found = Finding("loop", Severity.CRITICAL, 1.0)
    assert risk(effect(Kind.FETCH), failures=9, trouble=found).severity <= Severity.MEDIUM


@given(
    kind=st.sampled_from(Kind),
    severity=st.sampled_from(Severity),
    outside=st.booleans(),
    sudo=st.booleans(),
    glob=st.booleans(),
)
def test_a_score_stays_in_the_band_of_its_severity(
    kind: Kind, severity: Severity, outside: bool, sudo: bool, glob: bool
) -> None:
    found = risk(effect(kind, severity, glob=glob), outside=outside, sudo=sudo)
    assert FLOORS[severity] <= found.score <= 1.0
    assert found.severity is severity
    assert found.score == pytest.approx(sum(factor.weight for factor in found.factors))


def test_undo_is_ordered_from_nothing_to_impossible() -> None:
    assert Undo.NEEDLESS < Undo.CHECKPOINT < Undo.UNKNOWN < Undo.IMPOSSIBLE


def test_to_create_a_file_is_less_than_to_modify_one(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("x")
    reviewer = Reviewer(Config(scope=(str(tmp_path),)), live=True)

    def write(name: str) -> Review:
        path = str(tmp_path / name)
        return reviewer.review(Action("Write", {"file_path": path, "content": "y"}, str(tmp_path)))

    assert write("new.txt").risk.factors == (RiskFactor("create", 0.3),)
    assert write("old.txt").risk.factors == (RiskFactor("modify", 0.4),)
    assert [effect.intent for effect in write("new.txt").effects] == ["create"]
    assert [effect.intent for effect in write("old.txt").effects] == ["modify"]


def test_a_shell_command_creates_or_modifies_as_well(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("x")
    reviewer = Reviewer(Config(scope=(str(tmp_path),)), live=True)
    command = Action("Bash", {"command": "echo a > new.txt; echo b >> old.txt"}, str(tmp_path))
    assert [effect.intent for effect in reviewer.review(command).effects] == ["create", "modify"]
