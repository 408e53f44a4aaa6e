"""The hook client, run by a real shell: an answer, a refusal, or silence."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.hosts.claude.hooks import WELCOME
from handrail.server.home import Home
from handrail.server.http.socket_client import daemon_health
from handrail.server.lock import daemon_pid
from tests.checkers import checker
from tests.hosts.claude.desk import decision, said
from tests.server.daemon_sandbox import (
    DaemonSandbox,
    answering,
    breaking_off,
    http,
    pretty,
    silent,
)

pytestmark = pytest.mark.slow

SHELLS = [name for name in ("/bin/sh", "/bin/dash", "/bin/bash") if os.path.exists(name)]
STARTED = "Handrail was not running, so this was not run. It has been started: try again.\n"
NOBODY = 65534
DENY = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}

Ran = tuple[int, str, str]


@pytest.fixture(scope="module")
def live() -> Iterator[DaemonSandbox]:
    """A place with a daemon."""
    with DaemonSandbox() as place:
        place.start()
        yield place


def hook(place: DaemonSandbox, *args: str, command: str = "touch a", **environ: str) -> Ran:
    """The client's exit code, output and complaints."""
    event = "PreToolUse" if args[0] == "ensure" else args[0]
    fields = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"}
    return send(place, json.dumps(place.payload(event, **fields)), *args, **environ)


def send(
    place: DaemonSandbox, message: str, *args: str, shell: str = "/bin/sh", **environ: str
) -> Ran:
    client = place.home.client(place.environ)
    ran = place.execute([shell, client, *args], environ=environ, stdin=message)
    return ran.returncode, ran.stdout, ran.stderr


def kill(place: DaemonSandbox) -> None:
    """Start a daemon and end it the hard way; what lies there then is of no use to anybody."""
    place.start()
    place.kill()


# With a daemon


@pytest.mark.parametrize("shell", SHELLS)
def test_an_answer_is_passed_on_as_it_is(live: DaemonSandbox, shell: str) -> None:
    message = live.payload("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"})
    wanted = live.tell(**{"event": "PreToolUse", **message, "session_id": shell})
    again = json.dumps({**message, "session_id": f"{shell}2"})
    assert send(live, again, "PreToolUse", "change", shell=shell) == (
        0,
        f"{pretty(wanted)}\n",
        "",
    )


def test_no_opinion_is_an_answer(live: DaemonSandbox) -> None:
    assert hook(live, "PreToolUse", "change", command="ls") == (0, "{}\n", "")
    assert hook(live, "Stop") == (0, "{}\n", "")


def test_a_large_message_arrives(live: DaemonSandbox) -> None:
    code, out, err = hook(live, "PreToolUse", "change", command="rm -rf / # " + "x" * 3_000_000)
    assert (code, err) == (0, "")
    assert decision(json.loads(out)) == "deny"


@pytest.mark.parametrize(
    ("attended", "entrypoint", "outcome"),
    [
        ("1", "cli", "ask"),
        ("0", "cli", "deny"),
        ("0", "sdk-cli", "deny"),
        ("", "cli", "ask"),
        ("", "sdk-py", "deny"),
        ("", "", "deny"),
    ],
)
def test_it_tells_whether_somebody_sits_at_the_session(
    live: DaemonSandbox, attended: str, entrypoint: str, outcome: str
) -> None:
    session = f"attended-{attended}-{entrypoint}"
    start = json.dumps(live.payload("SessionStart", source="startup", session_id=session))
    environ = {
        "CLAUDE_CODE_SESSION_ATTENDED": attended,
        "CLAUDE_CODE_ENTRYPOINT": entrypoint,
    }
    send(live, start, "SessionStart", **environ)
    answer = live.before("npm publish", session_id=session, permission_mode="default")
    assert decision(answer) == outcome


def test_ensure_leaves_a_daemon_that_runs_alone(live: DaemonSandbox) -> None:
    pid = live.pid
    assert hook(live, "ensure") == (0, "", "")
    assert live.pid == pid


HOSTILE = {
    "PATH": "{evil}",
    "CURL_HOME": "{evil}",
    "XDG_CONFIG_HOME": "{evil}",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "HANDRAIL_HOME": "{evil}",
    "HANDRAIL_STEP_REVIEWER__ENABLED": "false",
    "HANDRAIL_ON_FAULT": "warn",
    "PYTHONPATH": "{evil}",
    "PYTHONSTARTUP": "{evil}/handrail.py",
    "BASH_ENV": "{evil}/rc",
    "ENV": "{evil}/rc",
    "IFS": "/:.a",
    "CDPATH": "{evil}",
    "socket": "{evil}/daemon.sock",
    "event": "Stop",
    "answer": "{{}}",
    "status": "0",
    "POSIXLY_CORRECT": "1",
}


