"""What can be asked for is what the one table of the protocol says."""

import pytest

from handrail.control.transitions import transition
from handrail.model.checkpoint import Checkpoint
from handrail.model.control import FINAL, ControlCommand, Standing
from handrail.tui.sending.commands import BY_KEY, what_will_happen
from handrail.tui.sending.questions import CommandOrder, first_question
from handrail.views.possible_commands import why_not
from handrail.views.run_overview import RunOverview

CHECKPOINT = Checkpoint("c1", "r", 3, "f00", 0.0, "by hand")


def _run(standing: Standing, **more: object) -> RunOverview:
    facts = {"active": True, "driven": True, "checkpoint": CHECKPOINT, "step": 5, **more}
    return RunOverview("r", "shop-3f2a", standing, "working", **facts)  # type: ignore[arg-type]


def test_every_command_has_one_key() -> None:
    assert sorted(BY_KEY.values()) == sorted(ControlCommand)


@pytest.mark.parametrize("standing", [each for each in Standing if each not in FINAL])
@pytest.mark.parametrize("command", ControlCommand)
def test_a_command_is_offered_where_it_is_possible(
    standing: Standing, command: ControlCommand
) -> None:
    possible = transition(standing, command) is not None
    assert bool(why_not(_run(standing), command)) is not possible


@pytest.mark.parametrize("command", ControlCommand)
def test_nothing_is_offered_where_there_is_nothing_to_control(command: ControlCommand) -> None:
    assert "has ended" in why_not(_run(Standing.DONE, active=False), command)


def test_a_run_that_cannot_be_read_cannot_be_controlled() -> None:
    assert "entry 7" in why_not(_run(Standing.RUNNING, problem="entry 7"), BY_KEY["p"])


@pytest.mark.parametrize("command", ControlCommand)
def test_a_fleet_takes_only_the_commands_for_all_its_tasks(command: ControlCommand) -> None:
    standing = Standing.PAUSED if command is ControlCommand.RESUME else Standing.RUNNING
    why = why_not(_run(standing, is_fleet=True), command)
    assert ("stands for a fleet" in why) is not command.spec.for_fleet


def test_what_destroys_has_to_be_confirmed() -> None:
    confirmed = {command for command in ControlCommand if command.spec.confirm}
    assert confirmed == {ControlCommand.STOP, ControlCommand.CANCEL, ControlCommand.ROLLBACK}


def test_an_undo_says_to_when_and_how_it_is_taken_back() -> None:
    says = what_will_happen(_run(Standing.RUNNING), BY_KEY["u"])
    assert "00:00:00 (by hand), 2 actions ago" in says
    assert "handrail redo" in says
    assert "handrail undo --run shop-3f2a" in says


def test_the_last_answer_makes_the_order() -> None:
    first = first_question(BY_KEY["x"], _run(Standing.PAUSED))
    assert first.answered("  enough ") == CommandOrder(
        ControlCommand.STOP, "r", "shop-3f2a", "enough", "", Standing.PAUSED
    )
