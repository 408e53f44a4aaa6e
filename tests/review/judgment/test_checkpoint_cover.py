"""What a checkpoint holds is reversible; what none holds is not."""

from pathlib import Path

import pytest

from handrail.config import Config
from handrail.model import Action, Decision, Review
from handrail.model.ordinal import Undo
from handrail.review import Reviewer
from handrail.review.judgment.checkpoint_cover import CheckpointCover


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "home" / "shop"
    (tree / "data").mkdir(parents=True)
    (tree / "data" / "orders.csv").write_text("1\n")
    return tree


def review(tree: Path, command: str, kept: CheckpointCover | None) -> Review:
    config = Config(scope=(str(tree),), goal="tidy up the shop")
    reviewer = Reviewer(config, environ={"HOME": str(tree.parent), "PATH": "/usr/bin:/bin"})
    return reviewer.begin(Action("Bash", {"command": command}, str(tree), id="t1")).finish(kept)


def test_discarded_work_that_a_checkpoint_holds_can_be_undone(tree: Path) -> None:
    held = review(tree, "git checkout -- .", CheckpointCover(str(tree)))
    assert {effect.undo for effect in held.effects if effect.kind == "discard"} == {Undo.CHECKPOINT}
    assert held.decision is not Decision.BLOCK


def test_without_a_checkpoint_nobody_knows(tree: Path) -> None:
    [effect] = review(tree, "git reset --hard", None).effects
    assert effect.undo is Undo.UNKNOWN


@pytest.mark.parametrize(
    "command",
    [
        "git clean -fdx",
        "git clean -ffX",
        "git stash drop",
        "git stash clear",
        "git -C /srv/other reset --hard",
        "git --git-dir=/srv/x/.git --work-tree=/srv/x reset --hard",
        "cd /srv/other && git reset --hard",
        "GIT_DIR=/srv/x/.git git reset --hard",
    ],
)
def test_what_no_checkpoint_of_the_work_tree_holds_stays_impossible(
    tree: Path, command: str
) -> None:
    held = review(tree, command, CheckpointCover(str(tree)))
    assert any(effect.undo > Undo.CHECKPOINT for effect in held.effects), held.effects


def test_a_partial_checkpoint_does_not_make_discards_reversible(tree: Path) -> None:
    held = review(tree, "git reset --hard", CheckpointCover(str(tree), complete=False))
    assert {effect.undo for effect in held.effects} == {Undo.UNKNOWN}


@pytest.mark.parametrize("lost", ["data/", "data/orders.csv"])
def test_a_deletion_of_what_no_checkpoint_holds_cannot_be_undone(tree: Path, lost: str) -> None:
    command = "find data -name '*.csv' -delete"
    before = review(tree, command, CheckpointCover(str(tree)))
    assert before.checkpoint_first
    held = review(tree, command, CheckpointCover(str(tree), uncovered=(f"{tree}/{lost}",)))
    assert not held.checkpoint_first
    assert held.decision.stops
    assert "no checkpoint holds" in held.reasons[0]


def test_what_is_moved_to_the_trash_instead_needs_no_checkpoint(tree: Path) -> None:
    kept = CheckpointCover(str(tree), uncovered=(f"{tree}/data/",))
    assert review(tree, "rm -rf data", kept).decision is Decision.MODIFY


def test_what_can_be_made_again_need_not_be_held(tree: Path) -> None:
    uncovered = (f"{tree}/node_modules/", f"{tree}/data/__pycache__/")
    held = review(
        tree, "find . -name '*.csv' -delete", CheckpointCover(str(tree), uncovered=uncovered)
    )
    assert held.checkpoint_first


def test_what_is_not_touched_does_not_matter(tree: Path) -> None:
    uncovered = (f"{tree}/secrets/",)
    held = review(
        tree, "find data -name '*.csv' -delete", CheckpointCover(str(tree), uncovered=uncovered)
    )
    assert held.checkpoint_first


@pytest.mark.parametrize(
    "command",
    [
        "frobnicate x",
        "cd data && ./tool",
        "alembic upgrade head",
        "git checkout main",
        "git -C sub merge feature",
        "git stash",
        "git stash pop",
        "git apply fix.diff",
        "git revert -n HEAD",
        "cargo fmt",
        "tsc",
        "enable -f ./tool.so tool",
    ],
)
def test_programs_that_nobody_knows_are_named(tree: Path, command: str) -> None:
    assert review(tree, command, None).strange


@pytest.mark.parametrize(
    "command",
    [
        "ls -l",
        "cd data && pwd",
        "echo hi | wc -l",
        "git status",
        "[ -f x ] && true",
        "git log --grep merge",
        "git stash list",
        "git submodule status",
        "git apply --check fix.diff",
        "docker compose ps",
        "tsc --noEmit",
        "cmake --version",
        "eza -la",
    ],
)
def test_programs_that_only_look_are_not(tree: Path, command: str) -> None:
    assert review(tree, command, None).strange == ()
