"""One Claude Code transcript: which tools were called, and what came of it."""

import re

import msgspec

from handrail.model.action import Action, Outcome

_MAX_GOAL = 4_000
_MAX_OUTPUT = 4_000
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d+)")
_NOT_TYPED = ("<command-", "<local-command", "Caveat:", "[Request interrupted")
_NOT_RUN = ("The user doesn't want to", "[Request interrupted", "Permission to use")


class Call(msgspec.Struct):
    """A tool that was called; the outcome comes with a later message, if it does."""

    action: Action
    outcome: Outcome | None = None


class _Message(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b'""')


class _Line(msgspec.Struct):
    type: str
    message: _Message | None = None
    cwd: str | None = None
    isMeta: bool | None = None  # noqa: N815 - their name


class _Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, object] | None = None
    tool_use_id: str = ""
    is_error: bool | None = None
    content: msgspec.Raw = msgspec.Raw(b'""')
    text: str = ""


_line = msgspec.json.Decoder(_Line)
_content = msgspec.json.Decoder(str | list[_Block])


class Transcript:
    """Takes a transcript line by line; a call that another file had already is left out."""

    def __init__(self, seen: set[str]) -> None:
        self._seen = seen
        self._cwd = ""
        self.messages = 0
        self.goal = ""
        self.started_in = ""
        self.calls: dict[str, Call] = {}

    def add(self, data: bytes) -> None:
        """One more line; raises ValueError if it is not what it should be."""
        line = _line.decode(data)
        if line.cwd:
            self._cwd = line.cwd
            self.started_in = self.started_in or line.cwd
        if line.message is None:
            return
        self.messages += 1
        content = _content.decode(line.message.content)
        blocks = [_Block("text", text=content)] if isinstance(content, str) else content
        for block in blocks:
            if block.type == "tool_use":
                self._call(block)
            elif block.type == "tool_result":
                self._result(block)
            elif block.type == "text" and line.type == "user" and not line.isMeta:
                self._typed(block.text)

    def _call(self, block: _Block) -> None:
        key = block.id or f"call {len(self.calls)}"
        if key in self.calls or (block.id and block.id in self._seen):
            return
        self._seen.add(block.id)
        self.calls[key] = Call(Action(block.name, block.input or {}, self._cwd, id=block.id))

    def _result(self, block: _Block) -> None:
        call = self.calls.get(block.tool_use_id)
        if call is None:
            return
        text = _text(block.content)
        if text.startswith(_NOT_RUN):
            return
        found = _EXIT_CODE.match(text) if block.is_error else None
        code = int(found.group(1)) if found else None
        call.outcome = Outcome(not block.is_error, code, text)

    def _typed(self, text: str) -> None:
        if not self.goal and text.strip() and not text.lstrip().startswith(_NOT_TYPED):
            self.goal = text.strip()[:_MAX_GOAL]


def _text(content: msgspec.Raw) -> str:
    try:
        decoded = _content.decode(content)
    except (ValueError, RecursionError):
        return ""
    if isinstance(decoded, str):
        return decoded[:_MAX_OUTPUT]
    return "\n".join(block.text for block in decoded)[:_MAX_OUTPUT]
