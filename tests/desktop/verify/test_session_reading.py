"""SESSION.json is read strictly."""

import json
import os
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desktop.errors import SessionFileError
from handrail.desktop.verify import session_reading
from handrail.desktop.verify.json_schema import session_schema
from handrail.desktop.verify.session import DeleteOperation, InsertOperation, NavigateOperation
from handrail.desktop.verify.session_reading import load_session, read_session

GOOD = {
    "version": 1,
    "files": [
        {
            "path": "src/a.py",
            "original": "one\n",
            "operations": [
                {"type": "navigate", "line": 2},
                {"type": "delete", "line": 1, "line_end": 1},
                {"type": "insert", "line": 1, "content": "zwei €\n"},
            ],
        },
        {"path": "b", "original": {"sha256": "0" * 64, "size": 3}, "operations": []},
        {"path": "c", "original": None, "operations": []},
    ],
}
OTHER_RECORDER = {
    "session_id": "s1",
    "contract_id": "c1",
    "memo": "m",
    "replay_config": {"base_wpm": 60, "typo_probability": 0.1, "thinking_pauses": [[1, 2]]},
    "files": [
        {
            "path": "a",
            "operations": [
                {
                    "type": "insert",
                    "line": 1,
                    "line_end": None,
                    "content": "x",
                    "typing_style": "fast",
                },
                {
                    "type": "navigate",
                    "line": 1,
                    "line_end": None,
                    "content": None,
                    "typing_style": None,
                },
            ],
        }
    ],
}


def problem(value: object) -> tuple[str, str]:
    with pytest.raises(SessionFileError) as raised:
        read_session(json.dumps(value).encode(), "S.json")
    return raised.value.place, raised.value.problem


def refusal(data: bytes) -> SessionFileError | None:
    try:
        read_session(data, "S.json")
    except SessionFileError as error:
        return error
    return None


def with_operation(**operation: object) -> object:
    earlier = [{"type": "navigate", "line": 1}] * 14
    files = [{"path": str(each), "operations": []} for each in range(2)]
    return {"files": [*files, {"path": "c", "operations": [*earlier, operation]}]}


def test_a_session_is_read() -> None:
    session = read_session(json.dumps(GOOD).encode(), "S.json")
    first = session.files[0]
    assert first.operations == (
        NavigateOperation(2),
        DeleteOperation(1, 1),
        InsertOperation(1, "zwei €\n"),
    )
    assert [each.original is None for each in session.files] == [False, False, True]


def test_sessions_of_another_recorder_are_read_too() -> None:
    session = read_session(json.dumps(OTHER_RECORDER).encode(), "S.json")
    assert [each.line for each in session.files[0].operations] == [1, 1]


@pytest.mark.parametrize(
    ("operation", "key", "says"),
    [
        ({"type": "insert", "line": 0, "content": ""}, ".line", "is 0; allowed: a whole number"),
        ({"type": "insert", "line": 1.5, "content": ""}, ".line", "is 1.5; allowed: a whole"),
        ({"type": "insert", "line": "3", "content": ""}, ".line", 'is "3"; allowed: a whole'),
        ({"type": "insert", "line": True, "content": ""}, ".line", "is true; allowed: a whole"),
        ({"type": "insert", "line": 10**30, "content": ""}, ".line", "allowed: a whole number"),
        ({"type": "insert", "line": 1}, ".content", "is missing; expected a text"),
        ({"type": "insert", "line": 1, "content": 3}, ".content", "is 3; allowed: a text"),
        ({"type": "insert", "content": ""}, ".line", "is missing; expected a whole number"),
        ({"type": "delete", "line": 4, "line_end": 3}, ".line_end", "3 is less than line 4"),
        ({"type": "delete", "line": 4, "content": "x"}, ".content", "only an insert has it"),
        ({"type": "navigate", "line": 4, "line_end": 5}, ".line_end", "only a delete has it"),
        ({"type": "replace", "line": 4}, ".type", "allowed: navigate, delete or insert"),
        ({"line": 4}, ".type", "is missing; expected navigate, delete or insert"),
        ({"type": "delete", "line": 4, "lineend": 5}, ".lineend", "did you mean line_end?"),
        ({"type": "navigate", "line": 4, "zzz": 5}, ".zzz", "unknown key; allowed: type, line"),
    ],
)
def test_a_wrong_operation_is_named_with_place_and_what_is_allowed(
    operation: dict[str, object], key: str, says: str
) -> None:
    place, found = problem(with_operation(**operation))
    assert place == f"files[2].operations[14]{key}"
    assert says in found


