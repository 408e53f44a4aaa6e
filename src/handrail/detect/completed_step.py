"""A completed step: an action and its outcome, reduced to the facts for detectors."""

from typing import Literal

import msgspec

from handrail.detect.error_line import error_line
from handrail.detect.normalization import result_key
from handrail.model.action import Outcome
from handrail.model.intent import Intent

Ending = Literal["ok", "failed", "refused", "dropped"]
"""Worked, failed, refused by Handrail, or refused by the host or a person."""


class CompletedStep(msgspec.Struct, frozen=True, gc=False):
    """An action and its outcome."""

    step: int
    at: float
    intent: Intent
    ending: Ending
    result: str = ""
    """A key; equal outcomes have equal keys."""
    error: str = ""
    """The error in one line, without times, ids and other noise."""
    said: str = ""
    """The same line as the agent saw it."""
    outcome: Outcome = Outcome(ok=True)
    changed: tuple[str, ...] = ()
    """Files that it made or changed, if known."""
    misfit: bool = False
    """The call did not fit its tool, which did nothing: no parameter, or nothing to replace."""
    progress: bool = True
    """It changed something or told something new; the progress tracker sets this."""


def completed_step(
    step: int, at: float, intent: Intent, outcome: Outcome, changed: tuple[str, ...] = ()
) -> CompletedStep:
    """Return a step that was carried out."""
    ending: Ending = "ok" if outcome.ok else "failed"
    result, (error, said, misfit) = result_key(outcome), error_line(outcome)
    return CompletedStep(step, at, intent, ending, result, error, said, outcome, changed, misfit)
