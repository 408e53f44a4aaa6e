"""The environment that Handrail is installed in is a part of Handrail."""

import pytest

from handrail.model import Action, Review
from handrail.review import Reviewer
from handrail.review.protection import controls

ENVIRONMENT = "/home/test/.local/share/pipx/venvs/handrail"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    package = f"{ENVIRONMENT}/lib/python3.12/site-packages/handrail/"
    monkeypatch.setattr(controls, "PROGRAM", package)


def reviewed(command: str) -> Review:
    reviewer = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
    return reviewer.review(Action("Bash", {"command": command}, "/w/shop"))


@pytest.mark.parametrize(
    "command",
    [
        f"python3 -m venv --clear {ENVIRONMENT}",
        f"virtualenv --clear {ENVIRONMENT}",
        f"uv venv --clear {ENVIRONMENT}",
        f"rm -rf {ENVIRONMENT}",
        f"rm -rf {ENVIRONMENT}/lib",
        "mv ~/.local/share/pipx /tmp/old",
        "chmod -R 000 ~/.local/share/pipx",
    ],
)
def test_it_is_not_taken_away(command: str) -> None:
    assert "protect_handrail" in {hit.rule for hit in reviewed(command).rules}


@pytest.mark.parametrize(
    "command",
    ["python3 -m venv --clear .venv", "rm -rf .venv", "ls -R ~/.local/share/pipx", "pipx list"],
)
def test_other_environments_are_nobodys_business(command: str) -> None:
    assert not reviewed(command).decision.stops


def test_another_program_of_pipx_is_no_part_of_it() -> None:
    review = reviewed("rm -rf ~/.local/share/pipx/venvs/black")
    assert "protect_handrail" not in {hit.rule for hit in review.rules}


def test_a_folder_that_holds_it_and_the_tokens_is_not_copied() -> None:
    assert "protect_handrail" in {hit.rule for hit in reviewed("cp -r ~/.local copy").rules}
