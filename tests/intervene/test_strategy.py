"""Which of the fitting means is aimed at."""

import pytest

from handrail.config.interventions import Interventions, SoftCorrection, Strategy
from handrail.detect.description import UNKNOWN, FittingInterventions
from handrail.detect.registry import KINDS, description_of
from handrail.intervene.controller import fitting_for
from handrail.intervene.strategy import (
    LadderTarget,
    StrategyCase,
    pattern_specific_strategy,
    progressive_strategy,
)
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.intervention_history import PastIntervention
from handrail.model.ordinal import Severity
from tests.intervene.controller_setup import ControllerSetup, finding

SOFT, AGAIN, SLOW, BACK, STOP = InterventionName
LOW, MEDIUM, HIGH, CRITICAL = list(Severity)[1:]
PATTERNS = Interventions(
    intervention_cooldown_seconds=0, strategy=Strategy(type="pattern_specific")
)


def fitting(kind: str, patterns: dict[str, tuple[str, ...]] | None = None) -> FittingInterventions:
    return fitting_for(kind, description_of(kind), Strategy(patterns=patterns or {}))


def case_of(
    found: Finding,
    tried: tuple[PastIntervention, ...] = (),
    made: tuple[PastIntervention, ...] = (),
) -> StrategyCase:
    about = description_of(found.kind)
    return StrategyCase(found, about, fitting(found.kind), tuple(tried), made)


def tried(*course: tuple[str, bool | None]) -> tuple[PastIntervention, ...]:
    """What was tried against the trouble of `finding()`, and whether it helped."""
    return tuple(
        PastIntervention(f"i{n}", means, "loop:a", n * 100.0, n * 10, worked=worked, kind="loop")
        for n, (means, worked) in enumerate(course)
    )


def case(
    severity: Severity, *course: tuple[str, bool | None], others: tuple[PastIntervention, ...] = ()
) -> StrategyCase:
    past = tried(*course)
    return case_of(finding(severity=severity), past, (*others, *past))


def aims(aim: LadderTarget) -> tuple[str, str]:
    means = fitting("loop").means
    return means[aim.place], means[aim.least]


@pytest.mark.parametrize("kind", [*KINDS, "default"])
def test_four_severities_select_four_different_means(kind: str) -> None:
    """Defect d: with three in a list, high and critical chose the same."""
    row = fitting(kind)
    chosen = [
        row.means[pattern_specific_strategy(case_of(finding(kind, each)), Strategy()).place]
        for each in (LOW, MEDIUM, HIGH, CRITICAL)
    ]
    assert chosen == list(row.places)
    assert len(set(chosen)) == 4


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("repetitive_errors", (SOFT, AGAIN, BACK)),
        ("scope_creep", (AGAIN, SLOW, STOP)),
        ("resource_spiral", (SLOW, BACK, STOP)),
        ("goal_drift", (SOFT, AGAIN, BACK)),
        ("hallucination", (AGAIN, BACK, STOP)),
    ],
)
def test_by_pattern_a_kind_has_the_row_of_the_design_and_a_stop_for_critical(
    kind: str, row: tuple[str, ...]
) -> None:
    found = fitting_for(kind, description_of(kind), Strategy(type="pattern_specific"))
    assert found.places == (*row, STOP)


def test_by_pattern_a_row_of_the_user_comes_first() -> None:
    mine = (SOFT, SOFT, SOFT, BACK)
    settings = Strategy(type="pattern_specific", patterns={"scope_creep": mine})
    assert fitting_for("scope_creep", description_of("scope_creep"), settings).places == mine


@pytest.mark.parametrize(
    ("severity", "chosen"), [(LOW, AGAIN), (MEDIUM, SLOW), (HIGH, SLOW), (CRITICAL, SLOW)]
)
def test_by_pattern_a_stop_is_still_the_last_resort(severity: Severity, chosen: str) -> None:
    assert ControllerSetup(PATTERNS).steps(1, finding("scope_creep", severity, 0.3)) == [chosen]


