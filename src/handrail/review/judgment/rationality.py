"""How well an action fits the goal and the steps before it. Gentle: unknown is neutral."""

import re

from handrail.model.action import Action
from handrail.model.history import History
from handrail.model.review import Rationality
from handrail.review.judgment.completeness import completeness
from handrail.review.judgment.step_checks import StepCheck, efficiency, progression

NEUTRAL = 0.6
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,}")
_COMMON = frozenset(
    "the and for with that this from into not are was has have but you your can will should would "
    "please make use all any add fix get set new run file files code test tests python bash".split()
)
_MAX_TEXT = 4_000


def rationality_of(action: Action, name: str, history: History, goal: str) -> Rationality:
    """Four scores from 0 to 1 and their mean, with what was noticed; `name`: its fingerprint."""
    failures = history.failures(name)
    alignment = _alignment(action, goal)
    follows = _progression(action, name, history)
    short = efficiency(action, history)
    if failures:
        short = StepCheck(
            0.5,
            f"the same action failed {_times(failures)} before",
            "Read the error and change something before trying again.",
        )
    whole = completeness(action, history) if action.input else StepCheck(0.5)
    checks = (short, follows._replace(issue="", suggestion="") if failures else follows, whole)
    issues = [check.issue for check in checks if check.issue]
    suggestions = [check.suggestion for check in checks if check.suggestion]
    score = 0.25 * (alignment + follows.score + short.score + whole.score)
    if not goal and not history.recent:
        score = NEUTRAL
    return Rationality(
        round(score, 2),
        alignment,
        follows.score,
        short.score,
        whole.score,
        tuple(issues),
        tuple(suggestions),
    )


def _alignment(action: Action, goal: str) -> float:
    """Share of the goal's vocabulary; a step that shares none is neutral, not wrong."""
    if not goal:
        return NEUTRAL
    wanted = _words(goal)
    found = _words(" ".join(str(value)[:_MAX_TEXT] for value in action.input.values()))
    shared = len(wanted & found)
    return min(1.0, NEUTRAL + 0.1 * shared)


def _progression(action: Action, name: str, history: History) -> StepCheck:
    return progression(action, name, history) if history.recent else StepCheck(NEUTRAL)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text[:_MAX_TEXT])} - _COMMON


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
