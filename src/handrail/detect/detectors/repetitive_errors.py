"""The same error again and again."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import GO_BACK, STUCK, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.severity_ladder import SeverityLadder
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 10
_LADDER = SeverityLadder(3, 3, 4, 5)
_PATIENCE = 2
_WAIT = _WINDOW - _LADDER.low
"""A machine that starts, or a server that is busy, is asked as often as the window is long."""
_MOST = 5


class RepetitiveErrorsDetector(Detector):
    """Equal errors among the last steps, with no progress between them.

    After a change, or news, the same error is part of the work; if it stays, that is a stall. A
    call that does not fit its tool is a common slip: two more are allowed. An agent that waits for
    something may fail until it is there, and a failure from outside is worth a hint at most.
    """

    kind: ClassVar[str] = "repetitive_errors"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 4
    saved_as: ClassVar[str] = "errors"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Same error again",
        meaning="The agent runs into the same error several times, with no progress in between.",
        fitting=GO_BACK,
        hints=paragraphs("""
            The same error has come {times} times: `{error}` (steps {steps}). The next try will give
            it again unless its cause changes. Say what the error claims, check that claim with one
            command that only looks, and only then change something.

            Still `{error}`, {times} times by now. Your explanation of it is probably wrong. Write
            down two other possible causes, and find out with one small test which of them it is.

            `{error}` again, in step {step}. Leave what you are changing as it is, and look at what
            it stands on: does the path exist, is the name spelled like that, is it the version you
            think, do you have the rights?

            {says} What you do about it does not reach its cause. Undo the last attempt, read the
            whole message from its first line, and take another way, or say what you need.
        """),
        constraint="An error is explained before anything is changed because of it.",
        example="For “module not found”, first list where it looks and what is installed; then "
        "install or rename once.",
        advice=STUCK,
    )
    recent: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """Each step and its error; empty: no error."""
    said: str = ""
    """The last error as the agent saw it."""
    misfit: bool = False
    """It was a malformed call."""
    outside: bool = False
    """Something outside of the work tree caused it."""
    failed: str = ""
    """The call that failed last."""

    def see(self, done: CompletedStep) -> None:
        """Note the error, or its absence."""
        recent = self.recent
        # Where the same call worked in between, its error is not there each time.
        if done.progress or (done.ending == "ok" and done.intent.call == self.failed):
            recent.clear()
        if done.ending == "failed":
            self.failed = done.intent.call
        recent.append((done.step, "" if done.intent.waits else done.error))
        if len(recent) > _WINDOW:
            del recent[0]
        self.said, self.misfit, self.outside = done.said, done.misfit, bool(done.outside)

    def find(self, settings: Detection) -> Finding | None:
        """Report the last error if it is one of several."""
        if not self.recent or not (last := self.recent[-1][1]):
            return None
        steps = tuple(step for step, error in self.recent if error == last)
        times, forgiven = len(steps), self._forgiven()
        says = f"The same error came {times} times, and nothing new in between: {self.said}"
        facts = {"error": self.said}
        most = Severity.LOW if self.outside else Severity.CRITICAL
        return _LADDER.finding(
            self.kind, times, steps, says, last, facts, sure=_MOST, forgiven=forgiven, most=most
        )

    def prompted(self) -> None:
        """Start again: a person may ask for the same."""
        self.recent.clear()

    def _forgiven(self) -> int:
        """Return how many more times than usual are allowed."""
        if self.outside:
            return _WAIT
        return _PATIENCE if self.misfit else 0
