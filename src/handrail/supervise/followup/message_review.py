"""Review the message with which an agent stops: secrets in it, claims that nothing shows."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from handrail.detect.deed_claims import files_claimed
from handrail.model.effect import KINDS, Effect, Kind
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk, RiskFactor
from handrail.redact import Redactor
from handrail.review.judgment.completeness import completeness_score, unfinished
from handrail.review.judgment.rationality import NEUTRAL
from handrail.supervise.state.run_state import RunState

SECRET_SHOWN = "shows a secret in its message"
_MAX_TEXT = 20_000
_MAX_CLAIMS = 10
_MAX_FOLDERS = 50
_CALM = Risk(0.1, Severity.NONE, (RiskFactor("message", 0.1),))
_TELLING = Risk(0.6, Severity.MEDIUM, (RiskFactor("secret in a message", 0.6),))


def review_message(
    says: str, name: str, state: RunState, redactor: Redactor
) -> tuple[Review | None, tuple[str, ...]]:
    """Return the review of a message, and its claims that the disk contradicts."""
    if not says.strip():
        return None, ()
    shown = bool(redactor.secrets(says[-_MAX_TEXT:]))
    unproven = tuple(_not_there(files_claimed(says), state))
    gaps = unfinished(state.history)
    effects: tuple[Effect, ...] = ()
    if shown:
        undo = KINDS[Kind.SECRET].undo
        effects = (Effect(Kind.SECRET, "message", Severity.MEDIUM, undo, SECRET_SHOWN),)
    issues = (*unproven, *gaps)
    whole = completeness_score(len(issues))
    rationality = Rationality(
        round(0.25 * (NEUTRAL + 2.0 + whole), 2), NEUTRAL, 1.0, 1.0, whole, issues
    )
    reasons = [f"It {SECRET_SHOWN}."] if shown else []
    reasons += [f"It said that {claim}." for claim in unproven]
    review = Review(
        Decision.WARN if shown or unproven else Decision.ALLOW,
        _TELLING if shown else _CALM,
        rationality,
        effects,
        reasons=tuple(reasons),
        id=name,
    )
    return review, unproven


def _not_there(claimed: Iterable[str], state: RunState) -> Iterator[str]:
    """Find the claimed files that are nowhere, neither on the disk nor in the record."""
    for path in islice(claimed, _MAX_CLAIMS):
        if not _is_known(path, state) and not _exists(path, state.cwd):
            yield f"it created {path}, though there is no such file"


def _is_known(path: str, state: RunState) -> bool:
    """Whether a step touched it: a file that was made and deleted again was made."""
    ending = path if path.startswith("/") else f"/{path}"
    lately = (name for each in state.course.lately for name in each.files)
    steps = (name for step in state.history.steps for name in step.paths)
    known = (*state.history.created, *lately, *steps)
    return any(name.endswith(ending) for name in known)


def _exists(path: str, cwd: str) -> bool:
    """Whether a file is there, from the folder of the run or from one just below it."""
    if not cwd or os.path.lexists(os.path.join(cwd, path)):
        return True  # without a folder, nobody knows
    try:
        with os.scandir(cwd) as entries:
            below = [each.path for each in islice(entries, _MAX_FOLDERS) if each.is_dir()]
    except OSError:
        return True
    return any(os.path.lexists(os.path.join(folder, path)) for folder in below)
