"""The real daemon: one for each state folder, whatever happens around it."""

import http.client
import json
import os
import resource
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.server.home import Home, HomeError
from handrail.server.http.socket_client import DaemonError, daemon_health
from handrail.server.launcher import ensure_daemon, stop_daemon
from handrail.server.lock import daemon_lock, daemon_pid, guardian_pid
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore
from tests.hosts.claude.desk import decision, said
from tests.server.daemon_sandbox import DaemonSandbox, silent

pytestmark = pytest.mark.slow

PATIENCE = 60.0
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
SERVE = [sys.executable, "-m", "handrail", "serve"]
NOBODY = 65534


def wait_for(what: Callable[[], object]) -> None:
    """Until something is so; fails if it never is."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "Z"


def ancestors(pid: int) -> list[int]:
    """The parent of a process, and the parents of that one."""
    found: list[int] = []
    while pid > 1:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        pid = int(fields[1])
        found.append(pid)
    return found


def head_of(length: int) -> bytes:
    """How a hook's request begins."""
    return f"POST /hooks/claude HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n".encode()


# Starting


def test_a_daemon_says_who_it_is_and_answers_hooks(place: DaemonSandbox) -> None:
    assert daemon_health(place.home) is None
    assert ensure_daemon(place.home, place.environ) is True
    assert ensure_daemon(place.home, place.environ) is False
    told = place.health()
    assert (told["ok"], told["problem"], told["home"]) == (True, "", place.home.path)
    assert (told["port"], told["pid"]) == (place.home.port, daemon_pid(place.home))
    assert decision(place.before("rm -rf /")) == "deny"
    assert place.before("ls", "t2") == {}


def test_of_five_that_start_at_once_one_stays_and_all_are_content(place: DaemonSandbox) -> None:
    started = [
        subprocess.Popen([*SERVE, "--background"], env=place.environ, stdout=subprocess.PIPE)
        for _ in range(5)
    ]
    said_by_all = [process.communicate(timeout=PATIENCE)[0].decode() for process in started]
    assert [process.returncode for process in started] == [0] * 5, said_by_all
    assert place.pid == daemon_pid(place.home)
    assert stop_daemon(place.home) is True
    assert place.log().count("supervises") == 1, "none of the others waited for its chance"


@on_linux
def test_a_daemon_takes_as_many_connections_as_the_system_gives(place: DaemonSandbox) -> None:
    command = f"ulimit -S -n 256; exec {sys.executable} -m handrail serve --background"
    assert place.execute(["sh", "-c", command]).returncode == 0
    soft, hard = resource.prlimit(place.pid, resource.RLIMIT_NOFILE)
    assert soft == (65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536))


def test_a_daemon_survives_the_shell_and_the_terminal_it_was_started_from(
    place: DaemonSandbox,
) -> None:
    command = f"{sys.executable} -m handrail serve --background; exit 0"
    assert place.execute(["sh", "-c", command]).returncode == 0
    pid = place.pid
    assert os.getsid(pid) != os.getsid(0), "it has no terminal that could end it"
    os.kill(pid, signal.SIGHUP)
    assert place.before("ls") == {}
    assert place.pid == pid