@pytest.fixture
def hostile(tmp_path: Path) -> dict[str, str]:
    """What a project's settings can put into the environment of a hook."""
    evil = tmp_path / "evil"
    (evil / "handrail").mkdir(parents=True)
    for name in ("curl", "env", "python", "python3", "sh", "cat", "printf"):
        (evil / name).write_text(f"#!/bin/sh\n: > {evil}/pwned\necho '{{}}'\n")
        (evil / name).chmod(0o755)
    (evil / "rc").write_text(f": > {evil}/pwned\n")
    (evil / "handrail.py").write_text(f"open({str(evil / 'pwned')!r}, 'w')\n")
    (evil / ".curlrc").write_text("output = /dev/null\nunix-socket = /nowhere\n")
    (evil / "handrail" / "handrail.yaml").write_text("step_reviewer: {enabled: false}\n")
    return {name: value.format(evil=evil) for name, value in HOSTILE.items()}


@pytest.mark.parametrize("shell", SHELLS)
def test_an_environment_that_wants_to_mislead_it_changes_nothing(
    live: DaemonSandbox, hostile: dict[str, str], shell: str
) -> None:
    fields = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    message = json.dumps(live.payload("PreToolUse", **fields))
    code, out, err = send(live, message, "PreToolUse", "change", shell=shell, **hostile)
    assert (code, err) == (0, "")
    assert decision(json.loads(out)) == "deny"
    assert not os.path.exists(f"{hostile['CURL_HOME']}/pwned")


# Without one


def test_a_change_is_refused_and_the_daemon_started(place: DaemonSandbox) -> None:
    assert hook(place, "PreToolUse", "change") == (2, "", STARTED)
    assert hook(place, "PreToolUse", "change") == (0, "{}\n", "")


def test_a_read_goes_on_without_a_word(place: DaemonSandbox) -> None:
    assert hook(place, "PreToolUse", "read") == (0, "", "")
    assert daemon_health(place.home) is None


def test_another_event_complains_and_stops_nothing(place: DaemonSandbox) -> None:
    code, out, err = hook(place, "PostToolUse")
    assert (code, out) == (1, "")
    assert err.startswith("Handrail did not hear of PostToolUse: curl: (7)")
    assert err.endswith(f". See {place.home.daemon_log}\n")


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_the_start_of_a_session_and_of_a_turn_wait_for_the_daemon(
    place: DaemonSandbox, event: str
) -> None:
    message = json.dumps(place.payload(event, source="startup", prompt="go"))
    code, out, err = send(place, message, event)
    assert (code, err) == (0, "")
    assert said(json.loads(out)).get("additionalContext", WELCOME) == WELCOME
    assert place.health()["runs"] == 1


def test_ensure_starts_it_and_tells_the_agent(place: DaemonSandbox) -> None:
    code, out, err = hook(place, "ensure")
    assert (code, err) == (0, "")
    told = said(json.loads(out))
    assert told["hookEventName"] == "PostToolBatch"
    assert str(told["additionalContext"]).endswith("It has been started: try again.")
    assert place.health()["ok"]


def test_ensure_tells_the_agent_whom_to_tell_when_it_does_not_start(place: DaemonSandbox) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", place.home.port))
        other.listen()
        code, out, err = hook(place, "ensure")
    assert (code, err) == (0, "")
    assert str(said(json.loads(out))["additionalContext"]).endswith("for them: handrail doctor")


def test_what_a_crashed_daemon_left_behind_is_no_daemon(place: DaemonSandbox) -> None:
    kill(place)
    assert hook(place, "PreToolUse", "change") == (2, "", STARTED)


@pytest.mark.parametrize("shell", SHELLS)
def test_ensure_starts_a_daemon_again_that_was_killed(place: DaemonSandbox, shell: str) -> None:
    kill(place)
    code, out, err = send(place, "", "ensure", shell=shell)
    assert (code, err) == (0, "")
    assert str(said(json.loads(out))["additionalContext"]).endswith("started: try again.")


def test_ensure_starts_a_daemon_again_that_is_killed_while_it_looks(place: DaemonSandbox) -> None:
    """Its sockets stay open for a moment, and then break off."""
    with breaking_off(place):
        code, out, err = hook(place, "ensure")
    assert (code, err) == (0, "")
    assert "started: try again." in out


def test_another_process_with_the_number_of_a_killed_daemon_is_not_taken_for_it(
    place: DaemonSandbox,
) -> None:
    kill(place)
    Path(place.home.lock).write_text(f'{{"pid":{os.getpid()}}}')
    assert "started: try again." in hook(place, "ensure")[1]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("shell", SHELLS)
def test_ensure_starts_no_program_where_the_daemon_lives(live: DaemonSandbox, shell: str) -> None:
    finds_nobody = live.root / "curl"
    finds_nobody.write_text("#!/bin/sh\nexit 7\n")
    finds_nobody.chmod(0o755)
    client = live.root / "client"
    script = Path(live.home.client(live.environ)).read_text()
    client.write_text(script.replace(str(shutil.which("curl")), str(finds_nobody)))
    ran = live.execute([shell, str(client), "ensure"])
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_misleading_environment_does_not_reach_a_daemon_that_is_started(
    place: DaemonSandbox, hostile: dict[str, str]
) -> None:
    assert hook(place, "PreToolUse", "change", **hostile) == (2, "", STARTED)
    environ = Path(f"/proc/{place.pid}/environ").read_text()
    assert hostile["CURL_HOME"] not in environ
    assert "HANDRAIL_STEP_REVIEWER" not in environ
    assert decision(place.before("rm -rf /")) == "deny"
    assert not os.path.exists(f"{hostile['CURL_HOME']}/pwned")


