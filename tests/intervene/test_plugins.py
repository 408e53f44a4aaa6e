"""Interventions and strategies of a user's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.config.interventions import Interventions, Strategy
from handrail.intervene import RunSituation
from handrail.intervene.controller import Controller
from handrail.intervene.plugins import INTERVENTIONS, STRATEGIES, InterventionPlugins, load_plugins
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.model.ordinal import Severity
from tests.intervene.controller_setup import ControllerSetup, finding, situation

SOFT, AGAIN, SLOW, BACK, STOP = InterventionName
LOW = finding(severity=Severity.LOW)
MINE = Interventions(
    intervention_cooldown_seconds=0,
    strategy=Strategy(patterns={"loop": ("mine", SOFT, BACK, STOP)}),
)
CUSTOM = Interventions(
    intervention_cooldown_seconds=0, strategy=Strategy(type="custom", custom="mine")
)


def slow_down(found: Finding, at: RunSituation) -> Intervention:
    return Intervention(
        "any", "any", found, 0, guidance="Take a breath.", allowance=Allowance(batch=1)
    )


def nothing(found: Finding, at: RunSituation) -> None:
    return None


def broken(found: Finding, at: RunSituation) -> Intervention:
    raise ZeroDivisionError("oops")


def of_another_type(found: Finding, at: RunSituation) -> str:
    return "soft"


def means(*plugins: object) -> InterventionPlugins:
    return InterventionPlugins({"mine": plugins[0]})  # type: ignore[dict-item]  # a broken one may be anything


def test_an_intervention_of_ones_own_takes_its_place_in_a_strategy() -> None:
    bench = ControllerSetup(MINE, interventions=means(slow_down), seconds=1)
    made = bench.step(LOW)
    assert made == Intervention(
        "i1",
        "mine",
        LOW,
        1,
        0.2,
        guidance="Take a breath.",
        allowance=Allowance(batch=1),
        tested_by="same",
    )
    assert bench.steps(3, LOW) == [SOFT]


def test_it_too_never_says_the_same_twice() -> None:
    settings = Interventions(
        intervention_cooldown_seconds=0,
        strategy=Strategy(patterns={"loop": ("mine",) * 4}),
    )
    bench = ControllerSetup(settings, interventions=means(slow_down), seconds=1)
    bench.steps(10, LOW)
    texts = [made.guidance for made in bench.made]
    assert len(texts) == 4
    assert len(set(texts)) == 4


def test_one_that_has_nothing_to_do_is_passed_over() -> None:
    bench = ControllerSetup(MINE, interventions=means(nothing))
    assert bench.steps(1, LOW) == [SOFT]
    assert bench.controller.faults == []


@pytest.mark.parametrize(
    ("plugin", "fault"),
    [
        (broken, "the intervention mine failed: ZeroDivisionError('oops')"),
        (of_another_type, "the intervention mine gave str, no Intervention"),
    ],
)
def test_a_broken_one_is_reported_once_and_passed_over(plugin: object, fault: str) -> None:
    bench = ControllerSetup(MINE, interventions=means(plugin))
    assert bench.steps(1, LOW) == [SOFT]
    bench.steps(10, finding(severity=Severity.LOW, symptom="b"))
    assert bench.controller.faults == [fault]


def test_one_that_is_not_installed_is_reported_and_passed_over() -> None:
    settings = Interventions(strategy=Strategy(patterns={"loop": ("gone", SOFT, BACK, STOP)}))
    bench = ControllerSetup(settings)
    assert bench.steps(1, LOW) == [SOFT]
    (fault,) = bench.controller.faults
    assert fault == (
        "handrail.interventions: gone cannot be used: "
        "no installed package has an entry point gone in handrail.interventions"
    )


def test_one_that_is_not_installed_does_not_keep_a_run_from_being_stopped() -> None:
    settings = Interventions(strategy=Strategy(patterns={"loop": ("gone", "gone", "gone", STOP)}))
    assert ControllerSetup(settings).steps(1, finding(severity=Severity.CRITICAL)) == [STOP]


def test_a_strategy_of_ones_own_decides() -> None:
    strategies = InterventionPlugins({"mine": lambda found, at: BACK if at.step > 1 else None})
    bench = ControllerSetup(CUSTOM, strategies=strategies)
    assert [bench.step(LOW), bench.step(LOW)][1:] == bench.made
    assert bench.made[0].means == BACK


def test_a_strategy_of_ones_own_may_name_an_intervention_of_ones_own() -> None:
    bench = ControllerSetup(
        CUSTOM,
        strategies=InterventionPlugins({"mine": lambda found, at: "mine"}),
        interventions=means(slow_down),
    )
    assert bench.steps(1, LOW) == ["mine"]


def test_limits_hold_for_a_strategy_of_ones_own() -> None:
    bench = ControllerSetup(
        CUSTOM, strategies=InterventionPlugins({"mine": lambda found, at: SOFT}), seconds=1
    )
    assert bench.steps(100, LOW) == [SOFT] * 3
    for symptom in range(100):
        bench.step(finding(severity=Severity.LOW, symptom=str(symptom)))
    assert len(bench.made) == 10


@pytest.mark.parametrize("answer", ["no_such_thing", 7])
def test_a_strategy_that_wants_something_else_is_replaced_by_progress(answer: object) -> None:
    bench = ControllerSetup(
        CUSTOM, strategies=InterventionPlugins({"mine": lambda found, at: answer})
    )
    assert bench.steps(1, LOW) == [SOFT]
    assert bench.controller.faults == [
        f"the strategy mine wants {answer!r}, which is no intervention"
    ]


def test_a_strategy_that_fails_is_replaced_by_progress() -> None:
    bench = ControllerSetup(CUSTOM, strategies=means(broken))
    assert bench.steps(1, LOW) == [SOFT]
    assert bench.controller.faults == ["the strategy mine failed: ZeroDivisionError('oops')"]


def test_no_strategy_of_ones_own_keeps_harm_from_being_stopped() -> None:
    bench = ControllerSetup(CUSTOM, strategies=means(nothing))
    assert bench.steps(1, finding("information_flow", Severity.CRITICAL)) == [STOP]


def test_a_custom_strategy_needs_its_name() -> None:
    with pytest.raises(ValueError, match="needs the name of a strategy"):
        Strategy(type="custom")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with entry points, as it lies in site-packages."""
    (tmp_path / "breathing_package.py").write_text(
        "from handrail.model.intervention import Intervention\n"
        "class Breathe:\n"
        "    def __call__(self, finding, situation):\n"
        "        return Intervention('', '', finding, 0, guidance='Breathe.')\n"
        "def pick(finding, situation):\n"
        "    return 'breathe'\n"
        "number = 7\n"
    )
    info = tmp_path / "breathing-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: breathing\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{INTERVENTIONS}]\nbreathe = breathing_package:Breathe\n"
        "number = breathing_package:number\nlost = breathing_package:lost\n"
        f"[{STRATEGIES}]\nbreathing = breathing_package:pick\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    load_plugins.cache_clear()
    yield
    load_plugins.cache_clear()


@pytest.mark.usefixtures("installed")
def test_plugins_are_found_among_the_installed_packages() -> None:
    settings = Interventions(strategy=Strategy(type="custom", custom="breathing"))
    controller = Controller(settings)
    made = controller.choose([LOW], situation())
    assert made is not None
    assert (made.means, made.guidance) == ("breathe", "Breathe.")


@pytest.mark.usefixtures("installed")
def test_what_cannot_be_loaded_is_reported_and_the_others_are_there() -> None:
    plugins = load_plugins(INTERVENTIONS, None)
    assert set(plugins.found) == {"breathe"}
    assert [problem.split(":")[1].split()[0] for problem in plugins.problems] == ["lost", "number"]
