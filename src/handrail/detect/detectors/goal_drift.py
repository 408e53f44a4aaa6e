"""Goal drift: the agent works on something else, elsewhere."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import GO_BACK, LOST, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.text_hashes import SIZE, each_of, text_hash
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_HALF = 10
_FITS_NO_MORE = 0.7
"""At most one word shared with the goal."""
_MOST_SHARED = 0.2
_LEAST_PLACED = 3
"""Steps with a path in each half: without places, words alone say too little."""
_MOST_OPINIONS = 4
_NOWHERE = text_hash("")
_STEEP = 0.3


class GoalDriftDetector(Detector):
    """The alignment of the last steps with the goal, and their folders."""

    kind: ClassVar[str] = "goal_drift"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 5
    saved_as: ClassVar[str] = "drift"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Away from the goal",
        meaning="The agent works on something other than the goal.",
        fitting=GO_BACK,
        hints=paragraphs("""
            The task is: {goal} Your last actions (steps {steps}) have less and less to do with it.
            Say in one sentence what of the task is still open, and make your next action serve
            that.

            {says} What you are doing may be useful, but it was not asked for. Note it for your
            final report, leave it, and take up the task where you left it.

            {says} Before the next action, say how it brings the task forward. If it does not, do
            not take it.
        """),
        constraint="Do what was asked for, and nothing else; note other ideas for the final "
        "report.",
        example="Say “still open is the failing login test, so I read its error next”, and do "
        "exactly that.",
        plan="lost_context",
        tested_by="any",
        advice=LOST,
    )
    steps: list[int] = msgspec.field(default_factory=list)
    """The last 20 steps."""
    alignments: list[float] = msgspec.field(default_factory=list)
    """Their alignments."""
    folders: bytes = b""
    """Hashes of their folders."""
    opinions: list[float] = msgspec.field(default_factory=list)
    """Opinions of a model about the alignment."""
    just_told: bool = False

    def see(self, done: CompletedStep) -> None:
        """Note the alignment."""
        intent = done.intent
        steps, alignments = self.steps, self.alignments
        paths = intent.writes or intent.reads
        folder = text_hash(paths[0].rpartition("/")[0]) if paths else _NOWHERE
        steps.append(done.step)
        alignments.append(intent.alignment)
        if len(steps) > 2 * _HALF:
            del steps[0], alignments[0]
        self.folders = (self.folders + folder)[-SIZE * 2 * _HALF :]
        self.just_told = False

    def told(self, score: float) -> None:
        """Take an opinion of a model, from 0 to 1."""
        self.opinions.append(score)
        del self.opinions[:-_MOST_OPINIONS]
        self.just_told = True

    def prompted(self) -> None:
        """Start again: the goal may have changed."""
        self.steps, self.alignments, self.folders = [], [], b""
        self.opinions, self.just_told = [], False

    def find(self, settings: Detection) -> Finding | None:
        """Report a fall with the last step in it, or a new opinion."""
        if not self.steps or (self.alignments[-1] > _FITS_NO_MORE and not self.just_told):
            return None
        return self.lately(settings)

    def lately(self, settings: Detection) -> Finding | None:
        """Report a fall within the last 20 steps, or low opinions."""
        wanted = settings.goal_drift
        low = [score for score in self.opinions if score < wanted.lowest_opinion]
        disliked = bool(low) and self.opinions[-1] < wanted.lowest_opinion
        fall = self._fall()
        if fall <= wanted.fall and not disliked:
            return None
        if fall and not self._is_elsewhere():
            fall = 0.0
        if fall <= wanted.fall and not disliked:
            return None
        steps = tuple(self.steps[_HALF:] or self.steps[-1:])
        says = f"The last {len(steps)} actions have less to do with the goal than those before."
        facts = {"fall": f"{fall:.2f}"}
        if disliked:
            says = f"A model that was asked finds that the run fits its goal by {low[-1]:.0%}."
            facts["opinion"] = f"{low[-1]:.2f}"
        fall, low = fall if fall > wanted.fall else 0.0, low if disliked else []
        sure = _confidence(fall, low)
        return Finding(self.kind, _severity(fall, len(low)), sure, steps, 0.0, says, "goal", facts)

    def _fall(self) -> float:
        """Return the fall of the mean from one half to the other; 0 if the second still fits."""
        if len(self.alignments) < 2 * _HALF:
            return 0.0
        now = sum(self.alignments[_HALF:]) / _HALF
        return sum(self.alignments[:_HALF]) / _HALF - now if now <= _FITS_NO_MORE else 0.0

    def _is_elsewhere(self) -> bool:
        """Return whether the later steps were in other folders than the earlier ones."""
        folders = each_of(self.folders)
        earlier = [folder for folder in folders[:_HALF] if folder != _NOWHERE]
        later = [folder for folder in folders[_HALF:] if folder != _NOWHERE]
        if min(len(earlier), len(later)) < _LEAST_PLACED:
            return False
        return sum(folder in earlier for folder in later) <= _MOST_SHARED * len(later)


def _severity(fall: float, disliked: int) -> Severity:
    if fall and disliked:
        return Severity.HIGH
    return Severity.MEDIUM if fall >= _STEEP or disliked > 1 else Severity.LOW


def _confidence(fall: float, low: list[float]) -> float:
    by_words = 0.4 + fall if fall else 0.0
    by_opinion = 0.5 + 0.1 * len(low) + 0.2 * (1 - low[-1]) if low else 0.0
    return round(min(max(by_words, by_opinion) + (0.1 if fall and low else 0.0), 0.95), 2)
