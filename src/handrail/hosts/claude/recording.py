"""Read one Claude Code transcript: the tool calls and their results."""

import re
from datetime import datetime

import msgspec

from handrail.hosts.recording import RecordedCall
from handrail.model.action import Action, Outcome

_MAX_GOAL = 4_000
_MAX_OUTPUT = 4_000
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d+)")
_MAX_SAID = 10_000
_NOT_TYPED = (
    "<command-",
    "<local-command",
    "<task-notification>",
    "Caveat:",
    "[Request interrupted",
)
_NOT_RUN = ("The user doesn't want to", "[Request interrupted", "Permission to use")


class _RecordedMessage(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b'""')


class _RecordedLine(msgspec.Struct):
    type: str
    message: _RecordedMessage | None = None
    cwd: str | None = None
    timestamp: str | None = None
    isMeta: bool | None = None  # noqa: N815 - their name
    isCompactSummary: bool | None = None  # noqa: N815
    isSidechain: bool | None = None  # noqa: N815
    agentId: str | None = None  # noqa: N815

    @property
    def agent(self) -> str:
        """Return the sub-agent of this line."""
        return (self.agentId or "sub-agent") if self.isSidechain else ""

    @property
    def at(self) -> float | None:
        """Return the time of this line."""
        try:
            return datetime.fromisoformat(self.timestamp or "").timestamp()
        except (ValueError, OverflowError, OSError):
            return None


class _RecordedBlock(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, object] | None = None
    tool_use_id: str = ""
    is_error: bool | None = None
    content: msgspec.Raw = msgspec.Raw(b'""')
    text: str = ""


_line = msgspec.json.Decoder(_RecordedLine)
_content = msgspec.json.Decoder(str | list[_RecordedBlock])


class Transcript:
    """Read a transcript line by line; skip calls that another file has."""

    def __init__(self, seen: set[str]) -> None:
        self._seen = seen
        self._cwd = ""
        self._prompted = False
        self._last: RecordedCall | None = None
        """The last call of the agent itself, until the agent ends its turn with a text."""
        self.messages = 0
        self.goal = ""
        self.started_in = ""
        self.calls: dict[str, RecordedCall] = {}

    def add(self, data: bytes) -> None:
        """Read one more line; raises ValueError for a malformed one."""
        line = _line.decode(data)
        if line.cwd:
            self._cwd = line.cwd
            self.started_in = self.started_in or line.cwd
        if line.message is None:
            return
        self.messages += 1
        content = _content.decode(line.message.content)
        blocks = [_RecordedBlock("text", text=content)] if isinstance(content, str) else content
        for block in blocks:
            if block.type == "tool_use":
                self._call(block, line)
            elif block.type == "tool_result":
                self._result(block, line)
            elif block.type == "text":
                self._text(block.text, line)

    def _call(self, block: _RecordedBlock, line: _RecordedLine) -> None:
        key = block.id or f"call {len(self.calls)}"
        if key in self.calls or (block.id and block.id in self._seen):
            return
        self._seen.add(block.id)
        action = Action(block.name, block.input or {}, self._cwd, id=block.id)
        call = RecordedCall(action, at=line.at, agent=line.agent)
        self.calls[key] = call
        if not call.agent:
            call.prompted, self._prompted = self._prompted, False
            if self._last is not None:
                self._last.said = ""  # it went on
            self._last = call

    def _result(self, block: _RecordedBlock, line: _RecordedLine) -> None:
        call = self.calls.get(block.tool_use_id)
        if call is None:
            return
        call.at = line.at or call.at
        text = _text(block.content)
        if text.startswith(_NOT_RUN):
            return
        found = _EXIT_CODE.match(text) if block.is_error else None
        code = int(found.group(1)) if found else None
        call.outcome = Outcome(not block.is_error, code, text)

    def _text(self, text: str, line: _RecordedLine) -> None:
        if line.type == "assistant":
            if self._last is not None and not line.agent:
                self._last.said = f"{self._last.said}\n{text}"[-_MAX_SAID:].lstrip()
        elif line.type == "user" and not (line.isMeta or line.isCompactSummary):
            self._typed(text, line)

    def _typed(self, text: str, line: _RecordedLine) -> None:
        if not text.strip() or text.lstrip().startswith(_NOT_TYPED):
            return
        self.goal = self.goal or text.strip()[:_MAX_GOAL]
        if not line.agent:
            self._last, self._prompted = None, True


def _text(content: msgspec.Raw) -> str:
    try:
        decoded = _content.decode(content)
    except (ValueError, RecursionError):
        return ""
    if isinstance(decoded, str):
        return decoded[:_MAX_OUTPUT]
    return "\n".join(block.text for block in decoded)[:_MAX_OUTPUT]