@on_linux
def test_a_daemon_is_nobodys_child_so_it_outlives_a_host_that_ends_what_its_hooks_started(
    place: DaemonSandbox,
) -> None:
    hook = subprocess.Popen(
        ["/bin/sh", "-c", f"{shlex.join([*SERVE, '--background'])}; echo started; exec cat"],
        env=place.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with hook:
        assert hook.stdout is not None
        while hook.stdout.readline() != b"started\n":
            pass
        assert hook.pid not in ancestors(place.pid)
        assert os.getpgid(place.pid) != hook.pid
        os.killpg(hook.pid, signal.SIGKILL)
    assert place.before("touch a") == {}


def test_in_the_foreground_it_survives_a_lost_terminal_too(place: DaemonSandbox) -> None:
    with subprocess.Popen(SERVE, env=place.environ, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: daemon_health(place.home))
        process.send_signal(signal.SIGHUP)
        assert place.before("ls") == {}
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


@on_linux
def test_the_environment_of_whoever_started_it_does_not_come_along(place: DaemonSandbox) -> None:
    pid = place.start(
        ANTHROPIC_API_KEY="sk-ant-secret", HTTP_PROXY="http://evil.example", TZ="Asia/Tokyo"
    )
    entries = Path(f"/proc/{pid}/environ").read_text().split("\0")
    names = {entry.partition("=")[0] for entry in entries if entry}
    given = {"LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID"}  # by its guardian
    assert names == {*place.environ, "TZ", *given}
    assert os.readlink(f"/proc/{pid}/cwd") == "/"


@pytest.mark.parametrize("umask", ["000", "077"])
def test_all_files_are_private_whatever_the_umask_is(place: DaemonSandbox, umask: str) -> None:
    command = f"umask {umask}; exec {sys.executable} -m handrail serve --background"
    assert place.execute(["sh", "-c", command]).returncode == 0
    place.before("ls")
    modes = {
        str(path.relative_to(place.home.path)): stat.S_IMODE(path.stat().st_mode)
        for path in Path(place.home.path).rglob("*")
    }
    assert set(modes.values()) == {0o600}, modes
    assert stat.S_IMODE(os.stat(place.home.path).st_mode) == 0o700
    assert {"daemon.sock", "events.db", "events.db-wal", "daemon.log"} <= modes.keys()


def test_a_long_path_is_served_from_a_private_folder_elsewhere(place: DaemonSandbox) -> None:
    place.home = Home(str(place.root / "/".join(["x" * 60] * 3)))
    place.start()
    assert decision(place.before("rm -rf /")) == "deny"
    folder = os.path.dirname(place.home.socket)
    assert folder.startswith("/tmp/handrail-")
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_a_port_that_another_program_uses_is_told(place: DaemonSandbox) -> None:
    with socket.create_server(("127.0.0.1", place.home.port)):
        with pytest.raises(DaemonError, match="another program uses it"):
            place.start()
        ran = place.run("serve")
        assert ran.returncode == 2
        assert f"127.0.0.1:{place.home.port}: another program uses it" in ran.stderr
    assert place.start()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_refused(place: DaemonSandbox) -> None:
    os.mkdir(place.home.path)
    os.chown(place.home.path, NOBODY, NOBODY)
    with pytest.raises(HomeError, match="another user"):
        place.start()
    ran = place.run("serve", "--background")
    assert ran.returncode == 2
    assert "belongs to another user" in ran.stderr


@pytest.mark.usefixtures("no_override")
def test_a_folder_that_cannot_be_made_is_told(place: DaemonSandbox) -> None:
    place.root.chmod(0o500)
    try:
        ran = place.run("serve", "--background")
    finally:
        place.root.chmod(0o700)
    assert (ran.returncode, "Permission denied" in ran.stderr) == (2, True)


def test_a_file_in_the_place_of_the_folder_is_told(place: DaemonSandbox) -> None:
    Path(place.home.path).write_text("")
    ran = place.run("serve", "--background")
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"handrail: {place.home.path}")


# Ending


def test_it_ends_in_order(place: DaemonSandbox) -> None:
    place.start()
    place.before("ls")
    os.kill(place.guardian, signal.SIGTERM)
    wait_for(lambda: guardian_pid(place.home) is None)
    assert daemon_pid(place.home) is None
    left = set(os.listdir(place.home.path))
    assert "daemon.sock" not in left
    assert "events.db-wal" not in left, "the log was closed"
    assert place.log().rstrip().endswith("Handrail ends")


