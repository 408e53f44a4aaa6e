"""Commands that take the terminal from `handrail watch` for a while, and give it back."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.fleet.engine.requests import RemoteFleetEngine
from handrail.fleet.tasks.task import Task
from handrail.server.fleet.client import remote_engine
from tests.server.daemon_sandbox import DaemonSandbox
from tests.tui.tmux import Tmux, tmux

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


@pytest.fixture
def engine(place: DaemonSandbox) -> RemoteFleetEngine:
    me = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", "-C", str(place.project), *me, *words], check=True)
    engine = remote_engine(place.home, str(place.project), place.environ)
    engine.submit([Task(id="a", prompt="do a")])
    return engine


@pytest.fixture
def window(place: DaemonSandbox) -> Iterator[Tmux]:
    with tempfile.TemporaryDirectory() as folder, tmux(Path(folder)) as window:
        editor = Path(folder, "editor")
        editor.write_text('#!/bin/sh\nsed -i "s/do a/do it better/" "$1"\n')
        editor.chmod(0o755)
        given = {**place.environ, "EDITOR": str(editor), "VISUAL": str(editor)}
        kept = {name: text for name, text in given.items() if text != os.environ.get(name)}
        command = f"cd '{place.project}' && TERM=screen '{sys.executable}' -m handrail watch"
        window.start(f"{command}; cat", (100, 30), kept)
        yield window


def test_a_task_is_edited_and_the_fleet_rolled_back(
    engine: RemoteFleetEngine, window: Tmux, place: DaemonSandbox
) -> None:
    window.wait_for("Tasks · ")
    window.keys("T", "C")
    window.wait_for("a name (may be empty)")
    window.keys("l", "u", "n", "c", "h", "Enter")
    shown = window.wait_for("confirmed (lunch-")
    name = shown.partition("confirmed (")[2].partition(")")[0]
    window.keys("E", "Enter")
    window.wait_for("⏎ goes back to the screen")
    window.keys("Enter")
    window.wait_for("edit requested → confirmed")
    assert engine.state().tasks["a"].task.prompt == "do it better"
    engine.cancel("a", "ada", "no need")
    window.keys("B", *name, "Enter")
    window.wait_for("Roll the fleet back to lunch-")
    window.wait_for("[y/N]")
    window.keys("y", "Enter")
    window.wait_for("⏎ goes back to the screen")
    window.keys("Enter")
    window.wait_for("undo all requested → confirmed")
    assert engine.state().tasks["a"].task.prompt == "do a"
