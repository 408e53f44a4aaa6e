"""Translate a verdict into the replies of Claude Code's hooks.

An empty object means "no opinion": the host's own permission rules decide. Handrail never says
`allow`, which would switch them off.
"""

from handrail.hosts.port import Reply
from handrail.hosts.wording import advice, asks, cut, refused, refuses, told, told_after
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

NO_OPINION: Reply = {}


def before_tool(verdict: Verdict, *, ask: bool) -> Reply:
    """Return the reply to PreToolUse; `ask`: let a person decide where they may overrule."""
    said: Reply = {"hookEventName": "PreToolUse"}
    text = told(verdict, ask=ask)
    if refuses(verdict):
        said["permissionDecision"] = "ask" if asks(verdict, ask=ask) else "deny"
        said["permissionDecisionReason"] = text
    elif text:
        if verdict.decision is Decision.MODIFY:
            said["updatedInput"] = verdict.updated_input
        said["additionalContext"] = text
    return _whole(said, verdict)


def after_tool(event: str, verdict: Verdict) -> Reply:
    """Return the reply to PostToolUse and PostToolUseFailure."""
    said: Reply = {"hookEventName": event}
    if text := told_after(verdict):
        said["additionalContext"] = text
    return _whole(said, verdict)


def after_turn(verdict: Verdict) -> Reply:
    """Return the reply to Stop: with guidance the agent goes on, because it is not done."""
    if verdict.stop or not verdict.guidance:
        return _whole({"hookEventName": "Stop"}, verdict)
    said: Reply = {"decision": "block", "reason": advice(verdict)}
    return {**said, "systemMessage": cut(verdict.alarm)} if verdict.alarm else said


def permission(verdict: Verdict) -> Reply:
    """Return the reply to PermissionRequest: only a refusal is an answer."""
    said: Reply = {"hookEventName": "PermissionRequest"}
    if refuses(verdict):
        said["decision"] = {"behavior": "deny", "message": refused(verdict)}
    return _whole(said, verdict)


def context(event: str, text: str, alarm: str = "") -> Reply:
    """Return a reply that informs the agent, and alerts the person if needed."""
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": cut(text)}}
    return {**said, "systemMessage": cut(alarm)} if alarm else {**said}


def with_prompt(text: str, alarm: str) -> Reply:
    """The answer to a prompt: what the agent hears beside it, and what the person has to see."""
    if text:
        return context("UserPromptSubmit", text, alarm)
    return {"systemMessage": cut(alarm)} if alarm else NO_OPINION


def block(reason: str) -> Reply:
    """Return the reply that blocks a change of settings (ConfigChange) or a prompt."""
    return {"decision": "block", "reason": cut(reason), "systemMessage": cut(reason)}


def _whole(said: Reply, verdict: Verdict) -> Reply:
    reply: Reply = {"hookSpecificOutput": said} if len(said) > 1 else {}
    if verdict.stop:
        reply |= {"continue": False, "stopReason": cut(verdict.reason)}
    if verdict.alarm:
        reply["systemMessage"] = cut(verdict.alarm)
    return reply