def test_a_request_under_way_is_answered_before_it_ends(place: DaemonSandbox) -> None:
    place.start()
    payload = place.payload("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"})
    body = json.dumps(payload).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        line.connect(place.home.socket)
        head = (
            f"POST /hooks/claude HTTP/1.1\r\nHost: handrail\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        line.sendall(head.encode() + body[:10])
        os.kill(place.guardian, signal.SIGTERM)
        wait_for(lambda: daemon_health(place.home) is None)
        line.sendall(body[10:])
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert b"200 OK" in answer
    assert b'"deny"' in answer
    wait_for(lambda: daemon_pid(place.home) is None)


def test_after_a_crash_the_next_one_goes_on_where_it_was(place: DaemonSandbox) -> None:
    pid = place.start()
    place.before("rm -rf /")
    place.kill()
    assert os.path.exists(place.home.socket), "a socket that leads nowhere was left behind"
    assert place.start() != pid
    again = place.before("rm -rf /", "t2")
    assert "second time" in said(again)["permissionDecisionReason"]


def test_one_that_hangs_is_told(place: DaemonSandbox) -> None:
    with daemon_lock(place.home), silent(place), pytest.raises(DaemonError, match="--restart"):
        ensure_daemon(place.home, place.environ, patience=0.1)


def test_two_that_were_stopped_can_be_ended(place: DaemonSandbox) -> None:
    pids = [place.start(), place.guardian]
    for pid in reversed(pids):
        os.kill(pid, signal.SIGSTOP)
    assert stop_daemon(place.home, patience=0.3) is True
    for pid in pids:
        wait_for(lambda pid=pid: ended(pid))  # type: ignore[misc]
    assert place.start() not in pids


def test_nobody_is_ended_where_the_lock_names_nobody(place: DaemonSandbox) -> None:
    assert stop_daemon(place.home) is False
    with daemon_lock(place.home):
        for text in ("", '{"pid": 0}', '{"pid": -1}'):
            Path(place.home.lock).write_text(text)
            with pytest.raises(DaemonError, match="does not end"):
                stop_daemon(place.home, patience=0.05)


def test_one_that_ends_while_another_is_wanted_is_replaced(place: DaemonSandbox) -> None:
    pid = place.start()
    os.kill(place.guardian, signal.SIGTERM)
    wait_for(lambda: daemon_health(place.home) is None)
    assert place.start() != pid


# Requests


def test_many_at_once_are_all_answered(place: DaemonSandbox) -> None:
    place.start()
    with ThreadPoolExecutor(16) as pool:
        answers = pool.map(
            lambda number: place.before("rm -rf /", f"t{number}", session_id=f"s{number % 4}"),
            range(160),
        )
        assert {decision(answer) for answer in answers} == {"deny"}


def test_a_client_that_goes_away_disturbs_nobody(place: DaemonSandbox) -> None:
    place.start()
    body = json.dumps(place.payload("Stop")).encode()
    for sent in (b"", b"POST /hooks/claude HTTP/1.1\r\nHo", body, b"\0\xff" * 100):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(place.home.socket)
            line.sendall(sent)
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(place.home.socket)
        line.sendall(head_of(len(body) + 9) + body)
    assert place.before("ls") == {}
    assert "Traceback" not in place.log()


def test_33_megabytes_are_refused_and_the_connection_stays_usable(place: DaemonSandbox) -> None:
    place.start()
    line = http.client.HTTPConnection("handrail", timeout=PATIENCE)
    line.sock = socket.socket(socket.AF_UNIX)
    line.sock.connect(place.home.socket)
    line.request("POST", "/hooks/claude", b" " * 33_600_000)
    answer = json.loads(line.getresponse().read())
    line.close()
    assert decision(answer) == "deny"
    assert place.before("ls") == {}


def knock(place: DaemonSandbox, method: str, path: str, token: str = "", **headers: str) -> int:
    line = http.client.HTTPConnection("127.0.0.1", place.home.port, timeout=PATIENCE)
    given = {"Authorization": f"Bearer {token}"} if token else {}
    line.request(method, path, b"{}" if method == "POST" else None, {**given, **headers})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    for secret in (place.home.hook_token, place.home.control_token):
        assert secret.encode() not in body
    return answer.status


def test_the_port_asks_for_a_token_and_no_token_is_ever_written_down(place: DaemonSandbox) -> None:
    place.start()
    hook, control = place.home.hook_token, place.home.control_token
    assert knock(place, "GET", "/healthz") == 401
    assert knock(place, "GET", "/healthz", hook) == 200
    assert knock(place, "POST", "/hooks/claude", hook) == 200
    assert knock(place, "GET", "/metrics", hook) == 401
    assert knock(place, "GET", "/metrics", control) == 200
    assert knock(place, "GET", "/healthz", control, Origin="https://evil.example") == 403
    assert knock(place, "GET", f"/healthz?token={control}", Host="evil.example") == 403
    assert knock(place, "GET", f"/nothing/{hook}", control) == 404
    files = [path for path in Path(place.home.path).iterdir() if path.is_file()]
    written = [path.read_bytes() for path in files if "token" not in path.name]
    assert not [text for text in written if hook.encode() in text or control.encode() in text]


@on_linux
def test_the_port_is_on_loopback_only(place: DaemonSandbox) -> None:
    place.start()
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [row[1] for row in rows if row[3] == "0A"]
    port = f":{place.home.port:04X}"
    assert [address for address in listening if address.endswith(port)] == [f"0100007F{port}"]


def test_the_numbers_of_live_runs_are_there(place: DaemonSandbox) -> None:
    place.start()
    for number in range(3):
        place.before("ls -la", f"t{number}")
    place.tell("SessionStart", session_id="other", source="startup")
    line = http.client.HTTPConnection("127.0.0.1", place.home.port, timeout=PATIENCE)
    line.request("GET", "/metrics", headers={"Authorization": f"Bearer {place.home.control_token}"})
    text = line.getresponse().read().decode()
    line.close()
    numbers = dict(row.rsplit(" ", 1) for row in text.splitlines() if not row.startswith("#"))
    assert 0 < float(numbers["handrail_cache_hit_rate"]) < 1
    assert numbers['handrail_runs{phase="working"}'] == "1.0"
    assert numbers['handrail_runs{phase="waiting"}'] == "1.0"
    assert numbers['handrail_runs{phase="ended"}'] == "0.0"


# A log that does not work


def reads_go_on_and_changes_do_not(place: DaemonSandbox, session: str) -> str:
    """The refusal of what would change something; the person is told once."""
    refused = place.before("touch a", "c1", session_id=session)
    assert decision(refused) == "deny"
    assert "systemMessage" in refused
    assert place.before("cat README.md", "r1", session_id=session) == {}
    return str(said(refused)["permissionDecisionReason"])


def works_again(place: DaemonSandbox, session: str) -> bool:
    return place.before("touch a", str(time.monotonic()), session_id=session) == {}


def test_a_damaged_log_is_told_and_used_again_when_it_is_gone(place: DaemonSandbox) -> None:
    place.home.prepare()
    Path(place.home.log).write_bytes(b"this is not a database" * 1000)
    place.start()
    assert "damaged" in str(place.health()["problem"])
    assert "doctor --fix" in reads_go_on_and_changes_do_not(place, "s1")
    os.rename(place.home.log, f"{place.home.log}.damaged")
    wait_for(lambda: works_again(place, "s1"))
    assert place.health()["ok"] is True


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of others: Linux")
def test_a_full_disk_is_told_and_over_when_there_is_room_again(place: DaemonSandbox) -> None:
    pid = place.start()
    place.before("touch a", session_id="s1")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    assert "Handrail cannot do its work" in reads_go_on_and_changes_do_not(place, "s1")
    assert place.health()["ok"] is False
    place.before("touch b", "c2", session_id="s2")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    wait_for(lambda: works_again(place, "s1"))
    assert place.health()["ok"] is True
    assert place.pid == pid


def test_a_deleted_log_is_told_and_made_anew(place: DaemonSandbox) -> None:
    place.start()
    place.before("touch a", session_id="s1")
    for name in ("", "-wal", "-shm"):
        os.unlink(place.home.log + name)
    wait_for(lambda: works_again(place, "s1"))
    assert place.health()["ok"] is True


def test_runs_of_long_ago_are_forgotten_at_the_start(place: DaemonSandbox) -> None:
    now = time.time()
    for days, topic in ((31.0, "run:old"), (29.0, "run:young"), (400.0, "other")):
        store = SqliteStore(place.home.log, clock=lambda: now - days * 86_400)  # noqa: B023
        store.append([NewEntry(topic, b"{}")]).result(PATIENCE)
        store.close()
    place.start()
    reader = SqliteStore(place.home.log, read_only=True)
    wait_for(lambda: {topic.name for topic in reader.topics()} == {"run:young", "other"})
    reader.close()
