"""Rollbacks of a fleet, with real worktrees: everything goes back, and comes back by a redo."""

from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, RestorePreview
from handrail.fleet.engine.engine import StaleAttemptError, Ticket
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, Lease
from handrail.fleet.rollback.errors import RollbackBusyError
from handrail.fleet.rollback.preview import preview_rollback
from handrail.fleet.rollback.rolling_back import AgentsLeftError
from handrail.fleet.rollback.tree_files import TreeRestored
from handrail.fleet.slot_work_port import ProcessesLeftError

from .rolled_fleet import RolledFleet

pytestmark = pytest.mark.slow

DONE = AttemptResult(outcome=AttemptOutcome.DONE)


@pytest.fixture
def fleet(tmp_path: Path) -> RolledFleet:
    """A checkpoint, and a night of work after it."""
    return busy_fleet(tmp_path)


def busy_fleet(root: Path) -> RolledFleet:
    fleet = RolledFleet(root)
    fleet.submit("a", "b", "c", "d")
    fleet.finish()
    _, path = fleet.claim()
    fleet.write("half.txt", "half\n", at=path)
    fleet.take("start")
    fleet.write("half.txt", "whole\n", at=path)
    fleet.commit("more of b", at=path)
    fleet.finish()
    fleet.claim()
    fleet.submit("e")
    fleet.write("notes.txt", "made since\n")
    return fleet


def test_everything_goes_back_and_a_redo_brings_it_back(tmp_path: Path) -> None:
    fleet = RolledFleet(tmp_path)
    fleet.submit("a", "b", "c")
    fleet.finish()
    fleet.take("start")
    before = fleet.look()
    fleet.finish()
    fleet.finish()
    after = fleet.look()
    result = fleet.roll_back()
    assert fleet.look() == before
    assert (result.problems, result.merges_stay) == ([], {})
    assert result.workspaces.removed == ["b", "c"]
    assert fleet.redo().problems == []
    assert fleet.look() == after
    assert not fleet.parts.journal.is_open


def test_a_rollback_stops_agents_and_restores_their_workspaces(fleet: RolledFleet) -> None:
    result = fleet.roll_back()
    assert sorted(result.stopped) == ["b", "d"]
    assert len(fleet.ended) == 2
    assert fleet.statuses() == {
        "a": "done",
        "b": "pending",
        "c": "pending",
        "d": "pending",
        "e": "pending",
    }
    workspace = fleet.workspaces.of_task("b")[0]
    assert (Path(workspace.path) / "half.txt").read_text() == "half\n"
    assert fleet.git("status", "--short", at=workspace.path) == "?? half.txt"
    assert not (fleet.tree / "c.txt").exists()
    assert (fleet.tree / "a.txt").exists()
    assert fleet.git("status", "--short") == ""


def test_a_task_that_came_later_stays_and_waits_for_a_person(fleet: RolledFleet) -> None:
    fleet.roll_back()
    task = fleet.engine.state().tasks["e"]
    assert task.held
    assert "handrail task retry e" in task.says


def test_the_words_of_earlier_attempts_count_no_more(fleet: RolledFleet) -> None:
    active = [Ticket(each.task.id, each.attempt) for each in fleet.engine.state().active()]
    fleet.roll_back()
    for ticket in active:
        with pytest.raises(StaleAttemptError):
            fleet.engine.finish(ticket, DONE)
    claim, _ = fleet.claim()
    assert claim.ticket not in active
    assert claim.ticket.attempt == 2


def test_a_redo_after_agents_were_stopped_restores_the_stopped_state(fleet: RolledFleet) -> None:
    fleet.roll_back()
    fleet.redo()
    assert fleet.statuses() == {
        "a": "done",
        "b": "pending",
        "c": "done",
        "d": "pending",
        "e": "pending",
    }
    workspace = fleet.workspaces.of_task("b")[0]
    assert (Path(workspace.path) / "half.txt").read_text() == "whole\n"
    assert fleet.git("status", "--short", at=workspace.path) == ""
    assert (fleet.tree / "c.txt").exists()
    assert (fleet.tree / "notes.txt").read_text() == "made since\n"


