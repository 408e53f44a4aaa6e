"""What Claude Code sends to a hook, read tolerantly: fields come and go with its versions."""

import json
from typing import cast

import msgspec

from handrail.model.action import Action, Outcome
from handrail.supervise.breach import Ended

MAX_BYTES = 32 * 1024 * 1024
"""A larger payload is refused unread."""


class PayloadError(ValueError):
    """It is not a payload of Claude Code."""


class Call(msgspec.Struct, frozen=True):
    """One tool call in a batch."""

    tool_use_id: str = ""
    tool_name: str = ""
    tool_response: object = None


class Payload(msgspec.Struct, frozen=True):
    """The fields that Handrail reads, of every event."""

    hook_event_name: str
    session_id: str
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
    is_interrupt: bool = False
    tool_calls: list[Call] = []
    prompt: str = ""
    source: str = ""
    model: str = ""
    reason: str = ""
    trigger: str = ""
    file_path: str = ""
    last_assistant_message: str = ""

    @property
    def action(self) -> Action:
        """The action that a tool event is about."""
        return Action(
            self.tool_name,
            self.tool_input,
            self.cwd,
            self._env(),
            self.tool_use_id,
        )

    def _env(self) -> dict[str, str]:
        """Where Claude Code keeps its settings, if that is not the usual place."""
        folder, found, _ = self.transcript_path.rpartition("/projects/")
        if not found or folder.endswith("/.claude"):
            return {}
        return {"CLAUDE_CONFIG_DIR": folder}


_decoder = msgspec.json.Decoder(Payload)


def read_payload(body: bytes) -> Payload:
    """The payload in a request; raises PayloadError."""
    if len(body) > MAX_BYTES:
        raise PayloadError(f"it has {len(body):,} bytes; {MAX_BYTES:,} are read")
    try:
        payload = _decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        payload = _read_again(body)
    if not payload.session_id:
        raise PayloadError("session_id is empty")
    if "\0" in payload.session_id or len(payload.session_id) > 200:
        raise PayloadError("session_id is no id")
    return payload


def _read_again(body: bytes) -> Payload:
    """JavaScript sends halves of characters, which JSON allows and UTF-8 does not."""
    try:
        plain = json.loads(body)
        text = json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")
        return _decoder.decode(text)
    except (ValueError, RecursionError) as error:
        raise PayloadError(str(error)[:300]) from None


def read_end(payload: Payload) -> Ended:
    """What came of a tool call, from PostToolUse or PostToolUseFailure."""
    if payload.hook_event_name == "PostToolUseFailure":
        outcome = Outcome(False, _exit_code(payload.error), error=payload.error,
                          duration_ms=payload.duration_ms)  # fmt: skip
        return Ended(payload.action, outcome)
    response = payload.tool_response
    created, changed = _files(response)
    outcome = Outcome(True, output=_text(response), duration_ms=payload.duration_ms)
    return Ended(payload.action, outcome, created, changed)


def _exit_code(error: str) -> int | None:
    head, _, rest = error.partition("Exit code ")
    number = rest.split("\n", 1)[0].strip()
    return int(number) if not head and number.isascii() and number.isdigit() else None


def _text(response: object) -> str:
    """What the tool said, whatever shape it has."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        parts = [response.get(name) for name in ("stdout", "stderr")]
        if texts := [part for part in parts if isinstance(part, str) and part]:
            return "\n".join(texts)
    if response is None:
        return ""
    return json.dumps(response, ensure_ascii=False)


def _files(response: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files that were made and files that were changed, as far as the host says so."""
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
    return tuple(value for value in values if isinstance(value, str))
