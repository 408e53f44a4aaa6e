"""Read the payload of a hook tolerantly: fields come and go with Claude Code's versions."""

import json
import os
import re
from functools import lru_cache
from typing import cast

import msgspec

from handrail.hosts.port import MAX_BYTES
from handrail.model.action import Action, Outcome
from handrail.model.decodable import decodable
from handrail.supervise.followup.breach import EndedCall

_EVENT = "hook_event_name"
_EVENT_KEY = b'"hook_event_name"'
_DECISIVE = frozenset({"session_id", "cwd", "tool_name", "tool_input"})
"""Fields that must be readable; any other falls back to its default."""
_MAX_FILES = 1_000
"""Maximal number of files to record for one action; the run keeps them all."""
_USUAL = "/.claude"
"""Where Claude Code keeps its settings, in the home folder."""
_EXIT_CODE = re.compile(r"Exit code ([0-9]{1,3})(?:\n|$)")


class PayloadError(ValueError):
    """The payload cannot be read."""

    def __init__(self, says: str, event: str = "") -> None:
        super().__init__(says)
        self.event = event
        """The event of the payload, as far as it could be read."""


class BatchedCall(msgspec.Struct, frozen=True):
    """One tool call in a batch."""

    tool_use_id: str = ""
    tool_response: object = None


@decodable
class Payload(msgspec.Struct, frozen=True):
    """The fields of all events that Handrail reads."""

    hook_event_name: str = ""
    session_id: str = ""
    cwd: str = ""
    transcript_path: str = ""
    permission_mode: str = ""
    agent_id: str = ""
    agent_type: str = ""
    tool_name: str = ""
    tool_input: dict[str, object] = {}
    tool_use_id: str = ""
    tool_response: object = None
    duration_ms: float = 0.0
    error: str = ""
    tool_calls: list[BatchedCall] = []
    prompt: str = ""
    prompt_id: str = ""
    source: str = ""
    model: str = ""
    reason: str = ""
    trigger: str = ""
    task_id: str = ""
    task_subject: str = ""
    file_path: str = ""
    last_assistant_message: str = ""
    stop_hook_active: bool = False

    @property
    def action(self) -> Action:
        """Return the action of a tool event."""
        return Action(self.tool_name, self.tool_input, self.cwd, self._env(), self.tool_use_id)

    def _env(self) -> dict[str, str]:
        """Return where Claude Code keeps its settings, if that is not the usual place.

        The name alone says nothing: `CLAUDE_CONFIG_DIR=/x/.claude` ends like the usual one.
        """
        folder, found, _ = self.transcript_path.rpartition("/projects/")
        if not found or not folder.startswith("/"):
            return {}
        if folder.endswith(_USUAL) and folder == _usual_folder(os.environ.get("HOME")):
            return {}
        return {"CLAUDE_CONFIG_DIR": folder}


@lru_cache(maxsize=8)
def _usual_folder(home: str | None) -> str:
    """Return the usual folder of Claude Code's settings; `home`: the variable that decides it."""
    return f"{os.path.expanduser('~')}{_USUAL}"


_decoder = msgspec.json.Decoder(Payload)
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Payload)}


def read_payload(body: bytes) -> Payload:
    """Return the payload of a request; raises PayloadError."""
    if len(body) > MAX_BYTES:
        raise PayloadError(f"it has {len(body):,} bytes; {MAX_BYTES:,} are read")
    try:
        payload = _decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        payload = _read_again(body)
    _check(payload, body)
    return payload


def _check(payload: Payload, body: bytes) -> None:
    event = payload.hook_event_name
    if not event:
        raise PayloadError(f"{_EVENT} is missing")
    if body.count(_EVENT_KEY) > 1:
        _refuse_twins(body)
    session = payload.session_id
    if not session or len(session) > 200 or "\0" in session:
        raise PayloadError("session_id is missing or no id", event)
    if not payload.cwd.startswith("/") or "\0" in payload.cwd:
        raise PayloadError("cwd is missing or no folder", event)
    if event == "PreToolUse" and not payload.tool_name:
        raise PayloadError("tool_name is missing", event)


def _refuse_twins(body: bytes) -> None:
    """Refuse duplicate keys: readers disagree on the value, and an event decides a lot."""
    try:
        names = json.loads(body, object_pairs_hook=lambda pairs: [name for name, _ in pairs])
    except (ValueError, RecursionError) as error:
        raise PayloadError(str(error)[:300]) from None
    if names.count(_EVENT) > 1:
        raise PayloadError(f"{_EVENT} stands in it twice")


def _read_again(body: bytes) -> Payload:
    """Read a payload that the fast reader rejects: broken characters, fields of another type."""
    try:
        found = _whole_characters(json.loads(body.decode(), parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        raise PayloadError(str(error)[:300]) from None
    event = found.get(_EVENT) if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(event, str):
        raise PayloadError(f"it is no object with a {_EVENT}")
    fields: dict[str, object] = {}
    for name, kind in _TYPES.items():
        if name not in found:
            continue
        try:
            fields[name] = msgspec.convert(found[name], kind)
        except msgspec.ValidationError as error:
            if name in _DECISIVE:
                raise PayloadError(f"{name}: {error}"[:300], event) from None
    return msgspec.convert(fields, Payload)


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _whole_characters(value: object) -> object:
    """Return the value as UTF-8 can hold it, with JavaScript's sign for broken characters."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    return value


def read_end(payload: Payload) -> EndedCall:
    """Return the outcome of a tool call, from PostToolUse or PostToolUseFailure."""
    if payload.hook_event_name == "PostToolUseFailure":
        error = payload.error
        outcome = Outcome(False, _exit_code(error), error=error, duration_ms=payload.duration_ms)
        return EndedCall(payload.action, outcome)
    response = payload.tool_response
    created, changed = _files(response)
    outcome = Outcome(True, output=_text(response), duration_ms=payload.duration_ms)
    return EndedCall(payload.action, outcome, created, changed)


def _exit_code(error: str) -> int | None:
    found = _EXIT_CODE.match(error)
    return int(found[1]) if found else None


def _text(response: object) -> str:
    """Return the output of a tool, whatever its shape."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        parts = [response.get(name) for name in ("stdout", "stderr")]
        if texts := [part for part in parts if isinstance(part, str)]:
            return "\n".join(filter(None, texts))
    if isinstance(response, list):  # the form of MCP tools
        blocks = [block.get("text") for block in response if isinstance(block, dict)]
        if texts := [text for text in blocks if isinstance(text, str)]:
            return "\n".join(texts)
    if response is None:
        return ""
    return json.dumps(response, ensure_ascii=False)


def _files(response: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the created and the changed files, as far as the host reports them."""
    if not isinstance(response, dict):
        return (), ()
    path = response.get("filePath")
    if isinstance(path, str):
        return ((path,) if response.get("type") == "create" else ()), ()
    diff = response.get("bashEditDiff")
    if not isinstance(diff, dict):
        return (), ()
    files = [item for item in _list(diff.get("files")) if isinstance(item, dict)]
    created = [item.get("filePath") for item in files if item.get("created") is True]
    changed = _list(diff.get("changedFiles"))
    return _strings(created), _strings(changed)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _strings(values: list[object]) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str))[:_MAX_FILES]
