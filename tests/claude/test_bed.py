"""What Handrail relies on in the real Claude Code, shown with a hook of the test's own."""

import json
import os
import select
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from handrail.testing.model_server import Answer, Json, ModelRequest, ModelTurn, Say, ToolCall
from tests.claude.sandbox import VERSION, ClaudeSandbox

READS = "Read|Glob|Grep"
OTHERS = f"^(?!({READS})$).*"


@contextmanager
def endpoint(**output: object) -> Iterator[str]:
    """The URL of an http hook that answers every PreToolUse in the same way."""
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **output}}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/hook"
        finally:
            server.shutdown()
            thread.join()


def hooked(url: str) -> Json:
    """Settings in which a dead hook stops everything but reads."""
    hook = {"type": "http", "url": url, "timeout": 30}
    groups = [
        {"matcher": READS, "hooks": [hook]},
        {"matcher": OTHERS, "hooks": [{**hook, "onFailure": "block"}]},
    ]
    return {"hooks": {"PreToolUse": groups}}


def touch(name: str) -> ToolCall:
    return ToolCall("Bash", {"command": f"touch {name}", "description": "make a file"}, id=name)


def test_the_pinned_version_is_the_one_that_runs(claude: Path) -> None:
    said = subprocess.run([claude, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{VERSION} ")


def test_a_denied_command_does_not_run_and_the_model_is_told_why(sandbox: ClaudeSandbox) -> None:
    with endpoint(permissionDecision="deny", permissionDecisionReason="not here") as url:
        session = sandbox.run("make it", [touch("made"), Say("done")], hooked(url))
    assert not (sandbox.repo / "made").exists()
    assert not session.ran("made")
    assert "not here" in session.tool_results()["made"].text


def test_a_rewritten_command_runs_rewritten(sandbox: ClaudeSandbox) -> None:
    with endpoint(updatedInput={"command": "touch other"}) as url:
        session = sandbox.run("make it", [touch("made"), Say("done")], hooked(url))
    assert session.ran("made")
    assert [(sandbox.repo / name).exists() for name in ("made", "other")] == [False, True]


def test_added_context_is_in_the_next_request(sandbox: ClaudeSandbox) -> None:
    with endpoint(additionalContext="mind the gap") as url:
        session = sandbox.run("make it", [touch("made"), Say("done")], hooked(url))
    assert [("mind the gap" in request.text) for request in session.requests] == [False, True]
    assert (sandbox.repo / "made").exists()


def test_when_the_hook_dies_in_mid_session_only_reads_go_on(sandbox: ClaudeSandbox) -> None:
    asked, dead = threading.Event(), threading.Event()
    read = ToolCall("Read", {"file_path": str(sandbox.repo / "README.md")}, id="read")

    def once_dead(request: ModelRequest) -> Answer:
        asked.set()
        return ModelTurn([touch("after"), read], after=dead)

    with endpoint() as url:
        running = sandbox.start("make it", [touch("before"), once_dead, Say("done")], hooked(url))
        assert asked.wait(60)
    dead.set()
    session = running.wait()
    assert [session.ran(call) for call in ("before", "after", "read")] == [True, False, True]
    assert not (sandbox.repo / "after").exists()


def test_no_command_of_a_session_outlives_the_bed(claude: Path) -> None:
    hang = "exec 3>alive; echo started >&3; mkfifo never; cat never"
    with ClaudeSandbox() as bed:
        os.mkfifo(bed.repo / "alive")
        alive = os.open(bed.repo / "alive", os.O_RDONLY | os.O_NONBLOCK)
        bed.start("hang", [ToolCall("Bash", {"command": hang, "description": "hang"})])
        assert read_when_ready(alive) == b"started\n"
    assert read_when_ready(alive) == b""
    os.close(alive)


def read_when_ready(fifo: int) -> bytes:
    """What a writer wrote, or nothing where the last writer is gone."""
    assert select.select([fifo], [], [], 60)[0]
    return os.read(fifo, 100)


def test_the_bed_is_private_short_and_removed() -> None:
    with ClaudeSandbox() as bed:
        root = bed.root
        assert stat.S_IMODE(bed.state.stat().st_mode) == 0o700
        assert len(str(bed.state)) < 40
    assert not root.exists()
