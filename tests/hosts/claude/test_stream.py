"""The lines of stream-json, as Claude Code 2.1.325 printed them, and as anything may print them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.claude import stream
from handrail.hosts.claude.stream import (
    BackgroundTasks,
    ControlQuestion,
    ControlReply,
    Line,
    LineSplitter,
    ModelSpoke,
    PromptHeard,
    TaskEnded,
    TokenUsage,
    ToolAnswered,
    TurnEnded,
    WorkBegan,
    read_line,
)


def read(**fields: object) -> Line | None:
    return read_line(json.dumps(fields).encode())


def said(*blocks: object, parent: str | None = None, model: str = "m") -> Line | None:
    message = {"role": "assistant", "model": model, "content": list(blocks)}
    return read(type="assistant", message=message, parent_tool_use_id=parent)


TEXT = {"type": "text", "text": "hello"}
CALL = {"type": "tool_use", "id": "a", "name": "Bash", "input": {}}


def test_the_beginning_of_a_turn_names_the_model() -> None:
    assert read(type="system", subtype="init", model="m", tools=["Bash"]) == WorkBegan("m")


def test_words_of_the_model_are_told_from_those_of_a_sub_agent() -> None:
    assert said(TEXT, CALL, TEXT) == ModelSpoke("hello\nhello", "m")
    assert said(CALL) == ModelSpoke("", "m")
    assert said(TEXT, parent="agent") == ModelSpoke("", "")


def test_an_answer_says_what_it_has_used() -> None:
    used = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 2}
    message = {"id": "msg_1", "model": "m", "content": [TEXT], "usage": used}
    for parent, spoke in (
        (None, ModelSpoke("hello", "m", "msg_1", 45)),
        ("a", ModelSpoke("", "", "msg_1", 45)),
    ):
        assert read(type="assistant", message=message, parent_tool_use_id=parent) == spoke


def test_words_that_claude_code_makes_up_are_those_of_no_model() -> None:
    assert said(TEXT, model="<synthetic>") == ModelSpoke("hello", "")


def test_a_tools_result_is_told_from_other_messages() -> None:
    result = {"content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}
    assert read(type="user", message=result, parent_tool_use_id=None) == ToolAnswered()
    assert read(type="user", message=result, parent_tool_use_id="agent") is None
    assert read(type="user", message={"content": [TEXT]}) is None
    assert read(type="user", message={"content": "Set model to x"}) is None


def test_what_becomes_of_a_prompt() -> None:
    assert read(type="command_lifecycle", command_uuid="u", state="queued") == PromptHeard(
        "u", "queued"
    )


def test_background_tasks_that_think_are_told_from_commands() -> None:
    tasks = [
        {"task_id": "a", "task_type": "local_agent"},
        {"task_id": "b", "task_type": "local_bash"},
    ]
    line = read(type="system", subtype="background_tasks_changed", tasks=tasks)
    assert line == BackgroundTasks(frozenset("ab"), frozenset("a"))


@pytest.mark.parametrize(("status", "stopped"), [("completed", False), ("stopped", True)])
def test_a_background_task_ends_by_itself_or_is_stopped(status: str, stopped: bool) -> None:
    line = read(type="system", subtype="task_notification", task_id="a", status=status)
    assert line == TaskEnded("a", stopped)


USED = {"inputTokens": 10, "outputTokens": 2, "cacheReadInputTokens": 5, "costUSD": 0.5}


def test_a_result_has_what_was_used_in_all_and_since_the_one_before() -> None:
    line = read(
        type="result",
        subtype="success",
        is_error=False,
        result="done",
        terminal_reason="completed",
        num_turns=2,
        total_cost_usd=1.5,
        usage={"input_tokens": 1},
        modelUsage={"m": USED, "n": {**USED, "cacheCreationInputTokens": 3}},
        model_usage_since_last_result={"n": USED},
    )
    assert line == TurnEnded(
        text="done",
        subtype="success",
        reason="completed",
        is_error=False,
        errors=(),
        answers=2,
        total=TokenUsage(37, 1.5),
        used=TokenUsage(17, 0.5),
    )


def test_a_result_of_an_old_version_has_tokens_too() -> None:
    line = read(type="result", total_cost_usd=1, usage={"input_tokens": 3, "output_tokens": 4})
    assert isinstance(line, TurnEnded)
    assert (line.total, line.used, line.answers) == (TokenUsage(7, 1.0), None, None)


def test_an_interrupted_result_has_no_text() -> None:
    line = read(type="result", subtype="error_during_execution", result=None, errors=["x", 5])
    assert isinstance(line, TurnEnded)
    assert (line.text, line.errors) == ("", ("x",))


def test_a_reply_says_whether_it_was_done() -> None:
    done = {"subtype": "success", "request_id": "r", "response": {"model": "m"}}
    failed = {"subtype": "error", "request_id": "r", "error": "no such model"}
    assert read(type="control_response", response=done) == ControlReply("r", "", "m")
    assert read(type="control_response", response=failed) == ControlReply("r", "no such model", "")
    assert read(type="control_response", response={}) == ControlReply("", "it was refused", "")


def test_a_question_of_claude_code_is_noticed() -> None:
    asked = {"subtype": "can_use_tool"}
    assert read(type="control_request", request_id="r", request=asked) == ControlQuestion("r")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b'{"type": "rate_limit_event"}',
        b'{"type": "system", "subtype": "hook_started"}',
        b'{"type": ["result"]}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"type": "result"',
    ],
)
def test_what_is_not_known_is_passed_over(line: bytes) -> None:
    assert read_line(line) is None


KINDS = sorted({kind for kind, _ in stream._READERS})
SUBTYPES = sorted({subtype for _, subtype in stream._READERS})
NAMES = (
    "message content text type model parent_tool_use_id tool_result command_uuid state tasks "
    "task_id task_type status result terminal_reason is_error errors num_turns total_cost_usd "
    "usage modelUsage model_usage_since_last_result inputTokens costUSD response request_id error"
).split()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([*NAMES, *KINDS]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
)


@given(st.sampled_from(KINDS), st.sampled_from(SUBTYPES), st.data())
def test_any_line_can_be_read(kind: str, subtype: str, data: st.DataObject) -> None:
    fields = data.draw(st.dictionaries(st.sampled_from(NAMES), VALUES))
    line = read(**{**fields, "type": kind, "subtype": subtype})
    assert line is None or isinstance(line, Line)


@given(st.binary())
def test_any_bytes_can_be_read(line: bytes) -> None:
    assert read_line(line) is None or line.startswith((b"{", b" ", b"\t", b"\r", b"\n"))


# Lines out of a pipe


@given(st.lists(st.binary(max_size=20)), st.integers(1, 10))
def test_lines_are_the_same_however_they_come(parts: list[bytes], size: int) -> None:
    whole = b"".join(parts)
    splitter = LineSplitter(1000)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert [line for piece in pieces for line in splitter.feed(piece)] == whole.split(b"\n")[:-1]


@given(st.lists(st.binary(max_size=20)), st.integers(0, 15))
def test_a_line_that_is_too_long_is_left_out_and_the_others_are_not(
    parts: list[bytes], most: int
) -> None:
    splitter = LineSplitter(most)
    lines = [line for part in parts for line in splitter.feed(part)]
    assert lines == [line for line in b"".join(parts).split(b"\n")[:-1] if len(line) <= most]


# Writing


@given(st.text(st.characters(exclude_categories=())))
def test_a_prompt_is_one_line_that_says_the_same(text: str) -> None:
    line = stream.prompt(text, "u")
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line) == {
        "type": "user",
        "uuid": "u",
        "message": {"role": "user", "content": text},
    }


def test_requests_and_refusals() -> None:
    assert json.loads(stream.control_request("r", "set_model", model="m")) == {
        "type": "control_request",
        "request_id": "r",
        "request": {"subtype": "set_model", "model": "m"},
    }
    assert json.loads(stream.refusal("r", "no")) == {
        "type": "control_response",
        "response": {"subtype": "error", "request_id": "r", "error": "no"},
    }
