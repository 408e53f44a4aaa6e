"""Weakened tests: what fails is deleted or skipped instead of mended."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import GO_BACK, Advice, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.severity_ladder import SeverityLadder
from handrail.detect.test_runs import tests_passed
from handrail.model.action import SHELL_TOOLS
from handrail.model.check_commands import is_test_run
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from handrail.model.test_edits import is_test_file

_LADDER = SeverityLadder(2, 3, 5, 8)
_MAX_STEPS = 10


class WeakenedTestsDetector(Detector):
    """Tests deleted, skipped or emptied after they failed, with no other file changed.

    A test may be out of date, and a person may have asked for its end: never more than medium.
    """

    kind: ClassVar[str] = "weakened_tests"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 11
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Tests taken out",
        meaning="The agent deletes, skips or empties tests that fail, and mends nothing.",
        fitting=GO_BACK,
        hints=paragraphs("""
            {says} A test that is gone proves nothing. Bring the tests back, read what the first
            one expects, and change the code. If a test is wrong, say which one and why.

            {says} Green by leaving out is not green. List the tests that you took out, and for
            each one the fault that it showed; then mend the faults, or stop and report them.
        """),
        constraint="Tests stay, unless the request is to remove them.",
        example="Where `test_total` fails, correct `total()`, and leave the test as it is.",
        advice=Advice(
            "The agent took failing tests out instead of mending what they test.",
            (
                "`handrail diff` shows what it took out; `handrail undo` brings it back.",
                "Check whether the tests still describe what you want.",
            ),
            ("Say in the prompt that tests may not be removed or skipped.",),
            ("A rule of your own in `step_reviewer.rules` can refuse edits of tests.",),
        ),
    )
    red: bool = False
    """The last test run failed."""
    steps: list[int] = msgspec.field(default_factory=list)
    times: int = 0
    path: str = ""
    weakens: bool = False
    """The last step took a test out."""

    def see(self, done: CompletedStep) -> None:
        """Count tests that are taken out, until the agent changes another file."""
        intent, self.weakens = done.intent, False
        if intent.tool.lower() in SHELL_TOOLS and is_test_run(intent.shown):
            self.red = not tests_passed(done)
        elif done.ending != "ok":
            return
        elif intent.weakens:
            if self.red:
                self.times += 1
                self.weakens, self.path = True, intent.weakens
                self.steps = [*self.steps, done.step][-_MAX_STEPS:]
        elif any(not is_test_file(path) for path in intent.writes):
            self.prompted()

    def find(self, settings: Detection) -> Finding | None:
        """Report the last step if it took one more test out."""
        if not self.weakens:
            return None
        says = (
            f"Failing tests were taken out {self.times} times, and no other file was changed: "
            f"{self.path}"
        )
        facts, steps = {"path": self.path}, tuple(self.steps)
        return _LADDER.finding(
            self.kind, self.times, steps, says, "tests", facts, most=Severity.MEDIUM
        )

    def prompted(self) -> None:
        """Start again: a person may have asked for it, or the code was changed."""
        self.steps, self.times, self.path = [], 0, ""
