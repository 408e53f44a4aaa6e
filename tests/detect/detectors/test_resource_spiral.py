"""Growth that goes on and on."""

import pytest

from handrail.config.detection import Detection
from handrail.config.detection import ResourceSpiral as Settings
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.resource_spiral import SERIES, ResourceSpiralDetector
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import did, found


def using(name: str, amounts: list[float]) -> list[CompletedStep]:
    """Five deeds for each amount, all of it used by the first."""
    deeds: list[CompletedStep] = []
    now = 0.0
    for amount in amounts:
        if name == "calls":
            pause = 60 / amount
            deeds += [did(len(deeds) + i, at=(now := now + pause)) for i in range(5)]
            continue
        for index in range(5):
            used = amount if index == 0 else 0
            now += 10
            step = len(deeds)
            if name == "memory":
                deeds.append(did(step, at=now, memory_mb=float(used)))
            elif name == "tokens":
                deeds.append(did(step, at=now, tokens=int(used)))
            elif name == "time":
                deeds.append(did(step, at=now, duration_ms=used * 1000))
            elif name == "output":
                deeds.append(did(step, at=now, says="x" * int(used)))
            else:
                writes = tuple(f"/w/{step}-{i}" for i in range(int(used)))
                deeds.append(did(step, at=now, writes=writes))
    return deeds


def found_in(name: str, amounts: list[float], settings: Detection | None = None) -> Finding | None:
    return found(ResourceSpiralDetector(), using(name, amounts), settings or Detection())[-1]


def test_memory_that_more_than_doubles_each_time_is_found() -> None:
    finding = found_in("memory", [100, 200, 450, 1100])
    assert finding is not None
    assert finding.severity is Severity.MEDIUM
    assert finding.evidence == (4, 9, 14, 19)
    assert "1,100 MB" in finding.says
    assert float(finding.facts["memory"]) == pytest.approx(2.23, abs=0.01)


@pytest.mark.parametrize("name", SERIES)
def test_every_series_can_be_found(name: str) -> None:
    last = SERIES[name].matters
    finding = found_in(name, [last / 6.4, last / 3.2, last / 1.6, last * 1.25])
    assert finding is not None
    assert finding.symptom == name
    assert finding.facts["series"] == name


@pytest.mark.parametrize("name", SERIES)
def test_a_start_from_nothing_is_no_explosion(name: str) -> None:
    base = SERIES[name].base
    assert found_in(name, [base / 9, base / 3, base * 3, SERIES[name].matters * 2]) is None


@pytest.mark.parametrize("name", SERIES)
def test_growth_that_does_not_matter_is_not_found(name: str) -> None:
    matters = SERIES[name].matters
    assert found_in(name, [matters / 8, matters / 4, matters / 2, matters * 0.9]) is None


def test_steady_use_is_not_found_however_high() -> None:
    assert found_in("memory", [4000, 4100, 4000, 4200, 4100]) is None


def test_one_leap_is_no_spiral() -> None:
    assert found_in("memory", [100, 100, 100, 4000]) is None


def test_growth_by_one_and_a_half_is_the_limit() -> None:
    assert found_in("memory", [400, 600, 900, 1350]) is None
    assert found_in("memory", [400, 610, 930, 1420]) is not None


def test_reading_and_then_a_test_suite_is_no_spiral() -> None:
    times = [0.01, 0.1, 2, 90, 95, 300, 90]
    for count in range(4, len(times) + 1):
        assert found_in("time", times[:count]) is None


def test_the_worst_series_decides_by_rank_and_not_by_name() -> None:
    """In the alphabet, `low` and `medium` come after `critical` and `high`."""
    slow = using("output", [10_000, 20_000, 40_000, 80_000])
    steep = using("memory", [100, 400, 1600, 6400])
    both = [
        did(a.step, at=a.at, says=a.outcome.output, memory_mb=b.outcome.memory_mb)
        for a, b in zip(slow, steep, strict=True)
    ]
    finding = found(ResourceSpiralDetector(), both)[-1]
    assert finding is not None
    assert finding.severity is Severity.HIGH
    assert finding.symptom == "memory"
    assert {"memory", "output"} <= finding.facts.keys()


def test_it_is_found_once_for_each_sample() -> None:
    deeds = using("memory", [100, 200, 450, 1100, 2500])
    answers = found(ResourceSpiralDetector(), deeds)
    assert [index for index, each in enumerate(answers) if each] == [19, 24]


def test_the_next_task_begins_anew() -> None:
    detector = ResourceSpiralDetector()
    found(detector, using("memory", [100, 200, 450]))
    detector.prompted()
    assert found(detector, using("memory", [1100]))[-1] is None


def test_the_settings_decide_about_growth_and_samples() -> None:
    quick = Detection(resource_spiral=Settings(samples=3))
    assert found_in("memory", [200, 400, 900]) is None
    assert found_in("memory", [200, 400, 900], quick) is not None
    lax = Detection(resource_spiral=Settings(growth=3))
    assert found_in("memory", [100, 200, 450, 1100], lax) is None


def test_without_times_nothing_is_said_about_calls() -> None:
    deeds = [did(step, at=0.0) for step in range(60)]
    assert set(found(ResourceSpiralDetector(), deeds)) == {None}


def test_the_rate_of_calls_is_right_from_the_first_sample_on() -> None:
    detector = ResourceSpiralDetector()
    found(detector, [did(step, at=12.0 * step) for step in range(1, 16)])
    assert [sample.calls for sample in detector.samples] == [5.0, 5.0, 5.0]
