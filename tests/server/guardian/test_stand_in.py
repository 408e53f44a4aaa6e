"""What the guardian answers where there is no daemon."""

import json

import msgspec
import pytest

from handrail.hosts.claude.settings import READS
from handrail.hosts.port import CAUSE
from handrail.server.guardian import stand_in
from handrail.server.guardian.stand_in import HookRequest, StandIn
from tests.hosts.claude.desk import Desk, Json, decision, said

ANSWERS = {"claude": msgspec.to_builtins(Desk().hooks.fault_answers())}


def ask(stand: StandIn, body: bytes, path: str = "/hooks/claude", method: str = "POST") -> Json:
    answer = stand.answer(HookRequest(method, path, {}, body), by_port=False)
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert f"content-length: {len(rest)}".encode() in head
    found: Json = json.loads(rest)
    return {"status": int(head.split()[1]), **found}


def hook(stand: StandIn, event: str, tool: str = "", **fields: object) -> Json:
    payload = {"hook_event_name": event, "tool_name": tool, "session_id": "s1", "cwd": "/w"}
    found = ask(stand, json.dumps({**payload, **fields}).encode())
    assert found.pop("status") == 200
    return found


@pytest.fixture
def stand() -> StandIn:
    return StandIn(ANSWERS, "token", lambda: 'the daemon "is" down')


def test_both_sides_mean_the_same_mark() -> None:
    assert stand_in.CAUSE == CAUSE


@pytest.mark.parametrize("tool", READS)
def test_tools_that_only_read_go_on(stand: StandIn, tool: str) -> None:
    assert hook(stand, "PreToolUse", tool) == {}
    assert stand.refused == []


@pytest.mark.parametrize("tool", ["Bash", "Write", "mcp__x__y", ""])
def test_all_others_are_refused_with_the_cause(stand: StandIn, tool: str) -> None:
    answer = hook(stand, "PreToolUse", tool)
    assert decision(answer) == "deny"
    assert 'the daemon "is" down' in str(said(answer)["permissionDecisionReason"])
    (refused,) = stand.refused
    assert (refused["run"], refused["cwd"], refused["what"]) == ("s1", "/w", tool or "PreToolUse")


def test_changed_settings_are_not_taken_over(stand: StandIn) -> None:
    assert hook(stand, "ConfigChange")["decision"] == "block"


@pytest.mark.parametrize("event", ["Stop", "PostToolUse", "SessionEnd", "Whatever"])
def test_what_asks_for_no_leave_gets_no_opinion(stand: StandIn, event: str) -> None:
    assert hook(stand, event, "Bash") == {}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_is_refused(stand: StandIn, body: bytes) -> None:
    assert decision(ask(stand, body)) == "deny"


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/healthz"), ("POST", "/hooks/other"), ("POST", "/control")]
)
def test_everything_else_is_told_the_cause(stand: StandIn, method: str, path: str) -> None:
    answer = ask(stand, b"{}", path, method)
    assert answer == {"status": 503, "error": 'the daemon "is" down'}


def test_only_so_many_refusals_are_kept(stand: StandIn) -> None:
    for number in range(150):
        hook(stand, "PreToolUse", "Bash", session_id=f"s{number}")
    assert len(stand.refused) == 100


def test_the_port_asks_for_the_token(stand: StandIn) -> None:
    def status(token: str) -> bytes:
        headers = {"authorization": token} if token else {}
        request = HookRequest("POST", "/hooks/claude", headers, b"{}")
        return stand.answer(request, by_port=True).split()[1]

    assert [status(token) for token in ("", "Bearer x", "Bearer token")] == [b"401", b"401", b"200"]
