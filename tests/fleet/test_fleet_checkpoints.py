"""Checkpoints of a fleet, with real worktrees."""

import json
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointTrigger
from handrail.fleet.rollback.checkpoint_data import after_task, checkpoint_name
from handrail.fleet.rollback.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    CommitMissingError,
)
from handrail.fleet.rollback.rolling_back import RollingBack
from handrail.fleet.rollback.taking import KEPT_AUTOMATIC

from .rolled_fleet import RolledFleet

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(tmp_path: Path) -> RolledFleet:
    return RolledFleet(tmp_path)


def record_file(fleet: RolledFleet, name: str) -> Path:
    return fleet.state / "fleet" / "checkpoints" / f"{name}.json"


def test_a_checkpoint_has_the_fields_of_the_seed(fleet: RolledFleet) -> None:
    fleet.submit("a", "b", "c")
    fleet.finish(merged=False)
    fleet.claim()
    taken = fleet.take("before-auth-refactor")
    found = json.loads(record_file(fleet, taken.name).read_bytes())
    assert found["name"].startswith("before-auth-refactor-1970-01-01T00-16-")
    assert found["createdAt"].startswith("1970-01-01T00:16:")
    assert found["gitCommit"] == fleet.head("main")
    assert found["caseStates"] == {"a": "done", "b": "active", "c": "pending"}
    assert found["agentStates"] == [{"id": "slot-2", "taskId": "b"}]
    assert set(found["stateSnapshot"]["tasks"]) == {"a", "b", "c"}
    assert [each.get("task", "") for each in found["trees"]] == ["", "a", "b"]


def test_names_are_those_of_the_seed_and_never_twice_the_same() -> None:
    at = 1768298400.0
    name = checkpoint_name(after_task("003"), at)
    assert name == "after-task-003-2026-01-13T10-00-00"
    assert checkpoint_name(after_task("003"), at, {name}) == f"{name}-2"


def test_git_keeps_the_commits_of_every_branch(fleet: RolledFleet) -> None:
    fleet.submit("a")
    fleet.finish(merged=False)
    head = fleet.head("handrail/a")
    taken = fleet.take("x..y")
    workspace = fleet.workspaces.of_task("a")[0]
    fleet.workspaces.remove(workspace, lose=True)
    fleet.git("reflog", "expire", "--expire=now", "--all")
    fleet.git("gc", "-q", "--prune=now")
    assert taken.ref.startswith("refs/handrail/checkpoints/x_y-")
    assert fleet.git("cat-file", "-t", head) == "commit"
    RollingBack(fleet.parts).check(taken)


def test_a_checkpoint_does_not_make_unmerged_commits_safe_to_remove(fleet: RolledFleet) -> None:
    fleet.submit("a")
    fleet.finish(merged=False)
    fleet.take()
    with pytest.raises(Exception, match="commit"):
        fleet.workspaces.remove(fleet.workspaces.of_task("a")[0])


def test_a_checkpoint_is_found_by_its_name_and_the_newest_by_its_label(fleet: RolledFleet) -> None:
    first, second = fleet.take("start"), fleet.take("start")
    files = fleet.parts.files
    assert files.find("start").name == second.name
    assert files.find(first.name).name == first.name
    with pytest.raises(CheckpointNotFoundError, match="no checkpoint 'other'"):
        files.find("other")


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"name":"x","checksum":"00"}'])
def test_a_damaged_checkpoint_is_refused_by_name(fleet: RolledFleet, damage: bytes) -> None:
    taken = fleet.take()
    record_file(fleet, taken.name).write_bytes(damage)
    with pytest.raises(CheckpointDamagedError, match="checksum"):
        fleet.roll_back(taken.name)
    assert not fleet.parts.journal.is_open


def test_one_changed_byte_is_noticed(fleet: RolledFleet) -> None:
    fleet.submit("a")
    taken = fleet.take()
    file = record_file(fleet, taken.name)
    file.write_bytes(file.read_bytes().replace(b"pending", b"blocked", 1))
    with pytest.raises(CheckpointDamagedError):
        fleet.roll_back(taken.name)


def test_a_lost_commit_is_named_before_anything_changes(fleet: RolledFleet) -> None:
    fleet.submit("a")
    fleet.finish(merged=False)
    taken = fleet.take()
    head = fleet.head("handrail/a")
    fleet.workspaces.remove(fleet.workspaces.of_task("a")[0], lose=True)
    fleet.git("update-ref", "-d", taken.ref)
    fleet.git("reflog", "expire", "--expire=now", "--all")
    fleet.git("gc", "-q", "--prune=now")
    before = fleet.look()
    with pytest.raises(CommitMissingError, match=head[:12]):
        fleet.roll_back(taken.name)
    assert fleet.look() == before


def test_a_checkpoint_whose_files_are_gone_is_refused_before_anything_changes(
    fleet: RolledFleet,
) -> None:
    fleet.submit("a")
    fleet.claim()
    taken = fleet.take()
    records = next((fleet.state / "checkpoints").glob("*/records"))
    (records / f"{taken.workspaces[0].checkpoint}.json").unlink()
    before = fleet.look()
    with pytest.raises(CheckpointDamagedError, match="there is no checkpoint"):
        fleet.roll_back(taken.name)
    assert fleet.look() == before
    assert fleet.ended == []


def test_automatic_checkpoints_go_and_those_of_a_person_stay(fleet: RolledFleet) -> None:
    manual = fleet.take("mine")
    automatic = [
        fleet.take(after_task(str(number)), CheckpointTrigger.TASKS)
        for number in range(KEPT_AUTOMATIC + 2)
    ]
    left = {each.name for each in fleet.parts.files.newest_first()}
    assert left == {manual.name, *(each.name for each in automatic[2:])}
    assert automatic[0].ref not in fleet.refs()
    assert manual.ref in fleet.refs()
    names = {each.name for each in fleet.store_trees.open(str(fleet.tree)).newest_first()}
    assert automatic[0].name not in names
    assert manual.name in names


def test_a_checkpoint_writes_a_backup_of_the_state(fleet: RolledFleet) -> None:
    fleet.submit("a")
    fleet.take()
    assert list((fleet.state / "fleet").glob("backup-*.json"))


def test_a_workspace_that_cannot_be_saved_is_named(fleet: RolledFleet) -> None:
    fleet.submit("a", "b")
    fleet.claim()
    fleet.claim()
    trees = fleet.store_trees

    class OneRefused(type(trees)):  # type: ignore[misc]
        def save(self, path: str, about: object) -> str:
            if path.endswith("/b"):
                raise OSError("no space left")
            return str(super().save(path, about))

    fleet.use(OneRefused(str(fleet.state), fleet.environ))
    taken = fleet.take()
    assert taken.unsaved == {"b": "no space left"}
    assert [each.task for each in taken.workspaces] == ["a"]
