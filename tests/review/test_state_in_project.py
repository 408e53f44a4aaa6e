"""A state folder inside the repository: git takes it along with all other files."""

from pathlib import Path

import pytest

from handrail.model import Action, Review
from handrail.review import Reviewer
from handrail.server.home import Home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".handrail").mkdir()
    (folder / ".handrail" / "control-token").write_text("secret")
    return folder


def reviewed(project: Path, command: str) -> Review:
    environ = {"HOME": str(project.parent), "HANDRAIL_HOME": str(project / ".handrail")}
    return Reviewer(environ=environ).review(Action("Bash", {"command": command}, str(project)))


EVERYTHING = ("git stash -u", "git add -A", "git add .", "git clean -fd")
IGNORED_TOO = ("git stash --all", "git clean -fdx")


@pytest.mark.parametrize("command", [*EVERYTHING, *IGNORED_TOO])
def test_git_does_not_take_it_along(project: Path, command: str) -> None:
    assert "protect_handrail" in {hit.rule for hit in reviewed(project, command).rules}


@pytest.mark.parametrize("command", ["git add -f .handrail", *IGNORED_TOO])
def test_not_even_where_git_ignores_it(project: Path, command: str) -> None:
    Home(str(project / ".handrail")).prepare()
    assert "protect_handrail" in {hit.rule for hit in reviewed(project, command).rules}


@pytest.mark.parametrize("command", EVERYTHING)
def test_git_ignores_a_folder_that_handrail_has_prepared(project: Path, command: str) -> None:
    Home(str(project / ".handrail")).prepare()
    assert "protect_handrail" not in {hit.rule for hit in reviewed(project, command).rules}


@pytest.mark.parametrize("command", ["git stash", "git add src", "git add -u", "git commit -am x"])
def test_other_files_are_nobodys_business(project: Path, command: str) -> None:
    assert not reviewed(project, command).decision.stops
