"""Fleets over the socket of a real daemon: merged in the background, ended with the daemon."""

from pathlib import Path
from typing import Any

import psutil
import pytest

from handrail.fleet.engine.events import AttemptOutcome, AttemptResult
from handrail.fleet.tasks.task import Task
from handrail.server.http.socket_client import call_daemon
from handrail.server.launcher import stop_daemon
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox
from tests.server.fleet.saved_fleet import SavedFleet, until

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(place: DaemonSandbox) -> SavedFleet:
    return SavedFleet(place)


def ask(fleet: SavedFleet, method: str, path: str = "", body: object = None) -> Any:
    where = f"/api/v1/fleets/{fleet.repository.fleet}{path}"
    return call_daemon(fleet.place.home, method, where, body, timeout=PATIENCE)


def do(fleet: SavedFleet, verify: str) -> None:
    """Let an agent do a task whose merge runs this command."""
    fleet.engine.submit([Task(id="api", prompt="do it", verify=verify)])
    claim, path = fleet.claim()
    (Path(path) / "api.txt").write_text("done\n")
    fleet.git("add", "-A", at=path)
    fleet.git("commit", "-q", "-m", "work", at=path)
    commit = fleet.git("rev-parse", "HEAD", at=path)
    result = AttemptResult(outcome=AttemptOutcome.DONE, commit=commit, verified=True)
    fleet.engine.finish(claim.ticket, result)


def test_a_task_is_merged_by_the_daemon(fleet: SavedFleet) -> None:
    for key, value in (("user.name", "t"), ("user.email", "t@example.com")):
        fleet.git("config", key, value)
    do(fleet, "test -f api.txt")
    listed = call_daemon(fleet.place.home, "GET", "/api/v1/fleets")["items"]
    assert isinstance(listed, list)
    assert [(row["id"], row["folder"]) for row in listed] == [
        (fleet.repository.fleet, str(fleet.tree))
    ]
    begun = ask(fleet, "POST", "/tasks/api", {"command": "merge"})
    assert (begun["ok"], begun["task"]["merge"]) == (True, "merging")
    until(lambda: ask(fleet, "GET", "/tasks/api")["row"]["merge"] == "merged")
    assert (fleet.tree / "api.txt").exists()


def test_the_end_of_the_daemon_ends_the_processes_of_a_merge(fleet: SavedFleet) -> None:
    began = fleet.place.root / "began"
    do(fleet, f"echo $$ > {began}; exec sleep 600")
    ask(fleet, "POST", "/tasks/api", {"command": "merge"})
    until(lambda: began.exists() and began.read_text().strip() != "")
    pid = int(began.read_text())
    stop_daemon(fleet.place.home)
    until(lambda: not psutil.pid_exists(pid))
    assert fleet.engine.state().tasks["api"].merge is None
    assert not (fleet.tree / "api.txt").exists()
