"""Messages are read as far as they can be; what decides about a call is never guessed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.claude.payload import Payload, PayloadError, read_end, read_payload
from handrail.hosts.port import MAX_BYTES
from handrail.model import Decision
from handrail.review import Reviewer
from tests.hosts.claude.desk import Json, samples

CALL: Json = {
    "session_id": "s1",
    "cwd": "/home/dev/project",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t1",
}


def read(**changed: object) -> Payload:
    return read_payload(json.dumps({**CALL, **changed}).encode())


def problem(body: bytes) -> PayloadError:
    with pytest.raises(PayloadError) as caught:
        read_payload(body)
    return caught.value


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_every_real_message_is_read(path: Path) -> None:
    message = json.loads(path.read_bytes())
    payload = read_payload(json.dumps(message).encode())
    for name in ("session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "prompt"):
        if name in message:
            assert getattr(payload, name) == message[name]


def test_fields_that_nobody_knows_are_ignored() -> None:
    assert read(new_in_some_version={"a": [1]}) == read()


@pytest.mark.parametrize(
    "field", ["tool_use_id", "agent_id", "permission_mode", "duration_ms", "tool_calls", "error"]
)
@pytest.mark.parametrize("value", [None, {"a": 1}, [1], True, "\ud800"])
def test_a_field_of_another_type_counts_as_missing(field: str, value: object) -> None:
    fields = {**CALL, field: value}
    payload = read_payload(json.dumps(fields).encode())
    if value != "\ud800":
        assert getattr(payload, field) == getattr(Payload(), field)
    assert payload.tool_input == CALL["tool_input"]


@pytest.mark.parametrize("field", ["session_id", "cwd", "tool_name", "tool_input"])
@pytest.mark.parametrize("value", [None, 1, ["ls"], True])
def test_what_decides_about_a_call_must_be_what_it_should_be(field: str, value: object) -> None:
    assert problem(json.dumps({**CALL, field: value}).encode()).event == "PreToolUse"


@pytest.mark.parametrize("field", ["session_id", "cwd", "tool_name"])
def test_what_decides_about_a_call_must_be_there(field: str) -> None:
    rest = {name: value for name, value in CALL.items() if name != field}
    assert problem(json.dumps(rest).encode()).event == "PreToolUse"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("session_id", ""),
        ("session_id", "a\0b"),
        ("session_id", "x" * 201),
        ("cwd", "relative"),
        ("cwd", "/a\0b"),
    ],
)
def test_ids_and_folders_that_cannot_be_are_refused(field: str, value: str) -> None:
    assert problem(json.dumps({**CALL, field: value}).encode()).event == "PreToolUse"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"[]",
        b"null",
        b'"PreToolUse"',
        b"\xff\xfe",
        b'{"hook_event_name": "PreToolUse\xff"}',
        b'{"hook_event_name": 1}',
        b'{"hook_event_name": null}',
        b'{"hook_event_name": ""}',
        b"{}",
        json.dumps(CALL).encode()[:-1],
        json.dumps(CALL).encode() + b"x",
        json.dumps({**CALL, "tool_input": {"n": float("nan")}}).encode(),
        json.dumps(CALL).encode("utf-16"),
    ],
)
def test_what_is_no_message_names_no_event(body: bytes) -> None:
    assert problem(body).event == ""


@pytest.mark.parametrize("depth", [1_100, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    problem(json.dumps({**CALL, "tool_input": {"x": 0}}).encode().replace(b"0", deep))


def test_a_message_that_is_too_large_is_not_read() -> None:
    assert "bytes" in str(problem(b" " * (MAX_BYTES + 1)))


@pytest.mark.parametrize("other", ["Stop", "PreToolUse", "Unheard"])
def test_two_events_in_one_message_are_refused(other: str) -> None:
    body = json.dumps(CALL).encode()
    assert problem(body[:-1] + b', "hook_event_name": "%s"}' % other.encode()).event == ""
    assert problem(b'{"hook_event_name": "%s", ' % other.encode() + body[1:]).event == ""


def test_the_name_of_the_field_may_stand_elsewhere() -> None:
    text = '"hook_event_name": "Stop", "hook_event_name'
    nested = {"command": text, "hook_event_name": ["hook_event_name"]}
    assert read(tool_input=nested).tool_input == nested


def test_halves_of_characters_become_what_javascript_writes_for_them() -> None:
    payload = read(tool_input={"command": "ls \ud800 \ude00\ud83d 😀", "\udfff": 1})
    assert payload.tool_input == {"command": "ls \ufffd \ufffd\ufffd 😀", "\ufffd": 1}


@pytest.mark.parametrize(
    ("transcript", "env"),
    [
        ("/opt/cc/projects/x/y.jsonl", {"CLAUDE_CONFIG_DIR": "/opt/cc"}),
        ("/srv/x/.claude/projects/x/y.jsonl", {"CLAUDE_CONFIG_DIR": "/srv/x/.claude"}),
        ("/home/dev/x/.claude/projects/x/y.jsonl", {"CLAUDE_CONFIG_DIR": "/home/dev/x/.claude"}),
        ("/home/dev/.claude/projects/x/y.jsonl", {}),
        ("/home/dev/.claude/projects/x/y/subagents/agent-a.jsonl", {}),
        ("/projects/x/y.jsonl", {}),
        ("projects/x/y.jsonl", {}),
        ("cc/projects/x/y.jsonl", {}),
        ("", {}),
    ],
)
def test_the_settings_folder_is_told_by_the_transcript(
    transcript: str, env: dict[str, str]
) -> None:
    assert read(transcript_path=transcript).action.env == env


def test_settings_in_a_folder_with_the_usual_name_are_guarded_too(tmp_path: Path) -> None:
    """Elsewhere than in the home folder, and reached by a name that says nothing."""
    folder = tmp_path / "x" / ".claude"
    payload = read(
        transcript_path=f"{folder}/projects/x/y.jsonl",
        tool_input={"command": "rm -rf $CLAUDE_CONFIG_DIR"},
        cwd=str(tmp_path),
    )
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text("{}")
    reviewer = Reviewer(environ={"HOME": str(tmp_path / "home")})
    assert reviewer.review(payload.action).decision is Decision.BLOCK


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("Exit code 3", 3),
        ("Exit code 127\nnot found", 127),
        ("Exit code " + "9" * 5000, None),
        ("Exit code -1", None),
        ("Exit code ٣", None),
        ("it says Exit code 3", None),
        ("", None),
    ],
)
def test_a_failure_tells_its_exit_code(error: str, code: int | None) -> None:
    ended = read_end(read(hook_event_name="PostToolUseFailure", error=error))
    assert (ended.outcome.ok, ended.outcome.exit_code) == (False, code)


@pytest.mark.parametrize(
    ("response", "output"),
    [
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ({"stdout": "", "stderr": ""}, ""),
        ({"stdout": 1}, '{"stdout": 1}'),
        ([{"type": "text", "text": "3"}, {"type": "text", "text": "4"}], "3\n4"),
        ([{"type": "image"}], '[{"type": "image"}]'),
        ("plain", "plain"),
        (None, ""),
        (7, "7"),
    ],
)
def test_what_a_tool_said_is_text_whatever_its_shape(response: object, output: str) -> None:
    ended = read_end(read(hook_event_name="PostToolUse", tool_response=response))
    assert (ended.outcome.ok, ended.outcome.output) == (True, output)


@pytest.mark.parametrize(
    ("response", "created", "changed"),
    [
        ({"type": "create", "filePath": "/a"}, ("/a",), ()),
        ({"type": "update", "filePath": "/a"}, (), ()),
        (
            {
                "bashEditDiff": {
                    "files": [{"filePath": "/a", "created": True}, {"filePath": "/b"}, "?"],
                    "changedFiles": ["/a", "/b", 1],
                }
            },
            ("/a",),
            ("/a", "/b"),
        ),
        ({"bashEditDiff": {"files": "?", "changedFiles": None}}, (), ()),
        ({"bashEditDiff": []}, (), ()),
    ],
)
def test_made_and_changed_files_are_taken_as_far_as_they_are_told(
    response: object, created: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    ended = read_end(read(hook_event_name="PostToolUse", tool_response=response))
    assert (ended.created, ended.changed) == (created, changed)


def test_of_very_many_files_only_some_are_taken() -> None:
    """A run remembers them for as long as it lasts, and every snapshot holds them."""
    files = [{"filePath": f"/a/{number}", "created": True} for number in range(2_000)]
    diff = {"files": files, "changedFiles": [file["filePath"] for file in files]}
    ended = read_end(read(hook_event_name="PostToolUse", tool_response={"bashEditDiff": diff}))
    assert (len(ended.created), len(ended.changed)) == (1_000, 1_000)


def is_read_or_refused(body: bytes) -> bool:
    try:
        return bool(read_payload(body).session_id)
    except PayloadError as error:
        return 0 < len(str(error)) < 500


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_refused(body: bytes) -> None:
    assert is_read_or_refused(body)


@given(st.data())
def test_a_damaged_message_is_a_message_or_refused(data: st.DataObject) -> None:
    body = bytearray(json.dumps(CALL).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    assert is_read_or_refused(bytes(body))
