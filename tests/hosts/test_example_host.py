"""One folder and one row make a host: its actions are reviewed, its controls protected."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from handrail.server.http.socket_client import call_daemon, daemon_health
from tests.hosts.claude.desk import Json
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, "-m", "tests.hosts.example_host.main"]


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as made:
        yield made


def handrail(
    place: DaemonSandbox, *args: str, stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """A command of a Handrail that knows the example."""
    return subprocess.run(
        [*MAIN, *args],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=place.environ,
        check=False,
    )


@pytest.fixture
def daemon(place: DaemonSandbox) -> Iterator[DaemonSandbox]:
    with subprocess.Popen([*MAIN, "serve"], cwd=ROOT, env=place.environ) as process:
        while daemon_health(place.home) is None:
            assert process.poll() is None
            sleep(0.05)
        yield place
        process.terminate()


def ask(place: DaemonSandbox, command: str, host: str = "example") -> Json:
    """What the example is answered before a shell command."""
    action = {"tool": "Bash", "input": {"command": command}, "id": "1", "run": "r1"}
    return call_daemon(place.home, "POST", f"/hooks/{host}", {**action, "cwd": str(place.project)})


def test_its_actions_are_reviewed(daemon: DaemonSandbox) -> None:
    assert ask(daemon, "ls") == {"may": True, "says": ""}
    refused = ask(daemon, "rm -rf /")
    assert not refused["may"]
    assert refused["says"].startswith("Handrail stopped this")


def test_its_runs_are_known_by_its_name(daemon: DaemonSandbox) -> None:
    ask(daemon, "ls")
    (run,) = json.loads(handrail(daemon, "status", "--json").stdout)["runs"]
    assert (run["run"], run["host"]) == ("r1", "example")


def test_what_it_cannot_say_is_refused(daemon: DaemonSandbox) -> None:
    said = call_daemon(daemon.home, "POST", "/hooks/example", {"tool": "Bash"})
    assert said["may"] is False


def test_a_host_that_nobody_knows_is_refused_in_the_words_of_all(daemon: DaemonSandbox) -> None:
    said = ask(daemon, "ls", host="exmple")
    assert said["may"] is False
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


CONTROLS = (
    "echo {} > ~/.exemplar/hooks.json",
    "rm -rf ~/.exemplar",
    "rm -rf .exemplar/hooks.json",
    "exemplar --free",
    "EXEMPLAR_HOME=/tmp/x exemplar",
    "EXEMPLAR_NO_HOOKS=1 exemplar",
    "cat ~/.exemplar/key",
)


def test_its_controls_are_protected(place: DaemonSandbox) -> None:
    for folder in (place.project, place.project.parent):
        (folder / ".exemplar").mkdir()
        (folder / ".exemplar" / "hooks.json").write_text('{"ask": "handrail"}')
    cwd = str(place.project)
    actions = [{"tool": "Bash", "input": {"command": each}, "cwd": cwd} for each in CONTROLS]
    said = handrail(place, "review", "--json", "-", stdin="\n".join(map(json.dumps, actions)))
    decisions = [json.loads(line)["decision"] for line in said.stdout.splitlines()]
    assert dict(zip(CONTROLS, decisions, strict=True)) == dict.fromkeys(CONTROLS, "block")


def test_it_is_installed_and_taken_out_again(daemon: DaemonSandbox) -> None:
    file = Path(daemon.environ["HOME"], ".exemplar", "hooks.json")
    ran = handrail(daemon, "install", "example", "--yes")
    assert ran.returncode == 0, ran.stderr
    assert f"{daemon.home.port}/hooks/example" in file.read_text()
    ran = handrail(daemon, "uninstall", "example", "--yes")
    assert ran.returncode == 0, ran.stderr
    assert not file.parent.exists()


def test_an_agent_of_it_may_not_change_handrail(place: DaemonSandbox) -> None:
    place.environ["EXEMPLAR"] = "1"
    ran = handrail(place, "uninstall", "example", "--yes")
    assert (ran.returncode, "EXEMPLAR shows that an agent called it" in ran.stderr) == (2, True)
