"""Tell which runs can take a control command, and why the others cannot."""

from collections.abc import Iterable

import msgspec

from handrail.control.transitions import THEN, transition
from handrail.model.control import ControlCommand, Standing
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.run_state import RunState

_FORGOTTEN = 24 * 60 * 60
"""A killed session never reports its end, so nobody commands it after a day."""


class CommandableRuns(msgspec.Struct, frozen=True):
    """The ids of the runs that get a command for all, and of the others with the reason."""

    runs: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    fleets: frozenset[str]
    """Those that stand for a fleet."""


def commandable_runs(
    store: Store, runs: Iterable[str], command: ControlCommand, now: float
) -> CommandableRuns:
    """Return every active run that can take a command.

    A fleet gives the command on to the runs of its tasks, so these are no runs of their own here.
    """
    chosen: dict[str, LoopState | None] = {}
    left_out: list[tuple[str, str]] = []
    for run in runs:
        state = read_state(store, run, [])
        if not state.active or _is_forgotten(state, now):
            continue
        if why := why_not_commandable(state, command):
            left_out.append((run, why))
        else:
            chosen[run] = state.loop
    fleets = frozenset(run for run, loop in chosen.items() if loop is not None and loop.is_fleet)
    alone = [run for run, loop in chosen.items() if loop is None or loop.parent not in fleets]
    return CommandableRuns(tuple(alone), tuple(left_out), fleets)


def why_not_commandable(state: RunState, command: ControlCommand) -> str:
    """Return why a run cannot take a command, or ""."""
    standing = state.hand.standing
    if transition(standing, command) is None or THEN.get(command) == standing:
        return f"it is {standing.value}"
    if command.spec.no_driver and state.loop is None:
        return "it was not started by handrail run"
    if state.is_fleet and not command.spec.for_fleet:
        return "it stands for a fleet"
    return ""


def _is_forgotten(state: RunState, now: float) -> bool:
    held = state.hand.standing != Standing.RUNNING
    return now - state.changed > _FORGOTTEN and not held and state.loop is None
