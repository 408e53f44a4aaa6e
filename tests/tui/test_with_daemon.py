"""The screen, a real daemon and a session: a pause from the keyboard holds, a resume lets go."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.server.launcher import stop_daemon
from tests.hosts.claude.desk import SESSION
from tests.server.daemon_sandbox import DaemonSandbox
from tests.tui.tmux import Tmux, tmux

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


@pytest.fixture
def window() -> Iterator[Tmux]:
    with tempfile.TemporaryDirectory() as folder, tmux(Path(folder)) as window:
        yield window


def test_the_screen_survives_the_daemon_and_starts_it_for_a_command(
    place: DaemonSandbox, window: Tmux
) -> None:
    before = place.start()
    place.tell("SessionStart", source="startup", model="claude-sonnet-4-5")
    place.tell("UserPromptSubmit", prompt="tidy up")
    place.before("echo one")
    given = {"command": "echo one"}
    place.tell(
        "PostToolUse", tool_name="Bash", tool_input=given, tool_use_id="t1", tool_response={}
    )
    command = f"'{sys.executable}' -m handrail watch; echo it ended with $?; cat"
    window.start(command, (120, 30), place.environ)
    window.wait_for(f"● shop-{SESSION[:4]}")
    window.keys("p")
    window.wait_for("reason (may be empty):")
    window.keys("-l", "look first")
    window.keys("Enter")
    window.wait_for("pause requested → acknowledged → confirmed")
    window.wait_for("‖ shop")
    assert "paused by you," in window.wait_for("ago: “look first”")

    assert stop_daemon(place.home)
    window.wait_for("! The daemon is not running, so agents can only read.")
    window.keys("r")
    window.wait_for("reason (may be empty):")
    window.keys("Enter")
    window.wait_for("resume starting the daemon … → requested → acknowledged → confirmed")
    window.wait_for("● shop")
    assert place.pid != before
    window.keys("q")
    window.wait_for("it ended with 0")
