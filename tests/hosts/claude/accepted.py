"""What Claude Code accepts as a hook's answer, as far as Handrail uses it, and what it may mean.

An answer that does not fit is ignored or taken for a failure of the hook: then the call may run.
"""

from tests.hosts.claude.desk import Json, said

CONTEXT: dict[str, type] = {"additionalContext": str}
SPECIFIC: dict[str, dict[str, type]] = {
    "PreToolUse": {
        "permissionDecision": str,
        "permissionDecisionReason": str,
        "updatedInput": dict,
        **CONTEXT,
    },
    "PermissionRequest": {"decision": dict},
    "PostToolUse": CONTEXT,
    "PostToolUseFailure": CONTEXT,
    "SessionStart": CONTEXT,
}
UNIVERSAL: dict[str, type] = {
    "continue": bool,
    "stopReason": str,
    "systemMessage": str,
    "hookSpecificOutput": dict,
}
BLOCKING: dict[str, type] = {"decision": str, "reason": str}
CAN_BLOCK = ("ConfigChange", "Stop", "UserPromptSubmit")
MOST_UNITS = 10_000


def check(event: str, reply: Json) -> None:
    """Fails unless Claude Code would take the answer as it is meant."""
    assert isinstance(reply, dict)
    allowed = {**UNIVERSAL, **(BLOCKING if event in CAN_BLOCK else {})}
    _check_types(reply, allowed)
    assert reply.get("decision", "block") == "block"
    part = said(reply)
    if part:
        fields = {name: value for name, value in part.items() if name != "hookEventName"}
        assert part["hookEventName"] == event
        assert fields
        _check_types(fields, SPECIFIC[event])
    assert part.get("permissionDecision", "deny") in ("deny", "ask"), "it never says allow"
    if event == "PermissionRequest" and part:
        assert part["decision"]["behavior"] == "deny"
        assert part["decision"]["message"]
    if "permissionDecision" in part:
        assert part["permissionDecisionReason"]
    if reply.get("continue") is False and event == "PreToolUse":
        assert part["permissionDecision"] == "deny", "alone, it would let the call run first"


def _check_types(found: Json, allowed: dict[str, type]) -> None:
    for name, value in found.items():
        assert type(value) is allowed[name], name
        if isinstance(value, str):
            assert len(value.encode("utf-16-le", "surrogatepass")) / 2 < MOST_UNITS, name
