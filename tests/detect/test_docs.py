"""What `docs/detectors.md` says is so."""

import re
from pathlib import Path

import msgspec
import pytest

from handrail.config import load_settings
from handrail.detect import Detector, RunDetectors
from handrail.detect.detectors.resource_spiral import ANSWER, SERIES
from handrail.detect.registry import KINDS
from tests.detect.steps import did

PAGE = (Path(__file__).parents[2] / "docs" / "detectors.md").read_text()


def block(language: str) -> str:
    (found,) = re.findall(rf"(?s)```{language}\n(.*?)```", PAGE)
    return str(found)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_explained(kind: str) -> None:
    assert re.search(rf"(?m)^(?:\| |### )`{kind}`", PAGE)


@pytest.mark.parametrize("name", SERIES)
def test_every_series_stands_there_with_its_floors(name: str) -> None:
    series = SERIES[name]
    row = re.search(rf"(?m)^\| `{name}`.*$", PAGE)
    assert row is not None
    numbers = [float(text.replace(",", "")) for text in re.findall(r"\b\d[\d,]*\b", row[0])]
    assert numbers == [series.base, series.matters]
    assert row[0].endswith(f"| {series.worst} |")


def test_the_floors_of_an_answer_stand_there() -> None:
    floors = f"{ANSWER.base:,} | {ANSWER.matters:,} | {ANSWER.worst}"
    assert f"| … of one answer after the other | {floors} |" in PAGE


def test_the_rule_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "handrail.yaml").write_text(block("yaml"))
    settings = load_settings(tmp_path, environ={"HOME": str(tmp_path)}).config.detection
    watch = RunDetectors()
    for step in range(3):
        watch.see(did(step, shown=f"git push origin part{step}"))
    assert [each.kind for each in watch.findings(settings)] == ["pushes_again_and_again"]


def test_the_detector_works() -> None:
    names: dict[str, type[Detector]] = {}
    exec(block("python"), names)  # noqa: S102 - it is our own page
    detector = names["BigFiles"]()
    for step in range(5):
        detector = msgspec.convert(msgspec.to_builtins(detector), names["BigFiles"])
        detector.see(did(step, says="x" * 20_000))
    finding = detector.find(load_settings("/", environ={}).config.detection)
    assert finding is not None
    assert finding.evidence == (0, 1, 2, 3, 4)
    assert 'big_outputs = "your_package:BigFiles"' in block("toml")
