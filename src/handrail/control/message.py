"""The messages of `loop:control`: a request, its acknowledgment, its result.

Their fields and the order of these are the protocol; other programs write and read them.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from handrail.control import timestamp
from handrail.model.control import ControlCommand
from handrail.model.decodable import decodable

MAX_ID = 200
MAX_BYTES = 256_000
MAX_NAME = 200
"""Characters of the requester's name."""
_DEEPEST = 20

Code = Literal["not_found", "invalid_state", "duplicate", "bad_request"]
Payload = dict[str, object]


class BadRequestError(ValueError):
    """This is no request; `request` is its id, if readable."""

    def __init__(self, says: str, request: "PartialRequest | None" = None) -> None:
        super().__init__(says)
        self.request = request


class Target(msgspec.Struct, frozen=True, omit_defaults=True):
    """The target run."""

    run_id: str
    issue_id: str | None = None


class ControlMessage(msgspec.Struct, frozen=True, tag_field="type", kw_only=True, tag="Message"):
    """The fields that all three messages share."""

    request_id: str
    command: str
    target: Target
    timestamp: str
    payload: Payload


@decodable
class Request(ControlMessage, frozen=True, tag="REQUEST", kw_only=True):
    """A person or program wants something done."""


@decodable
class Ack(ControlMessage, frozen=True, tag="ACK", kw_only=True):
    """The daemon has got the request, and is working on it."""


@decodable
class Result(ControlMessage, frozen=True, tag="RESULT", kw_only=True):
    """The outcome of a request."""

    @property
    def ok(self) -> bool:
        """Return whether it was done."""
        return self.payload.get("status") == "success"

    @property
    def code(self) -> str:
        """Return why it was not done, or ""."""
        return str(self.payload.get("code", ""))

    @property
    def says(self) -> str:
        """Return the text for people."""
        return str(self.payload.get("message", ""))


AnyMessage = Request | Ack | Result


def ack_to(message: AnyMessage, at: str) -> Ack:
    """Return the acknowledgment of a request, or of the request behind another message."""
    return Ack(
        request_id=message.request_id,
        command=message.command,
        target=message.target,
        timestamp=at,
        payload={},
    )


class PartialRequest(msgspec.Struct, frozen=True):
    """The parts of a bad request that an answer needs."""

    request_id: str
    command: str = ""
    target: Target = Target("")


class ParsedRequest(msgspec.Struct, frozen=True):
    """A readable request."""

    request: Request
    command: ControlCommand
    at: float
    """The time of the request, by the sender's clock."""

    def field(self, name: str) -> str:
        """Return a text in its payload, or ""."""
        value = self.request.payload.get(name, "")
        return value if isinstance(value, str) else ""


_decoder = msgspec.json.Decoder(dict[str, object])
_LONGEST = {"by": MAX_NAME, "reason": 10_000}


def text_of(asked: ParsedRequest) -> str:
    """Return the argument of a command: a message, a goal, a model, a checkpoint."""
    return asked.field(asked.command.spec.text.name)


def choice_of(asked: ParsedRequest) -> str:
    """Return the chosen value of a command; "": its default."""
    field = asked.command.spec.choice
    chosen = asked.field(field.name) if field.values else ""
    return chosen if chosen in field.values[1:] else ""


def encode(message: AnyMessage) -> bytes:
    """Return the bytes of a message, as in the topic."""
    fields: dict[str, object] = {
        "schema": 0,
        "type": type(message).__name__.upper(),
        "request_id": message.request_id,
        "command": message.command,
        "target": message.target,
        "timestamp": message.timestamp,
        "payload": message.payload,
    }
    return msgspec.json.encode(fields)


def find(body: bytes) -> AnyMessage | None:
    """Return a message of the topic; None for any other row."""
    try:
        return decode(body)
    except _UNREADABLE:
        return None


def find_request(body: bytes) -> str:
    """Return the id of a request, even a bad one; "": nobody waits for an answer."""
    try:
        fields = _decoder.decode(body)
    except _UNREADABLE:
        return ""
    half = _half(fields)
    return "" if half is None or fields.get("type") != "REQUEST" else half.request_id


def decode(body: bytes) -> AnyMessage:
    """Return a message of the topic; raises msgspec.MsgspecError. Ignore unknown fields."""
    found: AnyMessage = _messages.decode(body)
    return found


_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_messages: msgspec.json.Decoder[AnyMessage] = msgspec.json.Decoder(AnyMessage)


def read_request(body: bytes) -> ParsedRequest:
    """Return a request; raises BadRequestError with the problem."""
    if len(body) > MAX_BYTES:
        raise BadRequestError(f"it has more than {MAX_BYTES:,} bytes")
    try:
        fields = _decoder.decode(body)
    except _UNREADABLE as error:
        raise BadRequestError(f"it is no JSON object: {error}") from None
    half = _half(fields)
    problem = _problem(fields)
    if problem:
        raise BadRequestError(problem, half)
    try:
        request = msgspec.convert(fields, Request)
        at = timestamp.parse_timestamp(request.timestamp)
    except msgspec.ValidationError as error:
        raise BadRequestError(str(error), half) from None
    except (ValueError, OverflowError):
        raise BadRequestError("timestamp is no ISO 8601 moment", half) from None
    asked = ParsedRequest(request, ControlCommand(request.command), at)
    if problem := _problem_with_payload(asked):
        raise BadRequestError(problem, half)
    return asked


def _problem(fields: dict[str, object]) -> str:
    if type(fields.get("schema")) is not int or fields["schema"] != 0:
        return "schema must be 0"
    if fields.get("type") != "REQUEST":
        return "type must be REQUEST"
    request_id = fields.get("request_id")
    if not isinstance(request_id, str) or not 0 < len(request_id) <= MAX_ID:
        return f"request_id must be a text of 1 to {MAX_ID} characters"
    command = fields.get("command")
    if command not in list(ControlCommand):
        return f"command must be one of {', '.join(ControlCommand)}"
    target = fields.get("target")
    if not isinstance(target, dict) or not target.get("run_id"):
        return "target.run_id is missing"
    return ""


def _problem_with_payload(asked: ParsedRequest) -> str:
    text = asked.command.spec.text
    if text.needed and not asked.field(text.name).strip():
        return f"{asked.command.value} needs a text in payload.{text.name}"
    for name, longest in {**_LONGEST, text.name: text.longest}.items():
        if len(asked.field(name)) > longest:
            return f"payload.{name} has more than {longest:,} characters"
    choice = asked.command.spec.choice
    if asked.request.payload.get(choice.name, "") not in ("", *choice.values):
        return f"payload.{choice.name} must be one of {', '.join(choice.values)}"
    if not _is_flat(asked.request.payload, _DEEPEST):
        return "payload is nested too deep"
    return ""


def _is_flat(value: object, deepest: int) -> bool:
    inside: Iterable[object] = ()
    if isinstance(value, dict):
        inside = value.values()
    elif isinstance(value, list):
        inside = value
    else:
        return True
    return deepest > 0 and all(_is_flat(each, deepest - 1) for each in inside)


def _half(fields: dict[str, object]) -> PartialRequest | None:
    request_id, command = fields.get("request_id"), fields.get("command")
    if not isinstance(request_id, str) or not 0 < len(request_id) <= MAX_ID:
        return None
    target = fields.get("target")
    run = target.get("run_id") if isinstance(target, dict) else None
    return PartialRequest(
        request_id,
        command if isinstance(command, str) else "",
        Target(run if isinstance(run, str) else ""),
    )
