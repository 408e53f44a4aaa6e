"""A completed step: an action and its outcome, reduced to the facts for detectors."""

from typing import Literal

import msgspec

from handrail.detect.error_line import error_line
from handrail.detect.normalization import result_keys
from handrail.detect.outside_failures import outside_cause
from handrail.model.action import Outcome
from handrail.model.effect import Kind
from handrail.model.fingerprint import is_empty_commit
from handrail.model.intent import Intent

Ending = Literal["ok", "failed", "refused", "dropped"]
"""Worked, failed, refused by Handrail, or refused by the host or a person."""
_LOOKS = frozenset({Kind.READ, Kind.REACH, Kind.FETCH})
_PROGRAMS = frozenset({Kind.RUN, Kind.UNSEEN})
_CODE = _PROGRAMS | {Kind.CHANGE}
"""A program may change files that nobody names."""

_NOTHING_NEW = "+empty"
"""The result of an empty commit: only its number is new."""


class CompletedStep(msgspec.Struct, frozen=True, gc=False):
    """An action and its outcome."""

    step: int
    at: float
    intent: Intent
    ending: Ending
    result: str = ""
    """A key; equal outcomes have equal keys. An error at another line is another outcome."""
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
    failure: str = ""
    """The key of a failure wherever it is: without lines and columns."""
    outside: str = ""
    """What outside of the work tree made it fail: a network, a server, a disk, a time-out."""

    @property
    def may_have_edited(self) -> bool:
        """Return whether it may have changed a file."""
        intent = self.intent
        is_edit = self.changed or intent.writes or not _CODE.isdisjoint(intent.kinds)
        return self.ending == "ok" and bool(is_edit)

    @property
    def runs_code(self) -> bool:
        """Return whether it ran a program that is not known to do only one thing."""
        return not _PROGRAMS.isdisjoint(self.intent.kinds)

    @property
    def only_looks(self) -> bool:
        """Return whether it changed nothing, here or elsewhere."""
        return not self.changed and _LOOKS.issuperset(self.intent.kinds)

    @property
    def waits(self) -> bool:
        """Return whether it only waits, or has met something that only time can change."""
        return self.intent.waits or bool(self.outside)


def completed_step(
    step: int, at: float, intent: Intent, outcome: Outcome, changed: tuple[str, ...] = ()
) -> CompletedStep:
    """Return a step that was carried out."""
    ending: Ending = "ok" if outcome.ok else "failed"
    (result, failure), (error, said, misfit) = result_keys(outcome), error_line(outcome)
    if outcome.ok and is_empty_commit(intent.shown):
        result = _NOTHING_NEW
    return CompletedStep(
        step,
        at,
        intent,
        ending,
        result,
        error,
        said,
        outcome,
        changed,
        misfit,
        failure=failure,
        outside="" if outcome.ok else outside_cause(outcome),
    )
