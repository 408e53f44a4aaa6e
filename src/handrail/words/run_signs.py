"""The sign and the colour of each state of a run: one sign has one meaning."""

from typing import NamedTuple

from handrail.model.control import ENDING, FINAL, HOLDING, Standing
from handrail.model.desktop import CheckOutcome, DesktopCheck

NEEDS_YOU = "needs you"
UNREADABLE = "unreadable"
NOT_DONE = "not done"
INTERRUPTED = "interrupted"
WATCHING = "watching"
STUCK = "stuck"


class RunSign(NamedTuple):
    """The sign of a state, and its colour."""

    mark: str
    style: str


_HELD = RunSign("‖", "yellow")
_OVER = RunSign("○", "dim")

RUN_SIGNS = {
    NEEDS_YOU: RunSign("▲", "red"),
    STUCK: RunSign("▲", "red"),
    UNREADABLE: RunSign("?", "red"),
    "working": RunSign("●", "green"),
    WATCHING: RunSign("●", "green"),
    "quiet": RunSign("◌", "yellow"),
    "waiting": RunSign("◇", "yellow"),
    **{each.value: _HELD for each in Standing if each in HOLDING},
    INTERRUPTED: _HELD,
    **{each.value: RunSign("■", "red") for each in Standing if each in ENDING - FINAL},
    **dict.fromkeys(("done", NOT_DONE, "cancelled", "ended"), _OVER),
}
"""By state, the most urgent first."""

OVER = frozenset(state for state, sign in RUN_SIGNS.items() if sign == _OVER)
"""States in which there is nothing left to control."""


def answer_command(run: str, task: str = "") -> str:
    """Return the command that answers an agent that could not go on. `task`: of a fleet."""
    if task:
        return f'handrail task retry {task} --message "your answer"'
    return f'handrail run --resume {run} "your answer"'


def work_in_words(desktop: DesktopCheck | None) -> str:
    """Return the state of a run at work; `desktop`: the last look of a desktop watch."""
    if desktop is None:
        return "working"
    return STUCK if desktop.outcome is CheckOutcome.GIVEN_UP else WATCHING
