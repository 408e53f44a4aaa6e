"""Whether an intervention helped."""

import pytest

from handrail.config.interventions import Interventions, Strategy
from handrail.intervene.effectiveness import had_its_time, judge_interventions, success_rate
from handrail.model.intervention import InterventionName
from handrail.model.intervention_history import InterventionHistory, PastIntervention
from handrail.model.ordinal import Severity
from tests.intervene.controller_setup import ControllerSetup, finding, situation

LOW, MEDIUM = Severity.LOW, Severity.MEDIUM


def nudged(settings: Interventions | None = None, seconds: float = 1) -> ControllerSetup:
    """A run that has just been given a hint."""
    bench = ControllerSetup(settings, seconds=seconds)
    bench.step(finding(severity=LOW))
    return bench


def test_it_helped_if_the_trouble_is_gone_for_some_actions() -> None:
    bench = nudged()
    bench.steps(4)
    assert bench.judged == []
    bench.steps(1)
    (judged,) = bench.judged
    assert (judged.intervention, judged.worked) == ("i1", True)
    assert judged.says == "Soft correction helped: the same was not seen 5 actions later."


def test_how_many_actions_is_a_setting() -> None:
    bench = nudged(Interventions(strategy=Strategy(effect_actions=2)))
    bench.steps(2)
    assert [judged.worked for judged in bench.judged] == [True]


def test_it_did_not_help_if_the_trouble_goes_on() -> None:
    bench = nudged()
    bench.steps(3, finding(severity=LOW))
    (judged,) = bench.judged
    assert not judged.worked
    assert judged.says == ("Soft correction did not help: the same was seen again 3 actions later.")


def test_it_did_not_help_if_the_trouble_comes_back_within_these_actions() -> None:
    bench = nudged()
    bench.steps(3)
    bench.steps(1, finding(severity=LOW))
    assert [judged.worked for judged in bench.judged] == [False]


def test_what_was_under_way_when_the_agent_was_told_is_not_held_against_it() -> None:
    bench = nudged()
    bench.steps(2, finding(severity=LOW))
    bench.steps(3)
    assert [judged.worked for judged in bench.judged] == [True]


def test_other_trouble_is_not_held_against_it() -> None:
    bench = nudged()
    bench.steps(5, finding(severity=LOW, symptom="another"))
    assert [(judged.intervention, judged.worked) for judged in bench.judged] == [("i1", True)]


def test_worse_is_still_the_same_trouble() -> None:
    bench = nudged()
    bench.steps(3, finding(severity=MEDIUM))
    assert [judged.worked for judged in bench.judged] == [False]


def test_what_another_agent_does_says_nothing_about_it() -> None:
    bench = nudged()
    other = ControllerSetup(agent="two", seconds=1)
    other.past.made.extend(bench.past.made)
    other.steps(9)
    assert other.judged == []


def test_it_is_judged_once() -> None:
    bench = nudged()
    bench.steps(20)
    assert len(bench.judged) == 1


def test_a_past_is_decided_when_everything_but_stops_is_judged() -> None:
    bench = nudged()
    told = [bench.past.has_undecided]
    bench.steps(5)
    told.append(bench.past.has_undecided)
    bench.step(finding("information_flow", Severity.CRITICAL))
    told.append(bench.past.has_undecided)
    assert told == [True, False, False]


def test_success_is_counted_by_means_and_kind() -> None:
    bench = nudged(seconds=60)
    bench.steps(5)
    bench.steps(5, finding("stall", LOW))
    soft, made = InterventionName.SOFT_CORRECTION, bench.past.made
    rates = [success_rate(made, soft, kind) for kind in ("loop", "stall", "goal_drift")]
    assert rates == [1.0, 0.0, 1.0]
    assert [success_rate(made, means, "stall") for means in (soft, "other")] == [0.0, 1.0]


@pytest.mark.parametrize(("worked", "failed", "share"), [(0, 0, 1.0), (1, 3, 0.25), (2, 0, 1.0)])
def test_the_share_of_what_helped(worked: int, failed: int, share: float) -> None:
    judged = [True] * worked + [False] * failed
    made = [
        PastIntervention("i", "soft_correction", "loop:a", 0.0, 1, worked=each, kind="loop")
        for each in (*judged, None)
    ]
    assert success_rate(made, "soft_correction", "loop") == share


@pytest.mark.parametrize(
    ("deeds", "seconds", "had_time"),
    [(0, 9999.0, False), (1, 9999.0, True), (1, 0.0, False), (99, 0.0, True)],
)
def test_an_intervention_has_had_its_time_after_actions_and_never_without_any(
    deeds: int, seconds: float, had_time: bool
) -> None:
    made = PastIntervention("i1", InterventionName.SOFT_CORRECTION, "loop:a", 0.0, 1, deeds=deeds)
    assert had_its_time(made, situation(now=seconds), Strategy()) is had_time


def test_the_judgement_counts_the_actions_in_good_english() -> None:
    for deeds, words in ((1, " 1 action later."), (2, " 2 actions later.")):
        made = PastIntervention(
            "i1", InterventionName.SOFT_CORRECTION, "loop:a", 0.0, 1, deeds=deeds, tested=1
        )
        at = situation(InterventionHistory([made]))
        (judged,) = judge_interventions([], at, Strategy(effect_actions=1))
        assert judged.says.endswith(words)
