"""Guardian and daemon keep each other alive: whatever is killed, no call goes unreviewed."""

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from handrail.model.event import FaultNoted
from handrail.server.http.socket_client import (
    DaemonError,
    RefusedError,
    SocketConnection,
    call_daemon,
    daemon_health,
)
from handrail.server.integrity.notices import unseen_notices
from handrail.server.launcher import stop_daemon
from handrail.server.lock import AlreadyRunningError, HeldLock, daemon_pid, guardian_pid
from handrail.store.decoding import decode
from handrail.store.opening import open_log
from handrail.supervise.log.topics import topic_of
from tests.hosts.claude.desk import Json, decision, said
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


def wait_for(what: Callable[[], object]) -> None:
    """Until something is so; fails if it never is."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)


def insist(place: DaemonSandbox, command: str = "rm -rf /", **fields: str) -> Json:
    """What is said before a command, however long that takes."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return place.before(command, **fields)
        except DaemonError:
            assert time.monotonic() < until, "nobody answers"


def by_port(place: DaemonSandbox, payload: Json, token: str) -> tuple[int, Json]:
    """Status and answer of a hook over the port, however long that takes."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return _by_port(place, payload, token)
        except (OSError, http.client.HTTPException):  # a daemon was killed that had taken it
            assert time.monotonic() < until, "nobody answers"


def _by_port(place: DaemonSandbox, payload: Json, token: str) -> tuple[int, Json]:
    line = http.client.HTTPConnection("127.0.0.1", place.home.port, timeout=PATIENCE)
    with closing(line):
        headers = {"Authorization": f"Bearer {token}"}
        line.request("POST", "/hooks/claude", json.dumps(payload), headers)
        answer = line.getresponse()
        found: Json = json.loads(answer.read())
        return answer.status, found


def processes(place: DaemonSandbox) -> list[int]:
    """Everything that runs with this state folder."""
    mark = b"HANDRAIL_HOME=" + os.fsencode(place.home.path) + b"\0"
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended
            if mark in entry.read_bytes() + b"\0":
                found.append(int(entry.parent.name))
    return found


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonSandbox]:
    """One place for all tests that leave it as they found it."""
    with DaemonSandbox() as place:
        place.home.client(place.environ)
        place.start()
        yield place
    assert not processes(place), "a sandbox leaves no process behind"


@pytest.fixture
def live(shared: DaemonSandbox) -> DaemonSandbox:
    """A place where both run and are well, whatever the test before has done."""
    wait_for(lambda: daemon_health(shared.home) and shared.guardian)
    return shared


def daemon_of(place: DaemonSandbox) -> int:
    """The daemon's process; asked of the lock, which answers however busy the machine is."""
    pid = daemon_pid(place.home)
    assert pid, "no daemon runs"
    return pid


# One of them is killed


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_call_waits_for_the_next_daemon_when_one_is_killed(
    live: DaemonSandbox, number: signal.Signals
) -> None:
    pid, guardian = daemon_of(live), live.guardian
    os.kill(pid, number)
    assert decision(insist(live, session_id=f"killed by {number}")) == "deny"
    wait_for(lambda: daemon_pid(live.home) not in (None, pid))
    assert live.guardian == guardian


def test_the_port_is_never_free(live: DaemonSandbox) -> None:
    os.kill(daemon_of(live), signal.SIGKILL)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", live.home.port))
    payload = live.payload("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"})
    status, answer = by_port(live, payload, live.home.hook_token)
    assert (status, decision(answer)) == (200, "deny")


def test_a_killed_guardian_is_started_again_and_guards_the_same_daemon(
    live: DaemonSandbox,
) -> None:
    pid, guardian = daemon_of(live), live.guardian
    os.kill(guardian, signal.SIGKILL)
    wait_for(lambda: live.guardian not in (0, guardian))
    assert daemon_of(live) == pid
    os.kill(pid, signal.SIGKILL)
    assert decision(insist(live, session_id="after both")) == "deny"


def test_two_that_are_killed_in_one_blow_are_started_by_the_next_hook(live: DaemonSandbox) -> None:
    live.kill()
    assert daemon_health(live.home) is None
    client = live.home.client_path
    message = json.dumps(live.payload("PreToolUse", tool_name="Bash", tool_input={"command": "a"}))
    ran = live.execute(["/bin/sh", client, "PreToolUse", "change"], stdin=message)
    assert (ran.returncode, "not run" in ran.stderr) == (2, True)
    assert daemon_of(live)
    assert live.guardian


def test_a_daemon_that_was_killed_under_a_session_is_reported(live: DaemonSandbox) -> None:
    open_session(live, "under a session").close()
    pid = daemon_of(live)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: f"(process {pid}) was killed while a session was open" in noticed(live))
    assert "shop (under a " in noticed(live)
    pid = daemon_of(live)
    os.kill(pid, signal.SIGTERM)
    wait_for(lambda: daemon_pid(live.home) not in (None, pid) and daemon_health(live.home))
    assert f"process {pid}" not in noticed(live), "one that was told to end is not reported"


