"""A verdict in the words of Claude Code's hooks.

An empty object means "no opinion": the host's own permission rules decide. Handrail never says
`allow`, which would switch them off.
"""

from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

Reply = dict[str, object]

_MAX_TEXT = 4_900
"""Claude Code moves a text of more than 10,000 units of UTF-16 into a file."""
_MAX_PART = 2_000
"""Of a reason, so that there is room for what to do instead."""

NO_OPINION: Reply = {}


def before_tool(verdict: Verdict, *, ask: bool) -> Reply:
    """The answer to PreToolUse; `ask`: a person decides about what may be overruled."""
    said: Reply = {"hookEventName": "PreToolUse"}
    if _refuses(verdict):
        asks = ask and verdict.overrulable and not verdict.stop
        said["permissionDecision"] = "ask" if asks else "deny"
        said["permissionDecisionReason"] = asked(verdict) if asks else refused(verdict)
    elif verdict.decision is Decision.MODIFY:
        said["updatedInput"] = verdict.updated_input
        said["additionalContext"] = changed(verdict)
    elif verdict.decision is Decision.WARN:
        said["additionalContext"] = _lines(f"Handrail: {verdict.reason}", *verdict.guidance)
    elif verdict.guidance:
        said["additionalContext"] = advice(verdict)
    return _whole(said, verdict)


def after_tool(event: str, verdict: Verdict) -> Reply:
    """The answer to PostToolUse and PostToolUseFailure."""
    said: Reply = {"hookEventName": event}
    if verdict.decision is not Decision.ALLOW:
        said["additionalContext"] = _lines(
            f"Handrail: {verdict.reason}", verdict.alternative, *verdict.guidance
        )
    elif verdict.guidance:
        said["additionalContext"] = advice(verdict)
    return _whole(said, verdict)


def after_turn(verdict: Verdict) -> Reply:
    """The answer to Stop: with guidance the agent goes on, because it is not done."""
    if verdict.stop or not verdict.guidance:
        return _whole({"hookEventName": "Stop"}, verdict)
    said: Reply = {"decision": "block", "reason": advice(verdict)}
    return {**said, "systemMessage": _cut(verdict.alarm)} if verdict.alarm else said


def advice(verdict: Verdict) -> str:
    """What the agent reads when a run goes wrong."""
    return _lines(f"Handrail: {verdict.guidance[0]}", *verdict.guidance[1:])


def permission(verdict: Verdict) -> Reply:
    """The answer to PermissionRequest: only a refusal is an answer."""
    said: Reply = {"hookEventName": "PermissionRequest"}
    if _refuses(verdict):
        said["decision"] = {"behavior": "deny", "message": refused(verdict)}
    return _whole(said, verdict)


def context(event: str, text: str, alarm: str = "") -> Reply:
    """A reply that tells the agent something, and the person what they must see at once."""
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": _cut(text)}}
    return {**said, "systemMessage": _cut(alarm)} if alarm else {**said}


def block(reason: str) -> Reply:
    """The answer that keeps settings as they were (ConfigChange) or a prompt from being heard."""
    return {"decision": "block", "reason": _cut(reason), "systemMessage": _cut(reason)}


def refused(verdict: Verdict) -> str:
    """What the agent reads when it is refused: why, and what to do instead."""
    instead = verdict.alternative and f"Do this instead: {_small(verdict.alternative)}"
    return _lines(f"Handrail stopped this: {_small(verdict.reason)}", instead, *verdict.guidance)


def asked(verdict: Verdict) -> str:
    """What the person reads who is asked."""
    safer = verdict.alternative and f"Safer: {_small(verdict.alternative)}"
    return _lines(f"Handrail would stop this: {_small(verdict.reason)}", safer)


def changed(verdict: Verdict) -> str:
    """What the agent reads when its command was rewritten; its history shows the old one."""
    # A command line that was cut would do something else.
    restore = verdict.restore if len(verdict.restore) < _MAX_PART - 100 else "handrail restore"
    back = verdict.restore and f"To put it back: {restore}"
    changes = "\n".join(verdict.changes)
    return _lines(
        f"Handrail changed this command before it ran:\n{changes}", back, *verdict.guidance
    )


def _refuses(verdict: Verdict) -> bool:
    # `continue: false` alone would let the tool run and then stop: a stop is always a refusal too.
    return (
        verdict.decision is Decision.BLOCK
        or verdict.stop
        or (verdict.decision is Decision.MODIFY and verdict.updated_input is None)
    )


def _whole(said: Reply, verdict: Verdict) -> Reply:
    reply: Reply = {"hookSpecificOutput": said} if len(said) > 1 else {}
    if verdict.stop:
        reply |= {"continue": False, "stopReason": _cut(verdict.reason)}
    if verdict.alarm:
        reply["systemMessage"] = _cut(verdict.alarm)
    return reply


def _small(sentence: str) -> str:
    """A sentence that goes on after a colon."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first in ("It", "The", "This") else sentence


def _lines(*parts: str) -> str:
    return _cut("\n".join(_cut(part, _MAX_PART) for part in parts if part))


def _cut(text: str, most: int = _MAX_TEXT) -> str:
    return text if len(text) <= most else f"{text[: most - 2]} …"
