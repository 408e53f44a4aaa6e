"""Was what ran what was let through?"""

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
"""Changed files of one action whose place is looked at."""


class EndedCall(msgspec.Struct, frozen=True):
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
    known: OpenAction | None, ended: EndedCall, reviewer: Reviewer, history: History
) -> str:
    """What ran although it should not have, as a sentence; empty: nothing."""
    if known is None:
        why = _would_stop(ended.action, reviewer, history)
        said = why and f"{ended.action.tool} ran without having been reviewed. {why}"
    elif not known.let_through and not known.asked:
        said = f"Step {known.step} was refused, and ran all the same."
    elif _is_what_was_judged(known, ended.action):
        said = ""
    elif known.verdict.decision is Decision.MODIFY:
        # Not reviewed again: what the command has deleted is no longer there to be seen.
        said = f"Step {known.step} was to run changed, and ran otherwise. {known.verdict.reason}"
    else:
        why = _would_stop(ended.action, reviewer, history)
        said = why and f"Step {known.step} ran with another input than was reviewed. {why}"
    if said or (known is not None and known.asked):
        return said
    return _protected_change(ended, reviewer)


def _is_what_was_judged(known: OpenAction, action: Action) -> bool:
    # A command is known by its text alone, because it may have changed the folder.
    if known.command:
        return command_name(action) == known.command
    # A person who is asked may change what they let run.
    return known.asked or fingerprint(action) == known.name


def _would_stop(action: Action, reviewer: Reviewer, history: History) -> str:
    # What ran is counted already: a limit that it reaches was not broken by it.
    review = reviewer.review(action, msgspec.structs.replace(history, file_operations=0))
    return review.explanation if verdict_of(review, 0).decision.stops else ""


def _protected_change(ended: EndedCall, reviewer: Reviewer) -> str:
    """A file that the command was not seen to change, and that nobody may change."""
    cwd = ended.action.cwd
    for path in ended.changed[:_MAX_LOOKED_AT]:
        review = reviewer.review(Action("Write", {"file_path": path, "content": ""}, cwd))
        # A rule about the tool `Write` says nothing about the file.
        grave = any(effect.severity >= Severity.HIGH for effect in review.effects)
        if grave and review.decision is Decision.BLOCK:
            return f"It has changed {path}. {review.explanation}"
    return ""


def without_env(ended: EndedCall, redactor: Redactor) -> Outcome:
    """The outcome; what a .env file holds is recognised beside the input that names it."""
    told = ended.outcome
    # Looked for here only where one may be meant: the journal takes out all other secrets.
    given = ended.action.input.values()
    if not any(isinstance(value, str) and ".env" in value for value in given):
        return told
    seen = {"input": ended.action.input, "output": told.output, "error": told.error}
    clean = redactor.value(seen)
    if clean == seen or not isinstance(clean, dict):
        return told
    return msgspec.structs.replace(told, output=str(clean["output"]), error=str(clean["error"]))