def open_session(place: DaemonSandbox, session: str) -> SocketConnection:
    """A session of this process has begun; the connection that it was told on."""
    line = SocketConnection(place.home.socket, PATIENCE)
    start = place.payload("SessionStart", session_id=session, source="startup")
    headers = {"X-Handrail-Pid": str(os.getpid())}
    line.request("POST", "/hooks/claude", json.dumps(start), headers)
    answer = line.getresponse()
    answer.read()
    assert answer.status == 200
    return line


def noticed(place: DaemonSandbox) -> str:
    """What a person has yet to see."""
    return " ".join(notice.text for notice in unseen_notices(place.home))


def test_a_daemon_that_may_open_no_more_files_starts_anew(live: DaemonSandbox) -> None:
    pid = daemon_of(live)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))
    wait_for(lambda: daemon_pid(live.home) not in (None, pid) and daemon_health(live.home))
    assert decision(insist(live, session_id="after the limit")) == "deny"


# One of them is stopped


@pytest.mark.parametrize("who", ["daemon", "guardian"])
def test_one_that_was_stopped_goes_on(live: DaemonSandbox, who: str) -> None:
    pid = daemon_of(live) if who == "daemon" else live.guardian
    os.kill(pid, signal.SIGSTOP)
    wait_for(lambda: goes_on(pid))
    assert decision(insist(live, session_id=f"stopped {who}")) == "deny"


def goes_on(pid: int) -> bool:
    """Whether a process is not stopped, and no stop is on its way to it."""
    text = Path(f"/proc/{pid}/status").read_text()
    status = dict(line.split(":\t", 1) for line in text.splitlines())
    pending = int(status["ShdPnd"], 16)
    return not status["State"].startswith("T") and not pending & 1 << (signal.SIGSTOP - 1)


def test_both_that_were_stopped_at_once_go_on_with_the_next_call(live: DaemonSandbox) -> None:
    """Nobody is left to wake them but the kernel."""
    line = open_session(live, "both stopped")
    pid, guardian = daemon_of(live), live.guardian
    for connection in (line, SocketConnection(live.home.socket, PATIENCE)):
        for each in (guardian, pid):
            os.kill(each, signal.SIGSTOP)
        wait_for(lambda: state(pid) == "T")
        with closing(connection):
            payload = live.payload("Stop", session_id="both stopped")
            connection.request("POST", "/hooks/claude", json.dumps(payload))
            assert connection.getresponse().status == 200
        wait_for(lambda: state(guardian) != "T")
    assert (daemon_of(live), live.guardian) == (pid, guardian)
    wait_for(lambda: f"(process {pid}) was stopped by a signal" in noticed(live))


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


# Files are deleted


def test_a_deleted_socket_is_made_anew(live: DaemonSandbox) -> None:
    pid = daemon_of(live)
    os.unlink(live.home.socket)
    wait_for(lambda: daemon_health(live.home))
    assert daemon_of(live) == pid
    os.kill(pid, signal.SIGKILL)
    assert decision(insist(live, session_id="new socket")) == "deny", "the guardian has it too"


def test_another_socket_in_its_place_is_thrown_out(live: DaemonSandbox) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(live.root / "other"))
        os.rename(live.root / "other", live.home.socket)
        wait_for(lambda: daemon_health(live.home))
    assert decision(insist(live, session_id="other socket")) == "deny"


def test_deleted_and_damaged_files_are_put_back(live: DaemonSandbox) -> None:
    client = Path(live.home.client_path)
    token = Path(live.home.path, "hook-token")
    before = client.read_bytes(), token.read_bytes()
    client.unlink()
    token.write_text("another one")
    wait_for(lambda: client.exists() and token.read_bytes() == before[1])
    assert (client.read_bytes(), os.access(client, os.X_OK)) == (before[0], True)
    wait_for(lambda: f"{client} was deleted or damaged while Handrail ran" in live.log())


def test_a_removed_state_folder_comes_back_without_its_past(place: DaemonSandbox) -> None:
    pid, token = place.start(), place.home.hook_token
    guardian = place.guardian
    os.rename(place.home.path, place.root / "taken")  # the daemon writes into it meanwhile
    wait_for(
        lambda: daemon_health(place.home) and daemon_pid(place.home) and guardian_pid(place.home)
    )
    assert (daemon_pid(place.home), guardian_pid(place.home)) == (pid, guardian)
    assert place.home.hook_token == token
    assert decision(insist(place)) == "deny"
    wait_for(lambda: insist(place, "touch a", session_id="later") == {})
    os.kill(pid, signal.SIGKILL)
    assert decision(insist(place, session_id="last")) == "deny"
    wait_for(lambda: "supervises" in place.log())


def garble(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"garbage " * 4096)


