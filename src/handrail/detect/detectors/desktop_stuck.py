"""Desktop stuck: a watched session that nothing brings back, or that nobody can see."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import Advice, FindingDescription, FittingInterventions, paragraphs
from handrail.detect.detector import Detector
from handrail.model.desktop import DESKTOP_LOOK, CheckOutcome, DesktopCheck
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity

_BLIND = 3
"""Failed checks in a row that are no chance any more."""
_SURE = 0.95
_AT_STAKE = 0.2
"""The impact of a session that was given up: its worker types into something else."""
_UNSEEN = "unseen"
"""The symptom of checks that fail."""


class DesktopStuckDetector(Detector):
    """The last check of a desktop watch, and how many failed in a row."""

    kind: ClassVar[str] = "desktop_stuck"
    of_desktop: ClassVar[bool] = True
    order: ClassVar[int] = 11
    saved_as: ClassVar[str] = "desktop"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Desktop stuck",
        meaning="A graphical session is stuck and no recovery helps, or the watch cannot see it.",
        fitting=FittingInterventions(
            InterventionName.SOFT_CORRECTION,
            InterventionName.CONTEXT_REINFORCEMENT,
            InterventionName.RESOURCE_THROTTLING,
            InterventionName.EMERGENCY_STOP,
            # The worker would go on typing into whatever is in front of it.
            at_once=Severity.CRITICAL,
        ),
        hints=paragraphs("""
            {says} Do not send more keys to it. Say what you did last, and wait for a person.

            {says} A person has to look at the screen before the session goes on.
        """),
        constraint="Keys go only into the window that the session expects.",
        example="Pause the worker, look at the screen, close the dialog, look again, go on.",
        tested_by="same",
        advice=Advice(
            "Something on the screen takes the input of the session, and no recovery removed it.",
            (
                "Look at the last pictures of the run, or at the screen: `handrail desktop look`.",
                "Remove what is in the way, then let the run go on.",
            ),
            (
                "Start the session where nothing else opens windows: a display of its own.",
                "Switch off the dialogs of the editor that the session does not expect.",
            ),
            (
                "`desktop.max_retries` says how often a recovery is tried.",
                "`desktop.vision` lets a model look where local sensing is not sure.",
            ),
        ),
    )
    last: DesktopCheck | None = None
    """The check of the last step; None: the last step was none."""
    coming: DesktopCheck | None = None
    """The check of a look that has not ended yet."""
    step: int = 0
    """The step of that check."""
    failed: tuple[int, ...] = ()
    """The steps of the last failed checks, without another in between."""

    def checked(self, check: DesktopCheck) -> None:
        """Note a check until its look ends."""
        self.coming = msgspec.structs.replace(check, raw_response="", steps=())

    def see(self, done: CompletedStep) -> None:
        """Count the check of a look that has ended."""
        self.last = None
        if done.intent.tool == DESKTOP_LOOK:
            self.last, self.coming = self.coming, None
        if self.last is None:
            return
        self.step = done.step
        is_blind = self.last.outcome is CheckOutcome.FAILED
        self.failed = (*self.failed, done.step)[-_BLIND:] if is_blind else ()

    def find(self, settings: Detection) -> Finding | None:
        """Report a session that was given up, and a watch that sees nothing."""
        check = self.last
        if check is None:
            return None
        if check.outcome is CheckOutcome.GIVEN_UP:
            return self._given_up(check)
        return self._blind(check) if len(self.failed) == _BLIND else None

    def _given_up(self, check: DesktopCheck) -> Finding:
        tried = f" after {check.attempt} attempts to free it" if check.attempt > 1 else ""
        seen = check.description or check.why or check.status.value
        says = f"The session is stuck{tried}: {seen.rstrip('.')}. A person has to look."
        facts = {"times": str(check.attempt)} if check.attempt else {}
        symptom = check.symptom or check.status.value
        return Finding(
            self.kind, Severity.CRITICAL, _SURE, (self.step,), _AT_STAKE, says, symptom, facts
        )

    def _blind(self, check: DesktopCheck) -> Finding:
        why = f": {check.why.rstrip('.')}" if check.why else ""
        says = f"{_BLIND} looks at the screen in a row failed{why}."
        facts = {"times": str(_BLIND)} | ({"error": check.why} if check.why else {})
        return Finding(self.kind, Severity.MEDIUM, _SURE, self.failed, 0.0, says, _UNSEEN, facts)
