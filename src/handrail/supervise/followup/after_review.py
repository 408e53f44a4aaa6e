"""Compare what an action really did with what was reviewed; a difference is reviewed, too."""

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from handrail.model.event import AfterReviewed
from handrail.model.history import History
from handrail.model.intent import MAX_PATHS, Intent
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.review import Reviewer
from handrail.supervise.decision.messages import named
from handrail.supervise.decision.verdict import with_notice
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.state.open_action import OpenAction

_MAX_LOOKED_AT = 20
"""Maximal number of changed files of one action to review."""
_MAX_COMPARED = 200
_MAX_NAMED = 3
_ANSWERS = {
    1: frozenset("grep egrep fgrep rg ag ack diff cmp test [ pgrep which type expr".split()),
}
"""Exit codes by which programs answer "no": they did not fail."""


class AfterReview(NamedTuple):
    """The review of what an action did beyond what was reviewed."""

    review: Review
    differences: tuple[str, ...]
    paths: tuple[str, ...] = ()
    """Files that it changed unforeseen."""
    failed: bool = False
    """Its exit code says that it failed, though the host reports a success."""


def review_after(
    known: OpenAction, ended: EndedCall, reviewer: Reviewer, past: Callable[[], History]
) -> AfterReview | None:
    """Return the review of all differences, or None if it did what was reviewed."""
    code, files = ended.outcome.exit_code, (*ended.created, *ended.changed)
    contradicts = code is not None and (code == 0) is not ended.outcome.ok
    if not files and not contradicts:
        return None  # by far the most
    intent = known.intent
    cwd = ended.action.cwd
    files = tuple(os.path.join(cwd, path) for path in files[:_MAX_COMPARED])
    differs: list[str] = []
    failed = False
    if code is not None and contradicts and not _answers_no(code, intent):
        failed = ended.outcome.ok
        said = "a success" if ended.outcome.ok else "a failure"
        differs.append(f"the host reports {said}, and the exit code is {code}")
    paths = _unforeseen(files, intent)
    new = frozenset(os.path.join(cwd, path) for path in ended.created[:_MAX_COMPARED])
    review = reviewer.review_changes(paths[:_MAX_LOOKED_AT], new, ended.action, past())
    if intent is not None and len(intent.writes) >= MAX_PATHS:
        paths = review.outside  # the review named more files than the intent holds
    if paths:
        differs.append(f"it also changed {named(paths, _MAX_NAMED)}")
    if files and not ended.outcome.ok:
        differs.append(f"it failed, and changed {named(files, _MAX_NAMED)} all the same")
    if not differs:
        return None
    return AfterReview(review, tuple(differs), paths, failed)


def after_event(at: float, step: int, after: AfterReview) -> AfterReviewed:
    """Return the event for the log; its review has an id of its own."""
    review = msgspec.structs.replace(after.review, id=f"a{step}")
    return AfterReviewed(at, step, review, after.differences, after.paths, after.failed)


def told_after_review(verdict: Verdict, step: int, after: AfterReview) -> Verdict:
    """Return the verdict with a word for the agent, if the difference matters."""
    if after.review.decision is Decision.ALLOW:
        return verdict
    says = f"Step {step} did more than was reviewed: {'; '.join(after.differences)}."
    told = f"{says} {after.review.explanation} Look at it before you go on."
    return with_notice(verdict, told)


def _answers_no(code: int, intent: Intent | None) -> bool:
    return intent is not None and intent.sort in _ANSWERS.get(code, ())


def _unforeseen(files: Iterable[str], intent: Intent | None) -> tuple[str, ...]:
    """Return the changed files that the review did not name."""
    foreseen = intent.writes if intent is not None else ()
    real = {os.path.realpath(path) for path in foreseen} if foreseen else set()
    return tuple(
        path
        for path in dict.fromkeys(files)
        if path not in foreseen
        and os.path.realpath(path) not in real
        and not any(path.startswith(f"{each.rstrip('/')}/") for each in foreseen)
    )
