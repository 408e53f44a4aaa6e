"""`handrail checkpoint`, `rollback` and `redo` in a repository with a fleet, and a real daemon."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.fleet.saved_fleet import SavedFleet

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet() -> Iterator[SavedFleet]:
    with DaemonSandbox() as place:
        place.start()
        yield SavedFleet(place)


def test_a_fleet_goes_back_and_comes_back_by_commands(fleet: SavedFleet) -> None:
    run = fleet.place.run
    fleet.submit("a", "b")
    fleet.finish()
    saved = run("checkpoint", "start")
    assert (saved.returncode, saved.stderr) == (0, "")
    assert "2 tasks, the main tree and 1 workspace" in saved.stdout
    fleet.finish()
    (fleet.tree / "new.txt").write_text("since\n")
    (Path(fleet.workspaces.of_task("b")[0].path) / "half.md").write_text("half\n")
    refused = run("rollback", "start")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    for told in (
        "completed since, and pending again (1)", "work on b", "delete new.txt",
        "workspaces and branches removed (1)", "with 1 uncommitted file: half.md",
        "Nothing was changed.",
    ):  # fmt: skip
        assert told in refused.stdout
    assert fleet.statuses() == {"a": "done", "b": "done"}
    done = run("rollback", "start", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Take it back: handrail redo" in done.stdout
    assert fleet.statuses() == {"a": "done", "b": "pending"}
    assert not (fleet.tree / "new.txt").exists()
    redone = run("redo", "--yes")
    assert (redone.returncode, redone.stderr) == (0, "")
    assert fleet.statuses() == {"a": "done", "b": "done"}
    assert (fleet.tree / "new.txt").exists()
    again = run("redo", "--yes")
    assert again.returncode == 2
    assert "NOTHING_TO_REDO" in again.stderr


def test_a_preview_for_programs_changes_nothing(fleet: SavedFleet) -> None:
    fleet.submit("a")
    taken = json.loads(fleet.place.run("checkpoint", "start", "--json").stdout)
    assert taken["caseStates"] == {"a": "pending"}
    fleet.finish()
    seen = json.loads(fleet.place.run("rollback", taken["name"], "--dry-run", "--json").stdout)
    assert (seen["done"], seen["doneSince"]) == (False, ["a"])
    assert fleet.statuses() == {"a": "done"}
    listed = json.loads(fleet.place.run("checkpoints", "--json").stdout)
    assert taken["name"] in [each["name"] for each in listed]


def test_keep_leaves_workspaces_and_files_leaves_tasks(fleet: SavedFleet) -> None:
    fleet.submit("a")
    fleet.place.run("checkpoint", "start")
    fleet.finish()
    (fleet.tree / "new.txt").write_text("since\n")
    name = fleet.files.find("start").name
    assert "Roll the fleet back" in fleet.place.run("rollback", "c1", "--dry-run").stdout
    assert fleet.place.run("rollback", name, "--files", "--yes").returncode == 0
    assert fleet.statuses() == {"a": "done"}
    assert not (fleet.tree / "new.txt").exists()
    assert fleet.place.run("rollback", "start", "--keep", "--yes").returncode == 0
    assert fleet.statuses() == {"a": "pending"}
    assert (Path(fleet.workspaces.of_task("a")[0].path) / "a.txt").exists()


def test_a_repository_without_tasks_has_plain_checkpoints(fleet: SavedFleet) -> None:
    saved = fleet.place.run("checkpoint", "start")
    assert saved.stdout.startswith(" ✓ c1 start")
    wanted = fleet.place.run("checkpoint", "--fleet")
    assert wanted.returncode == 2
    assert "has no fleet with tasks" in wanted.stderr
    assert fleet.files.names() == []
