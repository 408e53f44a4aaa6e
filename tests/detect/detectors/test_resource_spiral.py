"""Growth that goes on and on."""

import pytest

from handrail.config.detection import Detection
from handrail.config.detection import ResourceSpiral as Settings
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.resource_spiral import SERIES, ResourceSpiralDetector
from handrail.detect.usage_sample import UsageSample
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


# The edges

LIMITS: dict[str, tuple[float, float, float, float]] = {
    "memory": (64, 128, 256, 512),
    "file_operations": (4, 9, 19, 40),
    "tokens": (40_000, 86_000, 186_000, 400_000),
    "calls": (10, 20, 60, 120),
    "time": (20, 46, 105, 240),
    "output": (8_000, 16_000, 31_000, 60_000),
}
"""The least growth that counts, as docs and messages promise it."""


@pytest.mark.parametrize("name", SERIES)
def test_growth_counts_from_its_limits_on_and_not_before(name: str) -> None:
    first, *between, last = LIMITS[name]
    assert found_in(name, [first, *between, last]) is not None
    assert found_in(name, [first, *between, last - 1]) is None
    assert found_in(name, [first - 1, *between, last]) is None


def test_a_sample_that_grows_by_a_fifth_still_belongs_to_a_spiral() -> None:
    assert found_in("memory", [500, 600, 900, 1800]) is not None
    assert found_in("memory", [500, 599, 900, 1800]) is None


@pytest.mark.parametrize(
    ("factor", "severity", "impact"), [(2, "medium", 0.2), (3, "high", 0.4), (5, "high", 0.6)]
)
def test_the_speed_of_the_growth_decides_how_bad_it_is(
    factor: int, severity: str, impact: float
) -> None:
    finding = found_in("memory", [100.0 * factor**power for power in range(4)])
    assert finding is not None
    assert finding.severity.value == severity
    assert finding.impact == pytest.approx(impact)
    assert finding.confidence == pytest.approx(0.8)


def test_several_series_make_it_surer_and_never_quite_sure() -> None:
    def both(*names: str) -> Finding:
        series = [using(name, [*LIMITS[name]]) for name in names]
        deeds = [
            did(
                each[0].step,
                at=each[0].at,
                memory_mb=max(part.outcome.memory_mb for part in each),
                tokens=max(part.outcome.tokens for part in each),
                duration_ms=max(part.outcome.duration_ms for part in each),
            )
            for each in zip(*series, strict=True)
        ]
        finding = found(ResourceSpiralDetector(), deeds)[-1]
        assert finding is not None
        return finding

    assert both("memory", "tokens").confidence == pytest.approx(0.9)
    assert both("memory", "tokens", "time").confidence == pytest.approx(0.95)


def test_calls_at_the_same_moment_are_no_rate() -> None:
    deeds = using("calls", [10, 20, 60])
    now = deeds[-1].at
    same = [did(15 + step, at=now) for step in range(5)]
    assert found(ResourceSpiralDetector(), [*deeds, *same])[-1] is None


@pytest.mark.parametrize("seconds", [1.0, 0.5])
def test_less_than_a_second_counts_as_one(seconds: float) -> None:
    detector = ResourceSpiralDetector()
    found(detector, using("calls", [60]))
    found(detector, [did(5 + step, at=5 + seconds * (step + 1) / 5) for step in range(5)])
    assert detector.samples[-1].calls == 300.0


def test_a_failed_change_changes_no_files_and_its_error_is_read_like_output() -> None:
    detector = ResourceSpiralDetector()
    found(detector, [did(step, writes=("/w/a",), says="x" * 30, ok=False) for step in range(4)])
    found(detector, [did(4, says="yy", error="z" * 5)])
    assert [(each.file_operations, each.output) for each in detector.samples] == [(0, 127)]


def test_a_sample_has_the_highest_memory_that_was_measured_in_it() -> None:
    detector = ResourceSpiralDetector()
    for measured in (300.0, 900.0, 100.0):
        detector.sampled(UsageSample(commands_mb=measured))
    found(detector, [did(step) for step in range(5)])
    assert detector.samples[-1].memory == 900.0
    assert detector.current.memory == 100.0, "the last measurement holds until the next"


def answered(detector: ResourceSpiralDetector, *tokens: int, step: int = 1) -> Finding | None:
    detector.sampled(UsageSample(answers=tokens))
    return found(detector, [did(step)])[-1]


def test_answers_that_grow_and_grow_are_found_once() -> None:
    detector = ResourceSpiralDetector()
    assert answered(detector, 20_000) is None
    assert answered(detector, 44_000, step=2) is None
    assert answered(detector, 94_000, step=3) is None
    finding = answered(detector, 200_000, step=4)
    assert finding is not None
    assert finding.says.startswith("The tokens of one answer grew to 200,000 within 4 answers, ")
    assert (finding.symptom, finding.evidence) == ("tokens", (1, 2, 3, 4))
    detector.sampled(UsageSample())
    assert found(detector, [did(5)]) == [None], "no new answer, no new finding"
    assert detector.lately(Detection()) == Finding(
        **{name: getattr(finding, name) for name in Finding.__struct_fields__}
        | {"evidence": (2, 3, 4, 5)}
    )


@pytest.mark.parametrize(
    "tokens",
    [
        (44_000, 94_000, 200_000),
        (19_999, 44_000, 94_000, 200_000),
        (20_000, 44_000, 94_000, 199_999),
        (80_000, 120_000, 180_000, 270_000),
    ],
    ids=["too few", "from little", "to little", "by half each time"],
)
def test_answers_that_grow_as_conversations_do_are_no_spiral(tokens: tuple[int, ...]) -> None:
    detector = ResourceSpiralDetector()
    assert answered(detector, *tokens) is None
    assert detector.lately(Detection()) is None


def test_the_next_task_forgets_answers_and_begins_a_whole_sample() -> None:
    detector = ResourceSpiralDetector()
    assert answered(detector, 20_000, 44_000, 94_000) is None
    detector.sampled(UsageSample(answers=(150_000,)))
    detector.prompted()
    assert detector.find(Detection()) is None
    assert answered(detector, 200_000, step=2) is None
    found(detector, [did(step) for step in range(3, 6)])
    assert detector.samples == []
    found(detector, [did(6)])
    assert len(detector.samples) == 1