def test_nothing_is_asked_of_another_program_on_the_port(place: DaemonSandbox) -> None:
    with socket.create_server(("127.0.0.1", place.home.port)) as other:
        other.listen()
        code, out, err = hook(place, "UserPromptSubmit")
    assert (code, out) == (2, "")
    assert err.startswith(f"Another program answers on Handrail's port {place.home.port}")


def test_an_agent_is_told_that_another_program_answers_on_the_port(place: DaemonSandbox) -> None:
    with socket.create_server(("127.0.0.1", place.home.port)) as other:
        other.listen()
        code, out, err = hook(place, "ensure")
    context = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert (code, err) == (0, "")
    assert context.startswith("Another program answers on the port of Handrail")


def test_a_daemon_that_cannot_be_started_is_told_to_the_person(place: DaemonSandbox) -> None:
    with socket.create_server(("127.0.0.1", place.home.port)):
        code, out, err = hook(place, "PreToolUse", "change")
    assert (code, out) == (2, "")
    assert err.startswith("Handrail does not answer (curl: (7)")
    assert err.endswith("Tell the person who started you; for them: handrail doctor\n")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_nobody_else_can_answer_in_the_place_of_the_daemon(place: DaemonSandbox, kind: str) -> None:
    place.home = Home(str(place.root / ("x" * 120)))
    client = place.home.client(place.environ)
    folder = Path(place.home.socket).parent
    folder.rmdir()
    (place.root / "trap").mkdir()
    if kind == "folder":
        folder.mkdir()
    else:
        folder.symlink_to(place.root / "trap")
    with answering(place, http(b"{}")):
        os.chown(folder, NOBODY, NOBODY, follow_symlinks=False)
        ran = place.execute(["/bin/sh", client, "PreToolUse", "change"], stdin="{}")
    folder.unlink() if kind == "link" else shutil.rmtree(folder)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"{folder} belongs to another user" in ran.stderr


# With something else in its place


DENIED = json.dumps(DENY).encode()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage",
        http(b""),
        http(b"garbage"),
        http(b"{bad"),
        http(b"{bad}"),
        http(b"[]"),
        http(b'"{}"'),
        http(b"{}", "500 Internal Server Error"),
        http(DENIED, "403 Forbidden"),
        http(b"", "204 No Content"),
        http(DENIED, length=len(DENIED) + 1),
    ],
)
def test_what_is_no_answer_refuses_a_change_and_lets_a_read_go_on(
    place: DaemonSandbox, answer: bytes
) -> None:
    with answering(place, answer):
        code, out, err = hook(place, "PreToolUse", "change")
        read = hook(place, "PreToolUse", "read")
        other, _, complaint = hook(place, "PostToolUse")
    assert (code, out) == (2, "")
    assert err.startswith("Handrail does not answer (")
    assert err.endswith("Tell the person who started you; for them: handrail doctor\n")
    assert read == (0, "", "")
    assert other == 1
    assert complaint.startswith("Handrail did not hear of PostToolUse: ")


def test_one_that_hangs_refuses_a_change_in_time_and_is_not_started_twice(
    place: DaemonSandbox,
) -> None:
    with silent(place):
        code, out, err = hook(place, "PreToolUse", "change", "1")
        assert (code, out) == (2, "")
        assert "Handrail does not answer (curl: (28)" in err
        assert hook(place, "PreToolUse", "read", "1") == (0, "", "")
        assert hook(place, "ensure") == (0, "", "")
        assert daemon_pid(place.home) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux wakes them")
def test_two_that_were_stopped_answer_the_next_call(place: DaemonSandbox) -> None:
    pid, guardian = place.start(), place.guardian
    for each in (guardian, pid):
        os.kill(each, signal.SIGSTOP)
    assert hook(place, "PreToolUse", "change") == (0, "{}\n", "")
    assert (daemon_pid(place.home), place.guardian) == (pid, guardian)


@pytest.mark.parametrize(("mode", "code"), [("change", 2), ("read", 0)])
def test_without_curl_a_change_is_refused(place: DaemonSandbox, mode: str, code: int) -> None:
    place.start()
    text = Path(place.home.client(place.environ)).read_text()
    broken = place.root / "client"
    broken.write_text(text.replace(str(shutil.which("curl")), "/nowhere/curl"))
    ran = place.execute(["/bin/sh", str(broken), "PreToolUse", mode], stdin="{}")
    assert (ran.returncode, ran.stdout) == (code, "")
    assert ("not found" in ran.stderr) == (mode == "change")


def test_shellcheck_has_nothing_to_say(live: DaemonSandbox) -> None:
    ran = subprocess.run(
        [checker("shellcheck"), "-s", "sh", live.home.client(live.environ)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == ""
