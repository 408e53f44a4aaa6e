"""Detectors, interventions, program tables and rules of a program, and of installed packages."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from typing import ClassVar

import pytest

from handrail import (
    Action,
    CompletedStep,
    Decision,
    Detector,
    Effect,
    Fact,
    Finding,
    FindingDescription,
    FittingInterventions,
    InterventionDraft,
    InterventionKind,
    Kind,
    Program,
    ReviewContext,
    RuleHit,
    RunSituation,
    Severity,
    Supervisor,
)
from handrail.config import Config
from handrail.config.detection import Detection
from handrail.config.interventions import Interventions
from handrail.model.event import FaultNoted, Intervened
from handrail.model.history import History
from handrail.review import plugins
from handrail.review.folder_context import FolderContexts
from handrail.review.judgment.rules import RuleSet

from .conftest import SupervisedProject

pytestmark = pytest.mark.slow


class NoDeploys:
    """Refuses deployments on Fridays, and it is always Friday."""

    name = "no_deploys"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        if "deploy" in str(action.input):
            return RuleHit(self.name, Decision.BLOCK, "It deploys on a Friday.", "Wait for Monday.")
        return None


class BrokenRule:
    name = "broken"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        raise ZeroDivisionError("a bug")


class ManyLists(Detector):
    """Finds an agent that only lists."""

    kind: ClassVar[str] = "many_lists"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="lists",
        fitting=FittingInterventions("shout", "shout", "shout", "shout"),
        hints=("{says} Read a file.",),
    )
    seen: int = 0

    def see(self, deed: CompletedStep) -> None:
        self.seen += 1

    def find(self, settings: Detection) -> Finding | None:
        if self.seen < 3:
            return None
        return Finding(self.kind, Severity.MEDIUM, 0.9, says=f"It listed {self.seen} times.")


class BrokenDetector(Detector):
    kind: ClassVar[str] = "broken"

    def find(self, settings: Detection) -> Finding | None:
        raise ZeroDivisionError("a bug")


def shout(
    finding: Finding, at: RunSituation, about: FindingDescription, settings: Interventions
) -> InterventionDraft | None:
    return InterventionDraft(f"STOP LISTING: {finding.says}")


SHOUT = InterventionKind(name="shout", label="the shout", make=shout)
SHOPCTL = {
    "shopctl": Program(
        facts=(Fact(Kind.DESTROY, "orders purge", severity=Severity.CRITICAL, says="purges"),)
    )
}


def list_often(supervisor: Supervisor) -> list[str]:
    """What is said after each of several steps."""
    said = []
    for number in range(4):
        verdict = supervisor.before("Bash", {"command": f"ls dir{number}"})
        said.append(supervisor.after(verdict, str(number), exit_code=0))
    return said


def test_a_rule_decides(project: SupervisedProject) -> None:
    supervisor = project.supervise(rules=[NoDeploys()])
    verdict = supervisor.before("Bash", {"command": "./deploy.sh"})
    assert not verdict.allowed
    assert "on a Friday" in verdict.guidance
    assert "Wait for Monday" in verdict.guidance
    assert supervisor.before("Bash", {"command": "ls"}).allowed


def test_a_rule_that_fails_is_reported(project: SupervisedProject) -> None:
    supervisor = project.supervise(rules=[BrokenRule(), NoDeploys()])
    assert not supervisor.before("Bash", {"command": "./deploy.sh"}).allowed
    verdict = supervisor.before("Bash", {"command": "ls"})
    supervisor.after(verdict, "")
    faults = [event.says for event in supervisor.events() if isinstance(event, FaultNoted)]
    assert "rule broken failed: ZeroDivisionError: a bug" in faults


def test_a_program_table_is_known(project: SupervisedProject) -> None:
    purge = {"command": "shopctl orders purge"}
    assert not project.supervise(programs=SHOPCTL).before("Bash", purge).allowed
    assert project.supervise().before("Bash", purge).allowed


def test_a_detector_finds_and_an_intervention_answers(project: SupervisedProject) -> None:
    supervisor = project.supervise(detectors=[ManyLists], interventions=[SHOUT])
    said = list_often(supervisor)
    assert any("STOP LISTING: It listed 3 times." in text for text in said)
    assert [finding.kind for finding in supervisor.findings] == ["many_lists"]
    (done,) = [event for event in supervisor.events() if isinstance(event, Intervened)]
    assert done.intervention.means == "shout"


def test_what_one_supervisor_brings_another_does_not_see(project: SupervisedProject) -> None:
    project.supervise(detectors=[ManyLists], interventions=[SHOUT], rules=[NoDeploys()])
    other = project.supervise()
    assert list_often(other) == [""] * 4
    assert other.findings == []
    assert other.before("Bash", {"command": "./deploy.sh"}).allowed


def test_a_detector_that_fails_is_reported_and_left_out(project: SupervisedProject) -> None:
    supervisor = project.supervise(detectors=[BrokenDetector, ManyLists], interventions=[SHOUT])
    assert any("STOP LISTING" in text for text in list_often(supervisor))
    faults = [event.says for event in supervisor.events() if isinstance(event, FaultNoted)]
    assert any("broken failed and is left out" in says for says in faults)


class WrongFinding(Detector):
    kind: ClassVar[str] = "wrong"

    def find(self, settings: Detection) -> Finding | None:
        return Finding(self.kind, Severity.LOW, 0.5, impact="much")  # type: ignore[arg-type]


class WrongHit:
    name = "wrong_hit"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        return RuleHit(self.name, Decision.WARN, 3)  # type: ignore[arg-type]


def wrong_draft(
    finding: Finding, at: RunSituation, about: FindingDescription, settings: Interventions
) -> InterventionDraft | None:
    return InterventionDraft(3)  # type: ignore[arg-type]


def test_fields_of_a_wrong_type_do_not_get_into_the_log(project: SupervisedProject) -> None:
    wrong = InterventionKind(name="shout", label="the shout", make=wrong_draft)
    supervisor = project.supervise(
        detectors=[WrongFinding, ManyLists], interventions=[wrong], rules=[WrongHit()]
    )
    list_often(supervisor)
    faults = [event.says for event in supervisor.events() if isinstance(event, FaultNoted)]
    for name in ("detector wrong", "intervention shout", "rule wrong_hit"):
        assert any(name in says for says in faults), faults


@pytest.mark.parametrize(
    "options",
    [
        {"detectors": [3]},
        {"detectors": [Detector]},
        {"interventions": [shout]},
        {"programs": {"x": {}}},
        {"programs": {"x": Program(facts=3)}},  # type: ignore[arg-type]
        {"rules": [3]},
        {"rules": [lambda action: None]},
    ],
    ids="-".join,
)
def test_what_is_none_is_refused_at_once(
    project: SupervisedProject, options: dict[str, object]
) -> None:
    with pytest.raises((TypeError, ValueError)):
        project.supervise(**options)


def test_the_daemon_takes_none_of_them(project: SupervisedProject) -> None:
    with pytest.raises(TypeError, match="entry points"):
        project.supervise(daemon=True, rules=[NoDeploys()])
    with pytest.raises(TypeError, match="its own log"):
        project.supervise(daemon=True, log="x.db")


PACKAGE = """
    from handrail import Decision, Fact, Kind, Program, RuleHit, Severity

    class NoMoon:
        name = "no_moon"

        def check(self, action, effects, at):
            if "moon" in str(action.input):
                return RuleHit(self.name, Decision.BLOCK, "It flies to the moon.")

    made = NoMoon()
    nothing = 3
    table = {"shopctl": Program(facts=(Fact(Kind.DESTROY, "purge", severity=Severity.CRITICAL),))}
    bad_table = {"shopctl": "purge"}
