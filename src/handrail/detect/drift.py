"""Turning away from the goal: what fitted it before fits it no more, and is done elsewhere."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_HALF = 10
_FITS_NO_MORE = 0.7
"""At most one word shared with the goal."""
_MOST_SHARED = 0.2
_LEAST_PLACED = 3
"""Deeds with a path in each half: without places, words alone say too little."""
_MOST_OPINIONS = 4
_STEEP = 0.3


class GoalDrift(Detector):
    """How well the last deeds fit the goal, and where they were done."""

    kind: ClassVar[str] = "goal_drift"
    deeds: list[tuple[int, float, str]] = msgspec.field(default_factory=list)
    """Step, alignment, folder; the last 20."""
    opinions: list[float] = msgspec.field(default_factory=list)
    """What a model thinks of the alignment, where one was asked."""
    just_told: bool = False

    def see(self, deed: Deed) -> None:
        """Note the alignment."""
        intent = deed.intent
        path = next(iter((*intent.writes, *intent.reads)), "")
        self.deeds.append((deed.step, intent.alignment, path.rpartition("/")[0]))
        del self.deeds[: -2 * _HALF]
        self.just_told = False

    def told(self, score: float) -> None:
        """A model was asked how well the run fits its goal, from 0 to 1."""
        self.opinions.append(score)
        del self.opinions[:-_MOST_OPINIONS]
        self.just_told = True

    def prompted(self) -> None:
        """The goal may be another one now."""
        self.deeds, self.opinions, self.just_told = [], [], False

    def find(self, settings: Detection) -> Finding | None:
        """A fall that the last deed is part of, or an opinion that was just given."""
        if not self.deeds or (self.deeds[-1][1] > _FITS_NO_MORE and not self.just_told):
            return None
        return self.lately(settings)

    def lately(self, settings: Detection) -> Finding | None:
        """A fall within the last 20 deeds, or low opinions."""
        lowest = settings.goal_drift.lowest_opinion
        fall = self._fall()
        low = [score for score in self.opinions if score < lowest]
        disliked = bool(low) and self.opinions[-1] < lowest
        fell = fall > settings.goal_drift.fall
        if not fell and not disliked:
            return None
        steps = tuple(step for step, _, _ in self.deeds[_HALF:] or self.deeds[-1:])
        says = f"The last {len(steps)} actions have less to do with the goal than those before"
        if disliked:
            says = f"A model that was asked finds that the run fits its goal by {low[-1]:.0%}"
        return Finding(
            self.kind,
            _severity(fall if fell else 0.0, len(low) if disliked else 0),
            _confidence(fall if fell else 0.0, low if disliked else []),
            steps,
            says=f"{says}.",
            symptom="goal",
            facts={"fall": f"{fall:.2f}"} | ({"opinion": f"{low[-1]:.2f}"} if disliked else {}),
        )

    def _fall(self) -> float:
        """How far the mean fell from one half to the other; 0 where the work is still there."""
        if len(self.deeds) < 2 * _HALF:
            return 0.0
        before, after = self.deeds[:_HALF], self.deeds[_HALF:]
        now = sum(alignment for _, alignment, _ in after) / _HALF
        fall = sum(alignment for _, alignment, _ in before) / _HALF - now
        return fall if now <= _FITS_NO_MORE and _is_elsewhere(before, after) else 0.0


def _is_elsewhere(
    before: list[tuple[int, float, str]], after: list[tuple[int, float, str]]
) -> bool:
    """Whether the later deeds were done in other folders than the earlier ones."""
    earlier = [folder for _, _, folder in before if folder]
    later = [folder for _, _, folder in after if folder]
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
