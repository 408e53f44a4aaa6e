"""Check that a tool ran exactly what Handrail let through."""

import hashlib

import msgspec

from handrail.model.action import Action, Outcome
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.model.ordinal import Decision, Severity
from handrail.redact import Redactor
from handrail.review import Reviewer
from handrail.review.tools.tool_effects import MalformedInputError, command_of
from handrail.supervise.decision.verdict import verdict_of
from handrail.supervise.state.open_action import OpenAction

_MAX_LOOKED_AT = 20
"""Maximal number of changed files of one action to check."""


class EndedCall(msgspec.Struct, frozen=True):
    """The host's report of an action that ran."""

    action: Action
    outcome: Outcome
    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def command_name(action: Action, updated_input: dict[str, object] | None = None) -> str:
    """Return the fingerprint of an action's command line, or ""."""
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


def ran_as_judged(known: OpenAction, ended: EndedCall, command: str) -> bool:
    """Return whether it is certainly the permitted one; `command`: its command's fingerprint."""
    is_same = command != "" and command == known.command
    return is_same and known.let_through and not ended.changed


def find_breach(
    known: OpenAction | None, ended: EndedCall, reviewer: Reviewer, history: History
) -> str:
    """Describe an action that ran although it should not have, or return ""."""
    if known is None:
        why = _would_stop(ended.action, reviewer, history)
        said = why and f"{ended.action.tool} ran without having been reviewed. {why}"
    elif not known.let_through and not known.asked:
        said = f"Step {known.step} was refused, and ran all the same."
    elif _is_what_was_judged(known, ended.action):
        said = ""
    elif known.verdict.decision is Decision.MODIFY:
        # Not reviewed again: the command may have deleted the files that a review would look at.
        why = known.verdict.reason
        said = f"Handrail changed step {known.step}, but it ran in another form. {why}"
    else:
        why = _would_stop(ended.action, reviewer, history)
        said = why and f"Step {known.step} ran with another input than was reviewed. {why}"
    if said or (known is not None and (known.asked or known.approved)):
        return said
    return _protected_change(ended, reviewer)


def _is_what_was_judged(known: OpenAction, action: Action) -> bool:
    # The text alone identifies a command, because it may have changed the folder.
    if known.command:
        return command_name(action) == known.command
    # A person who is asked may edit the command.
    return known.asked or fingerprint(action) == known.name


def _would_stop(action: Action, reviewer: Reviewer, history: History) -> str:
    # The action is counted already: it did not break a limit by reaching it.
    review = reviewer.review(action, msgspec.structs.replace(history, file_operations=0))
    return review.explanation if verdict_of(review, 0).decision.stops else ""


def _protected_change(ended: EndedCall, reviewer: Reviewer) -> str:
    """Return a protected file that the command changed without showing it, or ""."""
    cwd = ended.action.cwd
    for path in ended.changed[:_MAX_LOOKED_AT]:
        review = reviewer.review(Action("Write", {"file_path": path, "content": ""}, cwd))
        # A rule about the tool `Write` does not concern the file.
        grave = any(effect.severity >= Severity.HIGH for effect in review.effects)
        if grave and review.decision is Decision.BLOCK:
            return f"It has changed {path}. {review.explanation}"
    return ""


def without_env(ended: EndedCall, redactor: Redactor) -> Outcome:
    """Return the outcome without values of a .env file that its input names."""
    told = ended.outcome
    # Search only if a .env file may be involved: the journal removes all other secrets.
    given = ended.action.input.values()
    if not any(isinstance(value, str) and ".env" in value for value in given):
        return told
    seen = {"input": ended.action.input, "output": told.output, "error": told.error}
    clean = redactor.value(seen)
    if clean == seen or not isinstance(clean, dict):
        return told
    return msgspec.structs.replace(told, output=str(clean["output"]), error=str(clean["error"]))