"""
POINTS = """
    [handrail.rules]
    moon = shop_rules:NoMoon
    none = shop_rules:nothing
    gone = shop_rules:gone
    [handrail.programs]
    shop = shop_rules:table
    bad = shop_rules:bad_table
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package, as pip would install it."""
    (tmp_path / "shop_rules.py").write_text(dedent(PACKAGE))
    info = tmp_path / "shop_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(dedent(POINTS))
    monkeypatch.syspath_prepend(tmp_path)
    plugins.load_plugins.cache_clear()
    yield
    plugins.load_plugins.cache_clear()


@pytest.mark.usefixtures("package")
def test_installed_rules_and_tables_count(project: SupervisedProject) -> None:
    supervisor = project.supervise()
    assert not supervisor.before("launch", {"to": "moon"}).allowed
    assert not supervisor.before("Bash", {"command": "shopctl purge"}).allowed
    supervisor.after(supervisor.before("Bash", {"command": "ls"}), "")
    faults = [event.says for event in supervisor.events() if isinstance(event, FaultNoted)]
    assert sorted(says.split(" cannot be used")[0] for says in faults) == [
        "handrail.programs: bad",
        "handrail.rules: gone",
        "handrail.rules: none",
    ]


@pytest.mark.usefixtures("package")
def test_an_installed_rule_can_be_switched_off_by_its_name() -> None:
    installed = plugins.load_plugins().rules
    assert RuleSet.invalid_names(["no_moon"], installed) == []
    assert RuleSet.invalid_names(["no_mooon"], installed) == [
        "there is no rule 'no_mooon'; did you mean no_moon?"
    ]
    off = RuleSet(disabled=["no_moon"], more=installed)
    action = Action("launch", {"to": "moon"})
    at = FolderContexts(Config(), {}, see_disk=False, live=False).review_context(action, History())
    assert off.check(action, (), at) == ((), ())


class Alarming(Detector):
    """Finds something that calls for a stop at once."""

    kind: ClassVar[str] = "alarming"
    about: ClassVar[FindingDescription] = FindingDescription(
        fitting=FittingInterventions(*("emergency_stop",) * 4, at_once=Severity.LOW)
    )
    seen: int = 0

    def see(self, deed: CompletedStep) -> None:
        self.seen = deed.step

    def find(self, settings: Detection) -> Finding | None:
        return Finding(self.kind, Severity.CRITICAL, 1.0, (self.seen,), says="It is on fire.")


def test_an_emergency_stop_is_confirmed_and_ends_no_process_of_the_program(
    project: SupervisedProject,
) -> None:
    supervisor = project.supervise(detectors=[Alarming])
    verdict = supervisor.before("Bash", {"command": "ls"})
    assert "It is on fire." in supervisor.after(verdict, "")
    refused = supervisor.before("Bash", {"command": "ls"})
    assert (refused.allowed, refused.stop) == (False, True)
    supervisor.close()
    folders = Path(project.sandbox.home.incidents).iterdir()
    assert any("It is on fire." in (folder / "incident.json").read_text() for folder in folders)
