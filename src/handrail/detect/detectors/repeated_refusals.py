"""Repeated refusals: the agent tries a refused action again, perhaps in another way."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import SLOW_DOWN, Advice, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.severity_ladder import SeverityLadder
from handrail.model.finding import Finding

_LADDER = SeverityLadder(2, 3, 4, 6)
_WINDOW = 20
"""Steps within which a refused action counts as tried again."""


class RepeatedRefusalsDetector(Detector):
    """Refused actions with the same aim."""

    kind: ClassVar[str] = "repeated_refusals"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 3
    saved_as: ClassVar[str] = "refusals"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Refused, tried on",
        meaning="The agent tries a refused action again, as it was or in another way.",
        fitting=SLOW_DOWN,
        hints=paragraphs("""
            `{call}` was refused. With those before it that are after the same thing, that makes
            {times} refusals (steps {steps}). It will not be let through in other words or by
            another tool either. The refusal says what to do instead: do that, or leave this part
            out and say at the end that it is not done and why.

            {says} Do not look for a way around it: what it does is refused, not how it is written.
            Go on with the parts of the task that do not need it.

            {says} Stop trying. If the task cannot be done without it, say so and end your turn: a
            person can allow it, you cannot.
        """),
        constraint="What was refused stays refused; use the alternative that the refusal names.",
        example="Where `git push --force` is refused, push to a new branch and say so in the "
        "report.",
        advice=Advice(
            "The agent wanted the same refused thing again and again, in other words.",
            (
                "Decide whether it should be allowed; `handrail explain` tells why it was refused.",
                "If it should, do it yourself; if not, tell the agent so.",
            ),
            ("Say in the prompt what is out of bounds, and what to do instead.",),
            ("A rule of your own in `step_reviewer.rules` can allow exactly this.",),
        ),
    )
    recent: list[tuple[int, int, str]] = msgspec.field(default_factory=list)
    """Number, step and aim of each refused step."""
    deeds: int = 0
    """Steps seen so far."""
    shown: str = ""
    """The last refused action in a few words."""

    def see(self, done: CompletedStep) -> None:
        """Note a refusal."""
        self.deeds += 1
        if done.ending == "refused":
            intent = done.intent
            self.recent.append((self.deeds, done.step, intent.blamed or intent.call))
            self.shown = intent.shown
        if self.recent and self.recent[0][0] <= self.deeds - _WINDOW:
            del self.recent[0]

    def find(self, settings: Detection) -> Finding | None:
        """Report the last step if it was refused like earlier ones."""
        if not self.recent or self.recent[-1][0] != self.deeds:
            return None
        after = self.recent[-1][2]
        steps = tuple(step for _, step, what in self.recent if what == after)
        times, facts = len(steps), {"call": self.shown}
        says = f"What was refused was tried again, {times} times in all: {self.shown}"
        return _LADDER.finding(self.kind, times, steps, says, after, facts)

    def prompted(self) -> None:
        """Start again: a person may have asked for it."""
        self.recent.clear()
