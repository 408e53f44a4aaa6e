"""Looking around without end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.detection import Detection
from handrail.config.detection import ExplorationWandering as Settings
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.exploration_wandering import ExplorationWanderingDetector
from handrail.model.ordinal import Severity
from tests.detect.steps import did, found

SETTINGS = Detection()


def looks(folders: list[str], start: int = 0) -> list[CompletedStep]:
    return [
        did(step, tool="Read", reads=(f"{folder}/file.py",))
        for step, folder in enumerate(folders, start)
    ]


def around(count: int) -> list[str]:
    """To and fro between many folders, near and deep."""
    return [f"/p/{'a/b/c/d/e/' if i % 2 else ''}{i * 5 % 13}" for i in range(count)]


def test_to_and_fro_between_many_folders_is_found() -> None:
    finding = found(ExplorationWanderingDetector(), looks(around(30)))[-1]
    assert finding is not None
    assert finding.severity is Severity.LOW
    assert finding.evidence == tuple(range(10, 30))
    assert finding.says.startswith("30 looks since something was last changed")


def test_it_is_worse_after_a_long_time() -> None:
    finding = found(ExplorationWanderingDetector(), looks(around(80)))[-1]
    assert finding is not None
    assert finding.severity is Severity.MEDIUM


@pytest.mark.parametrize("threshold", [0.7, 0.9, 0.999])
def test_every_threshold_below_1_can_be_exceeded(threshold: float) -> None:
    settings = Detection(exploration_wandering=Settings(threshold=threshold))
    far = [f"/p/{'a/b/c/d/e/f/g/' if i % 2 else ''}{i % 40 % 26}" for i in range(40)]
    to_and_fro = [far[i] if i < 22 else far[i - 22] for i in range(40)]
    assert found(ExplorationWanderingDetector(), looks(to_and_fro), settings)[-1] is not None


def test_a_few_folders_are_no_wandering() -> None:
    """A raw count of three, times 0.3, would already be too much."""
    folders = [f"/p/src/{i % 3}" for i in range(40)]
    assert set(found(ExplorationWanderingDetector(), looks(folders))) == {None}


def test_focus_counts_against_wandering() -> None:
    """Added instead of subtracted, it would make the most focused work the worst."""
    scattered = around(40)
    focused = [folder if i % 4 == 0 else "/p/0" for i, folder in enumerate(scattered)]
    assert found(ExplorationWanderingDetector(), looks(scattered))[-1] is not None
    assert set(found(ExplorationWanderingDetector(), looks(focused))) == {None}


def test_going_through_a_project_once_is_no_wandering() -> None:
    folders = [f"/p/src/module{i // 3}" for i in range(60)]
    assert set(found(ExplorationWanderingDetector(), looks(folders))) == {None}


def test_a_task_may_begin_with_looking_around() -> None:
    folders = [f"/p/{'a/b/c/d/e/' if i % 2 else ''}{i % 12}" for i in range(20)]
    found_so_far = found(ExplorationWanderingDetector(), looks(folders))
    assert [bool(finding) for finding in found_so_far] == [False] * 19 + [True]


def test_a_change_ends_it() -> None:
    detector = ExplorationWanderingDetector()
    found(detector, looks(around(30)))
    assert found(detector, [did(30, writes=("/p/a.py",))]) == [None]
    assert set(found(detector, looks(around(19), 31))) == {None}


def test_a_change_that_failed_does_not_end_it() -> None:
    detector = ExplorationWanderingDetector()
    found(detector, looks(around(30)))
    found(detector, [did(30, writes=("/p/a.py",), ok=False, says="no")])
    assert found(detector, looks(around(1), 31))[-1] is not None


def test_a_prompt_ends_it() -> None:
    detector = ExplorationWanderingDetector()
    found(detector, looks(around(30)))
    detector.prompted()
    assert found(detector, looks(around(1), 30)) == [None]


def test_sub_agents_are_sent_out_to_look_around() -> None:
    deeds = [did(i, reads=(f"{folder}/f",), agent="scout") for i, folder in enumerate(around(60))]
    assert set(found(ExplorationWanderingDetector(), deeds)) == {None}


def test_only_a_look_is_part_of_it() -> None:
    detector = ExplorationWanderingDetector()
    found(detector, looks(around(30)))
    assert found(detector, [did(30, shown="pytest")]) == [None]
    assert detector.lately(SETTINGS) is not None


@given(st.lists(st.sampled_from(["/a", "/a/b", "/c/d/e/f", "/g", "/h/i", "/j/k/l"]), max_size=60))
def test_the_score_stays_between_0_and_1(folders: list[str]) -> None:
    all_found = Detection(exploration_wandering=Settings(threshold=0))
    for finding in filter(None, found(ExplorationWanderingDetector(), looks(folders), all_found)):
        assert 0 < finding.confidence <= 1


# --- the score by itself -----------------------------------------------------------------------

A, B, DEEP = "/p/a", "/p/b", "/p/b/c/d"
HALF_A_HALF_B = [A] * 10 + [B] * 10


@pytest.mark.parametrize(
    ("folders", "score"),
    [
        pytest.param([A] * 20, 0.03, id="one of ten folders"),
        pytest.param(HALF_A_HALF_B, 0.06 + 0.111, id="scattered over two"),
        pytest.param([A, B] * 10, 0.06 + 0.111 + 0.284, id="to and fro"),
        pytest.param([A, A, B, B] * 5, 0.06 + 0.111 + 0.126, id="to and fro every other time"),
        pytest.param([A] * 10 + [DEEP] * 10, 0.06 + 0.111 + 0.1, id="two levels apart"),
        pytest.param([A] * 15 + [B] * 5, 0.06 + 0.056, id="mostly in one"),
        pytest.param([f"/p/{i}" for i in range(20)], 0.3 + 0.2, id="each in a folder of its own"),
        pytest.param([f"/p/{i % 2 * 'a/b/c/d/e/f/'}{i}" for i in range(20)], 0.7, id="all uneven"),
    ],
)
def test_what_the_score_is_made_of(folders: list[str], score: float) -> None:
    settings = Detection(
        exploration_wandering=Settings(threshold=0, max_unique_directories=10, backtrack_limit=1)
    )
    finding = found(ExplorationWanderingDetector(), looks(folders), settings)[-1]
    assert finding is not None
    assert finding.confidence == pytest.approx(score, abs=0.0051)
    assert finding.impact == 0


def test_a_score_at_the_threshold_does_not_exceed_it() -> None:
    at_it = Settings(threshold=0.03, max_unique_directories=10, backtrack_limit=1)
    settings = Detection(exploration_wandering=at_it)
    assert found(ExplorationWanderingDetector(), looks([A] * 20), settings)[-1] is None


def test_only_the_last_forty_looks_are_scored() -> None:
    settings = Detection(exploration_wandering=Settings(threshold=0, max_unique_directories=10))
    folders = [f"/p/{i}" for i in range(20)] + [A] * 40
    finding = found(ExplorationWanderingDetector(), looks(folders), settings)[-1]
    assert finding is not None
    assert finding.facts == {"looks": "60", "folders": "1"}


def test_after_a_change_the_count_begins_at_nothing() -> None:
    detector = ExplorationWanderingDetector()
    found(detector, looks(around(30)))
    found(detector, [did(30, writes=("/p/a.py",))])
    finding = found(detector, looks(around(30), 31))[-1]
    assert finding is not None
    assert finding.says.startswith("30 looks since")
