"""Requests as anybody may write them, and the bytes of what we write."""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.control import message as wire
from handrail.control import timestamp
from handrail.control.message import Ack, BadRequestError, Request, Result, Target
from handrail.model.control import ControlCommand

pytestmark = pytest.mark.slow

Json = dict[str, object]

GOOD: Json = {
    "schema": 0,
    "type": "REQUEST",
    "request_id": "r-1",
    "command": "pause",
    "target": {"run_id": "run-1"},
    "timestamp": "2024-12-28T10:00:00Z",
    "payload": {},
}


def body(**changed: object) -> bytes:
    return json.dumps({**GOOD, **changed}).encode()


def problem(data: bytes) -> BadRequestError:
    with pytest.raises(BadRequestError) as caught:
        wire.read_request(data)
    return caught.value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.binary())
def test_any_bytes_are_a_request_or_a_bad_one(data: bytes) -> None:
    with pytest.raises(BadRequestError):
        wire.read_request(data)


@given(json_values)
def test_any_json_is_a_request_or_a_bad_one(value: object) -> None:
    with pytest.raises(BadRequestError):
        wire.read_request(json.dumps(value).encode())


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), json_values), json_values, json_values)
def test_a_request_with_anything_in_its_fields_is_understood_or_bad(
    changed: dict[str, object], run: object, text: object
) -> None:
    fields = {**GOOD, "target": {"run_id": run}, "payload": {"reason": text}, **changed}
    with suppress(BadRequestError):
        asked = wire.read_request(json.dumps(fields).encode())
        assert wire.decode(wire.encode(asked.request)) == asked.request


@given(st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_rows_that_are_no_requests_are_passed_over(data: bytes) -> None:
    assert wire.find_request(data) == ""


@pytest.mark.parametrize("field", sorted(GOOD))
def test_a_missing_field_is_named(field: str) -> None:
    fields = {name: value for name, value in GOOD.items() if name != field}
    assert field in str(problem(json.dumps(fields).encode()))


@pytest.mark.parametrize("field", sorted(GOOD))
@pytest.mark.parametrize("value", [None, [], 17, True, 0.5, ""])
def test_a_field_of_another_type_is_named(field: str, value: object) -> None:
    said = str(problem(body(**{field: value})))
    assert field in said


@pytest.mark.parametrize("target", [{}, {"run_id": ""}, {"run_id": 5}, {"run_id": None}, []])
def test_a_target_without_a_run_is_bad(target: object) -> None:
    assert "run_id" in str(problem(body(target=target)))


def test_an_issue_that_is_no_text_is_bad() -> None:
    assert "issue_id" in str(problem(body(target={"run_id": "r", "issue_id": 5})))


@pytest.mark.parametrize("schema", [1, -1, "0", 0.0, False, None])
def test_another_schema_is_bad(schema: object) -> None:
    assert str(problem(body(schema=schema))) == "schema must be 0"


@pytest.mark.parametrize("kind", ["ACK", "RESULT", "request", ""])
def test_only_requests_are_taken(kind: str) -> None:
    assert str(problem(body(type=kind))) == "type must be REQUEST"


def test_an_unknown_command_is_told_which_there_are() -> None:
    assert all(each in str(problem(body(command="explode"))) for each in ControlCommand)


def test_fields_that_are_not_known_are_passed_over() -> None:
    target = {"run_id": "run-1", "colour": "red"}
    asked = wire.read_request(body(more={"a": [1]}, target=target, payload={"x": [None]}))
    assert asked.request.target == Target("run-1")


def test_of_a_field_that_comes_twice_the_last_counts() -> None:
    twice = body().replace(b'"command": "pause"', b'"command": "stop", "command": "pause"')
    assert wire.read_request(twice).command == ControlCommand.PAUSE


def test_half_of_a_character_is_bad() -> None:
    assert problem(body().replace(b"r-1", b"\\ud800")).request is None


@pytest.mark.parametrize(("length", "fits"), [(1, True), (200, True), (201, False), (0, False)])
def test_an_id_has_a_length(length: int, fits: bool) -> None:
    data = body(request_id="x" * length)
    if fits:
        assert wire.read_request(data).request.request_id == "x" * length
    else:
        assert problem(data).request is None


def test_what_is_too_large_is_not_even_read() -> None:
    assert "256,000 bytes" in str(problem(body(payload={"x": "y" * wire.MAX_BYTES})))


@pytest.mark.parametrize("depth", [21, 500, 100_000])
def test_what_is_nested_too_deep_is_bad(depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    assert str(problem(body().replace(b'"payload": {}', b'"payload": {"x":' + nested + b"}")))


@pytest.mark.parametrize("command", [each for each in ControlCommand if each.spec.text.needed])
@pytest.mark.parametrize("text", [None, "", "  \n", 5, ["a"]])
def test_a_command_that_needs_a_text_is_bad_without_one(
    command: ControlCommand, text: object
) -> None:
    name = command.spec.text.name
    assert f"payload.{name}" in str(problem(body(command=command, payload={name: text})))


@pytest.mark.parametrize("name", ["by", "reason", "message"])
def test_a_text_that_the_log_would_cut_is_bad(name: str) -> None:
    payload = {"message": "go on", name: "x" * (ControlCommand.STEER.spec.text.longest + 1)}
    assert f"payload.{name} has more" in str(problem(body(command="steer", payload=payload)))


@pytest.mark.parametrize(
    "data",
    [body(schema=7), body(type="ACK"), body(command="no"), body(timestamp="soon"), body(payload=5)],
)
def test_a_bad_request_keeps_what_is_needed_to_answer_it(data: bytes) -> None:
    half = problem(data).request
    assert half is not None
    assert (half.request_id, half.target.run_id) == ("r-1", "run-1")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2024-12-28T10:00:00Z", 1735380000.0),
        ("2024-12-28T10:00:00.250Z", 1735380000.25),
        ("2024-12-28T10:00:00", 1735380000.0),
        ("2024-12-28T12:00:00+02:00", 1735380000.0),
        ("2024-12-28 10:00", 1735380000.0),
        ("20241228T100000Z", 1735380000.0),
    ],
)
def test_moments_are_read_in_all_forms_of_iso_8601(text: str, at: float) -> None:
    assert wire.read_request(body(timestamp=text)).at == at