@pytest.mark.parametrize("kind", [*KINDS, "default"])
def test_means_that_fit_a_kind_become_stronger(kind: str) -> None:
    places = [
        list(InterventionName).index(InterventionName(means)) for means in fitting(kind).places
    ]
    assert places == sorted(places)


def test_every_kind_says_what_fits_it() -> None:
    """Defect d: exploration_wandering did not."""
    assert [kind for kind in KINDS if description_of(kind).fitting is None] == []


def test_an_unknown_kind_has_the_default_row() -> None:
    """Defect d: it had none, and nil was chosen."""
    assert fitting("of_my_own") == UNKNOWN


def test_settings_say_what_fits() -> None:
    mine = (SOFT, SOFT, SOFT, BACK)
    assert fitting("loop", {"loop": mine}).means == (SOFT, BACK)
    assert fitting("of_my_own", {"default": mine}).means == (SOFT, BACK)
    assert fitting("stall", {"default": mine}) == fitting("stall")


def test_a_row_with_fewer_than_four_means_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"patterns.loop needs four means.*it has 3"):
        Strategy(patterns={"loop": (SOFT, AGAIN, BACK)})


def test_by_pattern_the_severity_decides() -> None:
    assert ControllerSetup(PATTERNS).steps(1, finding("repetitive_errors", LOW, 0.3)) == [SOFT]
    assert ControllerSetup(PATTERNS).steps(1, finding("repetitive_errors", HIGH, 0.3)) == [BACK]


def test_by_pattern_what_failed_is_left_behind() -> None:
    bench = ControllerSetup(PATTERNS, seconds=1)
    assert bench.steps(7, finding("loop", LOW, 0.5)) == [SOFT, AGAIN, BACK]


def test_by_pattern_a_critical_finding_passes_rollback_before_the_stop() -> None:
    bench = ControllerSetup(PATTERNS, seconds=1)
    assert bench.steps(7, finding("loop", CRITICAL)) == [BACK, BACK, STOP]


def test_progress_starts_where_the_score_says() -> None:
    assert aims(progressive_strategy(case(MEDIUM), Strategy())) == (AGAIN, SOFT)


def test_what_did_not_help_is_followed_by_something_stronger() -> None:
    assert aims(progressive_strategy(case(LOW, (SOFT, False)), Strategy())) == (AGAIN, AGAIN)


def test_what_helped_is_followed_by_something_milder() -> None:
    assert aims(progressive_strategy(case(MEDIUM, (AGAIN, True)), Strategy())) == (SOFT, SOFT)


def test_what_helped_sets_the_escalation_back() -> None:
    past = case(LOW, (SOFT, False), (AGAIN, False), (BACK, True))
    assert (past.fruitless, past.score) == ((), 0.2)


def test_what_usually_helps_is_tried_once_more() -> None:
    others = tuple(
        PastIntervention(f"j{n}", SOFT, f"loop:{n}", 0.0, n, worked=True, kind="loop")
        for n in range(3)
    )
    assert aims(progressive_strategy(case(LOW, (SOFT, False), others=others), Strategy())) == (
        SOFT,
        SOFT,
    )


@pytest.mark.parametrize(("threshold", "means"), [(0.5, SOFT), (0.6, AGAIN)])
def test_the_threshold_of_effectiveness_is_the_configured_one(
    threshold: float, means: InterventionName
) -> None:
    """Defect c: it was .5 in the code and .6 in the settings."""
    others = (PastIntervention("j", SOFT, "loop:b", 0.0, 1, worked=True, kind="loop"),)
    found = case(LOW, (SOFT, False), others=others)  # helped in one of two cases
    settings = Strategy(effectiveness_threshold=threshold)
    assert aims(progressive_strategy(found, settings))[0] == means


