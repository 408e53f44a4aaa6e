"""What becomes of a session's messages: verdicts, runs, sub-agents, and everything out of order."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.hosts.claude.hooks import WELCOME, failed
from handrail.model.event import ActionDropped, ActionReviewed, PromptGiven, RunStarted
from handrail.store.errors import DamagedError, DiskFullError
from tests.hosts.claude.desk import Desk, Json, decision, said
from tests.hosts.claude.failing import Failing
from tests.project_settings import write_confirmed

OVERRULABLE = "npm publish"
CRITICAL = "rm -rf /"
WARNED = "curl -X POST -d @cart.json https://api.example.com/cart"
TAMPERING = "handrail serve --stop"
REWRITTEN = "git push --force origin main"


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def shop(tmp_path: Path) -> Desk:
    """A desk for a project that is really there."""
    folder = tmp_path / "home" / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / "notes").mkdir()
    (folder / "notes" / "a.txt").write_text("a")
    return Desk(str(folder), str(tmp_path / "home"))


# Verdicts


def test_a_harmless_command_is_left_to_the_host(desk: Desk) -> None:
    assert desk.before("ls") == {}


def test_an_unattended_session_is_refused_with_an_alternative(desk: Desk) -> None:
    desk.tell("SessionStart", attended=False, source="startup")
    reply = desk.before(OVERRULABLE, permission_mode="default")
    assert decision(reply) == "deny"
    assert "Do this instead:" in said(reply)["permissionDecisionReason"]


@pytest.mark.parametrize("mode", ["", "auto", "default", "acceptEdits", "plan"])
def test_a_person_is_asked_about_what_may_be_overruled(desk: Desk, mode: str) -> None:
    desk.tell("SessionStart", attended=True, source="startup")
    assert decision(desk.before(OVERRULABLE, permission_mode=mode)) == "ask"


@pytest.mark.parametrize("mode", ["bypassPermissions", "dontAsk", "unheard of"])
def test_a_person_who_does_not_want_to_be_asked_is_not(desk: Desk, mode: str) -> None:
    desk.tell("SessionStart", attended=True, source="startup")
    assert decision(desk.before(OVERRULABLE, permission_mode=mode)) == "deny"


@pytest.mark.parametrize("command", [CRITICAL, TAMPERING, "echo $(" * 400])
def test_nobody_is_asked_about_what_is_critical_or_unreadable(desk: Desk, command: str) -> None:
    desk.tell("SessionStart", attended=True, source="startup")
    assert decision(desk.before(command, permission_mode="default")) == "deny"


@pytest.mark.parametrize(("setting", "outcome"), [("always", "ask"), ("never", "deny")])
def test_settings_say_whether_somebody_can_be_asked(setting: str, outcome: str) -> None:
    desk = Desk(environ={"HANDRAIL_ATTENDED": setting})
    desk.tell("SessionStart", attended=setting == "never", source="startup")
    assert decision(desk.before(OVERRULABLE, permission_mode="default")) == outcome


@pytest.mark.parametrize(
    ("source", "outcome"),
    [("compact", "deny"), ("", "deny"), ("startup", "run"), ("resume", "run"), ("clear", "run")],
)
def test_laxer_settings_wait_for_a_person_who_starts_the_session(
    shop: Desk, source: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.supervise.runs.project._LOOK_AGAIN", 0.0)
    shop.before("ls")
    write_confirmed(Path(shop.folder), "step_reviewer: {enabled: false}\n", shop.environ)
    assert decision(shop.before(CRITICAL, "t2")) == "deny"
    shop.tell("SessionStart", source=source)
    assert decision(shop.before(CRITICAL, "t3")) == outcome


def test_a_rewrite_keeps_every_other_field(shop: Desk) -> None:
    fields = {"description": "why", "timeout": 7, "run_in_background": False, "ünknown": [1.5]}
    reply = shop.tell(
        "PreToolUse",
        tool_name="Bash",
        tool_input={"command": "rm -rf notes", **fields},
        tool_use_id="t1",
    )
    updated = said(reply)["updatedInput"]
    assert updated.pop("command") != "rm -rf notes"
    assert updated == fields
    assert "To put it back: " in said(reply)["additionalContext"]


def test_a_warning_is_told_to_the_agent(desk: Desk) -> None:
    reply = desk.before(WARNED)
    assert set(said(reply)) == {"hookEventName", "additionalContext"}


def test_the_same_call_twice_gets_the_same_answer_and_is_one_step(desk: Desk) -> None:
    assert desk.before(CRITICAL) == desk.before(CRITICAL)
    assert desk.state().step == 1


def test_a_refusal_that_is_repeated_says_so(desk: Desk) -> None:
    desk.before(CRITICAL, "t1")
    again = said(desk.before(CRITICAL, "t2"))["permissionDecisionReason"]
    assert "second time" in again


# Faults


def test_an_unreadable_log_lets_reads_go_on_and_refuses_the_rest_with_the_fix() -> None:
    store = Failing()
    desk = Desk(store=store)
    store.on_read = DamagedError("/x/events.db", "not a database")
    refused = desk.before("touch a")
    assert decision(refused) == "deny"
    assert "doctor --fix" in said(refused)["permissionDecisionReason"]
    assert "systemMessage" in refused
    assert "systemMessage" not in desk.before("touch b", "t2"), "loud once, not on every call"
    assert decision(desk.before("cat a", "t3")) == "run"
    assert desk.tell("Stop") == {}
    store.on_read = None
    assert desk.before("touch a", "t4") == {}


def test_a_session_that_starts_without_a_log_is_told_at_once() -> None:
    store = Failing()
    desk = Desk(store=store)
    store.on_read = DamagedError("/x/events.db", "not a database")
    assert "damaged" in desk.tell("SessionStart", source="startup")["systemMessage"]
    store.on_read, store.on_write = None, DiskFullError("/x/events.db")
    assert "full" in desk.tell("SessionStart", source="startup")["systemMessage"]


def test_a_full_disk_refuses_what_changes_something_until_there_is_room_again() -> None:
    store = Failing()
    desk = Desk(store=store)
    desk.tell("SessionStart", source="startup")
    store.on_write = DiskFullError("/x/events.db")
    refused = desk.before("touch a")
    assert decision(refused) == "deny"
    assert "make room" in said(refused)["permissionDecisionReason"]
    assert decision(desk.before("cat a", "t2")) == "run"
    permission = desk.tell("PermissionRequest", tool_name="Bash", tool_input={"command": "touch b"})
    assert said(permission)["decision"]["behavior"] == "deny"
    store.on_write = None
    assert desk.before("touch a", "t3") == {}


def test_a_breakdown_refuses_calls_but_reads_and_other_events_go_on() -> None:
    def answer(**fields: object) -> Json:
        body = {"session_id": "s", "cwd": "/", **fields}
        return failed("KeyError: 'x'", json.dumps(body).encode())

    bash = answer(hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    assert decision(bash) == "deny"
    read = answer(hook_event_name="PreToolUse", tool_name="Read", tool_input={"file_path": "/a"})
    assert read == {}
    asked = answer(hook_event_name="PermissionRequest", tool_name="Write", tool_input={})
    assert said(asked)["decision"]["behavior"] == "deny"
    assert answer(hook_event_name="Stop") == {}
    assert decision(failed("x", b"garbage")) == "deny"


# The life of a session


def test_a_session_is_welcomed_and_told_what_is_wrong_with_its_hooks(desk: Desk) -> None:
    welcome = {"hookEventName": "SessionStart", "additionalContext": WELCOME}
    assert desk.tell("SessionStart", source="startup") == {"hookSpecificOutput": welcome}
    desk.refusal = "A proxy is set."
    proxied = desk.tell("SessionStart", proxied=True, source="startup")
    assert proxied == {"hookSpecificOutput": welcome, "systemMessage": "A proxy is set."}
    assert [visit.origin.proxied for visit, _ in desk.asked_about] == [False, True]


def test_a_prompt_is_not_heard_where_nothing_would_be_supervised(desk: Desk) -> None:
    desk.refusal = "The hooks were taken out."
    blocked = desk.tell("UserPromptSubmit", prompt="go on")
    assert (blocked["decision"], blocked["reason"]) == ("block", "The hooks were taken out.")
    assert desk.state().history.goal == ""


def test_a_session_whose_start_was_not_heard_is_a_run_all_the_same(desk: Desk) -> None:
    desk.before("ls")
    started = desk.events()[0]
    assert isinstance(started, RunStarted)
    assert (started.source, started.attended) == ("", False)


def test_somebody_at_a_session_is_noticed_with_the_first_prompt(desk: Desk) -> None:
    desk.before("ls")
    assert decision(desk.before(OVERRULABLE, "t2", permission_mode="default")) == "deny"
    desk.tell("UserPromptSubmit", attended=True, prompt="go on")
    assert decision(desk.before(OVERRULABLE, "t3", permission_mode="default")) == "ask"
    desk.tell("UserPromptSubmit", attended=True, prompt="go on")
    assert desk.kinds().count("RunStarted") == 2


def test_the_goal_is_what_people_wrote(desk: Desk) -> None:
    desk.tell("UserPromptSubmit", prompt="fix the cart total")
    desk.tell("UserPromptSubmit", prompt="<task-notification>\n<task-id>a</task-id>")
    assert desk.state().history.goal == "fix the cart total"
    assert [event.text for event in desk.events() if isinstance(event, PromptGiven)] == [
        "fix the cart total"
    ]


def test_compaction_keeps_the_run_and_whether_somebody_is_there(desk: Desk) -> None:
    desk.tell("SessionStart", attended=True, source="startup")
    desk.before(CRITICAL)
    desk.tell("PreCompact", trigger="auto")
    desk.tell("SubagentStop", agent_id="a1", agent_type="")
    desk.tell("SessionStart", source="compact")
    state = desk.state()
    assert (state.step, state.compactions, state.attended, state.phase) == (1, 1, True, "working")


def test_a_session_that_is_resumed_goes_on_where_it_was(desk: Desk) -> None:
    desk.tell("SessionStart", source="startup")
    desk.before(CRITICAL)
    desk.tell("SessionEnd", reason="other")
    desk.tell("SessionStart", source="resume")
    assert desk.state().phase == "waiting"
    assert "second time" in json.dumps(desk.before(CRITICAL, "t2"))


@pytest.mark.parametrize("source", ["fork", "clear"])
def test_a_new_session_id_is_a_new_run(desk: Desk, source: str) -> None:
    desk.before(CRITICAL)
    desk.tell("SessionStart", session_id="other", source=source)
    desk.before(CRITICAL, session_id="other")
    assert desk.state("other").step == 1
    assert desk.kinds("other") == ["RunStarted", "ActionReviewed"]


def test_a_message_after_the_end_still_belongs_to_its_run(desk: Desk) -> None:
    desk.tell("SessionStart", source="startup")
    desk.tell("SubagentStart", agent_id="a1", agent_type="x")
    desk.tell("SessionEnd", reason="other")
    desk.tell("SubagentStop", agent_id="a1")
    assert desk.kinds() == ["RunStarted", "AgentStarted", "RunEnded"]


def test_scope_and_settings_stay_those_of_the_folder_where_the_run_began(desk: Desk) -> None:
    desk.tell("SessionStart", source="startup")
    desk.tell("Stop", cwd="/home/dev/project/sub")
    desk.tell("SessionStart", source="resume", cwd="/home/dev/project/sub")
    assert desk.state().cwd == "/home/dev/project"


# Sub-agents and parallel calls


def test_a_sub_agent_belongs_to_its_parents_run(desk: Desk) -> None:
    desk.tell("SubagentStart", agent_id="a1", agent_type="general-purpose")
    desk.before("ls", agent_id="a1", agent_type="general-purpose")
    reviewed = desk.events()[-1]
    assert isinstance(reviewed, ActionReviewed)
    assert (reviewed.agent, reviewed.step) == ("a1", 1)
    assert desk.state().agents == {"a1": "general-purpose"}


def test_a_parent_that_stops_first_is_not_waiting_yet(desk: Desk) -> None:
    desk.tell("SubagentStart", agent_id="a1", agent_type="x")
    desk.tell("Stop", last_assistant_message="waiting")
    assert desk.state().phase == "working"
    desk.tell("SubagentStop", agent_id="a1")
    desk.tell("Stop", last_assistant_message="done")
    assert desk.state().phase == "waiting"


def test_a_sub_agent_that_was_never_started_does_not_end(desk: Desk) -> None:
    desk.tell("SubagentStop", agent_id="a9")
    assert desk.kinds() == ["RunStarted"]


def test_parallel_calls_end_in_any_order(desk: Desk) -> None:
    names = [f"t{number}" for number in range(20)]
    for name in names:
        desk.before(f"touch {name}", name)
    for name in reversed(names):
        desk.after(f"touch {name}", name)
    state = desk.state()
    assert (state.step, state.usage.ran, state.open) == (20, 20, [])


def test_many_sessions_in_the_same_log_keep_apart(desk: Desk) -> None:
    with ThreadPoolExecutor(1) as brain:
        answers = [
            brain.submit(desk.before, CRITICAL, f"t{number}", session_id=f"s{number % 7}")
            for number in range(70)
        ]
        assert {decision(answer.result()) for answer in answers} == {"deny"}
    assert [desk.state(f"s{number}").step for number in range(7)] == [10] * 7


def test_what_did_not_run_is_dropped_at_the_end_of_its_batch(desk: Desk) -> None:
    desk.before("touch a", "ran")
    desk.after("touch a", "ran")
    desk.before("touch b", "denied by a rule")
    desk.before(CRITICAL, "refused")
    calls: list[Json] = [
        {"tool_use_id": name, "tool_name": "Bash", "tool_input": {}, "tool_response": "no"}
        for name in ("ran", "denied by a rule", "refused", "unknown")
    ]
    assert desk.tell("PostToolBatch", tool_calls=calls) == {}
    dropped = [event for event in desk.events() if isinstance(event, ActionDropped)]
    assert [(event.step, event.says) for event in dropped] == [(2, "no")]


def test_a_refused_call_that_ran_all_the_same_stops_the_run(desk: Desk) -> None:
    desk.before(CRITICAL)
    reply = desk.after(CRITICAL)
    assert reply["continue"] is False
    assert "refused" in reply["systemMessage"]
    assert "BreachFound" in desk.kinds()


# PermissionRequest


def permission(desk: Desk, command: str) -> Json:
    return desk.tell(
        "PermissionRequest",
        tool_name="Bash",
        tool_input={"command": command, "description": "why"},
    )


def test_the_question_that_handrail_caused_is_left_to_the_person(desk: Desk) -> None:
    desk.tell("SessionStart", attended=True, source="startup")
    desk.before(OVERRULABLE, permission_mode="default")
    assert permission(desk, OVERRULABLE) == {}
    assert desk.state().step == 1


def test_a_person_may_overrule_a_question(desk: Desk) -> None:
    desk.tell("SessionStart", attended=True, source="startup")
    desk.before(OVERRULABLE, permission_mode="default")
    assert desk.after(OVERRULABLE) == {}
    assert desk.state().usage.overruled == 1


def test_a_question_of_the_host_about_what_may_run_is_left_to_the_person(desk: Desk) -> None:
    desk.before("touch a")
    assert permission(desk, "touch a") == {}
    assert desk.state().step == 1


def test_a_question_about_a_rewritten_command_is_known(desk: Desk) -> None:
    changed = said(desk.before(REWRITTEN))["updatedInput"]["command"]
    assert permission(desk, changed) == {}
    assert desk.state().step == 1


def test_a_question_about_what_was_refused_is_refused(desk: Desk) -> None:
    desk.before(CRITICAL)
    assert said(permission(desk, CRITICAL))["decision"]["behavior"] == "deny"
    assert desk.state().step == 1


def test_a_question_about_something_unreviewed_is_reviewed(desk: Desk) -> None:
    assert said(permission(desk, CRITICAL))["decision"]["behavior"] == "deny"
    assert desk.state().step == 1


# Secrets


def test_a_secret_does_not_reach_the_log(desk: Desk) -> None:
    token = "ghp_" + "a1B2" * 9
    desk.before(f"curl -H 'Authorization: Bearer {token}' https://api.github.com/user")
    written = b"".join(stored.body for stored in desk.store.read_all())
    assert b"api.github.com" in written
    assert token.encode() not in written


CLAIM = "All tests pass now."


def test_a_false_claim_sends_the_agent_on_once(desk: Desk) -> None:
    desk.before("pytest -q")
    desk.tell(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "pytest -q"},
        tool_use_id="t1",
        error="Exit code 1\n1 failed in 0.1s",
    )
    reply = desk.tell("Stop", last_assistant_message=CLAIM)
    assert reply["decision"] == "block"
    assert "Handrail" in reply["reason"]


def test_who_was_sent_on_already_may_stop_and_nothing_is_said_that_nobody_hears(
    desk: Desk,
) -> None:
    desk.before("pytest -q")
    desk.tell(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "pytest -q"},
        tool_use_id="t1",
        error="Exit code 1\n1 failed in 0.1s",
    )
    assert desk.tell("Stop", last_assistant_message=CLAIM, stop_hook_active=True) == {}
    assert "Intervened" not in desk.kinds()


OFF = "step_reviewer: {enabled: false}\n"


def test_the_start_says_what_nobody_has_confirmed_and_how_to(shop: Desk) -> None:
    (Path(shop.folder) / "handrail.yaml").write_text(OFF)
    alarm = shop.tell("SessionStart", source="startup")["systemMessage"]
    assert "step_reviewer.enabled" in alarm
    assert alarm.endswith("handrail config trust")
    assert decision(shop.before(CRITICAL, "t1")) == "deny"
    write_confirmed(Path(shop.folder), OFF, shop.environ)
    assert "systemMessage" not in shop.tell("SessionStart", source="startup")


def test_what_a_person_confirms_counts_from_the_next_prompt_on(shop: Desk) -> None:
    (Path(shop.folder) / "handrail.yaml").write_text(OFF)
    shop.tell("SessionStart", source="startup")
    write_confirmed(Path(shop.folder), OFF, shop.environ)
    assert decision(shop.before(CRITICAL, "t1")) == "deny"
    shop.tell("UserPromptSubmit", prompt="go on")
    assert decision(shop.before(CRITICAL, "t2")) == "run"
