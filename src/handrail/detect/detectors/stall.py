"""Stalls: no progress for many steps, or an error that no change removes."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import GO_BACK, STUCK, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.severity_ladder import SeverityLadder
from handrail.detect.text_hashes import add_hash, text_hash
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_STANDSTILL = SeverityLadder(6, 9, 14, 20)
_STAYING = SeverityLadder(5, 7, 10, 15)
_MAX_STEPS = 10
_MAX_CALLS = 16
_MAX_PLACES = 32


class Failing(msgspec.Struct, gc=False):
    """A call that keeps failing in the same way."""

    result: str
    """The failure, wherever it is."""
    steps: tuple[int, ...] = ()
    times: int = 1
    places: bytes = b""
    """Hashes of the failure with its places: at a new place the last one is mended."""
    unchanged: int = 1
    """The last failures with no change between them."""
    broke: bool = False
    """The same call worked before."""


class StallDetector(Detector):
    """Steps without progress in a row, and calls whose error survives every change."""

    kind: ClassVar[str] = "stall"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 2
    saved_as: ClassVar[str] = "stalls"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Runs that stalled",
        meaning="The agent makes no progress for many steps, or cannot get rid of an error.",
        fitting=GO_BACK,
        hints=paragraphs("""
            {says} Write down the one question that keeps you, take the one action that answers it,
            and then make the smallest change that brings the task forward.

            {says} Try the other end: make the smallest case that should work, get that one to work,
            and go on from there. Its result will tell you more than another look at the same place.

            {says} If you wait for something, say for what. If you do not know what is wanted, ask.
            If the task is done, or cannot be done, say so and stop.
        """),
        constraint="Every few actions must leave something behind, such as a change, a check that "
        "was run, or an answer.",
        example="Write the function with its simplest case only, run its test, then the next case.",
        advice=STUCK,
    )
    idle: list[int] = msgspec.field(default_factory=list)
    """The last steps without progress."""
    idle_times: int = 0
    failing: dict[str, Failing] = msgspec.field(default_factory=dict)
    """Calls that keep failing in the same way."""
    worked: bytes = b""
    """Hashes of calls that worked."""
    edited: bool = False
    """A file may have changed since the last failure."""
    call: str = ""
    shown: str = ""
    said: str = ""

    def see(self, done: CompletedStep) -> None:
        """Count steps without progress, and equal failures of the call."""
        self.call, self.shown, self.said = (done.intent.call, done.intent.shown, done.said)
        if done.progress:
            self.idle.clear()
            self.idle_times = 0
        elif not done.waits and not (done.ending == "ok" and done.runs_code):
            self.idle_times += 1
            self.idle.append(done.step)
            del self.idle[:-_MAX_STEPS]
        if done.ending == "failed" and not done.misfit and not done.waits:
            self._fails(done)
        else:
            self.failing.pop(self.call, None)
        if done.ending == "ok":
            self.worked = add_hash(self.worked, text_hash(self.call), _MAX_CALLS)
            self.edited = self.edited or done.may_have_edited

    def find(self, settings: Detection) -> Finding | None:
        """Report the worse of the two."""
        if self.idle_times < _STANDSTILL.low and self.call not in self.failing:
            return None
        found = [each for each in (self._standstill(), self._staying()) if each is not None]
        return max(found, key=lambda each: each.severity, default=None)

    def prompted(self) -> None:
        """Start again: a person brings news."""
        self.idle.clear()
        self.idle_times = 0
        self.failing.clear()

    def _fails(self, done: CompletedStep) -> None:
        known = self.failing.pop(self.call, None)
        place = text_hash(done.result)
        if known is None or known.result != done.failure:
            known = Failing(done.failure, broke=text_hash(self.call) in self.worked)
        elif place in known.places or not self.edited:
            known.times += 1
            known.unchanged = 1 if self.edited else known.unchanged + 1
        else:
            known.unchanged = 1
        known.places = add_hash(known.places, place, _MAX_PLACES)
        known.steps = (*known.steps, done.step)[-_MAX_STEPS:]
        self.edited = False
        self.failing[self.call] = known
        if len(self.failing) > _MAX_CALLS:
            del self.failing[next(iter(self.failing))]

    def _standstill(self) -> Finding | None:
        times, facts = self.idle_times, {"call": self.shown, "error": self.said}
        says = f"Nothing was changed and nothing new was learned in the last {times} steps."
        steps = tuple(self.idle)
        return _STANDSTILL.finding(self.kind, times, steps, says, "standstill", facts)

    def _staying(self) -> Finding | None:
        failing = self.failing.get(self.call)
        if failing is None:
            return None
        times, facts = failing.times, {"call": self.shown, "error": self.said}
        says = f"The same error is still there after {times} attempts, whatever was done in between"
        says = f"{says}: {self.said}"
        # An agent that changes files on the way may be near the end of a long piece of work.
        is_worse = failing.broke or failing.unchanged >= _STAYING.high
        most = Severity.CRITICAL if is_worse else Severity.MEDIUM
        return _STAYING.finding(self.kind, times, failing.steps, says, self.call, facts, most=most)
