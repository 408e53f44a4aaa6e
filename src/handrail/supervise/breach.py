"""Was what ran what was let through?"""

import hashlib

import msgspec

from handrail.model.action import Action, Outcome
from handrail.model.ordinal import Decision
from handrail.review import History, Reviewer
from handrail.review.tools import MalformedInputError, command_of
from handrail.supervise.state import OpenAction

_MAX_LOOKED_AT = 20
"""Changed files of one action whose place is looked at."""


class Ended(msgspec.Struct, frozen=True):
    """What the host reports of an action that ran."""

    action: Action
    outcome: Outcome
    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def command_name(action: Action, updated_input: dict[str, object] | None = None) -> str:
    """The fingerprint of the command line of an action; empty where there is none."""
    if updated_input is not None:
        action = msgspec.structs.replace(action, input=updated_input)
    try:
        command = command_of(action)
    except MalformedInputError:
        return ""
    if command is None:
        return ""
    data = command.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def find_breach(
    known: OpenAction | None, ended: Ended, reviewer: Reviewer, history: History
) -> str:
    """What ran although it should not have, as a sentence; empty: nothing."""
    if known is not None:
        if known.verdict.decision is Decision.BLOCK and not known.asked:
            return f"Step {known.step} was refused, and ran all the same."
        if known.command and command_name(ended.action) != known.command:
            why = _would_stop(ended.action, reviewer, history)
            return why and f"Step {known.step} ran with another command than was reviewed. {why}"
        if known.asked:
            return ""
    else:
        why = _would_stop(ended.action, reviewer, history)
        if why:
            return f"{ended.action.tool} ran without having been reviewed. {why}"
    return _protected_change(ended, reviewer)


def _would_stop(action: Action, reviewer: Reviewer, history: History) -> str:
    review = reviewer.review(action, history)
    return review.explanation if review.decision.stops else ""


def _protected_change(ended: Ended, reviewer: Reviewer) -> str:
    """A file that the command was not seen to change, and that nobody may change."""
    cwd = ended.action.cwd
    for path in ended.changed[:_MAX_LOOKED_AT]:
        review = reviewer.review(Action("Write", {"file_path": path, "content": ""}, cwd))
        if review.decision is Decision.BLOCK:
            return f"It has changed {path}. {review.explanation}"
    return ""
