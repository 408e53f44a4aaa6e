"""A deletion of something that the same command line has moved: it weighs as it did before."""

from pathlib import Path

import pytest

from handrail.model import Decision
from handrail.model.action import Action
from handrail.review import Reviewer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "project"
    for name in (".git", "notes", "dist"):
        (folder / name).mkdir(parents=True)
    (folder / "notes" / "plan.md").write_text("the plan\n")
    return folder


def decide(project: Path, command: str) -> Decision:
    environ = {"HOME": str(project.parent), "HANDRAIL_HOME": str(project.parent / "state")}
    action = Action("Bash", {"command": command}, str(project))
    return Reviewer(environ=environ).review(action).decision


@pytest.mark.parametrize(
    "command",
    [
        "mv notes old && rm -rf old",
        "mv notes build && rm -rf build",
        "mkdir -p build && mv notes build/ && rm -rf build",
        "mv notes old; rm -rf old/plan.md",
    ],
)
def test_work_that_is_moved_first_is_not_lost(project: Path, command: str) -> None:
    assert decide(project, command) is Decision.MODIFY


@pytest.mark.parametrize(
    "command",
    ["mv dist old && rm -rf old", "rm -rf old; mv notes old", "mv notes old; rm -rf dist"],
)
def test_what_can_be_made_again_and_what_went_before_may_go(project: Path, command: str) -> None:
    assert decide(project, command) is Decision.ALLOW
