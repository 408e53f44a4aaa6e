"""A machine on which Handrail was installed before the code got its new structure.

Everything is asked from the outside: commands, the socket, the hook client. So the same file
serves `write.py`, which ran the old code, and the tests, which run today's.
"""

import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
Json = dict[str, Any]

DATA = Path(__file__).parent / "data"
ROOT = Path("/tmp/handrail-before")
"""Always the same: paths stand in the log, in the settings and in the names of folders, and what
was written before is to be read as it was written."""
PATIENCE = 30.0
SEARCHED = "/usr/local/bin:/usr/bin:/bin"


class Machine:
    """A home with two projects, Handrail's state, and the Python in which Handrail is installed."""

    home = ROOT / "home"
    state = ROOT / "state"
    shop = home / "shop"
    docs = home / "docs"
    settings = home / ".claude" / "settings.json"
    project_settings = shop / ".claude" / "settings.local.json"
    python = ROOT / "venv" / "bin" / "python"
    socket = state / "daemon.sock"
    hook_client = state / "bin" / "handrail-hook"

    environ = {  # noqa: RUF012 - it is not changed
        "HOME": str(home),
        "HANDRAIL_HOME": str(state),
        "PATH": SEARCHED,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
    }

    # Commands of Handrail

    def run(self, *args: str, cwd: Path = shop) -> "subprocess.CompletedProcess[str]":
        """A command of Handrail."""
        return subprocess.run(
            [self.python, "-m", "handrail", *args],
            cwd=cwd,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def says(self, *args: str, cwd: Path = shop) -> str:
        """What a command of Handrail prints; it must succeed."""
        done = self.run(*args, cwd=cwd)
        assert done.returncode == 0, f"handrail {' '.join(args)}: {done.stdout}{done.stderr}"
        return done.stdout

    def json(self, *args: str, cwd: Path = shop) -> Any:
        """The same of a command that prints JSON: one value, or one a line."""
        lines = self.says(*args, "--json", cwd=cwd).splitlines()
        return [json.loads(line) for line in lines] if args[0] == "log" else json.loads(lines[0])

    # The daemon

    def start(self) -> int:
        """Start the daemon; its process."""
        self.says("serve", "--background")
        return self.pid

    def stop(self) -> None:
        """End the daemon in peace."""
        self.says("serve", "--stop")

    def kill(self) -> None:
        """End daemon and guardian in a way that leaves them no time for anything."""
        self.end()

    @property
    def pid(self) -> int:
        return int(self.call("GET", "/healthz")["pid"])

    def call(self, method: str, path: str, body: object = None, timeout: float = PATIENCE) -> Json:
        """What the daemon answers on its socket."""
        connection = http.client.HTTPConnection("handrail", timeout=timeout)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(timeout)
        connection.sock.connect(str(self.socket))
        return _exchange(connection, method, path, body, {})

    def control(self, command: str, run: str, *, wait: float = PATIENCE, **payload: str) -> Json:
        """The last message that a request of a person has led to."""
        request = {
            "schema": 0,
            "type": "REQUEST",
            "request_id": str(uuid.uuid4()),
            "command": command,
            "target": {"run_id": run},
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "payload": {"by": "ann", **payload},
        }
        found: Json = self.call("POST", f"/control?wait={wait}", request, wait + 10)["messages"][-1]
        return found

    # The daemon's children and the machine itself

    def end(self) -> None:
        """End every process of this machine, in one blow: some start others again."""
        while pids := self._processes():
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in pids:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
            for pid in pids:
                until(lambda pid=pid: not is_alive(pid), "it has ended")  # type: ignore[misc]

    def _processes(self) -> list[int]:
        mark = f"HANDRAIL_HOME={self.state}\0".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            pid = int(entry.parent.name)
            with suppress(OSError):  # it has ended, or belongs to somebody else
                if pid != os.getpid() and mark in entry.read_bytes() + b"\0":
                    found.append(pid)
        return found


class Session:
    """A session of Claude Code, as its hooks tell of it; it does what it is let do."""

    def __init__(self, machine: Machine, run: str, cwd: Path, send: Callable[[Json], Json]) -> None:
        self.machine = machine
        self.run = run
        self.cwd = cwd
        self.send = send
        self.calls = 0

    def tell(self, event: str, **fields: object) -> Json:
        """What a hook is answered with."""
        return self.send(
            {
                "session_id": self.run,
                "transcript_path": f"{self.machine.home}/.claude/projects/shop/{self.run}.jsonl",
                "cwd": str(self.cwd),
                "permission_mode": "bypassPermissions",
                "hook_event_name": event,
                **fields,
            }
        )

    def begin(self, prompt: str) -> None:
        """The session starts, and a person says what to do."""
        self.tell("SessionStart", source="startup", model="claude-sonnet-4-5")
        self.tell("UserPromptSubmit", prompt=prompt)

    def before(self, tool: str, given: Json, call: str = "", **fields: object) -> Json:
        """What is said before a call."""
        self.calls += not call
        call = call or f"toolu_{self.run[:4]}_{self.calls}"
        return self.tell("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=call, **fields)

    def after(
        self, tool: str, given: Json, response: object, call: str = "", **fields: object
    ) -> Json:
        """What is said after a call that worked."""
        call = call or f"toolu_{self.run[:4]}_{self.calls}"
        return self.tell(
            "PostToolUse",
            tool_name=tool,
            tool_input=given,
            tool_use_id=call,
            tool_response=response,
            duration_ms=12,
            **fields,
        )

    def bash(self, command: str, **fields: str) -> Json:
        """Run a shell command as Claude Code does."""
        given: Json = {"command": command, "description": "a step of the work"}
        said = self.before("Bash", given, **fields).get("hookSpecificOutput", {})
        if said.get("permissionDecision") == "deny":
            return dict(said)
        given = said.get("updatedInput", given)
        code, output = self._execute(given["command"])
        if code == 0:
            return self.after("Bash", given, {"stdout": output, "stderr": ""}, **fields)
        return self.tell(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_input=given,
            tool_use_id=f"toolu_{self.run[:4]}_{self.calls}",
            error=f"Exit code {code}\n{output}",
            duration_ms=40,
            **fields,
        )

    def write(self, name: str, text: str) -> Json:
        """Write a file by the tool for it."""
        path = self.cwd / name
        given = {"file_path": str(path), "content": text}
        said = self.before("Write", given)
        if said.get("hookSpecificOutput", {}).get("permissionDecision") == "deny":
            return said
        kind = "update" if path.exists() else "create"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return self.after("Write", given, {"type": kind, "filePath": str(path), "content": text})

    def read(self, name: str) -> Json:
        """Read a file by the tool for it."""
        path = self.cwd / name
        given = {"file_path": str(path)}
        self.before("Read", given)
        file = {"filePath": str(path), "content": path.read_text()}
        return self.after("Read", given, {"type": "text", "file": file})

    def _execute(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.cwd,
            env=self.machine.environ,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


def over_socket(machine: Machine) -> Callable[[Json], Json]:
    """Hooks by the daemon's socket."""
    return lambda payload: machine.call("POST", "/hooks/claude", payload)


def over_port(machine: Machine) -> Callable[[Json], Json]:
    """Hooks as the http handlers in the user's settings send them."""
    hooks = json.loads(machine.settings.read_text())["hooks"]["PreToolUse"]
    handler = next(each for hook in hooks for each in hook["hooks"] if each["type"] == "http")
    where = urlsplit(handler["url"])

    def send(payload: Json) -> Json:
        connection = http.client.HTTPConnection(where.netloc, timeout=PATIENCE)
        return _exchange(connection, "POST", where.path, payload, handler["headers"])

    return send


def over_client(machine: Machine, **environ: str) -> Callable[[Json], Json]:
    """Hooks as the command handlers in a project's settings send them."""

    def send(payload: Json) -> Json:
        event = payload["hook_event_name"]
        mode = ["change"] if event == "PreToolUse" else []
        done = subprocess.run(
            ["/bin/sh", machine.hook_client, event, *mode],
            input=json.dumps(payload),
            cwd=machine.shop,
            env={**machine.environ, "CLAUDE_CODE_SESSION_ATTENDED": "0", **environ},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{event}: exit code {done.returncode}: {done.stderr}"
        found: Json = json.loads(done.stdout)
        return found

    return send


class Background(threading.Thread):
    """A call that waits while something else goes on."""

    def __init__(self, do: Callable[[], Json]) -> None:
        super().__init__(daemon=True)
        self._do = do
        self._found: Json | None = None
        self.start()

    def run(self) -> None:
        self._found = self._do()

    def result(self) -> Json:
        """What came of it."""
        self.join(PATIENCE)
        assert self._found is not None, "it did not come back"
        return self._found


@contextmanager
def machine_of(archive: str) -> Iterator[Machine]:
    """The machine as it was when an archive of `data/` was made; it is gone after the block."""
    with one_at_a_time():
        machine = Machine()
        shutil.rmtree(ROOT, ignore_errors=True)
        ROOT.mkdir(mode=0o700)
        try:
            with tarfile.open(DATA / archive) as found:
                found.extractall(ROOT, filter="tar")
            (ROOT / "venv").symlink_to(sys.prefix)
            yield machine
        finally:
            machine.end()
            shutil.rmtree(ROOT, ignore_errors=True)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """There is one such place on this computer; whoever else wants it waits."""
    with ROOT.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def until(condition: Callable[[], T | None], what: str) -> T:
    """The first true value of a condition; fails where it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.01)
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has asked about since its end does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: object,
    headers: Mapping[str, str],
) -> Json:
    data = None if body is None else json.dumps(body)
    with closing(connection):
        connection.request(method, path, data, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        said = answer.read()
    assert answer.status == http.client.OK, f"{method} {path}: {answer.status} {said!r}"
    found: Json = json.loads(said)
    return found
