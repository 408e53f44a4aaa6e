"""The table of standings and commands, written out, and what follows from it."""

import pytest

from handrail.control.transitions import (
    OVERTAKES,
    TABLE,
    THEN,
    next_transition,
    standing_after,
    transition,
)
from handrail.model.control import ENDING, FINAL, HOLDING, ControlCommand, Standing
from handrail.model.event import ControlAsked
from handrail.supervise.state.control_state import ControlState

# How a run stands as soon as the request is acknowledged; "." cannot be asked for.
GRID = """
              pause    resume   interrupt     freeze    stop      cancel      steer         redirect      escalate      checkpoint    rollback      reassign
running       pausing  .        interrupting  freezing  stopping  cancelling  running       running       running       running       running      stopping
pausing       .        pausing  interrupting  freezing  stopping  cancelling  pausing       pausing       pausing       pausing       pausing      stopping
paused        .        paused  interrupting  freezing  stopping  cancelling  paused        paused        paused        paused        paused      stopping
interrupting  .        interrupting  .             freezing  stopping  cancelling  interrupting  interrupting  interrupting  interrupting  interrupting      stopping
freezing      .        freezing  .             .         stopping  cancelling  freezing      freezing      freezing      freezing      freezing      stopping
frozen        pausing  frozen  interrupting  .         stopping  cancelling  frozen        frozen        frozen        frozen        frozen      stopping
stopping      .        .        .             .         stopping  cancelling  .             .             .             .             .      .
stopped       .        stopped  .             .         stopping  cancelling  stopped       stopped       .             stopped       stopped      .
cancelling    .        .        .             .         .         cancelling  .             .             .             .             .      .
cancelled     .        .        .             .         .         .           .             .             .             .             .      .
done          .        .        .             .         .         .           .             .             .             .             .      .
"""  # noqa: E501 - a table

CONFIRMED = {
    ControlCommand.PAUSE: Standing.PAUSED,
    ControlCommand.INTERRUPT: Standing.PAUSED,
    ControlCommand.FREEZE: Standing.FROZEN,
    ControlCommand.RESUME: Standing.RUNNING,
    ControlCommand.STOP: Standing.STOPPED,
    ControlCommand.REASSIGN: Standing.STOPPED,
    ControlCommand.CANCEL: Standing.CANCELLED,
}
UNCONFIRMED = [each for each in Standing if each.value.endswith("ing") and each != "running"]


def read_grid() -> dict[tuple[Standing, ControlCommand], Standing | None]:
    header, *lines = (line.split() for line in GRID.strip().splitlines())
    return {
        (Standing(line[0]), ControlCommand(command)): None if now == "." else Standing(now)
        for line in lines
        for command, now in zip(header, line[1:], strict=True)
    }


def test_the_grid_has_every_standing_and_every_command() -> None:
    assert set(read_grid()) == {
        (standing, command) for standing in Standing for command in ControlCommand
    }


@pytest.mark.parametrize(("standing", "command"), list(read_grid()))
def test_a_command_leads_to_what_the_grid_says(standing: Standing, command: ControlCommand) -> None:
    found = transition(standing, command)
    now = read_grid()[standing, command]
    if now is None:
        assert found is None
    else:
        assert found == (now, CONFIRMED.get(command, standing))


def test_confirmed_commands_lead_to_the_same_wherever_they_began() -> None:
    assert THEN == CONFIRMED


@pytest.mark.parametrize("standing", sorted(set(Standing) - FINAL))
def test_a_run_can_be_cancelled_from_everywhere(standing: Standing) -> None:
    assert transition(standing, ControlCommand.CANCEL) == (Standing.CANCELLING, Standing.CANCELLED)


@pytest.mark.parametrize("standing", sorted(set(Standing) - FINAL - {Standing.CANCELLING}))
def test_a_run_can_be_stopped_until_it_is_cancelled(standing: Standing) -> None:
    assert transition(standing, ControlCommand.STOP) == (Standing.STOPPING, Standing.STOPPED)


@pytest.mark.parametrize("standing", sorted(HOLDING | {Standing.STOPPED}))
def test_a_run_that_stands_still_can_be_resumed(standing: Standing) -> None:
    found = transition(standing, ControlCommand.RESUME)
    assert found is not None
    assert found.then == Standing.RUNNING


@pytest.mark.parametrize("standing", sorted(FINAL))
def test_nothing_can_be_asked_of_a_run_that_is_over(standing: Standing) -> None:
    assert [command for command in ControlCommand if transition(standing, command)] == []


@pytest.mark.parametrize("standing", UNCONFIRMED)
def test_what_is_not_confirmed_yet_is_begun_by_a_command_that_confirms_it(
    standing: Standing,
) -> None:
    begun = {step.then for (before, _), step in TABLE.items() if before != step.now == standing}
    assert len(begun) == 1
    assert begun.pop() not in UNCONFIRMED


@pytest.mark.parametrize("later", sorted(OVERTAKES))
def test_only_what_can_be_under_way_is_overtaken(later: ControlCommand) -> None:
    """An entry of which nothing comes would be a rule that nobody needs."""
    possible = {
        earlier
        for (_, earlier), step in TABLE.items()
        if transition(step.now, later) is not None and earlier != later
    }
    assert OVERTAKES[later] <= possible


