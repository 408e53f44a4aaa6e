"""The effect of each command on a run, by its standing: from the rows of `model.control`."""

from typing import NamedTuple

from handrail.model.control import FINAL, HOLDING, ControlCommand, Standing
from handrail.supervise.state.control_state import ControlState


class Transition(NamedTuple):
    """The effect of a command."""

    now: Standing
    """The standing once the request is acknowledged."""
    then: Standing
    """The standing once the command is confirmed."""


THEN: dict[ControlCommand, Standing] = {
    command: command.spec.then for command in ControlCommand if command.spec.then is not None
}
"""The standing after a confirmed command; other commands do not change it."""

TABLE: dict[tuple[Standing, ControlCommand], Transition] = {
    (standing, command): Transition(now, THEN.get(command, standing))
    for command in ControlCommand
    for standing, now in command.spec.allowed.items()
}
"""Commands missing here are impossible in that state; a final state has no active run."""


def _overtaken(later: ControlCommand) -> frozenset[ControlCommand]:
    if later.spec.overtakes == "*":
        return frozenset(
            each for each in ControlCommand if each != later and not each.spec.on_files
        )
    return frozenset(ControlCommand(name) for name in later.spec.overtakes.split())


OVERTAKES: dict[ControlCommand, frozenset[ControlCommand]] = {
    later: _overtaken(later) for later in ControlCommand if later.spec.overtakes
}
"""Requests that a later one makes void: they fail with the reason."""


def transition(standing: Standing, command: ControlCommand) -> Transition | None:
    """Return the effect of a command; None: it is impossible in this state."""
    return TABLE.get((standing, command))


def next_transition(hand: ControlState, command: ControlCommand) -> Transition | None:
    """Return the effect of a command on a run; a run about to go on can be held again."""
    goes_on = any(each.command == ControlCommand.RESUME for each in hand.asked.values())
    found = transition(hand.standing, command)
    if found is None and goes_on and hand.standing in HOLDING:
        return transition(Standing.RUNNING, command)
    return found


def standing_after(hand: ControlState, command: ControlCommand, *, ok: bool) -> Standing:
    """Return the standing of a run after a command was confirmed or has failed."""
    standing = hand.standing
    if ok:
        # Its loop may have ended meanwhile; only the person who cancelled it hears so.
        over = standing in FINAL and command != ControlCommand.CANCEL
        return standing if over else THEN.get(command, standing)
    is_alive = standing == Standing.RUNNING or standing in HOLDING
    if hand.frozen and command.is_level and command.thaws and is_alive:
        return Standing.FROZEN
    # After a failed stronger hold, the weaker one stays.
    falls_back = command.holds and standing in command.spec.allowed.values()
    return Standing.PAUSING if falls_back else standing
