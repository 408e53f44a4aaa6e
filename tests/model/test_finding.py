"""The kinds of findings that there are by themselves."""

from handrail.detect.combine import COMBINATIONS
from handrail.detect.watch import Habits, Whole
from handrail.model.finding import KINDS


def test_the_list_of_kinds_is_what_the_detectors_find() -> None:
    detectors = (*Habits().parts, *Whole().parts)
    found = {detector.kind for detector in detectors} | {each.kind for each in COMBINATIONS}
    assert sorted(KINDS) == sorted(found)