@pytest.mark.parametrize("later", sorted(THEN))
def test_the_last_who_wants_another_standing_wins(later: ControlCommand) -> None:
    """An earlier request that is confirmed later would undo what was asked for since."""
    for earlier, then in THEN.items():
        together = any(
            transition(step.now, later) is not None
            for (_, command), step in TABLE.items()
            if command == earlier
        )
        weaker = earlier == ControlCommand.CANCEL or (
            earlier == ControlCommand.STOP and later == ControlCommand.RESUME
        )
        if together and then != THEN[later] and not weaker:
            assert earlier in OVERTAKES[later], (earlier, later)


def test_a_cancel_spares_only_what_is_done_to_files() -> None:
    assert set(ControlCommand) - OVERTAKES[ControlCommand.CANCEL] == {
        ControlCommand.CANCEL,
        ControlCommand.CHECKPOINT,
        ControlCommand.ROLLBACK,
    }


@pytest.mark.parametrize(
    ("standing", "command", "then"),
    [
        (Standing.FREEZING, ControlCommand.FREEZE, Standing.PAUSING),
        (Standing.INTERRUPTING, ControlCommand.INTERRUPT, Standing.PAUSING),
        (Standing.RUNNING, ControlCommand.FREEZE, Standing.RUNNING),
        (Standing.STOPPING, ControlCommand.STOP, Standing.STOPPING),
        (Standing.CANCELLING, ControlCommand.CANCEL, Standing.CANCELLING),
        (Standing.STOPPED, ControlCommand.RESUME, Standing.STOPPED),
        (Standing.PAUSED, ControlCommand.ESCALATE, Standing.PAUSED),
    ],
)
def test_a_command_that_fails_leaves_the_weaker_hold(
    standing: Standing, command: ControlCommand, then: Standing
) -> None:
    assert standing_after(ControlState(standing), command, ok=False) == then


@pytest.mark.parametrize(
    "command", [ControlCommand.PAUSE, ControlCommand.RESUME, ControlCommand.INTERRUPT]
)
def test_a_run_that_cannot_be_thawed_is_still_frozen(command: ControlCommand) -> None:
    asked = transition(Standing.FROZEN, command)
    assert asked is not None
    assert standing_after(ControlState(asked.now, frozen=1.0), command, ok=False) == Standing.FROZEN


def test_a_stop_that_is_confirmed_after_the_end_of_the_loop_does_not_bring_it_back() -> None:
    assert (
        standing_after(ControlState(Standing.DONE), ControlCommand.STOP, ok=True) == Standing.DONE
    )


@pytest.mark.parametrize("standing", sorted(ENDING))
def test_a_run_that_ends_takes_no_messages_but_when_it_can_be_resumed(standing: Standing) -> None:
    takes = transition(standing, ControlCommand.STEER) is not None
    assert takes == (standing == Standing.STOPPED)


# A run that is about to go on


def held(standing: Standing, *asked: ControlCommand) -> ControlState:
    requests = {
        f"q{number}": ControlAsked(1.0, f"q{number}", command, standing, "ada")
        for number, command in enumerate(asked)
    }
    return ControlState(standing, asked=requests)


@pytest.mark.parametrize("asked", [(), (ControlCommand.STEER,)])
def test_a_held_run_cannot_be_held_again(asked: tuple[ControlCommand, ...]) -> None:
    assert next_transition(held(Standing.PAUSED, *asked), ControlCommand.PAUSE) is None


@pytest.mark.parametrize(
    "asked", [(ControlCommand.RESUME,), (ControlCommand.STEER, ControlCommand.RESUME)]
)
def test_a_held_run_that_was_told_to_go_on_can_be_held_again(
    asked: tuple[ControlCommand, ...],
) -> None:
    found = next_transition(held(Standing.PAUSED, *asked), ControlCommand.PAUSE)
    assert found == transition(Standing.RUNNING, ControlCommand.PAUSE)


def test_what_is_possible_anyway_stays_as_it_is() -> None:
    hand = held(Standing.PAUSED, ControlCommand.RESUME)
    expected = transition(Standing.PAUSED, ControlCommand.FREEZE)
    assert next_transition(hand, ControlCommand.FREEZE) == expected


def test_a_stopped_run_that_was_told_to_go_on_cannot_be_held() -> None:
    hand = held(Standing.STOPPED, ControlCommand.RESUME)
    assert next_transition(hand, ControlCommand.PAUSE) is None


def test_only_who_cancelled_a_run_that_has_ended_hears_so() -> None:
    done = ControlState(Standing.DONE)
    assert standing_after(done, ControlCommand.PAUSE, ok=True) == Standing.DONE
    assert standing_after(done, ControlCommand.CANCEL, ok=True) == Standing.CANCELLED
    running = ControlState(Standing.PAUSING)
    assert standing_after(running, ControlCommand.PAUSE, ok=True) == Standing.PAUSED


def test_a_failed_resume_leaves_a_running_frozen_run_frozen() -> None:
    hand = ControlState(Standing.RUNNING, frozen=1.0)
    assert standing_after(hand, ControlCommand.RESUME, ok=False) == Standing.FROZEN
    ended = ControlState(Standing.DONE, frozen=1.0)
    assert standing_after(ended, ControlCommand.RESUME, ok=False) == Standing.DONE
