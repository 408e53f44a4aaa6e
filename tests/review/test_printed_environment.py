"""What is printed to the agent counts the same, by its name or among all variables."""

import pytest

from handrail.config import Config
from handrail.model import Action, Review
from handrail.review import Reviewer

ENVIRON = {"HOME": "/home/test", "SHOP_API_TOKEN": "s3cr3t", "NODE_ENV": "test"}


def reviewed(command: str, *, live: bool = True, **environ: str) -> Review:
    config = Config(scope=("/w/shop",))
    given = environ or ENVIRON
    reviewer = Reviewer(config, environ=given, see_disk=False, live=live)
    return reviewer.review(Action("Bash", {"command": command}, "/w/shop"))


@pytest.mark.parametrize(
    "command",
    [
        "echo $SHOP_API_TOKEN",
        "env",
        "printenv",
        "export -p",
        "declare -x",
        "env | sort | head -50",
        "env | grep -i token",
        r"env | grep 'PATH\|TOKEN'",
        "python3 -c 'import os; print(os.environ)'",
    ],
)
def test_a_credential_is_not_printed(command: str) -> None:
    review = reviewed(command)
    assert review.decision.stops
    assert "$SHOP_API_TOKEN" in review.reasons[0]


@pytest.mark.parametrize(
    "command",
    [
        "env | cut -d= -f1",
        "env | grep ^NODE",
        "env | grep -v TOKEN",
        "env | grep -c .",
        "env | wc -l",
        "env > /tmp/environment",
        "printenv NODE_ENV",
        "compgen -e",
        "env NODE_ENV=production npm test",
    ],
)
def test_what_shows_no_credential_runs(command: str) -> None:
    assert not reviewed(command).decision.stops


def test_where_no_variable_holds_a_credential_all_may_be_printed() -> None:
    assert not reviewed("env", HOME="/home/test", NODE_ENV="test").decision.stops


def test_a_review_that_is_not_live_does_not_look_at_the_variables_of_its_own_shell() -> None:
    assert not reviewed("env", live=False).decision.stops