@pytest.mark.parametrize(
    "text", ["now", "1735380000", "2024-13-01T00:00:00Z", "2024-12-28T25:00Z", "10:00:00", "Z"]
)
def test_what_is_no_moment_is_bad(text: str) -> None:
    assert "ISO 8601" in str(problem(body(timestamp=text)))


@given(st.integers(0, 4_000_000_000_000))
def test_moments_are_read_as_they_were_written(milliseconds: int) -> None:
    assert (
        round(timestamp.parse_timestamp(timestamp.format_timestamp(milliseconds / 1000)) * 1000)
        == milliseconds
    )


def test_fields_are_written_in_the_order_of_the_protocol() -> None:
    ack = Ack(
        request_id="r-1",
        command="pause",
        target=Target("run-1", "auth-123"),
        timestamp="2024-12-28T10:00:01Z",
        payload={},
    )
    assert wire.encode(ack) == (
        b'{"schema":0,"type":"ACK","request_id":"r-1","command":"pause",'
        b'"target":{"run_id":"run-1","issue_id":"auth-123"},'
        b'"timestamp":"2024-12-28T10:00:01Z","payload":{}}'
    )


@given(
    st.sampled_from([Request, Ack, Result]),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.none() | st.text(st.characters(exclude_categories=["Cs"])),
)
def test_a_message_is_read_as_it_was_written(
    kind: type[Request | Ack | Result], text: str, issue: str | None
) -> None:
    message = kind(
        request_id=text,
        command=text,
        target=Target(text, issue),
        timestamp=text,
        payload={text: text},
    )
    assert wire.decode(wire.encode(message)) == message


def test_a_row_that_was_meant_as_a_request_has_an_id() -> None:
    assert wire.find_request(body(command=5)) == "r-1"
    assert wire.find_request(body(type="ACK")) == ""
    assert wire.find_request(body(request_id="")) == ""


def test_a_row_that_is_no_message_is_none() -> None:
    assert wire.find(b"\xff") is None
    assert wire.find(b"[" * 100_000) is None
    assert isinstance(wire.find(body()), Request)
    with pytest.raises(msgspec.MsgspecError):
        wire.decode(b"{}")
