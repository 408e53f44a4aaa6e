"""An agent that plays a script, and asks Handrail before each action as Claude Code does.

It really runs its commands and changes files in its folder. The demo, the benchmarks and
tests use it when they need an agent but not Claude Code itself.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self, cast

from handrail.drive.file_tools import use_file_tool
from handrail.server.http.socket_client import SocketConnection
from handrail.testing.model_server import Json, ToolCall

_SECONDS = 60.0


class CallResult(NamedTuple):
    """The result of one call."""

    call: ToolCall
    reply: Json
    """Handrail's reply before the call."""
    input: Json | None
    """The input that really ran; None if Handrail refused it."""
    ok: bool = False
    output: str = ""
    after: Json = {}  # noqa: RUF012 - never changed
    """Handrail's reply after the call."""

    @property
    def refused(self) -> bool:
        """Whether Handrail refused the call."""
        return self.input is None

    def said(self, field: str) -> str:
        """Return a text of the reply, such as `permissionDecisionReason`."""
        specific = cast("Json", self.reply.get("hookSpecificOutput", {}))
        return str(specific.get(field, ""))


class HookClient:
    """An open connection to the daemon, as a host has it."""

    def __init__(self, path: str, seconds: float = _SECONDS) -> None:
        self._http = SocketConnection(path, seconds)

    def send(self, payload: Mapping[str, object]) -> Json:
        """Send one hook message and return the reply."""
        body = json.dumps(payload).encode()
        self._http.request("POST", "/hooks/claude", body, {"Content-Type": "application/json"})
        return cast("Json", json.loads(self._http.getresponse().read()))

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


class ScriptedAgent:
    """One session of a scripted agent, from its start to its end (a context manager)."""

    def __init__(
        self,
        socket_path: str,
        folder: str,
        *,
        session: str,
        environ: Mapping[str, str] = os.environ,
        prompt: str = "",
        seconds: float = _SECONDS,
    ) -> None:
        """`seconds`: how long to wait for an answer; a pause may hold a call."""
        self.folder = folder
        self.session = session
        self._line = HookClient(socket_path, seconds)
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
        """Make one call after the other."""
        for call in calls:
            yield self.do(call)

    def do(self, call: ToolCall) -> CallResult:
        """Ask Handrail, run the call if allowed, and report the result."""
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
        """Run an allowed call; return whether it succeeded, and its output."""
        if call.tool == "Bash":
            return self._shell(str(given["command"]))
        try:
            return True, use_file_tool(call.tool, given, self.folder)
        except OSError as error:
            return False, f"{os.path.basename(str(given['file_path']))}: {error.strerror}"

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
