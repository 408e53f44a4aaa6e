"""What a command does to a run, by how the run stands: one table."""

from typing import NamedTuple

from handrail.model.control import FINAL, HOLDING, Command, Standing
from handrail.supervise.hand import Hand

S, C = Standing, Command


class Move(NamedTuple):
    """What a command leads to."""

    now: Standing
    """How the run stands as soon as the request is acknowledged."""
    then: Standing
    """How it stands when it is confirmed."""


_STAYS = (C.STEER, C.REDIRECT, C.ESCALATE, C.CHECKPOINT, C.ROLLBACK)
_HELD = (S.PAUSING, S.PAUSED, S.INTERRUPTING, S.FREEZING, S.FROZEN)
_ALIVE = (S.RUNNING, *_HELD)
_UNCANCELLED = (*_ALIVE, S.STOPPING, S.STOPPED, S.CANCELLING)

THEN: dict[Command, Standing] = {
    C.PAUSE: S.PAUSED,
    C.INTERRUPT: S.PAUSED,
    C.FREEZE: S.FROZEN,
    C.RESUME: S.RUNNING,
    C.STOP: S.STOPPED,
    C.CANCEL: S.CANCELLED,
}
"""How a run stands when a command is confirmed; the others leave it as it is."""

_NOW: dict[tuple[Standing, Command], Standing] = {
    # A pause takes hold at the next boundary; the levels above it do so at once.
    (S.RUNNING, C.PAUSE): S.PAUSING,
    **dict.fromkeys(
        ((each, C.INTERRUPT) for each in (S.RUNNING, S.PAUSING, S.PAUSED)), S.INTERRUPTING
    ),
    **dict.fromkeys(
        ((each, C.FREEZE) for each in (S.RUNNING, S.PAUSING, S.PAUSED, S.INTERRUPTING)), S.FREEZING
    ),
    # A frozen run can be let go to a milder level.
    (S.FROZEN, C.PAUSE): S.PAUSING,
    (S.FROZEN, C.INTERRUPT): S.INTERRUPTING,
    # A run is held until it is confirmed that it goes on.
    **{(each, C.RESUME): each for each in (*_HELD, S.STOPPED)},
    # Stop and cancel work always, twice too: it is looked again whether anything is left.
    **{(each, C.STOP): S.STOPPING for each in (*_ALIVE, S.STOPPING, S.STOPPED)},
    **{(each, C.CANCEL): S.CANCELLING for each in _UNCANCELLED},
    # These leave the run as it stands.
    **{(each, command): each for each in _ALIVE for command in _STAYS},
    **{(S.STOPPED, command): S.STOPPED for command in _STAYS if command != C.ESCALATE},
}

TABLE: dict[tuple[Standing, Command], Move] = {
    (standing, command): Move(now, THEN.get(command, standing))
    for (standing, command), now in _NOW.items()
}
"""What is not here cannot be done in that state; in a final one there is no active run."""

OVERTAKES: dict[Command, frozenset[Command]] = {
    C.RESUME: frozenset({C.PAUSE, C.INTERRUPT, C.FREEZE}),
    C.PAUSE: frozenset({C.RESUME}),
    C.INTERRUPT: frozenset({C.PAUSE, C.RESUME}),
    C.FREEZE: frozenset({C.PAUSE, C.INTERRUPT, C.RESUME}),
    C.STOP: frozenset({C.PAUSE, C.INTERRUPT, C.FREEZE, C.RESUME}),
    C.CANCEL: frozenset(C) - {C.CANCEL, C.CHECKPOINT, C.ROLLBACK},
}
"""Requests under way that a later one makes void: they fail, and are told why."""


def move(standing: Standing, command: Command) -> Move | None:
    """What a command leads to; None: it cannot be done in this state."""
    return TABLE.get((standing, command))


def next_move(hand: Hand, command: Command) -> Move | None:
    """What a command leads to in a run; one that is about to go on can be held again."""
    goes_on = any(each.command == C.RESUME for each in hand.asked.values())
    found = move(hand.standing, command)
    if found is None and goes_on and hand.standing in HOLDING:
        return move(S.RUNNING, command)
    return found


_FALLS_BACK = {C.INTERRUPT: S.INTERRUPTING, C.FREEZE: S.FREEZING}
"""Where a stronger hold does not work, the weaker one stays."""
_THAWING = frozenset({C.PAUSE, C.INTERRUPT, C.RESUME})


def answered(hand: Hand, command: Command, *, ok: bool) -> Standing:
    """How a run stands when a command is confirmed, or has failed."""
    standing = hand.standing
    if ok:
        # Its loop may have ended meanwhile; only who has cancelled it is told that it is so.
        over = standing in FINAL and command != C.CANCEL
        return standing if over else THEN.get(command, standing)
    if hand.frozen and command in _THAWING and standing in _ALIVE:
        return S.FROZEN
    return S.PAUSING if _FALLS_BACK.get(command) == standing else standing
