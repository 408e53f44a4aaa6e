"""What the controller chooses, when it waits, and when it stops."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.interventions import (
    CheckpointRollback,
    ContextReinforcement,
    EmergencyStop,
    Interventions,
    SoftCorrection,
    Strategy,
)
from handrail.detect.registry import KINDS, description_of
from handrail.intervene import Capability
from handrail.intervene.controller import fitting_for
from handrail.intervene.score import level_of, score_of
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity
from tests.intervene.controller_setup import ALL, ControllerSetup, finding, situation

SOFT, AGAIN, SLOW, BACK, STOP = InterventionName
LOW, MEDIUM, HIGH, CRITICAL = list(Severity)[1:]
QUICK = Interventions(intervention_cooldown_seconds=0)


@pytest.mark.parametrize(
    ("severity", "confidence", "impact", "failures", "score"),
    [
        (LOW, 1.0, 0.0, 0, 0.2),
        (MEDIUM, 0.6, 0.0, 0, 0.3),
        (HIGH, 0.8, 0.0, 0, 0.64),
        (CRITICAL, 1.0, 0.0, 0, 1.0),
        (MEDIUM, 1.0, 0.5, 0, 0.75),
        (LOW, 1.0, 0.0, 2, 0.8),
    ],
)
def test_the_score_is_severity_confidence_impact_and_escalation(
    severity: Severity, confidence: float, impact: float, failures: int, score: float
) -> None:
    found = finding(severity=severity, confidence=confidence, impact=impact)
    assert score_of(found, failures) == score


@pytest.mark.parametrize(
    ("score", "means"),
    [
        (0.0, SOFT),
        (0.299, SOFT),
        (0.3, AGAIN),
        (0.5, SLOW),
        (0.7, BACK),
        (0.899, BACK),
        (0.9, STOP),
        (3.0, STOP),
    ],
)
def test_thresholds_lead_up_the_ladder(score: float, means: InterventionName) -> None:
    assert list(InterventionName)[level_of(score)] is means


@pytest.mark.parametrize(
    ("severity", "confidence", "means"),
    [(LOW, 1.0, SOFT), (MEDIUM, 0.6, AGAIN), (MEDIUM, 1.0, SLOW), (HIGH, 1.0, SLOW)],
)
def test_the_first_means_is_that_of_the_score(
    severity: Severity, confidence: float, means: InterventionName
) -> None:
    found = finding("resource_spiral", severity, confidence)
    assert ControllerSetup().steps(1, found) == [means]


def test_throttling_does_not_fit_an_error_loop() -> None:
    """1.8(7): four equal errors scored .64 and were throttled."""
    found = finding("repetitive_errors", HIGH, 0.8)
    assert ControllerSetup().steps(1, found) == [AGAIN]


def test_five_equal_errors_do_not_stop_a_run_at_once() -> None:
    """1.8(7): the score is 1.0, but nothing milder was tried."""
    found = finding("repetitive_errors", CRITICAL, 1.0)
    assert ControllerSetup().steps(1, found) == [BACK]


def test_one_failed_intervention_and_four_errors_do_not_stop_a_run() -> None:
    """1.8(7): .64 and one failure made .94."""
    bench = ControllerSetup()
    assert bench.steps(1, finding("repetitive_errors", MEDIUM, 0.6)) == [AGAIN]
    assert bench.steps(3, finding("repetitive_errors", HIGH, 0.8)) == [BACK]


def test_a_low_finding_never_stops_a_run() -> None:
    """1.8(7): it went from a hint to a stop by escalation alone."""
    means = ControllerSetup(QUICK).steps(100, finding(severity=LOW))
    assert means == [SOFT, AGAIN, BACK, BACK]


def test_a_medium_finding_never_stops_a_run() -> None:
    """There is no evidence that it gets worse, or that nothing changes."""
    means = ControllerSetup(QUICK).steps(100, finding(severity=MEDIUM, confidence=0.6))
    assert means == [AGAIN, BACK, BACK]


def test_a_high_finding_stops_a_run_when_nothing_milder_has_helped() -> None:
    means = ControllerSetup(QUICK).steps(100, finding(severity=HIGH, confidence=0.9))
    assert means[:3] == [BACK, BACK, STOP]


def test_what_failed_against_low_trouble_does_not_stop_a_run_that_got_a_little_worse() -> None:
    bench = ControllerSetup(QUICK)
    bench.steps(30, finding(severity=LOW))
    assert STOP not in bench.steps(30, finding(severity=HIGH))
    assert bench.steps(1, finding(severity=CRITICAL)) == [STOP]


def test_a_critical_loop_is_stopped_only_after_two_interventions_without_effect() -> None:
    assert ControllerSetup(QUICK, seconds=1).steps(7, finding(severity=CRITICAL)) == [
        BACK,
        BACK,
        STOP,
    ]


@pytest.mark.parametrize(
    ("kind", "severity", "impact"),
    [
        ("information_flow", HIGH, 0.5),
        ("information_flow", CRITICAL, 0.0),
        ("of_my_own", CRITICAL, 0.0),
    ],
)
def test_what_does_harm_with_each_action_is_stopped_at_once(
    kind: str, severity: Severity, impact: float
) -> None:
    assert ControllerSetup().steps(1, finding(kind, severity, impact=impact)) == [STOP]


@pytest.mark.parametrize(
    ("kind", "severity", "confidence", "impact"),
    [
        ("information_flow", MEDIUM, 1.0, 1.0),
        ("information_flow", HIGH, 0.5, 1.0),
        ("scope_creep", HIGH, 1.0, 1.0),
        ("of_my_own", CRITICAL, 0.8, 0.0),
    ],
)
def test_what_is_not_bad_or_not_sure_enough_is_not_stopped_at_once(
    kind: str, severity: Severity, confidence: float, impact: float
) -> None:
    (means,) = ControllerSetup().steps(1, finding(kind, severity, confidence, impact=impact))
    assert means != STOP


def test_a_stop_names_its_incident() -> None:
    bench = ControllerSetup(run="3f2a-5c", cwd="/home/dev/shop")
    made = bench.step(finding("information_flow", CRITICAL))
    assert made is not None
    assert made.incident == "1970-01-01-0001-shop-3f2a-5c"
    assert made.incident in made.guidance
    again = bench.step(finding("information_flow", CRITICAL))
    assert again is not None
    assert again.incident == "1970-01-01-0002-shop-3f2a-5c-2"


def test_a_stop_does_not_wait_for_the_cooldown() -> None:
    bench = ControllerSetup(seconds=1)
    assert bench.steps(1, finding(severity=LOW)) == [SOFT]
    assert bench.steps(1, finding("information_flow", CRITICAL)) == [STOP]


def test_a_stop_does_not_wait_for_an_intervention_to_show_effect() -> None:
    bench = ControllerSetup(seconds=1)
    assert bench.steps(1, finding("information_flow", LOW)) == [SOFT]
    assert bench.steps(1, finding("information_flow", CRITICAL)) == [STOP]


def test_a_stop_comes_even_in_a_step_that_had_an_intervention() -> None:
    bench = ControllerSetup(QUICK)
    bench.step(finding(severity=LOW))
    made = bench.look([finding("information_flow", CRITICAL)])
    assert made is not None
    assert made.means == STOP
    assert bench.look([finding("information_flow", CRITICAL)]) is None


def test_a_run_that_is_stopped_is_not_stopped_again() -> None:
    """Defect a: a stop is a result like any other, and what still comes in finds nothing to do."""
    assert ControllerSetup(stopped=True).steps(3, finding("information_flow", CRITICAL)) == []


def test_after_a_stop_was_resolved_the_ladder_begins_anew() -> None:
    bench = ControllerSetup(QUICK, seconds=1)
    found = finding(severity=HIGH, confidence=0.9)
    assert bench.steps(7, found) == [BACK, BACK, STOP]
    assert bench.steps(1, found) == [BACK]


def test_a_stop_that_is_switched_off_never_comes() -> None:
    settings = Interventions(
        intervention_cooldown_seconds=0, emergency_stop=EmergencyStop(enabled=False)
    )
    assert STOP not in ControllerSetup(settings).steps(60, finding("information_flow", CRITICAL))


def test_the_budget_of_a_run_ends_interventions_but_not_stops() -> None:
    settings = Interventions(max_interventions_per_execution=2, intervention_cooldown_seconds=0)
    bench = ControllerSetup(settings)
    for symptom in "abcd":
        bench.step(finding(severity=LOW, symptom=symptom))
    assert [made.means for made in bench.made] == [SOFT, SOFT]
    assert bench.steps(1, finding(severity=CRITICAL, symptom="e")) == [STOP]


def test_a_run_that_heeded_all_its_hints_is_not_stopped_for_new_trouble() -> None:
    bench = ControllerSetup(Interventions(max_interventions_per_execution=2))
    for symptom in "ab":
        bench.step(finding(severity=LOW, symptom=symptom))
        bench.steps(5)
    assert [judged.worked for judged in bench.judged] == [True, True]
    bad = finding(severity=HIGH, impact=1.0, symptom="c")
    assert bench.steps(9, bad) == []


def test_a_run_that_heeded_nothing_is_stopped_when_its_budget_is_spent() -> None:
    settings = Interventions(max_interventions_per_execution=2, intervention_cooldown_seconds=0)
    bench = ControllerSetup(settings)
    bench.steps(9, finding(severity=LOW))
    assert bench.steps(1, finding(severity=HIGH, impact=1.0, symptom="c")) == [STOP]


def test_between_two_interventions_is_the_cooldown() -> None:
    """Defect b: it was configured and read nowhere."""
    bench = ControllerSetup(seconds=10)
    means = [bench.step(finding(severity=LOW, symptom=str(n))) for n in range(7)]
    assert [each is not None for each in means] == [True, False, False, True, False, False, True]


def test_a_fast_agent_need_not_wait_for_the_time() -> None:
    settings = Interventions(intervention_cooldown_actions=3)
    bench = ControllerSetup(settings, seconds=0.5)
    means = [bench.step(finding(severity=LOW, symptom=str(n))) for n in range(7)]
    assert [each is not None for each in means] == [True, False, False, True, False, False, True]


def test_one_step_has_one_intervention() -> None:
    """Defect b: an escalation ran a second one in the same call."""
    bench = ControllerSetup(QUICK)
    found = [finding(severity=HIGH), finding("goal_drift", MEDIUM), finding("stall", LOW)]
    bench.step(*found)
    assert bench.look(found) is None
    assert bench.look([finding("stall", LOW, symptom="another")]) is None
    assert len(bench.made) == 1


def test_the_worst_finding_decides_and_the_others_wait() -> None:
    bench = ControllerSetup(QUICK)
    worst = finding("goal_drift", MEDIUM, 0.6)
    made = bench.step(finding("stall", LOW), worst)
    assert made is not None
    assert made.finding == worst
    assert bench.step(finding("stall", LOW), worst) is None


def test_where_nothing_is_left_for_the_worst_the_next_has_its_turn() -> None:
    settings = Interventions(
        intervention_cooldown_seconds=0,
        strategy=Strategy(patterns={"goal_drift": (SOFT, SOFT, SOFT, SOFT)}),
        soft_correction=SoftCorrection(max_attempts=1),
    )
    bench = ControllerSetup(settings)
    bench.steps(3, finding("goal_drift", HIGH))
    made = bench.step(finding("goal_drift", HIGH), finding("stall", LOW))
    assert made is not None
    assert made.finding.kind == "stall"


def test_an_intervention_has_some_actions_to_show_effect() -> None:
    """Who loops once a second must not have two minutes for it."""
    bench = ControllerSetup(Interventions(intervention_cooldown_seconds=0), seconds=1)
    made = [bench.step(finding(severity=LOW)) for _ in range(7)]
    assert [each is not None for each in made] == [True, False, False, True, False, False, True]


def test_an_intervention_has_some_time_to_show_effect() -> None:
    bench = ControllerSetup()
    bench.step(finding(severity=LOW))
    assert bench.step(finding(severity=LOW), seconds=119) is None
    assert bench.step(finding(severity=LOW), seconds=1) is not None


def test_escalation_counts_only_what_did_not_work() -> None:
    bench = ControllerSetup(QUICK)
    bench.step(finding(severity=LOW))
    bench.steps(5)
    made = bench.step(finding(severity=LOW))
    assert made is not None
    assert (made.escalation, made.means) == (0, SOFT)


def test_escalation_counts_for_each_symptom_by_itself() -> None:
    bench = ControllerSetup(QUICK, seconds=1)
    bench.steps(4, finding(severity=LOW, symptom="a"))
    made = bench.step(finding(severity=LOW, symptom="b"))
    assert made is not None
    assert (made.escalation, made.means) == (0, SOFT)
    assert [each.escalation for each in bench.made] == [0, 1, 0]


def test_what_one_sub_agent_was_told_is_not_held_against_another() -> None:
    bench = ControllerSetup(QUICK, agent="one")
    bench.steps(3, finding(severity=LOW))
    chosen = bench.controller.choose(
        [finding(severity=LOW)], situation(bench.past, agent="two", now=10_000.0)
    )
    assert chosen is not None
    assert chosen.escalation == 0


def test_the_attempts_of_a_means_are_counted_for_each_trouble() -> None:
    bench = ControllerSetup(QUICK)
    means: list[str] = []
    for _ in range(5):  # each time it helps, and the trouble comes back
        means += bench.steps(1, finding(severity=LOW))
        bench.steps(5)
    assert means == [SOFT, SOFT, SOFT, AGAIN, AGAIN]


@pytest.mark.parametrize(
    ("settings", "severity", "means"),
    [
        (Interventions(soft_correction=SoftCorrection(enabled=False)), LOW, AGAIN),
        (Interventions(checkpoint_rollback=CheckpointRollback(enabled=False)), HIGH, AGAIN),
        (
            Interventions(
                soft_correction=SoftCorrection(enabled=False),
                context_reinforcement=ContextReinforcement(enabled=False),
            ),
            LOW,
            BACK,
        ),
    ],
)
def test_what_is_switched_off_is_passed_over(
    settings: Interventions, severity: Severity, means: InterventionName
) -> None:
    assert ControllerSetup(settings).steps(1, finding(severity=severity)) == [means]


def test_nothing_is_done_where_interventions_are_switched_off() -> None:
    assert (
        ControllerSetup(Interventions(enabled=False)).steps(
            5, finding("information_flow", CRITICAL)
        )
        == []
    )


def test_a_means_without_power_on_this_host_is_passed_over() -> None:
    bench = ControllerSetup(can=frozenset({Capability.INJECT}))
    assert bench.steps(1, finding("resource_spiral", MEDIUM)) == [AGAIN]


def test_a_hint_that_only_a_person_can_read_says_so() -> None:
    made = ControllerSetup(can=frozenset()).step(finding(severity=HIGH))
    assert made is not None
    assert made.means == SOFT
    assert "only a person" in made.limits


def test_interventions_are_numbered_in_the_run() -> None:
    bench = ControllerSetup(QUICK)
    for symptom in "abc":
        bench.step(finding(severity=LOW, symptom=symptom))
    assert [made.id for made in bench.made] == ["i1", "i2", "i3"]


findings = st.builds(
    finding,
    st.sampled_from([*KINDS, "of_my_own"]),
    st.sampled_from(list(Severity)),
    st.floats(0, 1),
    symptom=st.sampled_from("ab"),
    evidence=st.lists(st.integers(0, 9), max_size=6).map(lambda steps: tuple(sorted(steps))),
    impact=st.floats(0, 1),
    says=st.sampled_from(["It is stuck.", "", "x" * 3000]),
)
deeds = st.lists(
    st.tuples(st.floats(0, 200), st.lists(findings, max_size=3)), min_size=1, max_size=40
)
limits = st.builds(
    Interventions,
    max_interventions_per_execution=st.integers(1, 12),
    intervention_cooldown_seconds=st.integers(0, 120),
    intervention_cooldown_actions=st.integers(1, 8),
    soft_correction=st.builds(SoftCorrection, st.booleans(), st.integers(1, 3)),
    context_reinforcement=st.builds(ContextReinforcement, st.booleans(), st.integers(1, 3)),
    strategy=st.builds(
        Strategy,
        st.sampled_from(["progressive", "pattern_specific"]),
        effectiveness_threshold=st.floats(0, 1),
        escalation_delay_seconds=st.integers(0, 200),
        escalation_delay_actions=st.integers(1, 5),
    ),
)


@given(deeds, limits, st.sets(st.sampled_from(list(Capability))), st.booleans())
def test_limits_hold_whatever_is_found_and_when(
    course: list[tuple[float, list[Finding]]],
    settings: Interventions,
    can: set[Capability],
    attended: bool,
) -> None:
    bench = ControllerSetup(settings, can=frozenset(can), attended=attended)
    for seconds, found in course:
        made = bench.step(*found, seconds=seconds)
        harmful = [
            each for each in found if each.kind == "information_flow" and each.severity >= HIGH
        ]
        if any(score_of(each) >= 0.9 for each in harmful):
            assert made is not None
            assert made.means == STOP
    past = bench.past.made
    milder = [made for made in past if made.means != STOP]
    assert len(milder) <= settings.max_interventions_per_execution
    assert len({made.step for made in past}) == len(past)
    texts = [made.text for made in past]
    assert len(set(texts)) == len(texts)
    for before, after in pairwise(past):
        if after.means != STOP:
            waited, steps = after.at - before.at, after.step - before.step
            assert (
                waited >= settings.intervention_cooldown_seconds
                or steps >= settings.intervention_cooldown_actions
            )
    stops = [-1, *(made.step for made in past if made.means == STOP), 10_000]
    for begin, end in pairwise(stops):
        since = [(made.means, made.name) for made in milder if begin < made.step < end]
        for means, name in since:
            assert since.count((means, name)) <= getattr(settings, means).max_attempts
    for done in bench.made:
        assert getattr(settings, done.means).enabled
        assert done.finding.severity > LOW or done.means != STOP
        assert bool(done.incident) == (done.means == STOP)
        assert not (done.checkpoint and attended)
        assert 0 < len(done.guidance) <= (500 if done.means == SOFT else 2000)


def test_everything_is_usable_on_a_host_that_can_do_everything() -> None:
    fitting = {
        means
        for kind in KINDS
        for means in fitting_for(kind, description_of(kind), Strategy()).means
    }
    assert fitting == set(InterventionName)
    assert len(ALL) == len(Capability)
