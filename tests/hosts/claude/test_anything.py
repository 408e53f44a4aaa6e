"""Whatever arrives at the hooks, the answer is one that holds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.port import MAX_BYTES
from tests.hosts.claude.accepted import check
from tests.hosts.claude.desk import SESSION, Desk, Json, decision, samples
from tests.hosts.claude.wild import EVENTS, MUST_STOP, fields, json_values

pytestmark = pytest.mark.slow

CRITICAL = "rm -rf /"


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize("event", ["", "pretooluse", "PreToolUse2", "Unheard", "__class__"])
def test_an_event_that_nobody_knows_gets_no_opinion_and_leaves_no_trace(
    desk: Desk, event: str
) -> None:
    reply = desk.tell(event, tool_name="Bash", tool_input={"command": CRITICAL})
    assert (reply == {}) == bool(event), "without a name it could be any event"
    assert desk.kinds() == []


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"\xff", b"{" * 5000, b" " * (MAX_BYTES + 1), b'{"hook_event_name":7}'],
    ids=["empty", "no event", "list", "no text", "deep", "large", "number"],
)
def test_what_may_have_been_about_a_call_is_refused(desk: Desk, body: bytes) -> None:
    assert decision(desk.post(body)) == "deny"


@pytest.mark.parametrize("depth", [50, 300, 900, 2000])
def test_deeply_nested_input_ends_in_an_answer(desk: Desk, depth: int) -> None:
    deep = b'{"a":' * depth + b'"rm -rf /"' + b"}" * depth
    body = json.dumps(
        {
            "session_id": SESSION,
            "cwd": desk.folder,
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "rm -rf /", "x": 0},
        }
    )
    assert decision(desk.post(body.encode().replace(b'"x": 0', b'"x": ' + deep))) == "deny"


@pytest.mark.parametrize("filler", ["\0", "\ud800", "\u202e", "\x1b[2J", "\ufeff", "x" * 5_000_000])
def test_odd_characters_do_not_hide_a_command(desk: Desk, filler: str) -> None:
    assert decision(desk.before(f"rm -rf / # {filler}")) == "deny"
    assert decision(desk.before(f"echo {filler}; rm -rf /", "t2")) == "deny"


@given(st.sampled_from(EVENTS) | st.text(max_size=12), fields)
def test_any_message_gets_an_answer_that_is_taken(event: str, other: Json) -> None:
    body = json.dumps({"session_id": SESSION, "cwd": "/x", "hook_event_name": event, **other})
    reply = Desk().post(body.encode())
    check(event or "PreToolUse", reply)


@given(st.sampled_from(samples()), fields, st.data())
def test_a_real_message_with_other_fields_gets_an_answer_that_is_taken(
    path: Path, other: Json, data: st.DataObject
) -> None:
    message: Json = {**json.loads(path.read_text()), **other}
    for name in data.draw(st.lists(st.sampled_from(sorted(message)), max_size=3, unique=True)):
        del message[name]
    reply = Desk().post(json.dumps(message).encode())
    check(str(message.get("hook_event_name", "PreToolUse")), reply)


@given(st.sampled_from(samples()), st.data())
def test_a_damaged_message_gets_an_answer(path: Path, data: st.DataObject) -> None:
    body = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    reply = Desk().post(bytes(body[: data.draw(st.integers(0, len(body)))]))
    assert isinstance(reply, dict)


@given(
    st.sampled_from(MUST_STOP),
    fields,
    st.dictionaries(st.text(max_size=10), json_values, max_size=3),
    st.sampled_from([None, True, False]),
)
def test_whatever_else_a_message_says_a_dangerous_call_does_not_run_as_it_is(
    call: tuple[str, Json], other: Json, more_input: Json, attended: bool | None
) -> None:
    tool, given_input = call
    message = {
        "session_id": SESSION,
        "cwd": "/home/dev/project",
        **other,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {**more_input, **given_input},
    }
    desk = Desk()
    for _ in range(2):
        reply = desk.post(json.dumps(message).encode(), attended)
        check("PreToolUse", reply)
        assert decision(reply) in ("deny", "ask", "rewrite")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(samples()),
            st.sampled_from(["t1", "t2"]),
            st.sampled_from([None, True, False]),
        ),
        max_size=12,
    )
)
def test_real_messages_in_any_order_leave_a_log_that_gives_the_same_state(
    order: list[tuple[Path, str, bool | None]],
) -> None:
    desk = Desk()
    for path, call, attended in order:
        message = {**json.loads(path.read_text()), "session_id": SESSION}
        if "tool_use_id" in message:
            message["tool_use_id"] = call
        check(message["hook_event_name"], desk.post(json.dumps(message).encode(), attended))
    if desk.events():
        again = Desk(store=desk.store).state()
        assert again.step == desk.state().step
        assert again.agents == desk.state().agents
        assert [item.step for item in again.open] == [item.step for item in desk.state().open]