def test_an_overwritten_log_is_noticed_and_what_changes_waits_for_the_fix(
    place: DaemonSandbox,
) -> None:
    pid = place.start()
    assert insist(place, "touch a") == {}
    for name in ("events.db", "events.db-wal"):
        garble(Path(place.home.path, name))
    wait_for(lambda: daemon_pid(place.home) not in (None, pid))
    assert "was overwritten while Handrail ran" in place.log()
    wait_for(lambda: "doctor --fix" in reason(insist(place, "touch a", session_id="s2")))
    read = place.tell("PreToolUse", tool_name="Read", tool_input={"file_path": "a"})
    assert "hookSpecificOutput" not in read
    assert place.run("doctor", "--fix", "--no-probe").stdout.startswith(" · moved the damaged log")
    assert insist(place, "touch a", session_id="s3") == {}


def reason(answer: Json) -> str:
    return str(said(answer).get("permissionDecisionReason", ""))


# No daemon can be started


@contextmanager
def no_daemon(place: DaemonSandbox) -> Iterator[None]:
    """Kill the daemon, and hold its lock, so that none can start."""
    while True:
        wait_for(lambda: daemon_pid(place.home))
        os.kill(daemon_of(place), signal.SIGKILL)
        # Not by `locked`, which would name this process as the daemon to be ended.
        with suppress(AlreadyRunningError), closing(HeldLock(place.home.lock)):
            yield
            return


def refused_by_guardian(place: DaemonSandbox) -> bool:
    try:
        place.health()
    except RefusedError as error:
        return error.status == 503
    except DaemonError:
        return False
    return False


def test_without_a_daemon_the_guardian_refuses_what_changes_and_the_log_says_so_later(
    live: DaemonSandbox,
) -> None:
    write = live.payload("PreToolUse", tool_name="Write", tool_input={}, session_id="alone")
    with no_daemon(live):
        wait_for(lambda: refused_by_guardian(live))
        refused = insist(live, "touch a", session_id="alone")
        assert decision(refused) == "deny"
        assert "the daemon is down" in str(said(refused)["permissionDecisionReason"])
        assert "running already" in str(said(refused)["permissionDecisionReason"])
        assert live.tell("PreToolUse", tool_name="Read", tool_input={}) == {}
        assert live.tell("Stop") == {}
        assert by_port(live, write, "wrong")[0] == 401
        status, answer = by_port(live, write, live.home.hook_token)
        assert (status, decision(answer)) == (200, "deny")
        ran = live.run("status")
        assert "ANOTHER PROGRAM" not in ran.stdout
        assert "agents can only read: the daemon is down" in " ".join(ran.stdout.split())
    wait_for(lambda: daemon_health(live.home))
    wait_for(lambda: len(told_refused(live, "alone")) == 2)
    told = [says.partition(" was refused")[0] for says in told_refused(live, "alone")]
    assert told == ["Bash", "Write"]


def told_refused(place: DaemonSandbox, run: str) -> list[str]:
    """What the log of a run says of calls that the guardian refused."""
    with closing(open_log(place.home.log, "read")) as store:
        found = [decode(entry) for entry in store.read(topic_of(run))]
    noted = [event for event in found if isinstance(event, FaultNoted)]
    return [event.says for event in noted if event.kind == "guardian"]


def test_a_call_without_a_daemon_waits_at_the_door_and_is_answered(live: DaemonSandbox) -> None:
    with ThreadPoolExecutor(1) as pool:
        with no_daemon(live):
            asked = socket.socket(socket.AF_UNIX)
            asked.connect(live.home.socket)
            asked.close()
            socket.create_connection(("127.0.0.1", live.home.port)).close()
            answer = pool.submit(ask_once, live)
        assert decision(answer.result()) == "deny"


def ask_once(place: DaemonSandbox) -> Json:
    """What is said before a dangerous command; whoever is sent away fails."""
    given = {"command": "rm -rf /"}
    payload = place.payload("PreToolUse", tool_name="Bash", tool_input=given, session_id="waits")
    return call_daemon(place.home, "POST", "/hooks/claude", payload, timeout=PATIENCE)


def test_a_daemon_that_never_worked_is_not_tried_again(place: DaemonSandbox) -> None:
    place.home.prepare()
    Path(place.home.path, "hook-token").write_text("")
    with pytest.raises(DaemonError, match="hook-token: the file is empty"):
        place.start()
    assert guardian_pid(place.home) is None
    assert not os.path.exists(place.home.socket)


# The guardian itself


def test_the_guardian_needs_nothing_but_the_standard_library() -> None:
    look = (
        "import sys; import handrail.server.guardian.__main__;"
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    )
    ran = subprocess.run(
        [sys.executable, "-EPSc", f"import sys; sys.path[:0] = {sys.path!r}; {look}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(ran.stdout.split()) <= {"__main__", "handrail"}


def test_the_end_of_both_leaves_nothing(place: DaemonSandbox) -> None:
    place.start()
    assert set(processes(place)) == {place.pid, place.guardian}
    assert stop_daemon(place.home) is True
    assert processes(place) == []
    assert "daemon.sock" not in os.listdir(place.home.path)
