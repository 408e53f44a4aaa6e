"""`handrail merge`: the work of done tasks comes to the branch of a person, or not at all."""

import pytest
from tests.cli.fleet_shell import FleetShell

from handrail.fleet.tasks.task import TaskStatus

pytestmark = pytest.mark.slow


def outcome(fleet: FleetShell, task: str) -> str:
    merge = fleet.task(task).merge
    return merge.outcome if merge else ""


def test_a_done_task_is_verified_merged_recorded_and_its_workspace_removed(
    fleet: FleetShell,
) -> None:
    fleet.add("a", verify="test -f a.txt && test -f README.md")
    fleet.do("a.txt")
    merged = fleet.run("merge", "a")
    assert merged.code == 0, merged.out + merged.err
    assert "a: main is at its commit" in merged.out
    assert outcome(fleet, "a") == "merged"
    assert [each.kind for each in fleet.task("a").audit] == ["merge"]
    assert (fleet.tree / "a.txt").exists()
    assert fleet.opened.workspaces.of_task("a") == []
    assert fleet.git("branch", "--list", "handrail/*") == ""


def test_a_kept_workspace_stays(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.do("a.txt")
    fleet.run("merge", "a", "--keep")
    assert fleet.opened.workspaces.reuse("a") is not None


def test_only_done_tasks_are_merged(fleet: FleetShell) -> None:
    fleet.add("a")
    refused = fleet.run("merge", "a")
    assert refused.code == 2
    assert "a is pending; only done tasks are merged" in refused.err
    assert "name the tasks, or use --all" in fleet.run("merge").err
    assert "No done task waits" in fleet.run("merge", "--all").out


def test_all_are_merged_in_the_order_of_their_dependencies(fleet: FleetShell) -> None:
    fleet.add("z")
    fleet.add("a", after=("z",))
    fleet.do("z.txt")
    fleet.do("a.txt")
    lines = fleet.run("merge", "--all", "--json").lines
    assert [(each["task"], each["outcome"]) for each in lines] == [
        ("z", "fast_forwarded"),
        ("a", "fast_forwarded"),
    ]
    assert {(fleet.tree / name).exists() for name in ("a.txt", "z.txt")} == {True}


def test_all_needs_an_agreement_of_a_person_or_yes(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.do("a.txt")
    asked = fleet.run("merge", "--all")
    assert asked.code == 2
    assert "1 task to merge: a" in asked.out
    assert outcome(fleet, "a") == ""
    assert fleet.run("merge", "--all", "--yes").code == 0


def test_a_task_that_holds_unmerged_work_of_another_names_it(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.add("b", after=("a",))
    fleet.do("a.txt")
    fleet.do("b.txt")
    refused = fleet.run("merge", "b")
    assert refused.code == 2
    assert "handrail merge a b" in refused.err
    assert fleet.run("merge", "b", "a").code == 0


def test_a_failing_verification_changes_nothing_and_stops_those_behind_it(
    fleet: FleetShell,
) -> None:
    fleet.add("a", verify="echo broken; false")
    fleet.add("b", after=("a",))
    fleet.add("c")
    fleet.do("a.txt")
    fleet.do("b.txt")
    fleet.do("c.txt")
    before = fleet.git("rev-parse", "main")
    shown = fleet.run("merge", "a")
    assert shown.code == 1
    assert "`echo broken; false` failed on the merged files" in shown.out
    assert "     broken" in shown.out.splitlines()
    assert outcome(fleet, "a") == "verify_failed"
    assert fleet.git("rev-parse", "main") == before
    told = {each["task"]: each["outcome"] for each in fleet.run("merge", "--all", "--json").lines}
    assert told == {"a": "verify_failed", "b": "skipped", "c": "fast_forwarded"}


def test_a_checkout_with_changes_lets_the_merge_wait(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.do("a.txt")
    fleet.write("README.md", "mine\n")
    shown = fleet.run("merge", "a")
    assert shown.code == 1
    assert outcome(fleet, "a") == "waiting"
    assert "git merge refs/handrail/merges/a" in shown.out
    assert fleet.opened.workspaces.reuse("a") is not None
    fleet.git("checkout", "-q", "README.md")
    assert fleet.run("merge", "a").code == 0


def conflict(fleet: FleetShell) -> None:
    """Task a and the branch of a person change the same line."""
    fleet.add("a")
    fleet.do("README.md", "# the agent's\n")
    fleet.write("README.md", "# mine\n")
    fleet.commit("my own change")


def test_a_conflict_is_left_for_a_person_with_the_way_to_look(fleet: FleetShell) -> None:
    conflict(fleet)
    shown = fleet.run("merge", "a")
    assert shown.code == 1
    assert "a: conflicts in README.md" in shown.out
    assert "handrail merge a --resolve" in shown.out
    assert outcome(fleet, "a") == "conflict"
    assert fleet.git("status", "--porcelain") == ""


def test_a_conflict_is_given_back_to_the_agent_in_its_workspace(fleet: FleetShell) -> None:
    conflict(fleet)
    given = fleet.run("merge", "a", "--resolve", "--json")
    assert given.code == 1
    assert given.json == {
        "task": "a", "outcome": "given_to_agent", "files": ["README.md"],
        "says": "its agent gets the conflict in README.md",
    }  # fmt: skip
    task = fleet.task("a")
    assert (task.status, task.merge) == (TaskStatus.PENDING, None)
    assert "conflicts with changes that are on the branch main" in task.message
    assert task.workspace is not None
    with open(f"{task.workspace.path}/README.md") as file:
        assert "<<<<<<<" in file.read()
    fleet.do("README.md", "# ours\n")
    assert fleet.run("merge", "a").code == 0
    assert (fleet.tree / "README.md").read_text() == "# ours\n"


def test_another_branch_may_be_the_target(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.do("a.txt")
    fleet.git("branch", "release")
    assert fleet.run("merge", "a", "--into", "release").code == 0
    assert "a.txt" in fleet.git("ls-tree", "--name-only", "release")
    assert not (fleet.tree / "a.txt").exists()


def test_without_a_branch_it_asks_for_one(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.do("a.txt")
    fleet.git("checkout", "-q", "--detach")
    refused = fleet.run("merge", "a")
    assert refused.code == 2
    assert "--into BRANCH" in refused.err
    assert "no branch or commit 'nope'" in fleet.run("merge", "a", "--into", "nope").err
