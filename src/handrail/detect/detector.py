"""What a detector is."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import Description
from handrail.model.finding import Finding


class Detector(msgspec.Struct):
    """A fold over deeds, a judgement of where it stands, and a description of what it finds.

    The fields of a detector are saved with the state of the run, so that a restart loses nothing.
    `see` counts and knows no thresholds; `find` applies them and changes nothing. Both take the
    same time however long the run is.
    """

    kind: ClassVar[str]
    """Of its findings; a built-in detector's file is called so too."""
    about: ClassVar[Description] = Description()
    per_agent: ClassVar[bool] = False
    """Whether each sub-agent is watched by itself, not the run as a whole."""
    order: ClassVar[int] = 100
    """Of findings that are equally bad and sure, the one with the lower order comes first."""
    saved_as: ClassVar[str] = ""
    """What a snapshot calls it; empty: its kind."""

    def see(self, deed: CompletedStep) -> None:
        """Take in the next deed."""

    def find(self, settings: Detection) -> Finding | None:
        """The trouble that the last deed is part of, if there is any."""
        return None

    def lately(self, settings: Detection) -> Finding | None:
        """The trouble that the last few deeds are part of: another one may come on top of it."""
        return self.find(settings)

    def prompted(self) -> None:
        """A person said something: what they ask for again is no repetition of the agent's."""

    def told(self, score: float) -> None:
        """A model has said how well the last deeds serve the goal, from 0 to 1."""

    def heard(self, text: str) -> None:
        """The agent stopped, and said this."""