def test_keep_leaves_the_workspaces_made_since(fleet: RolledFleet) -> None:
    result = fleet.roll_back(keep=True)
    assert result.workspaces.kept == ["c", "d"]
    assert fleet.workspaces.of_task("c")


def test_a_workspace_that_was_removed_since_is_made_again(tmp_path: Path) -> None:
    fleet = RolledFleet(tmp_path)
    fleet.submit("a")
    fleet.finish(merged=False)
    workspace = fleet.workspaces.of_task("a")[0]
    fleet.write("loose.txt", "not committed\n", at=workspace.path)
    fleet.take("start")
    head = fleet.head("handrail/a")
    fleet.workspaces.remove(workspace, lose=True)
    result = fleet.roll_back()
    assert (result.workspaces.remade, result.problems) == (["a"], [])
    assert fleet.head("handrail/a") == head
    assert (Path(workspace.path) / "loose.txt").read_text() == "not committed\n"


def test_a_merge_with_commits_after_it_stays_and_so_does_its_task(fleet: RolledFleet) -> None:
    fleet.write("mine.txt", "by hand\n")
    fleet.git("add", "mine.txt")
    fleet.git("commit", "-q", "-m", "by hand")
    head = fleet.head("main")
    result = fleet.roll_back()
    assert result.merges_stay == {"c": "main has commits that came after its merge"}
    assert fleet.head("main") == head
    assert fleet.statuses()["c"] == "done"
    assert fleet.statuses()["b"] == "pending"


def test_a_merge_into_a_checkout_with_changes_stays(fleet: RolledFleet) -> None:
    fleet.write("README.md", "# changed by hand\n")
    result = fleet.roll_back()
    assert "uncommitted changes" in result.merges_stay["c"]
    assert fleet.statuses()["c"] == "done"


def test_a_preview_names_everything_that_would_be_lost(fleet: RolledFleet) -> None:
    before = fleet.look()
    seen = preview_rollback(fleet.parts, fleet.parts.files.find("start"))
    assert [each.task_id for each in seen.in_progress] == ["b", "d"]
    assert seen.done_since == ("c",)
    assert seen.added_since == ("e",)
    assert seen.tasks == {"c": ("done", "pending"), "d": ("active", "pending")}
    assert [(each.branch, each.subject) for each in seen.commits] == [
        ("handrail/b", "more of b"),
        ("handrail/c", "work on c"),
    ]
    assert [(each.task, each.target, each.stays) for each in seen.merges] == [("c", "main", "")]
    assert {each.path for each in seen.files} == {"c.txt", "notes.txt"}
    assert [each.name for each in seen.workspaces] == ["c", "d"]
    assert not seen.is_empty
    assert fleet.look() == before


def test_an_agent_that_cannot_be_stopped_stops_the_rollback(fleet: RolledFleet) -> None:
    def refuse(lease: Lease, run: str) -> str:
        raise ProcessesLeftError("4711 sleeps for ever")

    before = fleet.look()
    fleet.use(fleet.store_trees, end_attempt=refuse)
    with pytest.raises(AgentsLeftError, match="4711"):
        fleet.roll_back()
    assert fleet.look() == before
    assert not fleet.parts.journal.is_open


def test_one_rollback_at_a_time(fleet: RolledFleet) -> None:
    fleet.parts.journal.begin(fleet.order())
    with pytest.raises(RollbackBusyError, match="rollback to start is under way"):
        fleet.roll_back()


class FullDisk:
    """Trees that cannot be saved."""

    def save(self, path: str, about: CheckpointInfo) -> str:
        raise OSError("no space left on device")

    def preview(self, path: str, checkpoint: str) -> RestorePreview:
        raise AssertionError("unused")

    def restore(self, path: str, checkpoint: str, *, over: bool = False) -> TreeRestored:
        raise AssertionError("nothing may be restored")


def test_nothing_is_restored_if_now_cannot_be_saved(fleet: RolledFleet) -> None:
    trees = FullDisk()
    trees.preview = fleet.store_trees.preview  # type: ignore[method-assign]
    fleet.use(trees)
    main = fleet.head("main")
    with pytest.raises(OSError, match="no space"):
        fleet.roll_back()
    assert fleet.head("main") == main
    assert (fleet.tree / "notes.txt").exists()
    assert not fleet.parts.journal.is_open
