"""What patterns are made of: an action and what came of it."""

import pytest

from handrail.config import Config
from handrail.detect import Intent, intent_of
from handrail.model.action import Action
from handrail.review import Reviewer


def _intent(tool: str, **given: object) -> Intent:
    action = Action(tool, given, "/home/dev/shop", {"HOME": "/home/dev"})
    reviewer = Reviewer(Config(scope=("/home/dev/shop",)), environ={"HOME": "/home/dev"})
    return intent_of(action, reviewer.review(action))


@pytest.mark.parametrize(
    "command",
    ["sleep 30", "sleep 5 && curl localhost:8000", "while true; do sleep 1; done", "make & wait"],
)
def test_a_command_that_waits_is_known(command: str) -> None:
    assert _intent("Bash", command=command).waits


@pytest.mark.parametrize("command", ["pytest", "cat sleep.py", "grep wait a.py", "echo sleep"])
def test_a_command_that_only_names_waiting_does_not_wait(command: str) -> None:
    assert not _intent("Bash", command=command).waits


def test_looking_at_a_task_in_the_background_is_waiting() -> None:
    assert _intent("BashOutput", bash_id="1").waits


def test_an_intent_knows_its_paths_by_what_is_done_to_them() -> None:
    intent = _intent("Bash", command="cat a.txt > b.txt")
    assert intent.reads == ("/home/dev/shop/a.txt",)
    assert intent.writes == ("/home/dev/shop/b.txt",)


def test_a_long_action_is_shown_in_a_few_words() -> None:
    shown = _intent("Bash", command="echo " + "word " * 100).shown
    assert len(shown) <= 120
    assert shown.startswith("echo word word")
