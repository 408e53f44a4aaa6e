"""An agent that plays a script, and asks Handrail as Claude Code does before it does anything.

It really runs its commands and really changes files, in the folder that it is given. For the
demo, for benchmarks, and for tests that need an agent but not Claude Code itself.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self, cast

from handrail.server.http.socket_client import SocketConnection
from handrail.testing.model_server import Json, ToolCall

_SECONDS = 60.0


class CallResult(NamedTuple):
    """What came of one call."""

    call: ToolCall
    reply: Json
    """What Handrail said before it."""
    input: Json | None
    """What was really done; None: it was refused."""
    ok: bool = False
    output: str = ""
    after: Json = {}  # noqa: RUF012 - never changed
    """What Handrail said afterwards."""

    @property
    def refused(self) -> bool:
        """Whether it did not run."""
        return self.input is None

    def said(self, field: str) -> str:
        """A text of the reply, such as `permissionDecisionReason`."""
        specific = cast("Json", self.reply.get("hookSpecificOutput", {}))
        return str(specific.get(field, ""))


class HookClient:
    """A connection to the daemon that is kept open, as a host keeps it."""

    def __init__(self, path: str) -> None:
        self._http = SocketConnection(path, _SECONDS)

    def send(self, payload: Mapping[str, object]) -> Json:
        """One hook message, and the answer to it."""
        body = json.dumps(payload).encode()
        self._http.request("POST", "/hooks/claude", body, {"Content-Type": "application/json"})
        return cast("Json", json.loads(self._http.getresponse().read()))

    def close(self) -> None:
        """Hang up."""
        self._http.close()


class ScriptedAgent:
    """One session of a scripted agent; a context, from the session's start to its end."""

    def __init__(
        self,
        socket_path: str,
        folder: str,
        *,
        session: str,
        environ: Mapping[str, str] = os.environ,
        prompt: str = "",
    ) -> None:
        self.folder = folder
        self.session = session
        self._line = HookClient(socket_path)
        self._environ = dict(environ)
        self._prompt = prompt
        self._calls = 0

    def __enter__(self) -> Self:
        self.tell("SessionStart", source="startup")
        if self._prompt:
            self.tell("UserPromptSubmit", prompt=self._prompt)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.tell("SessionEnd", reason="other")
        finally:
            self._line.close()

    def play(self, calls: Sequence[ToolCall]) -> Iterator[CallResult]:
        """One call after the other, each as Handrail allows it."""
        for call in calls:
            yield self.do(call)

    def do(self, call: ToolCall) -> CallResult:
        """Ask, do what is allowed, and report."""
        self._calls += 1
        given = {"tool_name": call.tool, "tool_use_id": call.id or f"call{self._calls}"}
        reply = self.tell("PreToolUse", **given, tool_input=call.input)
        specific = cast("Json", reply.get("hookSpecificOutput", {}))
        if specific.get("permissionDecision") in ("deny", "ask"):
            return CallResult(call, reply, None)
        allowed = cast("Json", specific.get("updatedInput", call.input))
        ok, output = self.carry_out(call, allowed)
        event = "PostToolUse" if ok else "PostToolUseFailure"
        came = {"tool_response": {"stdout": output}} if ok else {"error": output}
        after = self.tell(event, **given, tool_input=allowed, **came)
        return CallResult(call, reply, dict(allowed), ok, output, after)

    def tell(self, event: str, **fields: object) -> Json:
        """Send one hook event."""
        return self._line.send(
            {
                "session_id": self.session,
                "hook_event_name": event,
                "cwd": self.folder,
                "permission_mode": "bypassPermissions",
                **fields,
            }
        )

    def carry_out(self, call: ToolCall, given: Json) -> tuple[bool, str]:
        """Do what was allowed: whether it worked, and what came of it."""
        if call.tool == "Bash":
            return self._shell(str(given["command"]))
        path = Path(self.folder, str(given["file_path"]))
        try:
            return True, _FILE_TOOLS[call.tool](path, given)
        except OSError as error:
            return False, f"{path.name}: {error.strerror}"

    def _shell(self, command: str) -> tuple[bool, str]:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
        output = (done.stdout + done.stderr).strip()
        if done.returncode == 0:
            return True, output
        return False, f"Exit code {done.returncode}\n{output}"


def _read(path: Path, given: Json) -> str:
    return path.read_text()


def _write(path: Path, given: Json) -> str:
    path.write_text(str(given["content"]))
    return ""


def _edit(path: Path, given: Json) -> str:
    text = path.read_text()
    path.write_text(text.replace(str(given["old_string"]), str(given["new_string"]), 1))
    return ""


_FILE_TOOLS = {"Read": _read, "Write": _write, "Edit": _edit}
