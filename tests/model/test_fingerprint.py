"""When two actions are the same."""

import pytest

from handrail.model.action import Action
from handrail.model.fingerprint import call_key, fingerprint


def name(tool: str, **given: object) -> str:
    return fingerprint(Action(tool, given, "/work"))


@pytest.mark.parametrize("beside", [{"description": "another way"}, {"timeout": 5000}])
def test_what_stands_beside_a_command_does_not_make_it_another(beside: dict[str, object]) -> None:
    assert name("Bash", command="rm -rf x", **beside) == name("Bash", command="rm -rf x")


def test_another_command_is_another_action() -> None:
    assert name("Bash", command="rm -rf x") != name("Bash", command="rm -rf y")


def test_a_description_that_is_the_work_counts() -> None:
    assert name("mcp__tracker__add", description="a") != name("mcp__tracker__add", description="b")


def test_empty_commits_are_all_the_same_call() -> None:
    one, other, real = (
        call_key(Action("Bash", {"command": command}))
        for command in (
            "git commit --allow-empty -m 'Retrigger' && git push",
            "git commit -m 'Once more' --allow-empty && git push",
            "git commit -am 'Fix' && git push",
        )
    )
    assert one == other != real
