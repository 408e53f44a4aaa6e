"""Tools that are not a shell are judged by the same effects."""

import pytest

from handrail.model import Action, Decision, Kind, Review
from handrail.review import Reviewer

REVIEWER = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
SHOP = "/home/test/shop"


def review(tool: str, /, **fields: object) -> Review:
    return REVIEWER.review(Action(tool, fields, SHOP))


@pytest.mark.parametrize(
    ("tool", "fields", "decision"),
    [
        ("Read", {"file_path": f"{SHOP}/src/a.py"}, Decision.ALLOW),
        ("Read", {"file_path": "/home/test/.ssh/id_rsa"}, Decision.BLOCK),
        ("Read", {"file_path": "~/.aws/credentials"}, Decision.BLOCK),
        ("Write", {"file_path": f"{SHOP}/a.py", "content": "x"}, Decision.ALLOW),
        ("Write", {"file_path": "/etc/hosts", "content": "x"}, Decision.BLOCK),
        ("Write", {"file_path": f"{SHOP}/../x/a", "content": "x"}, Decision.ALLOW),
        ("Edit", {"file_path": f"{SHOP}/a", "old_string": "a", "new_string": "b"}, Decision.ALLOW),
        ("Edit", {"file_path": "/home/test/.bashrc", "new_string": "b"}, Decision.BLOCK),
        ("MultiEdit", {"file_path": f"{SHOP}/handrail.yaml", "edits": []}, Decision.BLOCK),
        ("NotebookEdit", {"notebook_path": f"{SHOP}/n.ipynb", "new_source": "1"}, Decision.ALLOW),
        ("Glob", {"pattern": "**/*.py"}, Decision.ALLOW),
        ("Grep", {"pattern": "rm -rf /", "path": SHOP}, Decision.ALLOW),
        ("Grep", {"pattern": "key", "path": "/home/test/.ssh"}, Decision.BLOCK),
        ("WebFetch", {"url": "https://docs.python.org", "prompt": "x"}, Decision.ALLOW),
        ("WebFetch", {"url": "http://169.254.169.254/latest/meta-data/"}, Decision.BLOCK),
        ("WebSearch", {"query": "how to rm -rf /"}, Decision.ALLOW),
        ("Task", {"prompt": "rm -rf /", "description": "x"}, Decision.ALLOW),
        ("Agent", {"prompt": "look around"}, Decision.ALLOW),
        ("TodoWrite", {"todos": []}, Decision.ALLOW),
        ("mcp__files__read_file", {"path": "/home/test/.ssh/id_rsa"}, Decision.BLOCK),
        ("mcp__files__write_file", {"path": "/etc/passwd", "content": "x"}, Decision.BLOCK),
        ("mcp__github__search_issues", {"query": "delete"}, Decision.ALLOW),
    ],
)
def test_tools(tool: str, fields: dict[str, object], decision: Decision) -> None:
    assert REVIEWER.review(Action(tool, fields, SHOP)).decision is decision


def test_a_tool_nobody_knows_is_let_through_with_a_warning() -> None:
    found = review("launch_rocket", target="moon")
    assert found.decision is Decision.WARN
    assert "launch_rocket" in found.explanation


def test_a_tool_that_destroys_by_its_name_gets_a_warning() -> None:
    assert review("mcp__db__drop_table", name="users").decision is Decision.WARN


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("Bash", {}),
        ("Bash", {"command": None}),
        ("Bash", {"command": 5}),
        ("Write", {"content": "x"}),
        ("Read", {"file_path": ["a"]}),
        ("WebFetch", {"url": None}),
    ],
)
def test_input_that_lacks_what_the_tool_needs_is_not_run(
    tool: str, fields: dict[str, object]
) -> None:
    found = REVIEWER.review(Action(tool, fields, SHOP))
    assert found.decision is Decision.BLOCK
    assert "cannot be read" in found.explanation
    assert found.alternative


@pytest.mark.parametrize("tool", ["Bash", "run_shell_command", "terminal", "shell"])
def test_shells_of_other_hosts_are_shells(tool: str) -> None:
    assert review(tool, command="rm -rf /").decision is Decision.BLOCK


def test_codex_gives_its_command_as_a_list() -> None:
    assert review("shell", command=["bash", "-lc", "rm -rf /"]).decision is Decision.BLOCK


def test_effects_of_tools_have_absolute_targets() -> None:
    effect = review("Write", file_path="src/a.py", content="x").effects[0]
    assert (effect.kind, effect.target) == (Kind.WRITE, f"{SHOP}/src/a.py")


def test_a_worktree_is_left_with_its_changes_or_not_at_all() -> None:
    leave = Action("ExitWorktree", {"action": "remove", "discard_changes": True}, "/home/u/tree")
    assert Reviewer().review(leave).decision is Decision.BLOCK
    kept = Action("ExitWorktree", {"action": "keep"}, "/home/u/tree")
    assert Reviewer().review(kept).decision is Decision.ALLOW
