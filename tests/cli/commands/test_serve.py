"""`handrail serve`: in the foreground, in the background, and its end."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.server.daemon_sandbox import DaemonSandbox

from handrail.server.http.socket_client import daemon_health
from handrail.server.lock import daemon_pid, guardian_pid, is_running

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


def test_it_is_started_once_and_stopped_once(place: DaemonSandbox) -> None:
    said = [
        place.run("serve", *option).stdout
        for option in (
            ["--stop"],
            ["--background"],
            ["--background"],
            ["--restart"],
            ["--stop"],
            ["--restart"],
        )
    ]
    assert said == [
        "No daemon was running.\n",
        "Started the daemon.\n",
        "The daemon is already running.\n",
        "Restarted the daemon.\n",
        "Stopped the daemon.\n",
        "Started the daemon.\n",
    ]


def test_a_restart_is_another_process(place: DaemonSandbox) -> None:
    before = place.start()
    assert place.run("serve", "--restart").returncode == 0
    assert place.pid not in (0, before)
    assert daemon_pid(place.home) == place.pid


def test_what_was_done_is_there_for_programs(place: DaemonSandbox) -> None:
    options = (["--background"], ["--background"], ["--restart"], ["--stop"], ["--stop"])
    told = [json.loads(place.run("serve", *option, "--json").stdout) for option in options]
    assert [(each["stopped"], each["started"]) for each in told] == [
        (False, True),
        (False, False),
        (True, True),
        (True, False),
        (False, False),
    ]


@pytest.mark.parametrize(
    "options", [["--background", "--stop"], ["--restart", "--stop"], ["--background", "--restart"]]
)
def test_two_wishes_at_once_are_refused(place: DaemonSandbox, options: list[str]) -> None:
    ran = place.run("serve", *options)
    assert ran.returncode == 2
    assert "use only one of" in ran.stderr
    assert daemon_health(place.home) is None


def test_a_second_one_in_the_foreground_says_that_one_runs(place: DaemonSandbox) -> None:
    pid = place.start()
    ran = place.run("serve")
    assert (ran.returncode, ran.stdout) == (0, f"the daemon is running already (process {pid})\n")
    assert place.pid == pid


def test_a_second_one_in_the_foreground_says_so_to_programs_too(place: DaemonSandbox) -> None:
    place.start()
    told = json.loads(place.run("serve", "--json").stdout)
    assert (told["stopped"], told["started"]) == (False, False)


def test_in_the_foreground_it_speaks_to_the_terminal_and_ends_with_it(place: DaemonSandbox) -> None:
    command = [sys.executable, "-m", "handrail", "serve"]
    with subprocess.Popen(command, env=place.environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert f"supervises, process {daemon_pid(place.home)}" in first
        assert process.pid == guardian_pid(place.home)
        process.terminate()
        assert process.stderr.read().rstrip().endswith("Handrail ends")
    assert process.returncode == 0


def test_the_last_uninstall_ends_it(place: DaemonSandbox) -> None:
    assert place.run("install", "claude", "--yes", "--handler", "command").returncode == 0
    assert is_running(place.home)
    assert "Stopped the daemon" in place.run("uninstall", "claude", "--yes").stdout
    assert not is_running(place.home)


def test_a_relative_state_folder_is_refused(place: DaemonSandbox) -> None:
    for options in ([], ["--background"], ["--stop"]):
        ran = place.run("serve", *options, environ={"HANDRAIL_HOME": "state"})
        assert ran.returncode == 2
        assert ran.stderr == "handrail: state: HANDRAIL_HOME must be an absolute path\n"
