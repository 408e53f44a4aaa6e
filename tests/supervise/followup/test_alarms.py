"""Several alarms at once: each of them reaches the person, and none hides another."""

from itertools import count
from pathlib import Path

import pytest

from handrail.hosts.claude.reply import before_tool
from handrail.model.event import ModelAsked, RolledBack
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.supervise.followup.fault_notices import NEWER, WITHHELD
from tests.supervise.ready import ready
from tests.supervise.simulated_run import SimulatedRun

LAXER = "limits: {actions: 900}\nattended: always\n"
TAKEN_BACK = "Handrail took back the changes in cart.py. `handrail redo` restores them."
NOT_BACK = "The files were not put back to checkpoint c0: the disk is full."
CHANGED = "handrail.yaml was changed: "
TAMPERED = "Handrail's own packages were changed: /x.pth"


@pytest.fixture
def day(tmp_path: Path) -> SimulatedRun:
    day = SimulatedRun(tmp_path)
    day.bash("ls")
    return day


def roll_back(day: SimulatedRun, problem: str = "") -> None:
    files = () if problem else ("cart.py",)
    day.record(RolledBack(day.bed.clock(), "c0", "i1", files, "c9", problem))


def before(day: SimulatedRun, command: str) -> Verdict:
    return day.start("Bash", {"command": command})[1]


@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("command", ["ls", "rm -rf ~/other"])
@pytest.mark.parametrize(("problem", "says"), [("", TAKEN_BACK), ("the disk is full", NOT_BACK)])
def test_changed_settings_and_a_rollback_are_both_told(
    day: SimulatedRun, confirmed: bool, command: str, problem: str, says: str
) -> None:
    roll_back(day, problem)
    day.bed.settings(LAXER, confirmed=confirmed)
    alarm = before(day, command).alarm
    assert says in alarm
    assert CHANGED + (NEWER if confirmed else WITHHELD) in alarm
    assert before(day, command).alarm == ""


def test_a_rollback_settings_and_a_changed_package_are_all_told(day: SimulatedRun) -> None:
    found: list[str] = []
    day.restart()
    day.bed.runs.own_problem = lambda: "".join(found)
    day.bash("ls")
    roll_back(day)
    day.bed.settings(LAXER, confirmed=False)
    found.append(TAMPERED)
    verdict = before(day, "make")
    assert verdict.decision is Decision.BLOCK
    for says in (TAKEN_BACK, CHANGED, TAMPERED):
        assert says in verdict.alarm


def test_settings_that_cannot_be_used_do_not_hide_a_rollback(day: SimulatedRun) -> None:
    roll_back(day)
    day.bed.settings("limits: {actions: many}\n", confirmed=False)
    alarm = before(day, "ls").alarm
    assert TAKEN_BACK in alarm
    assert "Handrail's settings cannot be used: " in alarm


def test_an_emergency_stop_tells_the_other_alarms_of_the_call_that_it_ends(tmp_path: Path) -> None:
    def insist(day: SimulatedRun) -> Verdict:
        return day.bash("rm -rf ~/other")

    trial = SimulatedRun(tmp_path / "trial")
    calls = next(number for number in count(1) if insist(trial).stop)
    assert calls > 1
    day = SimulatedRun(tmp_path / "day")
    for _ in range(calls - 1):
        insist(day)
    roll_back(day)
    day.bed.settings(LAXER, confirmed=False)
    last = insist(day)
    assert last.stop
    for says in ("Handrail stopped the run: ", TAKEN_BACK, CHANGED):
        assert says in last.alarm


def test_a_second_opinion_loses_neither_an_alarm_nor_a_message(day: SimulatedRun) -> None:
    roll_back(day, "the disk is full")
    day.bed.settings(LAXER, confirmed=False)
    first = before(day, "make deploy")
    against = ModelAsked(day.bed.clock(), day.run.state.step, "action", "block", says="No.")
    second = ready(day.run.reconsider(against)).wait()
    assert second is not None
    assert second.decision is Decision.BLOCK
    assert NOT_BACK in " ".join(second.guidance)
    for says in (NOT_BACK, CHANGED):
        assert says in second.alarm
    assert (second.alarm, second.guidance) == (first.alarm, first.guidance)
    assert [each.verdict for each in day.run.state.open] == [second]


def test_claude_code_shows_the_person_both_alarms(day: SimulatedRun) -> None:
    roll_back(day)
    day.bed.settings(LAXER, confirmed=False)
    shown = before_tool(before(day, "ls"), ask=False)["systemMessage"]
    assert isinstance(shown, str)
    assert TAKEN_BACK in shown
    assert CHANGED in shown
