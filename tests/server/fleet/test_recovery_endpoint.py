"""The daemon says how completely it recovered a fleet, until the next clean start."""

import subprocess
from contextlib import closing

import pytest

from handrail.fleet.repository import find_repository
from handrail.fleet.state_loading import topic_of
from handrail.fleet.task import Task
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
    with closing(open_log(place.home.log, "write")) as store:
        store.forget(topic_of(fleet)).result(5)
    engine.submit([Task(id="a", prompt="do a")])
    assert ask_recoveries(place.home) == {}


def _save_snapshot(home: Home, fleet: str, snapshot: Snapshot) -> None:
    with closing(open_log(home.log, "write")) as store:
        store.save_snapshot(topic_of(fleet), snapshot).result(5)
