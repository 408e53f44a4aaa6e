"""Decide what to save before an action, because nothing else could bring it back."""

import os
from collections.abc import Iterator

from handrail.config.glob import escape
from handrail.config.trash import Trash
from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.review import Review, Verdict
from handrail.redact import Redactor
from handrail.review.reviewer import ReviewDraft
from handrail.supervise.decision.checkpoint_request import (
    CheckpointRequest,
    CheckpointUrgency,
    CopyRequest,
)
from handrail.supervise.decision.verdict import only_reads
from handrail.supervise.state.run_state import RunState

_DESTROYS = frozenset({Kind.DELETE, Kind.DISCARD, Kind.REWRITE})
_WRITES = frozenset({Kind.WRITE, Kind.PERMIT, Kind.LINK})
_CODE = frozenset({Kind.RUN, Kind.UNSEEN, Kind.INSTALL, Kind.CHANGE, Kind.DESTROY})
_MAX_TARGETS = 20
_MAX_WHY = 100
_MAX_SECRET = 500
"""Characters of a secret, at most, for which a line is cut later."""


def checkpoint_request(
    action: Action,
    draft: ReviewDraft,
    verdict: Verdict,
    state: RunState,
    redactor: Redactor,
    trash: Trash,
) -> CheckpointRequest | None:
    """Return what to save before an action; None: it only reads, or does not run."""
    review = draft.review
    if verdict.decision is Decision.BLOCK and not review.checkpoint_first:
        return None
    if not action.id or (only_reads(review) and not draft.changes_repository):
        return None
    return CheckpointRequest(
        state.run,
        state.cwd,
        state.step,
        _need(action, draft),
        lambda: f"before {action_line(action, redactor)}"[:_MAX_WHY],
        tuple(dict.fromkeys(_targets(review)))[:_MAX_TARGETS],
        _copies(action, draft, state, trash),
    )


def _copies(
    action: Action, draft: ReviewDraft, state: RunState, trash: Trash
) -> CopyRequest | None:
    """Return the files that it may overwrite; None: there are none."""
    if not trash.max_file_mb:
        return None
    overwrites = draft.overwrites()
    if not overwrites.files and not overwrites.commits:
        return None
    return CopyRequest(action.id, overwrites, trash, state.history.began)


def action_line(action: Action, redactor: Redactor, limit: int = _MAX_WHY) -> str:
    """Return an action in one line of at most `limit` characters, without its secrets."""
    given = next((text for text in action.input.values() if isinstance(text, str) and text), "")
    line = f"{action.tool}: {' '.join(given.split())}"
    # A secret that is cut in two is not recognized any more.
    return redactor.text(line[: limit + _MAX_SECRET])[:limit]


def _need(action: Action, draft: ReviewDraft) -> CheckpointUrgency:
    review = draft.review
    if review.checkpoint_first:
        return CheckpointUrgency.MUST
    if draft.changes_repository:
        return CheckpointUrgency.CHANGE
    by_shell = action.tool.lower() in SHELL_TOOLS
    needs = {_need_of(effect, by_shell=by_shell) for effect in review.effects}
    return max(needs | {CheckpointUrgency.CODE if review.strange else CheckpointUrgency.QUIET})


def _need_of(effect: Effect, *, by_shell: bool) -> CheckpointUrgency:
    if effect.kind in _DESTROYS:
        is_nothing = effect.undo is Undo.NEEDLESS or effect.severity is Severity.NONE
        return CheckpointUrgency.QUIET if is_nothing else CheckpointUrgency.CHANGE
    if effect.kind in _CODE or effect.opaque:
        return CheckpointUrgency.CODE
    overwrites = effect.kind in _WRITES and by_shell and os.path.lexists(effect.target)
    return CheckpointUrgency.CHANGE if overwrites else CheckpointUrgency.QUIET


def _targets(review: Review) -> Iterator[str]:
    for effect in review.effects:
        if effect.kind is not Kind.DELETE or effect.undo is not Undo.CHECKPOINT or effect.opaque:
            continue
        yield effect.target if effect.glob else escape(effect.target)
