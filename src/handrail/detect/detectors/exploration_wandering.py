"""Wandering: the agent looks around without end, to and fro, and changes nothing."""

from collections import Counter
from itertools import pairwise
from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import LOST, SLOW_DOWN, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.text_hashes import SIZE, each_of, text_hash
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 40
_LEAST = 20
"""Looks before they count as wandering: a task begins with looking around."""
_LONG = 80
_DEEP = 2.0
"""Mean distance from the mean depth that counts as very uneven."""
_SCATTERED = 0.9
"""The share of looks elsewhere than at the favorite folder that counts as very scattered."""
_WEIGHTS = {"folders": 0.3, "backtracking": 0.3, "depth": 0.2, "scatter": 0.2}


class ExplorationWanderingDetector(Detector):
    """The folders of the agent's last looks since a change."""

    kind: ClassVar[str] = "exploration_wandering"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 6
    saved_as: ClassVar[str] = "wandering"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Wandered about",
        meaning="The agent looks around here and there, and changes nothing.",
        fitting=SLOW_DOWN,
        hints=paragraphs("""
            You have looked around {looks} times, lately in {folders} folders, and changed nothing.
            Stop reading around: search for one word that must stand in the right place, open only
            what it finds, and make a first change there.

            {says} You probably know enough. Write down in three lines what you know, what is
            missing, and which one file would tell you; open that one.

            {says} Choose one place and work there. If you do not know what you are looking for, say
            so and ask.
        """),
        constraint="Look for something in particular; open a file only when you know what you "
        "want from it.",
        example="Search for the text of the error message; it stands in one or two files, and "
        "those are the ones.",
        plan="lost_context",
        tested_by="any",
        advice=LOST,
    )
    steps: list[int] = msgspec.field(default_factory=list)
    """The steps of the last looks, as many as are shown."""
    folders: bytes = b""
    """Hashes of the folders."""
    depths: list[int] = msgspec.field(default_factory=list)
    """The depths of these folders."""
    total: int = 0
    """Looks since the last change or prompt."""
    looked: bool = False
    """The last step was a look."""

    def see(self, done: CompletedStep) -> None:
        """Note a look; a change ends the wandering."""
        intent = done.intent
        if intent.agent:  # sub-agents are there to look around
            return
        self.looked = bool(intent.reads) and not intent.writes and done.ending in ("ok", "failed")
        if self.looked:
            self._look(done.step, intent.reads[0].rpartition("/")[0])
        elif done.changed or (intent.writes and done.ending == "ok"):
            self._start_again()

    def prompted(self) -> None:
        """Start again: a person's question may need another look around."""
        self._start_again()

    def find(self, settings: Detection) -> Finding | None:
        """Report wandering if the last step was one more look."""
        return self.lately(settings) if self.looked else None

    def lately(self, settings: Detection) -> Finding | None:
        """Report wandering since the last change."""
        looks = len(self.depths)
        if looks < _LEAST:
            return None
        wanted = settings.exploration_wandering
        folders = each_of(self.folders)
        places = Counter(folders)
        focus = max(places.values()) / looks
        parts = {
            "folders": min(len(places) / wanted.max_unique_directories, 1.0),
            "backtracking": min(_backtracking(folders) / wanted.backtrack_limit, 1.0),
            "depth": min(_unevenness(self.depths) / _DEEP, 1.0),
            "scatter": min((1 - focus) / _SCATTERED, 1.0),
        }
        score = sum(_WEIGHTS[name] * part for name, part in parts.items())
        if score <= wanted.threshold:
            return None
        severity = Severity.MEDIUM if self.total >= _LONG else Severity.LOW
        sure, steps = round(min(score, 1.0), 2), tuple(self.steps)
        says = f"{self.total} looks since something was last changed, the last {looks} of them in "
        says += f"{len(places)} folders, to and fro."
        facts = {"looks": str(self.total), "folders": str(len(places))}
        return Finding(self.kind, severity, sure, steps, 0.0, says, "looking around", facts)

    def _look(self, step: int, folder: str) -> None:
        self.total += 1
        self.steps.append(step)
        self.depths.append(folder.count("/"))
        del self.steps[:-_LEAST], self.depths[:-_WINDOW]
        self.folders = (self.folders + text_hash(folder))[-SIZE * _WINDOW :]

    def _start_again(self) -> None:
        self.steps, self.folders, self.depths = [], b"", []
        self.total, self.looked = 0, False


def _backtracking(folders: list[bytes]) -> float:
    """Return the share of moves that lead back to an earlier folder."""
    seen: set[bytes] = set()
    back = 0
    for before, folder in pairwise(folders):
        seen.add(before)
        back += folder != before and folder in seen
    return back / (len(folders) - 1)


def _unevenness(depths: list[int]) -> float:
    """Return the mean distance of the depths from their mean."""
    mean = sum(depths) / len(depths)
    return sum(abs(depth - mean) for depth in depths) / len(depths)
