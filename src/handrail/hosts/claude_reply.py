"""A verdict in the words of Claude Code's hooks.

An empty object means "no opinion": the host's own permission rules decide. Handrail never says
`allow`, which would switch them off.
"""

from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

Reply = dict[str, object]

_MAX_TEXT = 9_000
"""Claude Code moves texts of more than 10,000 characters into a file."""

NO_OPINION: Reply = {}


def before_tool(verdict: Verdict, *, ask: bool) -> Reply:
    """The answer to PreToolUse; `ask`: a person decides about what may be overruled."""
    said: Reply = {"hookEventName": "PreToolUse"}
    if verdict.decision is Decision.BLOCK:
        asks = ask and verdict.overrulable and not verdict.stop
        said["permissionDecision"] = "ask" if asks else "deny"
        said["permissionDecisionReason"] = _cut(asked(verdict) if asks else refused(verdict))
    elif verdict.decision is Decision.MODIFY:
        said["updatedInput"] = verdict.updated_input
        said["additionalContext"] = _cut(changed(verdict))
    elif verdict.decision is Decision.WARN:
        said["additionalContext"] = _cut(
            " ".join((f"Handrail: {verdict.reason}", *verdict.guidance))
        )
    return _whole(said, verdict)


def after_tool(event: str, verdict: Verdict) -> Reply:
    """The answer to PostToolUse, PostToolUseFailure and PostToolBatch."""
    said: Reply = {"hookEventName": event}
    if verdict.decision is not Decision.ALLOW:
        said["additionalContext"] = _cut(
            " ".join((f"Handrail: {verdict.reason}", verdict.alternative))
        )
    return _whole(said, verdict)


def permission(verdict: Verdict) -> Reply:
    """The answer to PermissionRequest: only a refusal is an answer."""
    if verdict.decision is not Decision.BLOCK:
        return NO_OPINION
    decision = {"behavior": "deny", "message": _cut(refused(verdict))}
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def context(event: str, text: str) -> Reply:
    """A reply that only tells the agent something."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": _cut(text)}}


def block_change(reason: str) -> Reply:
    """The answer to ConfigChange that keeps the session's settings as they are."""
    return {"decision": "block", "reason": _cut(reason), "systemMessage": _cut(reason)}


def refused(verdict: Verdict) -> str:
    """What the agent reads when it is refused: why, and what to do instead."""
    parts = [f"Handrail stopped this: {_small(verdict.reason)}"]
    if verdict.alternative:
        parts.append(f"Do this instead: {_small(verdict.alternative)}")
    return "\n".join((*parts, *verdict.guidance))


def asked(verdict: Verdict) -> str:
    """What the person reads who is asked."""
    text = f"Handrail would stop this: {_small(verdict.reason)}"
    return f"{text}\nSafer: {_small(verdict.alternative)}" if verdict.alternative else text


def changed(verdict: Verdict) -> str:
    """What the agent reads when its command was rewritten; its history shows the old one."""
    parts = ["Handrail changed this command before it ran:", *verdict.changes]
    if verdict.restore:
        parts.append(f"To put it back: {verdict.restore}")
    return "\n".join((*parts, *verdict.guidance))


def _whole(said: Reply, verdict: Verdict) -> Reply:
    reply: Reply = {"hookSpecificOutput": said} if len(said) > 1 else {}
    if verdict.stop:
        # Alone it would let the tool run and then stop: it only ever comes with a `deny`.
        reply |= {"continue": False, "stopReason": _cut(verdict.reason)}
    if verdict.alarm:
        reply["systemMessage"] = _cut(verdict.alarm)
    return reply


def _small(sentence: str) -> str:
    """A sentence that goes on after a colon."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first in ("It", "The", "This") else sentence


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} …"
