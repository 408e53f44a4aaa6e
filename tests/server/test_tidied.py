"""Checkpoints that a person takes are tidied up like all others."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, RestoreTarget, UndoLevel
from handrail.checkpoint.tidy.tidying import TidyResult
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.model.event import FaultNoted
from tests.server.checkpoint_setup import CheckpointSetup

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[CheckpointSetup]:
    workshop = CheckpointSetup(tmp_path)
    yield workshop
    workshop.close()


def git(shop: CheckpointSetup, *arguments: str) -> None:
    person = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")
    subprocess.run(["git", *person, *arguments], cwd=shop.tree, env=shop.environ, check=True)


def test_what_was_borrowed_for_a_person_survives_the_cleaning_of_their_repository(
    shop: CheckpointSetup,
) -> None:
    os.utime(shop.tree / "cart.txt", (1_000_000_000, 1_000_000_000))
    git(shop, "init", "-q")
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "start")
    checkpoints = shop.scheduler.checkpoints(str(shop.tree))
    named = checkpoints.save(CheckpointInfo(name="before-refactor")).record
    shop.scheduler.count(str(shop.tree), checkpoints)
    shop.settle()
    (shop.tree / "cart.txt").write_text("other\n")
    git(shop, "commit", "-qa", "--amend", "-m", "other")
    git(shop, "reflog", "expire", "--expire=now", "--all")
    git(shop, "gc", "-q", "--prune=now")
    checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, named), over=True)
    assert (shop.tree / "cart.txt").read_text() == "three apples\n"


def test_of_too_many_the_oldest_go_by_the_settings_of_the_project(shop: CheckpointSetup) -> None:
    checkpoints = shop.scheduler.checkpoints(str(shop.tree), Settings(keep=3))
    for number in range(21):
        (shop.tree / "cart.txt").write_text(f"{number}\n")
        checkpoints.save(CheckpointInfo())
        shop.scheduler.count(str(shop.tree), checkpoints)
        shop.settle()
    assert [each.id for each in checkpoints.newest_first()] == ["c21", "c20", "c19"]


def test_a_problem_is_told_to_the_next_run(
    shop: CheckpointSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = TidyResult(problem="The disk is full.")
    monkeypatch.setattr("handrail.checkpoint.tidy.tidying.tidy", lambda *_: full)
    shop.scheduler.count(str(shop.tree), shop.scheduler.checkpoints(str(shop.tree)))
    shop.settle()
    assert shop.all(FaultNoted) == []
    for number in range(1, 21):
        (shop.tree / "cart.txt").write_text(f"{number}\n")
        shop.time += 100
        shop.act(number * 10)
        for step in range(9):
            shop.act(number * 10 + step + 1)
    assert len(shop.all(FaultNoted)) == 1
