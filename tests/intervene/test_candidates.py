"""What is left to do about a finding: the budget, and what agents made of hints."""

import pytest

from handrail.config.interventions import Interventions, Strategy
from handrail.detect.description import FittingInterventions
from handrail.detect.registry import description_of
from handrail.intervene.candidates import Candidates
from handrail.intervene.controller import fitting_for
from handrail.intervene.registry import KINDS
from handrail.intervene.strategy import LadderTarget, StrategyCase
from handrail.model.intervention import InterventionName
from handrail.model.intervention_history import InterventionHistory, PastIntervention
from handrail.model.ordinal import Severity
from tests.intervene.controller_setup import ControllerSetup, finding, situation

SOFT, AGAIN, _, BACK, STOP = InterventionName


def candidates(*means: str, budget: int) -> Candidates:
    made = [
        PastIntervention(f"i{number}", each, f"loop:{number}", 0.0, number, kind="loop")
        for number, each in enumerate(means)
    ]
    about = description_of("loop")
    case = StrategyCase(finding(), about, fitting_for("loop", about, Strategy()), (), made)
    settings = Interventions(max_interventions_per_execution=budget)
    return Candidates(case, situation(InterventionHistory(made)), settings, KINDS)


@pytest.mark.parametrize(
    ("means", "is_spent"),
    [
        ((), False),
        ((SOFT,), False),
        ((SOFT, AGAIN), True),
        ((SOFT, STOP), False),
        ((STOP, STOP, STOP), False),
        ((SOFT, STOP, BACK), True),
    ],
)
def test_stops_do_not_count_against_the_budget(means: tuple[str, ...], is_spent: bool) -> None:
    assert candidates(*means, budget=2).budget_spent is is_spent


@pytest.mark.parametrize(("helped", "is_stopped"), [(0, True), (1, True), (2, True), (3, False)])
def test_only_who_heeds_more_than_half_of_the_hints_is_spared(
    helped: int, is_stopped: bool
) -> None:
    settings = Interventions(max_interventions_per_execution=4, intervention_cooldown_seconds=0)
    bench = ControllerSetup(settings)
    bench.past.made = [
        PastIntervention(f"i{n}", SOFT, f"loop:{n}", 0.0, n, worked=n < helped, kind="loop")
        for n in range(4)
    ]
    bad = finding(severity=Severity.HIGH, impact=1.0, symptom="new")
    assert (bench.steps(1, bad) == [STOP]) is is_stopped


# What is left


def left(
    severity: Severity, fitting: FittingInterventions, aim: LadderTarget, *failed: Severity
) -> list[str]:
    """What is left if so many hints have not helped, each against trouble of such a severity."""
    tried = tuple(
        PastIntervention(f"i{n}", SOFT, "loop:a", 0.0, n, worked=False, kind="loop", severity=each)
        for n, each in enumerate(failed)
    )
    case = StrategyCase(
        finding(severity=severity, impact=1.0), description_of("loop"), fitting, tried, tried
    )
    return Candidates(
        case, situation(InterventionHistory(list(tried))), Interventions(), KINDS
    ).options(aim)


@pytest.mark.parametrize(
    ("failed", "options"),
    [
        ((), [STOP]),
        ((Severity.HIGH,), [SOFT]),
        ((Severity.MEDIUM, Severity.MEDIUM), [STOP]),
        ((Severity.LOW, Severity.MEDIUM), [SOFT]),
    ],
)
def test_two_fruitless_hints_against_real_trouble_end_the_patience(
    failed: tuple[Severity, ...], options: list[str]
) -> None:
    fitting = FittingInterventions(SOFT, SOFT, SOFT, STOP)
    if not failed:
        assert left(Severity.CRITICAL, fitting, LadderTarget(1, 1)) == options
    else:
        assert left(Severity.HIGH, fitting, LadderTarget(1, 1), *failed) == options


def test_the_aim_comes_first_and_what_has_failed_does_not_come_again() -> None:
    fitting = FittingInterventions(SOFT, AGAIN, BACK, STOP)
    assert left(Severity.HIGH, fitting, LadderTarget(1)) == [AGAIN, SOFT, BACK]
    assert left(Severity.HIGH, fitting, LadderTarget(1, 1)) == [AGAIN, BACK]
    assert left(Severity.HIGH, fitting, LadderTarget(2, 2)) == [BACK]


def test_critical_trouble_is_stopped_after_the_budget_even_if_hints_are_heeded() -> None:
    settings = Interventions(max_interventions_per_execution=4, intervention_cooldown_seconds=0)
    for severity, is_stopped in ((Severity.CRITICAL, True), (Severity.HIGH, False)):
        bench = ControllerSetup(settings)
        bench.past.made = [
            PastIntervention(f"i{n}", SOFT, f"loop:{n}", 0.0, n, worked=True, kind="loop")
            for n in range(4)
        ]
        bad = finding(severity=severity, impact=1.0, symptom="new")
        assert (bench.steps(1, bad) == [STOP]) is is_stopped
