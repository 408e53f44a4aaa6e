"""A stand-in for Claude Code: a real process that speaks stream-json and writes real files.

It imports little, so that it starts fast. Its prompt says which file to write; it asks the hooks
of its settings before each write, as Claude Code does. It takes the lock of its file for its whole
life: a second agent that finds it taken has a colleague in the same worktree, and says so.
"""

import fcntl
import json
import os
import re
import socket
import sys
import time
from itertools import pairwise

FOLDER = os.environ.get("CHAOS_FOLDER", "")
"""The file `faults` there counts the faults so far, and `overlaps` names agents that met."""
_ORDER = re.compile(r"Write (\S+) with (\d+) lines after fault (\d+)\.")
_TRIES = 100
_PAUSE = 0.1
_MODEL = "claude-sonnet-4-5"


class Hooks:
    """The HTTP hooks of the session's settings; whoever does not answer has refused."""

    def __init__(self, settings: str, session: str) -> None:
        with open(settings, "rb") as file:
            groups = json.load(file).get("hooks", {})
        self._handlers = {
            event: [each for each in found[-1]["hooks"] if each["type"] == "http"]
            for event, found in groups.items()
        }
        self._session = session

    def ask(self, event: str, **fields: object) -> bool:
        """Return whether all handlers of an event let it pass."""
        message = {
            "session_id": self._session,
            "hook_event_name": event,
            "cwd": os.getcwd(),
            "permission_mode": "bypassPermissions",
            **fields,
        }
        body = json.dumps(message, separators=(",", ":")).encode()
        return all(_allows(_post(each, body)) for each in self._handlers.get(event, []))


def _post(handler: dict[str, object], body: bytes) -> bytes:
    """Return the answer of a handler, or nothing."""
    address, path = str(handler["url"]).removeprefix("http://").split("/", 1)
    host, port = address.split(":")
    headers = handler.get("headers")
    assert isinstance(headers, dict)
    lines = [f"POST /{path} HTTP/1.1", f"Host: {address}", "Connection: close"]
    lines += [f"{name}: {text}" for name, text in headers.items()]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
    try:
        with socket.create_connection((host, int(port)), timeout=20.0) as connection:
            connection.sendall("\r\n".join(lines).encode() + body)
            answer = b""
            while part := connection.recv(65536):
                answer += part
    except OSError:
        return b""
    head, _, said = answer.partition(b"\r\n\r\n")
    return said if b" 200 " in head.split(b"\r\n")[0] else b""


def _allows(answer: bytes) -> bool:
    try:
        said = json.loads(answer)
    except ValueError:
        return False
    return said.get("hookSpecificOutput", {}).get("permissionDecision") not in ("deny", "ask")


def _faults() -> int:
    try:
        with open(os.path.join(FOLDER, "faults")) as file:
            return int(file.read() or 0)
    except FileNotFoundError:
        return 0


class Session:
    """One conversation; a later process of the same run takes it up again."""

    def __init__(self, run: str, settings: str) -> None:
        self.run = run
        self._hooks = Hooks(settings, run)
        self._calls = 0
        self._order: tuple[str, int, int] | None = None
        folder = os.path.join(os.environ["CLAUDE_CONFIG_DIR"], "projects", "standin")
        os.makedirs(folder, exist_ok=True)
        self._transcript = os.path.join(folder, f"{run}.jsonl")

    def take_turn(self, prompt: str) -> str:
        """Work on a prompt; return the last words."""
        with open(self._transcript, "a+") as file:
            file.write(json.dumps({"prompt": prompt}) + "\n")
            file.flush()
            file.seek(0)
            found = _ORDER.search(file.read())
        if found is None:
            return "I do not know what to do."
        name, lines, fault = found[1], int(found[2]), int(found[3])
        self._lock(name)
        for number in range(1, lines + 1):
            while number == lines and _faults() < fault:
                time.sleep(_PAUSE)
            if not self._has(name, number) and not self._write(name, number):
                return "Handrail does not let me write."
        return "All lines are there.\nTASK DONE"

    def _lock(self, name: str) -> None:
        path = os.path.join(FOLDER, os.path.basename(name) + ".lock")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with open(os.path.join(FOLDER, "overlaps"), "a") as file:
                file.write(f"{name} {self.run}\n")

    def _has(self, name: str, number: int) -> bool:
        try:
            with open(name) as file:
                return len(file.readlines()) >= number
        except FileNotFoundError:
            return False

    def _write(self, name: str, number: int) -> bool:
        """Ask for a write until it is allowed, and write."""
        path = os.path.join(os.getcwd(), name)
        content = "".join(f"{name} line {n}\n" for n in range(1, number + 1))
        given = {"file_path": path, "content": content}
        for _ in range(_TRIES):
            self._calls += 1
            call = {
                "tool_name": "Write",
                "tool_use_id": f"c{os.getpid()}-{self._calls}",
                "tool_input": given,
            }
            if self._hooks.ask("PreToolUse", **call):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(f"{path}.new", "w") as file:
                    file.write(content)
                os.replace(f"{path}.new", path)
                self._hooks.ask("PostToolUse", **call, tool_response={"success": True})
                return True
            time.sleep(_PAUSE)
        return False


def _say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def _answer(session: Session, said: dict[str, object]) -> None:
    if said.get("type") == "control_request":
        reply = {"subtype": "success", "request_id": said["request_id"], "response": {}}
        _say(type="control_response", response=reply)
    elif said.get("type") == "user":
        message = said["message"]
        assert isinstance(message, dict)
        _say(type="system", subtype="init", session_id=session.run, model=_MODEL)
        says = session.take_turn(str(message["content"]))
        content = [{"type": "text", "text": says}]
        _say(type="assistant", message={"id": "m1", "model": _MODEL, "content": content})
        _say(
            type="result",
            subtype="success",
            is_error=False,
            num_turns=1,
            result=says,
            terminal_reason="completed",
            usage={"input_tokens": 10, "output_tokens": 5},
            total_cost_usd=0.01,
        )


def main(arguments: list[str]) -> None:
    """Take prompts until the input ends."""
    options = dict(pairwise(arguments))
    run = options.get("--session-id") or options["--resume"]
    session = Session(run, options["--settings"])
    for line in sys.stdin.buffer:
        _answer(session, json.loads(line))


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"{os.environ['CHAOS_CLAUDE_VERSION']} (Claude Code)\n")
    else:
        main(sys.argv[1:])
