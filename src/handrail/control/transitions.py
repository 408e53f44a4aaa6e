"""What a command does to a run, by how the run stands: from the rows of `model.control`."""

from typing import NamedTuple

from handrail.model.control import FINAL, HOLDING, ControlCommand, Standing
from handrail.supervise.state.control_state import ControlState


class Transition(NamedTuple):
    """What a command leads to."""

    now: Standing
    """How the run stands as soon as the request is acknowledged."""
    then: Standing
    """How it stands when it is confirmed."""


THEN: dict[ControlCommand, Standing] = {
    command: command.spec.then for command in ControlCommand if command.spec.then is not None
}
"""How a run stands when a command is confirmed; the others leave it as it is."""

TABLE: dict[tuple[Standing, ControlCommand], Transition] = {
    (standing, command): Transition(now, THEN.get(command, standing))
    for command in ControlCommand
    for standing, now in command.spec.allowed.items()
}
"""What is not here cannot be done in that state; in a final one there is no active run."""


def _overtaken(later: ControlCommand) -> frozenset[ControlCommand]:
    if later.spec.overtakes == "*":
        return frozenset(
            each for each in ControlCommand if each != later and not each.spec.on_files
        )
    return frozenset(ControlCommand(name) for name in later.spec.overtakes.split())


OVERTAKES: dict[ControlCommand, frozenset[ControlCommand]] = {
    later: _overtaken(later) for later in ControlCommand if later.spec.overtakes
}
"""Requests under way that a later one makes void: they fail, and are told why."""


def transition(standing: Standing, command: ControlCommand) -> Transition | None:
    """What a command leads to; None: it cannot be done in this state."""
    return TABLE.get((standing, command))


def next_transition(hand: ControlState, command: ControlCommand) -> Transition | None:
    """What a command leads to in a run; one that is about to go on can be held again."""
    goes_on = any(each.command == ControlCommand.RESUME for each in hand.asked.values())
    found = transition(hand.standing, command)
    if found is None and goes_on and hand.standing in HOLDING:
        return transition(Standing.RUNNING, command)
    return found


def answered(hand: ControlState, command: ControlCommand, *, ok: bool) -> Standing:
    """How a run stands when a command is confirmed, or has failed."""
    standing = hand.standing
    if ok:
        # Its loop may have ended meanwhile; only who has cancelled it is told that it is so.
        over = standing in FINAL and command != ControlCommand.CANCEL
        return standing if over else THEN.get(command, standing)
    is_alive = standing == Standing.RUNNING or standing in HOLDING
    if hand.frozen and command.is_level and command.thaws and is_alive:
        return Standing.FROZEN
    # Where a stronger hold does not work, the weaker one stays.
    falls_back = command.holds and standing in command.spec.allowed.values()
    return Standing.PAUSING if falls_back else standing
