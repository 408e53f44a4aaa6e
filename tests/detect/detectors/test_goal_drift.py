"""Turning away from the goal."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.config.detection import Detection
from handrail.config.detection import GoalDrift as Settings
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.goal_drift import GoalDriftDetector
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
