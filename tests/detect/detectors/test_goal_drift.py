"""Turning away from the goal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.detection import Detection
from handrail.config.detection import GoalDrift as Settings
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.goal_drift import GoalDriftDetector
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import did, found, only


def deeds(alignments: list[float], folders: list[str]) -> list[CompletedStep]:
    return [
        did(step, reads=(f"{folder}/{step}.py",), alignment=alignment)
        for step, (alignment, folder) in enumerate(zip(alignments, folders, strict=True))
    ]


HERE = ["/shop/cart"] * 10
ELSEWHERE = ["/shop/theme"] * 10


def test_a_fall_over_twenty_actions_is_found() -> None:
    """The steepest line through 20 points in [0, 1] falls by 0.075 each step, never by 0.3."""
    finding = only(found(GoalDriftDetector(), deeds([1.0] * 10 + [0.6] * 10, HERE + ELSEWHERE)))
    assert finding.severity is Severity.MEDIUM
    assert finding.evidence == tuple(range(10, 20))
    assert finding.facts["fall"] == "0.40"


def test_a_slighter_fall_is_less_bad() -> None:
    finding = only(found(GoalDriftDetector(), deeds([0.9] * 10 + [0.65] * 10, HERE + ELSEWHERE)))
    assert finding.severity is Severity.LOW


def test_a_run_that_never_shared_a_word_with_its_goal_has_not_drifted() -> None:
    assert set(found(GoalDriftDetector(), deeds([0.6] * 20, HERE + ELSEWHERE))) == {None}


def test_a_run_that_still_works_where_it_did_has_not_drifted() -> None:
    assert set(found(GoalDriftDetector(), deeds([1.0] * 10 + [0.6] * 10, HERE + HERE))) == {None}


def test_a_run_that_still_fits_has_not_drifted() -> None:
    assert set(found(GoalDriftDetector(), deeds([1.0] * 10 + [0.75] * 10, HERE + ELSEWHERE))) == {
        None
    }


def test_words_without_places_say_too_little() -> None:
    steps = [did(step, alignment=1.0 if step < 10 else 0.6) for step in range(20)]
    assert set(found(GoalDriftDetector(), steps)) == {None}


def test_an_action_that_fits_is_no_part_of_it() -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([1.0] * 10 + [0.6] * 10, HERE + ELSEWHERE))
    assert found(detector, [did(20, reads=("/shop/cart/a.py",), alignment=1.0)]) == [None]


def test_a_new_prompt_may_be_about_something_else() -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([1.0] * 10, HERE))
    detector.prompted()
    assert set(found(detector, deeds([0.6] * 10, ELSEWHERE))) == {None}


def test_a_low_opinion_of_a_model_is_found_when_it_comes() -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([1.0] * 3, HERE[:3]))
    detector.told(0.2)
    finding = detector.find(Detection())
    assert finding is not None
    assert finding.severity is Severity.LOW
    assert finding.evidence == (2,)
    assert "20%" in finding.says
    assert found(detector, deeds([1.0], HERE[:1])) == [None]


def test_two_low_opinions_are_worse_and_a_fall_beside_one_worse_still() -> None:
    twice = GoalDriftDetector()
    twice.see(did(1))
    twice.told(0.1)
    twice.told(0.3)
    second = twice.find(Detection())
    assert second is not None
    assert second.severity is Severity.MEDIUM
    fallen = GoalDriftDetector()
    found(fallen, deeds([1.0] * 10 + [0.6] * 10, HERE + ELSEWHERE))
    fallen.told(0.1)
    both = fallen.find(Detection())
    assert both is not None
    assert both.severity is Severity.HIGH


def test_a_good_opinion_is_no_finding() -> None:
    detector = GoalDriftDetector()
    detector.see(did(1))
    detector.told(0.1)
    detector.told(0.9)
    assert detector.find(Detection()) is None


def test_the_settings_decide() -> None:
    steepest = Detection(goal_drift=Settings(fall=0.39, lowest_opinion=0))
    only(found(GoalDriftDetector(), deeds([1.0] * 10 + [0.6] * 10, HERE + ELSEWHERE), steepest))
    less = deeds([0.95] * 10 + [0.6] * 10, HERE + ELSEWHERE)
    assert set(found(GoalDriftDetector(), less, steepest)) == {None}
    detector = GoalDriftDetector()
    detector.see(did(1))
    detector.told(0.0)
    assert detector.find(steepest) is None


@given(st.lists(st.floats(0.6, 1), min_size=20, max_size=40))
def test_confidence_stays_between_0_and_1(alignments: list[float]) -> None:
    folders = [f"/{step}" for step in range(len(alignments))]
    for finding in filter(None, found(GoalDriftDetector(), deeds(alignments, folders))):
        assert 0 < finding.confidence <= 1


# --- at the very edge --------------------------------------------------------------------------


def drift(
    alignments: list[float], places: list[str], settings: Detection | None = None
) -> Finding | None:
    return found(GoalDriftDetector(), deeds(alignments, places), settings or Detection())[-1]


FALLEN = [1.0] * 10 + [0.6] * 10


@pytest.mark.parametrize(("still_here", "is_drift"), [(2, True), (3, False)])
def test_a_few_steps_in_the_old_place_are_still_a_drift(still_here: int, is_drift: bool) -> None:
    places = HERE + HERE[:still_here] + ELSEWHERE[still_here:]
    assert (drift(FALLEN, places) is not None) is is_drift


def test_a_fall_just_as_large_as_allowed_is_none() -> None:
    allowed = Detection(goal_drift=Settings(fall=0.25))
    fallen = [0.75] * 10 + [0.5] * 10
    assert drift(fallen, HERE + ELSEWHERE, allowed) is None
    assert drift([0.76] * 10 + [0.5] * 10, HERE + ELSEWHERE, allowed) is not None


def test_both_halves_need_enough_places() -> None:
    def placed(earlier: int, later: int) -> Finding | None:
        steps = [
            did(
                step,
                alignment=1.0 if step < 10 else 0.6,
                reads=((f"/shop/{'a' if step < 10 else 'b'}/{step}.py",) if is_placed else ()),
            )
            for step in range(20)
            for is_placed in [step % 10 < (earlier if step < 10 else later)]
        ]
        return found(GoalDriftDetector(), steps)[-1]

    assert placed(3, 3) is not None
    assert placed(3, 2) is None
    assert placed(2, 3) is None


def test_only_the_last_twenty_steps_count() -> None:
    before = [0.1] * 5 + FALLEN
    finding = drift(before, ["/far"] * 5 + HERE + ELSEWHERE)
    assert finding is not None
    assert finding.facts["fall"] == "0.40"
    assert finding.evidence == tuple(range(15, 25))


@pytest.mark.parametrize(
    ("now", "opinions", "confidence"),
    [
        (0.6, [], 0.8),
        (0.2, [], 0.95),
        (1.0, [0.2], 0.76),
        (1.0, [0.3, 0.2], 0.86),
        (0.6, [0.2], 0.9),
    ],
)
def test_how_sure_it_is(now: float, opinions: list[float], confidence: float) -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([1.0] * 10 + [now] * 10, HERE + ELSEWHERE))
    for opinion in opinions:
        detector.told(opinion)
    finding = detector.find(Detection())
    assert finding is not None
    assert finding.confidence == confidence


def test_an_opinion_at_the_threshold_is_not_low() -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([1.0] * 3, HERE[:3]))
    detector.told(Settings().lowest_opinion)
    assert detector.find(Detection()) is None


# The edges


def test_the_fall_is_that_of_the_last_twenty_actions() -> None:
    alignments = [0.0] + [0.9] * 10 + [0.5] * 10
    folders = ["/shop/cart", *HERE, *ELSEWHERE]
    finding = found(GoalDriftDetector(), deeds(alignments, folders))[-1]
    assert finding is not None
    assert finding.facts["fall"] == "0.40"
    assert finding.impact == 0.0


def test_a_run_that_just_fits_no_more_has_drifted() -> None:
    """The mean of its last ten actions is 0.7, and its last action has 0.7, too."""
    later = [0.9] * 4 + [0.5] * 4 + [0.7] * 2
    finding = found(GoalDriftDetector(), deeds([1.0] * 10 + later, HERE + ELSEWHERE))[-1]
    assert finding is not None
    assert finding.facts["fall"] == "0.30"


def test_a_fall_must_be_more_than_the_settings_allow() -> None:
    fallen = deeds([0.75] * 10 + [0.5] * 10, HERE + ELSEWHERE)
    for fall, is_found in ((0.25, False), (0.24, True)):
        settings = Detection(goal_drift=Settings(fall=fall))
        assert (found(GoalDriftDetector(), fallen, settings)[-1] is not None) is is_found


def test_a_small_fall_makes_a_low_opinion_no_worse() -> None:
    settings = Detection(goal_drift=Settings(fall=0.25))
    detector = GoalDriftDetector()
    found(detector, deeds([0.75] * 10 + [0.5] * 10, HERE + ELSEWHERE))
    detector.told(0.3)
    finding = detector.find(settings)
    assert finding is not None
    assert finding.severity is Severity.LOW


def test_an_opinion_at_the_limit_is_not_low() -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([0.9], ["/shop/cart"]))
    detector.told(0.4)
    assert detector.find(Detection()) is None
    detector.told(0.39)
    assert detector.find(Detection()) is not None
    detector.told(0.4)
    assert detector.find(Detection()) is None, "the last opinion decides"


def test_an_opinion_at_the_limit_does_not_add_to_a_low_one() -> None:
    detector = GoalDriftDetector()
    found(detector, deeds([0.9], ["/shop/cart"]))
    severities = []
    for score in (0.4, 0.3, 0.2):
        detector.told(score)
        finding = detector.find(Detection())
        severities.append(finding.severity if finding else None)
    assert severities == [None, Severity.LOW, Severity.MEDIUM]
