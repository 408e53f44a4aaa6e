"""The scripted model, spoken to over HTTP."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.testing.model_server import (
    Answer,
    Json,
    ModelRequest,
    ModelServer,
    ModelTurn,
    Say,
    Script,
    ToolCall,
    ToolResult,
)

TOOLS = [{"name": "Bash", "input_schema": {}}]
LS = ToolCall("Bash", {"command": "ls"}, id="ls")


class Reply(NamedTuple):
    status: int
    body: str

    @property
    def json(self) -> Json:
        body = json.loads(self.body)
        assert isinstance(body, dict)
        return body

    @property
    def events(self) -> list[Json]:
        return [
            json.loads(line.removeprefix("data: "))
            for line in self.body.splitlines()
            if line.startswith("data: ")
        ]


def fetch(model: ModelServer, path: str, body: bytes | None = None) -> Reply:
    with closing(HTTPConnection(model.url.removeprefix("http://"))) as connection:
        connection.request("GET" if body is None else "POST", path, body)
        answer = connection.getresponse()
        return Reply(answer.status, answer.read().decode())


def conversation(prompt: str = "list the files", answers: int = 0, **more: object) -> Json:
    """A request in which the model has already answered so many times."""
    messages: list[Json] = [{"role": "user", "content": prompt}]
    for _ in range(answers):
        messages += [{"role": "assistant", "content": "…"}, {"role": "user", "content": "go on"}]
    return {"model": "claude-sonnet-4-5", "tools": TOOLS, "messages": messages, **more}


def ask(model: ModelServer, body: Json) -> Reply:
    return fetch(model, "/v1/messages?beta=true", json.dumps(body).encode())


def said(reply: Reply) -> object:
    content = reply.json["content"]
    assert isinstance(content, list)
    return content[0].get("text", content[0].get("id"))


def test_the_number_of_answers_so_far_chooses_the_turn() -> None:
    with ModelServer([LS, Say("two files")]) as model:
        late, early = ask(model, conversation(answers=1)), ask(model, conversation())
    assert [said(early), said(late)] == ["ls", "two files"]


def test_a_retry_gets_the_same_turn() -> None:
    with ModelServer([LS, Say("two files")]) as model:
        assert [said(ask(model, conversation())) for _ in range(2)] == ["ls", "ls"]


def test_after_the_last_turn_the_model_calls_no_tool() -> None:
    with ModelServer([LS]) as model:
        assert ask(model, conversation(answers=7)).json["stop_reason"] == "end_turn"


def test_several_calls_in_a_turn_come_in_one_message() -> None:
    with ModelServer(
        [ModelTurn([Say("look"), LS, ToolCall("Read", {"file_path": "/a"}, id="read")])]
    ) as model:
        message = ask(model, conversation()).json
    assert message["stop_reason"] == "tool_use"
    assert message["content"] == [
        {"type": "text", "text": "look"},
        {"type": "tool_use", "id": "ls", "name": "Bash", "input": {"command": "ls"}},
        {"type": "tool_use", "id": "read", "name": "Read", "input": {"file_path": "/a"}},
    ]


def test_calls_without_an_id_get_different_ones() -> None:
    with ModelServer([ToolCall("Bash", {})]) as model:
        assert said(ask(model, conversation())) != said(ask(model, conversation()))


def test_the_first_route_whose_pattern_is_in_the_prompt_plays() -> None:
    script = {"^find": [Say("sub-agent")], "bugs": [Say("main")]}
    with ModelServer(script) as model:
        answers = [said(ask(model, conversation(text))) for text in ("find bugs", "fix bugs")]
    assert answers == ["sub-agent", "main"]


def test_what_the_host_added_to_the_prompt_chooses_no_route() -> None:
    prompt = "<system-reminder>\nagents find things\n</system-reminder>\nfix it"
    with ModelServer({"find": [Say("wrong")], "^fix": [Say("right")]}) as model:
        assert said(ask(model, conversation(prompt))) == "right"


def test_a_step_may_react_to_what_the_model_was_told() -> None:
    def react(request: ModelRequest) -> Answer:
        return Say("denied" if request.tool_results["ls"].is_error else "ran")

    result = {"type": "tool_result", "tool_use_id": "ls", "content": "no", "is_error": True}
    with ModelServer([react]) as model:
        messages = [{"role": "user", "content": [result]}]
        assert said(ask(model, conversation(messages=messages))) == "denied"


def test_a_fault_in_a_step_is_raised_where_the_block_ends() -> None:
    def fail(request: ModelRequest) -> Answer:
        raise AssertionError(f"not expected: {request.prompt}")

    model = ModelServer([fail])
    with pytest.raises(AssertionError, match="not expected: list"), model:
        assert ask(model, conversation()).status == 400


def test_an_error_status_is_sent_so_many_times() -> None:
    with ModelServer([ModelTurn([Say("at last")], status=529, times=2)]) as model:
        assert [ask(model, conversation()).status for _ in range(3)] == [529, 529, 200]


def test_an_answer_waits_for_its_event_and_holds_up_no_other() -> None:
    gate = threading.Event()
    script: Script = {"slow": [ModelTurn([Say("late")], after=gate)], "": [Say("soon")]}
    with ModelServer(script) as model, ThreadPoolExecutor() as pool:
        slow = pool.submit(ask, model, conversation("slow"))
        assert said(ask(model, conversation("fast"))) == "soon"
        assert not slow.done()
        gate.set()
        assert said(slow.result()) == "late"


def test_the_rest_of_a_streamed_answer_waits_for_its_event() -> None:
    rest = threading.Event()
    with ModelServer([ModelTurn([Say("slowly")], rest=rest)]) as model:
        body = json.dumps(conversation(stream=True)).encode()
        with closing(HTTPConnection(model.url.removeprefix("http://"))) as connection:
            connection.request("POST", "/v1/messages", body)
            answer = connection.getresponse()
            lines = iter(answer.readline, b"")
            assert next(line for line in lines if b'"slo"' in line)
            rest.set()
            assert next(line for line in lines if b'"wly"' in line)


def test_closing_does_not_wait_for_an_event_that_never_comes() -> None:
    with ThreadPoolExecutor() as pool:
        arrived = threading.Event()

        def hang(request: ModelRequest) -> Answer:
            arrived.set()
            return ModelTurn([Say("never mind")], after=threading.Event())

        with ModelServer([hang]) as model:
            asked = pool.submit(ask, model, conversation())
            arrived.wait()
        assert said(asked.result()) == "never mind"


def test_requests_that_offer_no_tools_are_beside_the_script() -> None:
    with ModelServer([LS]) as model:
        assert said(ask(model, conversation(tools=[]))) == "ok"


def test_requests_are_recorded_with_what_the_model_was_told() -> None:
    result = {
        "type": "tool_result",
        "tool_use_id": "ls",
        "content": [{"type": "text", "text": "a.txt"}],
    }
    messages = [
        {"role": "user", "content": "list the files"},
        {"role": "assistant", "content": "my own words"},
        {"role": "user", "content": [result, {"type": "text", "text": "a warning"}]},
    ]
    with ModelServer([]) as model:
        ask(model, conversation(messages=messages, system=[{"type": "text", "text": "be kind"}]))
        (request,) = model.requests
    assert request.text == "be kind\nlist the files\na.txt\na warning"
    assert request.tool_results == {"ls": ToolResult("a.txt", is_error=False)}
    assert (request.prompt, request.turn, request.tools) == ("list the files", 1, ("Bash",))


def test_a_streamed_answer_adds_up_to_the_plain_one() -> None:
    with ModelServer([ModelTurn([Say("look"), LS])]) as model:
        plain = ask(model, conversation()).json
        events = ask(model, conversation(stream=True)).events
    assert [event["type"] for event in events] == [
        "message_start",
        *["content_block_start", "content_block_delta", "content_block_stop"] * 2,
        "message_delta",
        "message_stop",
    ]
    assert events[2]["delta"] == {"type": "text_delta", "text": "look"}
    assert events[5]["delta"] == {"type": "input_json_delta", "partial_json": '{"command": "ls"}'}
    assert events[-2]["delta"] == {"stop_reason": plain["stop_reason"], "stop_sequence": None}


def test_tokens_are_counted_and_models_listed() -> None:
    with ModelServer([]) as model:
        assert "input_tokens" in fetch(model, "/v1/messages/count_tokens", b"{}").json
        assert fetch(model, "/v1/models").json["has_more"] is False
        assert model.requests == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/other", None, 404),
        ("/v1/other", b"{}", 404),
        ("/v1/messages", b"", 400),
        ("/v1/messages", b"[]", 400),
        ("/v1/messages", b"\xff", 400),
    ],
)
def test_what_is_no_request_gets_an_error(path: str, body: bytes | None, status: int) -> None:
    with ModelServer([]) as model:
        assert fetch(model, path, body).status == status


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "tool_use_id"]), inner, max_size=4
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["system", "messages", "tools"]), JSON))
def test_any_body_can_be_read(body: Json) -> None:
    request = ModelRequest(body)
    assert request.turn >= 0
    assert request.prompt == request.prompt.strip()
    assert all(isinstance(result.text, str) for result in request.tool_results.values())
    assert all(isinstance(name, str) for name in request.tools)


def test_importing_it_costs_no_other_package() -> None:
    others = "('msgspec', 'yaml', 'tree_sitter', 'rich', 'asyncio')"
    code = f"import sys, handrail.testing.model_server; print(sys.modules.keys() & {others})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
