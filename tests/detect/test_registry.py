"""Every kind of finding describes itself, in a file that is called after it."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from handrail.config.detection import Detection
from handrail.config.names import OTHER_KINDS, finding_kinds
from handrail.config.prompts import FIELDS, fields_of
from handrail.detect import Detector
from handrail.detect.registry import COMBINATIONS, DETECTORS, KINDS, description_of
from handrail.model.ordinal import Severity
from tests.detect.steps import did

ARCHITECTURE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()


def test_settings_know_every_kind_by_its_file() -> None:
    assert finding_kinds() == {*KINDS, OTHER_KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_it_means_and_what_to_do(kind: str) -> None:
    about = description_of(kind)
    assert re.fullmatch(r"[A-Z].*[^.]\.", about.meaning)
    assert len(about.label) <= 18
    assert about.fitting is not None
    assert {field for hint in about.hints for field in fields_of(hint)} <= set(FIELDS)


def test_a_combination_is_of_kinds_that_there_are() -> None:
    parts = {part for each in COMBINATIONS for part in each.parts}
    assert parts <= {detector.kind for detector in DETECTORS}


def test_no_two_detectors_are_saved_under_the_same_name() -> None:
    names = [detector.saved_as or detector.kind for detector in DETECTORS]
    assert len(set(names)) == len(names)


def test_the_recipe_for_a_detector_works(tmp_path: Path) -> None:
    (code,) = re.findall(r"(?s)## How to add a detector.*?```python\n(.*?)```", ARCHITECTURE)
    (tmp_path / "failing_on.py").write_text(code)
    spec = spec_from_file_location("failing_on", tmp_path / "failing_on.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    detector = module.FailingOnDetector()
    assert isinstance(detector, Detector)
    for step in range(5):
        detector.see(did(step, ok=False))
    finding = detector.find(Detection())
    assert finding is not None
    assert (finding.kind, finding.severity) == ("failing_on", Severity.LOW)
