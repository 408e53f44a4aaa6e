"""A package of a user's own: its detector finds, its intervention acts, and both have words."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from handrail.config.detection import Detection
from handrail.config.interventions import Interventions
from handrail.detect import RunDetectors
from handrail.detect.plugins import load_plugins as load_detectors
from handrail.detect.registry import description_of
from handrail.intervene import Capability
from handrail.intervene.controller import Controller
from handrail.intervene.plugins import load_plugins
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from handrail.words.interventions import means_in_words
from tests.detect.steps import did
from tests.intervene.controller_setup import ALL, ControllerSetup, situation

PACKAGE = """
    from typing import ClassVar
    from handrail.detect import Advice, FindingDescription, Detector, FittingInterventions
    from handrail.intervene import Capability, InterventionDraft, InterventionKind
    from handrail.model.finding import Finding
    from handrail.model.ordinal import Severity

    class Night(Detector):
        kind: ClassVar[str] = "night_work"
        about: ClassVar[FindingDescription] = FindingDescription(
            label="Worked at night",
            meaning="The agent works while everybody sleeps.",
            fitting=FittingInterventions("page_me", "page_me", "soft_correction", "emergency_stop"),
            hints=("{says} Go to bed at {hour}.",),
            constraint="Nobody works at night.",
            advice=Advice("It was late.", ("Sleep.",), ("Set an alarm.",), ()),
        )
        steps: list[int] = []

        def see(self, deed):
            self.steps = [*self.steps, deed.step][-3:]

        def find(self, settings):
            if len(self.steps) < 3:
                return None
            return Finding(self.kind, Severity.LOW, 0.5, tuple(self.steps), says="Late.")

    class Broken(Night):
        kind: ClassVar[str] = "broken"
        about: ClassVar[FindingDescription] = FindingDescription(hints=("{not a field}",))

    class Planless(Night):
        kind: ClassVar[str] = "planless"
        about: ClassVar[FindingDescription] = FindingDescription(plan="hope")

    def page(finding, at, about, settings):
        return InterventionDraft(f"Paged. {about.constraint}")

    PAGE_ME = InterventionKind(
        name="any", label="page", uses=(Capability.INJECT,), always=False, make=page
    )
"""
POINTS = """
    [handrail.detectors]
    night = night_package:Night
    broken = night_package:Broken
    planless = night_package:Planless
    [handrail.interventions]
    page_me = night_package:PAGE_ME
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package, as it lies in site-packages."""
    (tmp_path / "night_package.py").write_text(dedent(PACKAGE))
    info = tmp_path / "night-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: night\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(dedent(POINTS))
    monkeypatch.syspath_prepend(str(tmp_path))
    for each in (load_detectors, load_plugins):
        each.cache_clear()
    yield
    for each in (load_detectors, load_plugins):
        each.cache_clear()


@pytest.fixture
def found() -> Finding:
    watch = RunDetectors()
    for step in range(3):
        watch.see(did(step, shown=f"make part{step}"))
    (finding,) = watch.findings(Detection())
    return finding


def test_the_detector_finds_and_what_is_wrong_with_others_is_told(found: Finding) -> None:
    assert (found.kind, found.severity) == ("night_work", Severity.LOW)
    first, second = load_detectors().problems
    assert "The detector broken cannot be loaded: ValueError" in first
    assert "The detector planless cannot be loaded: ValidationError" in second


def test_its_finding_has_a_label_an_explanation_and_advice(found: Finding) -> None:
    about = description_of(found.kind)
    assert about.label == "Worked at night"
    assert about.meaning == "The agent works while everybody sleeps."
    assert about.advice.cause == "It was late."
    assert about.example == description_of("anything").example


def test_the_intervention_that_fits_is_the_packages_own(found: Finding) -> None:
    bench = ControllerSetup(interventions=load_plugins("handrail.interventions", None))
    made = bench.step(found)
    assert made is not None
    assert (made.means, made.guidance) == ("page_me", "Paged. Nobody works at night.")
    assert means_in_words(made.means) == "page"


def test_an_intervention_that_only_a_detector_names_is_loaded(found: Finding) -> None:
    made = Controller(Interventions()).choose([found], situation())
    assert made is not None
    assert made.means == "page_me"


def test_a_host_that_gives_it_no_power_gets_something_else(found: Finding) -> None:
    at = situation(can=ALL - {Capability.INJECT})
    made = Controller(Interventions()).choose([found], at)
    assert made is not None
    assert made.means == "soft_correction"
