"""The base class of all detectors."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import FindingDescription
from handrail.detect.usage_sample import UsageSample
from handrail.model.desktop import DesktopCheck
from handrail.model.finding import Finding


class Detector(msgspec.Struct):
    """Folds completed steps into a few fields, finds a pattern in them, and describes it.

    The fields of a detector are saved with the state of the run, so that a restart loses nothing.
    `see` counts and knows no thresholds; `find` applies them and changes nothing. Both take the
    same time however long the run is.
    """

    kind: ClassVar[str]
    """The kind of its findings, and the name of a built-in detector's file."""
    about: ClassVar[FindingDescription] = FindingDescription()
    per_agent: ClassVar[bool] = False
    """Watch each sub-agent by itself, not the run as a whole."""
    of_desktop: ClassVar[bool] = False
    """Watch the looks and inputs of a desktop watch, and no other steps."""
    order: ClassVar[int] = 100
    """The rank among equally bad and sure findings; the lowest comes first."""
    saved_as: ClassVar[str] = ""
    """Its name in snapshots; empty: its kind."""

    def see(self, done: CompletedStep) -> None:
        """Count the next step."""

    def find(self, settings: Detection) -> Finding | None:
        """Return the finding that the last step belongs to, if any."""
        return None

    def lately(self, settings: Detection) -> Finding | None:
        """Return the finding of the last few steps, for combinations with another finding."""
        return self.find(settings)

    def prompted(self) -> None:
        """Start again after a prompt: a person may ask for a repetition."""

    def told(self, score: float) -> None:
        """Take the opinion of a model: how well the last steps serve the goal, from 0 to 1."""

    def heard(self, text: str) -> None:
        """Read the agent's message when it stops."""

    def contradicted(self, claims: tuple[str, ...]) -> None:
        """Take the claims in that message that the disk contradicts."""

    def sampled(self, sample: UsageSample) -> None:
        """Take a measurement of the run's tokens and memory; they come between the steps."""

    def checked(self, check: DesktopCheck) -> None:
        """Take what a desktop watch saw and did; the end of its look comes after it."""