def test_attempts_end_even_for_what_usually_helps() -> None:
    settings = Interventions(
        intervention_cooldown_seconds=0,
        soft_correction=SoftCorrection(max_attempts=2),
        strategy=Strategy(effectiveness_threshold=0),
    )
    assert ControllerSetup(settings, seconds=1).steps(7, finding(severity=LOW)) == [
        SOFT,
        SOFT,
        AGAIN,
    ]


@pytest.mark.parametrize(("checkpoint", "reached"), [("", 1), ("4c1f", 2)])
def test_a_plan_that_did_not_help_leaves_the_way_back_open(checkpoint: str, reached: int) -> None:
    [made] = tried((BACK, False))
    made.checkpoint = checkpoint
    found = case_of(finding("loop"), (made,), (made,))
    assert found.fitting.means[found.reached + 1] == (STOP if checkpoint else BACK)
    assert found.reached == reached


def test_the_newest_success_counts() -> None:
    past = case(LOW, (SOFT, True), (AGAIN, False), (SOFT, True), (AGAIN, False))
    assert [made.id for made in past.fruitless] == ["i3"]
    assert past.reached == 1


def test_what_was_never_tried_has_reached_nothing() -> None:
    assert case(LOW).reached == -1


def test_after_a_success_nothing_is_milder_than_the_mildest() -> None:
    assert progressive_strategy(case(LOW, (SOFT, True)), Strategy()) == LadderTarget(0)


def test_after_a_success_of_what_seldom_helps_it_is_not_milder() -> None:
    past = case(MEDIUM, (AGAIN, False), (AGAIN, False), (AGAIN, True))
    assert aims(progressive_strategy(past, Strategy(effectiveness_threshold=0.5)))[0] == AGAIN


def test_what_usually_helps_is_never_milder_than_what_has_failed() -> None:
    others = tuple(
        PastIntervention(f"j{n}", AGAIN, f"loop:{n}", 0.0, n, worked=True, kind="loop")
        for n in range(3)
    )
    past = case(LOW, (AGAIN, False), others=others)
    assert aims(progressive_strategy(past, Strategy())) == (AGAIN, AGAIN)


def test_a_high_score_goes_beyond_the_next_place() -> None:
    assert aims(progressive_strategy(case(HIGH, (SOFT, False)), Strategy())) == (STOP, AGAIN)


OWN = ("pushover", "page", "call", STOP)


@pytest.mark.parametrize(
    ("severity", "confidence", "place"),
    [
        (LOW, 1.0, "pushover"),
        (MEDIUM, 0.6, "page"),
        (MEDIUM, 1.0, "page"),
        (HIGH, 1.0, "call"),
        (CRITICAL, 1.0, STOP),
    ],
)
def test_the_places_of_own_interventions_tell_their_strength(
    severity: Severity, confidence: float, place: str
) -> None:
    found = finding(severity=severity, confidence=confidence)
    own = StrategyCase(found, description_of("loop"), FittingInterventions(*OWN), ())
    assert own.fitting.means[progressive_strategy(own, Strategy()).place] == place


def test_after_a_failure_that_is_no_exception_only_stronger_ones_are_left() -> None:
    assert fitting("loop").means[:2] == (SOFT, AGAIN)
    aim = progressive_strategy(case(LOW, (AGAIN, False)), Strategy())
    assert aim == LadderTarget(2, 2)


def test_the_mildest_fitting_one_is_for_trouble_below_all_of_them() -> None:
    found = finding(severity=LOW, confidence=0.1)
    fits = FittingInterventions(BACK, BACK, BACK, STOP)
    case = StrategyCase(found, description_of("loop"), fits, ())
    assert progressive_strategy(case, Strategy()) == LadderTarget(0)


def test_a_strategy_that_is_not_installed_is_not_called() -> None:
    bench = ControllerSetup(Interventions(strategy=Strategy(type="custom", custom="gone")))
    assert bench.step(finding()) is not None
    assert not [each for each in bench.controller.faults if "failed" in each]
