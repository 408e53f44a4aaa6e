"""What patterns are made of: an action and what came of it."""

import pytest

from handrail.config import Config
from handrail.detect import Intent, intent_of
from handrail.model.action import Action
from handrail.review import Reviewer


def _intent(tool: str, **given: object) -> Intent:
    action = Action(tool, given, "/home/dev/shop", {"HOME": "/home/dev"})
    reviewer = Reviewer(
        Config(scope=("/home/dev/shop",)), environ={"HOME": "/home/dev"}, see_disk=False
    )
    return intent_of(action, reviewer.review(action))


@pytest.mark.parametrize(
    "command",
    ["sleep 30", "sleep 5 && curl localhost:8000", "while true; do sleep 1; done", "make & wait"],
)
def test_a_command_that_waits_is_known(command: str) -> None:
    assert _intent("Bash", command=command).waits


@pytest.mark.parametrize(
    "command",
    [
        "gh pr checks 214",
        "gh run watch 77 --exit-status",
        "cd app && gh pr checks; echo $?",
        "tail -n 20 logs/import.log",
        "sudo journalctl -u worker -n 20",
        "kubectl --context kind-dev get pods | grep shop",
        "docker compose ps",
        "squeue -j 4711",
        "curl -sf localhost:8080/healthz",
        "TZ=UTC timeout 9 systemctl status worker",
        "ps -o rss= -p 4242",
    ],
)
def test_a_look_at_work_elsewhere_is_waiting(command: str) -> None:
    assert _intent("Bash", command=command).waits


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q 2>&1 | tail -5",
        "make; tail -n 20 build.log",
        "tail -n 5 a.log && make",
        "gh pr create --fill",
        "kubectl apply -f k8s",
        "docker build .",
        "curl -sf localhost:8080/cart",
        "systemctl restart worker",
        "",
    ],
)
def test_what_does_more_than_look_is_no_waiting(command: str) -> None:
    assert not _intent("Bash", command=command).waits


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
