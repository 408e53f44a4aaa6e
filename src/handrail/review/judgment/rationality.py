"""How well an action fits the goal and the steps before it. Gentle: unknown is neutral."""

import re
from functools import lru_cache

from handrail.model.action import Action
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.model.review import Rationality
from handrail.review.judgment.completeness import completeness
from handrail.review.judgment.step_checks import StepCheck, efficiency, progression

NEUTRAL = 0.6
NEUTRAL_RATIONALITY = Rationality(NEUTRAL, NEUTRAL, NEUTRAL, 1.0, 1.0)
"""Of an action about whose goal and past nothing is known."""
_WORD = re.compile(r"[A-Z]{3,}(?![a-z])|[A-Za-z][a-z0-9]{2,}", re.ASCII)
"""Also the parts of a name: `login_form` and `loginForm` are about a login."""
_COMMON = frozenset(
    "the and for with that this from into not are was has have but you your can will should would "
    "please make use all any add fix get set new run file files code test tests python bash".split()
)
_MAX_TEXT = 4_000
_ENOUGH = 4
"""Shared words that show that an action serves a long goal; of a short one, half of its words."""
_EFFICIENCY = (1.0, 0.5, 0.3, 0.1, 0.0)
"""By the failures of the same action."""
_REPEATED = (0.3, 0.2, 0.1, 0.0)
"""The progression of the same action again, by how often it was just done."""
_CEILINGS = (1.0, 0.7, 0.6, 0.45, 0.35, 0.25)
"""By the same failures: what fails each time makes no sense, however well it fits the goal."""


def rationality_of(action: Action, history: History, goal: str, name: str = "") -> Rationality:
    """Four scores from 0 to 1 and their mean, with what was noticed.

    `name`: the fingerprint of the action, where the caller has it; a long input takes its time.
    """
    name = name or fingerprint(action)
    failures = history.failures(name)
    alignment = _alignment(action, goal)
    follows = _progression(action, name, history)
    short = efficiency(action, history)
    if failures:
        short = StepCheck(
            _at(_EFFICIENCY, failures),
            f"the same action failed {_times(failures)} before",
            "Read the error and change something before trying again.",
        )
    whole = completeness(action, history) if action.input else StepCheck(0.5)
    checks = (short, follows._replace(issue="", suggestion="") if failures else follows, whole)
    issues = [check.issue for check in checks if check.issue]
    suggestions = [check.suggestion for check in checks if check.suggestion]
    mean = 0.25 * (alignment + follows.score + short.score + whole.score)
    score = min(mean, _at(_CEILINGS, failures))
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
    wanted = _words_of_goal(goal)
    if not wanted:
        return NEUTRAL
    text = " ".join(str(value)[:_MAX_TEXT] for value in action.input.values())[:_MAX_TEXT]
    small = text.lower()
    # Most steps share no word: to look for these few is many times faster than to list all.
    found = _words(text) if any(word in small for word in wanted) else set()
    enough = min((len(wanted) + 1) // 2, _ENOUGH)
    share = min(len(wanted & found) / enough, 1.0)
    return round(NEUTRAL + (1.0 - NEUTRAL) * share, 2)


def _progression(action: Action, name: str, history: History) -> StepCheck:
    recent = history.recent
    if not recent:
        return StepCheck(NEUTRAL)
    found = progression(action, name, history)
    if recent[-1] != name:
        return found
    repeated = next((i for i, each in enumerate(reversed(recent)) if each != name), len(recent))
    return found._replace(score=min(found.score, _at(_REPEATED, repeated - 1)))


@lru_cache(maxsize=64)
def _words_of_goal(goal: str) -> frozenset[str]:
    return frozenset(_words(goal))


def _words(text: str) -> set[str]:
    found = {word.lower() for word in _WORD.findall(text[:_MAX_TEXT])}
    return {word.removesuffix("s") for word in found - _COMMON}


def _at(values: tuple[float, ...], count: int) -> float:
    return values[min(count, len(values) - 1)]


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
