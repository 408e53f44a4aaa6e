"""Looking around without end: many folders, to and fro, and nothing changed."""

from itertools import pairwise
from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.deed import Deed
from handrail.detect.detector import Detector
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 40
_LEAST = 20
"""Looks before anybody wanders: a task begins with looking around."""
_LONG = 80
_DEEP = 2.0
"""Mean distance from the mean depth that counts as very uneven."""
_SCATTERED = 0.9
"""The share of looks elsewhere than at the favorite folder that counts as very scattered."""
_WEIGHTS = {"folders": 0.3, "backtracking": 0.3, "depth": 0.2, "scatter": 0.2}


class Wandering(Detector):
    """The folders of the agent's last looks since something was changed."""

    kind: ClassVar[str] = "exploration_wandering"
    looks: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """Step and folder."""
    total: int = 0
    """Looks since something was changed or a person spoke."""
    looked: bool = False
    """Whether the last deed was a look."""

    def see(self, deed: Deed) -> None:
        """Note a look; a change ends the wandering."""
        intent = deed.intent
        if intent.agent:  # looking around is what sub-agents are sent out for
            return
        self.looked = bool(intent.reads) and not intent.writes and deed.ending in ("ok", "failed")
        if self.looked:
            self.looks.append((deed.step, intent.reads[0].rpartition("/")[0]))
            del self.looks[:-_WINDOW]
            self.total += 1
        elif deed.changed or (intent.writes and deed.ending == "ok"):
            self._start_again()

    def prompted(self) -> None:
        """A question of a person may need another look around."""
        self._start_again()

    def find(self, settings: Detection) -> Finding | None:
        """Wandering, if the last deed was one more look."""
        return self.lately(settings) if self.looked else None

    def lately(self, settings: Detection) -> Finding | None:
        """Wandering since something was last changed."""
        if len(self.looks) < _LEAST:
            return None
        wanted = settings.exploration_wandering
        folders = [folder for _, folder in self.looks]
        parts = {
            "folders": min(len(set(folders)) / wanted.max_unique_directories, 1.0),
            "backtracking": min(_backtracking(folders) / wanted.backtrack_limit, 1.0),
            "depth": min(_unevenness(folders) / _DEEP, 1.0),
            "scatter": min((1 - _focus(folders)) / _SCATTERED, 1.0),
        }
        score = sum(_WEIGHTS[name] * part for name, part in parts.items())
        if score <= wanted.threshold:
            return None
        many = len(set(folders))
        return Finding(
            self.kind,
            Severity.MEDIUM if self.total >= _LONG else Severity.LOW,
            round(min(score, 1.0), 2),
            tuple(step for step, _ in self.looks[-_LEAST:]),
            says=f"{self.total} looks since something was last changed, the last "
            f"{len(folders)} of them in {many} folders, to and fro.",
            symptom="looking around",
            facts={"looks": str(self.total), "folders": str(many)},
        )

    def _start_again(self) -> None:
        self.looks, self.total, self.looked = [], 0, False


def _backtracking(folders: list[str]) -> float:
    """The share of moves that lead back to a folder that was left before."""
    seen: set[str] = set()
    back = 0
    for before, folder in pairwise(folders):
        seen.add(before)
        back += folder != before and folder in seen
    return back / (len(folders) - 1)


def _unevenness(folders: list[str]) -> float:
    """How far the depths are from their mean, in the mean."""
    depths = [folder.count("/") for folder in folders]
    mean = sum(depths) / len(depths)
    return sum(abs(depth - mean) for depth in depths) / len(depths)


def _focus(folders: list[str]) -> float:
    """The share of looks at the folder that is looked at most."""
    return max(map(folders.count, set(folders))) / len(folders)
