"""Which actions wait until the files are saved."""

from pathlib import Path

import pytest

from handrail.config import Config
from handrail.config.trash import Trash
from handrail.model import Action, Decision, Verdict
from handrail.redact import Redactor
from handrail.review import Reviewer
from handrail.review.reviewer import ReviewDraft
from handrail.supervise.decision.checkpoint_need import action_line, checkpoint_request
from handrail.supervise.decision.checkpoint_request import CheckpointRequest, CheckpointUrgency
from handrail.supervise.decision.verdict import verdict_of
from handrail.supervise.state.run_state import RunState


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "home" / "shop"
    (tree / "data").mkdir(parents=True)
    (tree / "data" / "orders.csv").write_text("1\n")
    (tree / "old.txt").write_text("old\n")
    return tree


def first(tree: Path, action: Action) -> CheckpointRequest | None:
    config = Config(scope=(str(tree),))
    reviewer = Reviewer(config, environ={"HOME": str(tree.parent), "PATH": "/usr/bin:/bin"})
    draft = reviewer.begin(action)
    return request(action, draft, verdict_of(draft.review, 0), tree)


def request(
    action: Action, draft: ReviewDraft, verdict: Verdict, tree: Path
) -> CheckpointRequest | None:
    state = RunState("r", cwd=str(tree), step=3)
    return checkpoint_request(action, draft, verdict, state, Redactor(), Trash())


def bash(tree: Path, command: str) -> CheckpointRequest | None:
    return first(tree, Action("Bash", {"command": command}, str(tree), id="t1"))


@pytest.mark.parametrize(
    "command",
    [
        "ls", "cat old.txt", "git status", "grep -rn old .", "git branch --show-current",
        "git branch -a", "git tag", "git stash list", "git log --oneline", "git worktree list",
    ],
)  # fmt: skip
def test_what_only_reads_waits_for_nothing(tree: Path, command: str) -> None:
    assert bash(tree, command) is None


@pytest.mark.parametrize(
    ("command", "need"),
    [
        ("echo new > new.txt", CheckpointUrgency.QUIET),
        ("echo new > old.txt", CheckpointUrgency.CHANGE),
        ("sed -i s/a/b/ old.txt", CheckpointUrgency.CHANGE),
        ("mv old.txt data/", CheckpointUrgency.CHANGE),
        ("rm -rf data", CheckpointUrgency.CHANGE),
        ("git clean -fd", CheckpointUrgency.CHANGE),
        ("pytest -q", CheckpointUrgency.CODE),
        ("make", CheckpointUrgency.CODE),
        ("alembic upgrade head", CheckpointUrgency.CODE),
        ("frobnicate --all", CheckpointUrgency.CODE),
        ("find . -name '*.txt' -delete", CheckpointUrgency.MUST),
    ],
)
def test_how_much_a_command_needs_a_checkpoint(
    tree: Path, command: str, need: CheckpointUrgency
) -> None:
    wanted = bash(tree, command)
    assert wanted is not None
    assert wanted.need is need


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m x", "git -C . commit -am x", "git add old.txt", "git branch next",
        "git tag v1", "git stash", "git stash pop", "git switch -c next", "git reset HEAD~1",
        "git merge --abort", "cd data && git commit -m x", "jj new",
    ],
)  # fmt: skip
def test_what_changes_a_repository_gets_a_checkpoint_of_its_own(tree: Path, command: str) -> None:
    """Else a checkpoint after the action before it could be taken in the middle of it."""
    wanted = bash(tree, command)
    assert wanted is not None
    assert wanted.need >= CheckpointUrgency.CHANGE


def test_tools_that_edit_wait_only_for_what_is_under_way(tree: Path) -> None:
    given: dict[str, object] = {"file_path": f"{tree}/old.txt", "content": "x"}
    wanted = first(tree, Action("Write", given, str(tree), id="t1"))
    assert wanted is not None
    assert wanted.need is CheckpointUrgency.QUIET


def test_what_is_refused_waits_for_nothing(tree: Path) -> None:
    assert bash(tree, "rm -rf /") is None


def test_a_call_without_an_id_cannot_be_asked_about_again(tree: Path) -> None:
    assert first(tree, Action("Bash", {"command": "make"}, str(tree))) is None


def test_what_is_deleted_is_named(tree: Path) -> None:
    wanted = bash(tree, "find data -name '*.csv' -delete")
    assert wanted is not None
    assert wanted.targets == (f"{tree}/data/**/*.csv",)


def test_why_it_is_saved_fits_a_line(tree: Path) -> None:
    several = bash(tree, "make clean\n  make all" + " " * 200 + "x")
    assert several is not None
    assert several.describe() == "before Bash: make clean make all x"
    long = bash(tree, "make " + "x" * 500)
    assert long is not None
    assert len(long.describe()) == 100


def test_a_verdict_that_is_only_a_warning_still_waits(tree: Path) -> None:
    action = Action("Bash", {"command": "make"}, str(tree), id="t1")
    reviewer = Reviewer(Config(scope=(str(tree),)), environ={"HOME": str(tree.parent)})
    warned = Verdict(Decision.WARN, "Hm.")
    assert request(action, reviewer.begin(action), warned, tree) is not None


def test_a_secret_at_the_end_of_a_line_is_taken_out_before_the_line_is_cut() -> None:
    command = f"deploy {'x' * 70} --token ghp_{'a1B2' * 9}"
    line = action_line(Action("Bash", {"command": command}), Redactor())
    assert len(line) == 100
    assert "ghp_" not in line
