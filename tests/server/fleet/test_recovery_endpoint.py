"""The daemon says how completely it recovered a fleet, until the next clean start."""

import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from handrail.fleet.engine.events import TaskReleased
from handrail.fleet.engine.state_loading import StateSource, topic_of
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository import find_repository
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.recovery_endpoint import ask_recoveries
from handrail.server.home import Home
from handrail.store.opening import open_log
from handrail.store.port import Snapshot
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow


def test_a_damaged_snapshot_is_told_until_a_clean_start(place: DaemonSandbox) -> None:
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    fleet = find_repository(str(place.project)).fleet
    engine = remote_engine(place.home, str(place.project), place.environ)
    engine.submit([Task(id="a", prompt="do a")])
    assert ask_recoveries(place.home) == {}
    place.kill()
    _save_snapshot(place.home, fleet, Snapshot(1, b"damaged"))
    engine.state()
    recovery = ask_recoveries(place.home)[fleet]
    assert recovery.problems == ("the snapshot cannot be used: its checksum does not match",)
    assert [(each.kind, each.how) for each in recovery.kinds] == [
        (kind, "complete") for kind in ("state", "agents", "tasks", "workspaces", "conversation")
    ]
    place.kill()
    engine.state()
    assert ask_recoveries(place.home) == {}


def test_a_fleet_that_the_log_has_lost_comes_back_with_its_tasks(place: DaemonSandbox) -> None:
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    fleet = find_repository(str(place.project)).fleet
    engine = remote_engine(place.home, str(place.project), place.environ)
    engine.submit([Task(id="a", prompt="do a")])
    place.kill()
    for each in Path(place.home.log).parent.glob(f"{Path(place.home.log).name}*"):
        each.unlink()
    (task,) = engine.state().tasks.values()
    assert (task.task.prompt, task.held) == ("do a", True)
    recovery = ask_recoveries(place.home)[fleet]
    assert recovery.source is StateSource.REBUILT
    engine.record(TaskReleased(1.0, "a"))
    place.kill()
    assert not engine.state().tasks["a"].held
    assert ask_recoveries(place.home) == {}


def _save_snapshot(home: Home, fleet: str, snapshot: Snapshot) -> None:
    with closing(open_log(home.log, "write")) as store:
        store.save_snapshot(topic_of(fleet), snapshot).result(5)
