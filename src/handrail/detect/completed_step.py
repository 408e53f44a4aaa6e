"""A deed: an action and what came of it, reduced to what patterns are made of."""

from typing import Literal

import msgspec

from handrail.detect.error_line import error_line
from handrail.detect.normalization import result_key
from handrail.model.action import Outcome
from handrail.model.intent import Intent

Ending = Literal["ok", "failed", "refused", "dropped"]
"""Worked, failed, refused by Handrail, or refused by the host or a person."""


class CompletedStep(msgspec.Struct, frozen=True, gc=False):
    """An action and what came of it."""

    step: int
    at: float
    intent: Intent
    ending: Ending
    result: str = ""
    """The same for outcomes that say the same."""
    error: str = ""
    """What went wrong, in one line, without what is different each time."""
    said: str = ""
    """The same line as the agent saw it."""
    outcome: Outcome = Outcome(ok=True)
    changed: tuple[str, ...] = ()
    """Files that it really made or changed, where that is known."""
    misfit: bool = False
    """The call does not fit its tool, which did nothing: no parameter, or nothing to replace."""
    progress: bool = True
    """It changed something, or told something new; known once the run's trail has seen it."""


def completed_step(
    step: int, at: float, intent: Intent, outcome: Outcome, changed: tuple[str, ...] = ()
) -> CompletedStep:
    """A step that was carried out."""
    ending: Ending = "ok" if outcome.ok else "failed"
    result, (error, said, misfit) = result_key(outcome), error_line(outcome)
    return CompletedStep(step, at, intent, ending, result, error, said, outcome, changed, misfit)
