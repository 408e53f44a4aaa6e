"""What Claude Code would send in the course of many sessions, made from the corpus."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
from benchmarks.corpus import Corpus

_SIZES = "0 60 100 130 160 190 220 260 300 340 450 600 800 1050 1300 1700 2200 2500 7000 10000"
OUTPUTS = tuple(map(int, _SIZES.split()))
"""Characters that commands print, spread as in recorded runs; half of them print less than 400."""
_TEXT = "\n".join(path.read_text() for path in sorted(Path(asyncio.__file__).parent.glob("*.py")))
"""What they print: code, which is what agents look at most."""


class _Specific(msgspec.Struct, frozen=True):
    permissionDecision: str = ""  # noqa: N815 - as it comes over the wire
    updatedInput: dict[str, object] | None = None  # noqa: N815


class _Answer(msgspec.Struct, frozen=True):
    hookSpecificOutput: _Specific = _Specific()  # noqa: N815


_decoder = msgspec.json.Decoder(_Answer)


class Call(msgspec.Struct, frozen=True):
    """One tool call: what is sent before it, and what is sent after it."""

    fields: dict[str, object]
    command: str
    output: str

    def before(self) -> bytes:
        """The PreToolUse payload."""
        return self._payload("PreToolUse", tool_input=self._input())

    def after(self, answer: bytes) -> bytes:
        """The PostToolUse payload, after this answer to `before`; empty where it was refused."""
        said = _decoder.decode(answer).hookSpecificOutput
        if said.permissionDecision == "deny":
            return b""
        response = {"stdout": self.output, "stderr": "", "interrupted": False, "isImage": False}
        given = said.updatedInput or self._input()
        return self._payload("PostToolUse", tool_input=given, tool_response=response, duration_ms=9)

    def _input(self) -> dict[str, object]:
        return {"command": self.command, "description": "Do what comes next"}

    def _payload(self, event: str, **more: object) -> bytes:
        return msgspec.json.encode({**self.fields, "hook_event_name": event, **more})


class Run(msgspec.Struct, frozen=True):
    """One session, in a folder of its own."""

    number: int
    folder: str
    corpus: Corpus

    @property
    def session(self) -> str:
        """Its name."""
        return f"00000000-0000-4000-8000-{self.number:012}"

    def start(self) -> bytes:
        """The SessionStart payload."""
        said = {"hook_event_name": "SessionStart", "source": "startup"}
        return msgspec.json.encode({**self._fields(), **said})

    def calls(self, done: int = 0) -> Iterator[Call]:
        """Tool calls without end, after so many that were done; runs begin at different ones."""
        lines = self.corpus.lines
        at = self.number * 37 + done
        while True:
            # Two commands in five have been given before, as in recorded runs.
            line = lines[(at - 3 if at % 5 > 2 else at) % len(lines)]
            size = OUTPUTS[at % len(OUTPUTS)]
            begin = at * 997 % (len(_TEXT) - size)
            yield Call(
                {**self._fields(), "tool_name": "Bash", "tool_use_id": f"toolu_{self.number}_{at}"},
                line.command.replace(line.cwd, self.folder),
                _TEXT[begin : begin + size],
            )
            at += 1

    def _fields(self) -> dict[str, object]:
        projects = str(Path(self.folder).parent / ".claude" / "projects" / "shop")
        return {
            "session_id": self.session,
            "transcript_path": f"{projects}/{self.session}.jsonl",
            "cwd": self.folder,
            "permission_mode": "bypassPermissions",
            "effort": {"level": "medium"},
        }
