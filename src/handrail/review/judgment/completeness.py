"""Whether the work is whole when a step hands it over: tested, without gaps, all parts done."""

import re
from collections.abc import Iterator

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.history import History
from handrail.review.judgment.step_checks import FINE, StepCheck

_MAX_COMMAND = 4_000
_MISSING = 0.3
"""The score that each gap costs."""
_GIT = r"\bgit\b[^|;&]{0,200}\s"
_REQUEST = r"\b(?:gh|glab) (?:pr|mr) (?:create|merge)\b"
_RECORDS = re.compile(rf"{_GIT}(?:commit|push)\b|{_REQUEST}")
_HANDS_OVER = re.compile(rf"{_GIT}push\b|{_REQUEST}")


def completeness(action: Action, history: History) -> StepCheck:
    """Whether a commit, a push or a pull request hands over whole work."""
    command = action.input.get("command")
    if not isinstance(command, str) or action.tool.lower() not in SHELL_TOOLS:
        return FINE
    command = command[:_MAX_COMMAND]
    if ("git" not in command and "gh " not in command and "glab " not in command) or not (
        _RECORDS.search(command)
    ):
        return FINE
    gaps = list(_gaps(history, whole=_HANDS_OVER.search(command) is not None))
    if not gaps:
        return FINE
    return StepCheck(
        completeness_score(len(gaps)), "; ".join(gaps), "Run the tests, and finish what is open."
    )


def completeness_score(gaps: int) -> float:
    """The completeness of work with so many gaps, from 0 to 1."""
    return max(0.0, round(1.0 - _MISSING * gaps, 2))


def unfinished(history: History) -> tuple[str, ...]:
    """The gaps in the work of a run, in half a sentence each."""
    return tuple(_gaps(history, whole=True))


def _gaps(history: History, *, whole: bool) -> Iterator[str]:
    if history.unverified:
        edits = "an edit" if history.unverified == 1 else f"{history.unverified} edits"
        yield f"no test or check has run since {edits}"
    for path, sign in history.placeholders.items():
        yield f"{path.rpartition('/')[2]} still says `{sign}`"
        break
    if whole and history.open_parts:
        yield f"no step was for a part of the goal: {history.open_parts[0].says}"