@pytest.mark.parametrize(
    ("value", "place", "says"),
    [
        ({}, "files", "is missing; expected a list of 1 to"),
        ({"files": []}, "files", "is []; allowed: a list of 1 to"),
        ({"files": {}}, "files", "is {}; allowed: a list of 1 to"),
        ([], "", "is []; allowed: an object with `files`"),
        (None, "", "is null; allowed: an object"),
        ({"files": [1]}, "files[0]", "is 1; allowed: an object"),
        ({"files": [{"operations": []}]}, "files[0].path", "is missing; expected a relative path"),
        ({"files": [{"path": "a"}]}, "files[0].operations", "is missing; expected a list"),
        ({"files": [{"path": "a", "operations": [3]}]}, "files[0].operations[0]", "an object"),
        (
            {"files": [{"path": "a", "operations": [], "original": 3}]},
            "files[0].original",
            "is 3; allowed: the text before the session, or its hash",
        ),
        (
            {"files": [{"path": "a", "operations": [], "original": {"size": 3}}]},
            "files[0].original.sha256",
            "is missing; expected 64 hexadecimal digits",
        ),
        (
            {"files": [{"path": "a", "operations": [], "original": {"sha256": "x", "size": 3}}]},
            "files[0].original.sha256",
            'is "x"; allowed: 64 hexadecimal digits',
        ),
        ({**GOOD, "version": 2}, "version", "is 2; allowed: 1"),
        ({**GOOD, "flies": 2}, "flies", "did you mean files?"),
    ],
)
def test_a_wrong_shape_is_named_with_place_and_what_is_allowed(
    value: object, place: str, says: str
) -> None:
    found = problem(value)
    assert found[0] == place
    assert says in found[1]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/etc/passwd", "is not relative"),
        ("~/x", "is not relative"),
        ("../x", "leads out of ROOT"),
        ("a/../../x", "leads out of ROOT"),
        ("a//b", "has an empty name"),
        ("./a", "has an empty name or `.`"),
        ("a/", "has an empty name"),
        ("a\0b", "has a NUL in it"),
        ("", "allowed: a relative path"),
        ("x" * 5000, "allowed: a relative path"),
    ],
)
def test_a_path_stays_below_the_root(path: str, says: str) -> None:
    place, found = problem({"files": [{"path": path, "operations": []}]})
    assert place == "files[0].path"
    assert says in found


def test_a_file_comes_once() -> None:
    file = {"path": "a", "operations": []}
    assert problem({"files": [file, file]}) == (
        "files[1].path",
        '"a" is files[0] already; put its operations there',
    )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"{", "is not JSON: "),
        (b"\xef\xbb\xbf{}", "is not JSON: "),
        (b'{"files":[]} x', "is not JSON: "),
        (b'{"files":[{"path":"\xff","operations":[]}]}', "is not UTF-8"),
        (b'{"files":[{"path":"\\ud800","operations":[]}]}', "is not JSON: "),
        (b'{"replay_config":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "is nested too deeply"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_session_is_refused_in_one_line(data: bytes, says: str) -> None:
    with pytest.raises(SessionFileError) as raised:
        read_session(data, "S.json")
    assert str(raised.value).startswith(f"S.json: {says}")
    assert "\n" not in str(raised.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
keys = st.sampled_from(["version", "files", "path", "operations", "original", "line"])


@given(json_values, keys)
def test_any_json_in_any_place_is_read_or_refused_with_a_place(value: object, key: str) -> None:
    for held in (
        {**GOOD, key: value},
        {"files": [{"path": "a", "operations": [], key: value}]},
        {"files": [{"path": "a", "operations": [{"type": "delete", "line": 1, key: value}]}]},
    ):
        found = refusal(json.dumps(held).encode())
        assert found is None or found.place or "not" in found.problem


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(SessionFileError):
        read_session(data, "S.json")


@given(json_values, keys)
def test_the_schema_accepts_whatever_is_read(value: object, key: str) -> None:
    validator = jsonschema_rs.validator_for(session_schema())
    operation = {"type": "delete", "line": 1, key: value}
    held = {"files": [{"path": "a", "operations": [operation]}], key: value}
    assert refusal(json.dumps(held).encode()) or validator.is_valid(held)


@pytest.mark.parametrize("good", [GOOD, OTHER_RECORDER])
def test_the_schema_accepts_the_examples(good: object) -> None:
    assert jsonschema_rs.validator_for(session_schema()).is_valid(good)


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"files": []},
        with_operation(type="insert", line=0, content=""),
        with_operation(type="insert", line=1),
        with_operation(type="navigate", line=1, line_end=2),
        {"files": [{"path": "", "operations": []}]},
        {**GOOD, "flies": 2},
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(bad: object) -> None:
    problem(bad)
    assert not jsonschema_rs.validator_for(session_schema()).is_valid(bad)


def test_too_many_files_and_operations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_reading, "MAX_FILES", 2)
    assert problem(GOOD)[1].startswith("has 3 files")
    monkeypatch.setattr(session_reading, "MAX_FILES", 20)
    monkeypatch.setattr(session_reading, "MAX_OPERATIONS", 2)
    assert problem(GOOD)[1] == "there are more than 2 operations"


def test_a_session_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "S.json"
    file.write_bytes(json.dumps(GOOD).encode())
    monkeypatch.setattr(session_reading, "MAX_SESSION_BYTES", 100)
    with pytest.raises(SessionFileError, match="Handrail reads at most 100"):
        load_session(str(file))


def test_a_session_is_a_regular_file_and_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, says in (("pipe", "is a pipe"), ("none", "there is no such file"), (".", "a folder")):
        with pytest.raises(SessionFileError, match=says):
            load_session(str(tmp_path / name))


def test_a_hundred_thousand_operations_are_read() -> None:
    value = {"files": [{"path": "a", "operations": [{"type": "navigate", "line": 1}] * 100_000}]}
    session = read_session(msgspec.json.encode(value), "S.json")
    assert len(session.files[0].operations) == 100_000
