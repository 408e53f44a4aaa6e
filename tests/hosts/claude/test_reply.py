"""A verdict reaches Claude Code in words that it takes as they are meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.claude import reply
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from tests.hosts.claude.accepted import check
from tests.hosts.claude.desk import decision, said

BLOCK = Verdict(Decision.BLOCK, "It deletes /.", "List it first.", overrulable=True)
NEW = {"command": "trash a", "description": "why", "timeout": 5}
MODIFY = Verdict(
    Decision.MODIFY, "It deletes a.", updated_input=NEW, changes=("a moved",), restore="mv b a"
)


def test_allow_is_no_opinion() -> None:
    assert reply.before_tool(Verdict(Decision.ALLOW), ask=True) == {}


def test_a_refusal_says_why_and_what_to_do_instead() -> None:
    assert said(reply.before_tool(BLOCK, ask=False)) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Handrail stopped this: it deletes /.\n"
        "Do this instead: List it first.",
    }


def test_a_person_who_is_asked_reads_why_and_what_would_be_safer() -> None:
    assert said(reply.before_tool(BLOCK, ask=True)) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "Handrail would stop this: it deletes /.\n"
        "Safer: List it first.",
    }


def test_nobody_is_asked_about_what_may_not_be_overruled() -> None:
    verdict = Verdict(Decision.BLOCK, "It deletes /.", "List it first.")
    assert decision(reply.before_tool(verdict, ask=True)) == "deny"


@pytest.mark.parametrize("kind", list(Decision))
def test_a_stop_is_always_a_refusal_too(kind: Decision) -> None:
    verdict = Verdict(kind, "Enough.", overrulable=True, stop=True)
    given = reply.before_tool(verdict, ask=True)
    assert (decision(given), given["continue"], given["stopReason"]) == ("deny", False, "Enough.")


def test_a_rewrite_without_an_input_is_a_refusal() -> None:
    assert decision(reply.before_tool(Verdict(Decision.MODIFY, "?"), ask=False)) == "deny"


def test_a_rewrite_carries_the_whole_input_and_how_to_undo_it() -> None:
    part = said(reply.before_tool(MODIFY, ask=False))
    assert part["updatedInput"] == NEW
    assert part["additionalContext"] == (
        "Handrail changed this command before it ran:\na moved\nTo put it back: mv b a"
    )


def test_a_command_line_that_is_too_long_to_say_is_not_cut() -> None:
    verdict = Verdict(Decision.MODIFY, "", updated_input=NEW, restore="mv " + "x" * 3000)
    text = said(reply.before_tool(verdict, ask=False))["additionalContext"]
    assert text.endswith("To put it back: handrail restore")


def test_a_warning_is_told_and_decides_nothing() -> None:
    verdict = Verdict(Decision.WARN, "It installs x.", guidance=("Pin it.",))
    assert reply.before_tool(verdict, ask=True) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "additionalContext": "Handrail: It installs x.\nPin it.",
        }
    }


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_what_went_wrong_afterwards_stops_the_run(event: str) -> None:
    verdict = Verdict(Decision.BLOCK, "It ran.", "Look.", stop=True, alarm="It ran. Look.")
    assert reply.after_tool(event, verdict) == {
        "hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": "Handrail: It ran.\nLook.",
        },
        "continue": False,
        "stopReason": "It ran.",
        "systemMessage": "It ran. Look.",
    }
    assert reply.after_tool(event, Verdict(Decision.ALLOW)) == {}


def test_a_permission_is_refused_or_left_to_the_host() -> None:
    decided = said(reply.permission(BLOCK))["decision"]
    assert decided["behavior"] == "deny"
    assert "List it first." in decided["message"]
    for kind in (Decision.ALLOW, Decision.WARN):
        assert reply.permission(Verdict(kind, "x")) == {}
    assert reply.permission(MODIFY) == {}


def test_an_alarm_reaches_the_person() -> None:
    given = reply.before_tool(Verdict(Decision.ALLOW, alarm="The disk is full."), ask=False)
    assert given == {"systemMessage": "The disk is full."}
    assert reply.context("SessionStart", "hello", "!")["systemMessage"] == "!"


def test_settings_and_prompts_are_kept_out_with_a_reason() -> None:
    given = reply.block("no hooks")
    assert given == {"decision": "block", "reason": "no hooks", "systemMessage": "no hooks"}


def test_a_long_reason_leaves_room_for_the_alternative() -> None:
    verdict = Verdict(Decision.BLOCK, "😀" * 50_000, "List it first.", guidance=("again " * 9000,))
    text = said(reply.before_tool(verdict, ask=False))["permissionDecisionReason"]
    assert "List it first." in text


texts = st.text(max_size=30).flatmap(lambda text: st.integers(0, 2000).map(lambda n: text * n))
verdicts = st.builds(
    Verdict,
    decision=st.sampled_from(Decision),
    reason=texts,
    alternative=texts,
    updated_input=st.none() | st.just(NEW),
    changes=st.lists(texts, max_size=3).map(tuple),
    restore=texts,
    guidance=st.lists(texts, max_size=3).map(tuple),
    overrulable=st.booleans(),
    stop=st.booleans(),
    alarm=texts,
)


@given(verdicts, st.booleans())
def test_every_verdict_becomes_an_answer_that_is_taken(verdict: Verdict, ask: bool) -> None:
    given = reply.before_tool(verdict, ask=ask)
    check("PreToolUse", given)
    check("PermissionRequest", reply.permission(verdict))
    check("PostToolUse", reply.after_tool("PostToolUse", verdict))
    if verdict.decision is Decision.BLOCK or verdict.stop:
        assert decision(given) in ("deny", "ask")
    if not verdict.overrulable or verdict.stop:
        assert decision(given) != "ask"
