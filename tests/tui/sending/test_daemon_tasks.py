"""Commands about tasks reach the engine of their fleet, through a real daemon."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.fleet.engine.engine import Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    DriverStarted,
    QuestionAsked,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.engine.requests import RemoteFleetEngine
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.fleet.workspaces.repository import find_repository
from handrail.hosts.driven_agent import MARK
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.places import open_workspaces
from handrail.tui.sending.daemon_tasks import DaemonTasks
from handrail.tui.sending.task_commands import TaskOrder
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


@pytest.fixture
def engine(place: DaemonSandbox) -> RemoteFleetEngine:
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    engine = remote_engine(place.home, str(place.project), place.environ)
    engine.submit([Task(id="a", prompt="do a")])
    return engine


@pytest.fixture
def send(place: DaemonSandbox, engine: RemoteFleetEngine) -> "Send":
    return Send(place)


class Send:
    """Sends commands about the task, as the screen does."""

    def __init__(self, place: DaemonSandbox) -> None:
        self.typed = "why not"
        self._tasks = DaemonTasks(place.home)
        self._folder = str(place.project)
        self._fleet = find_repository(self._folder).fleet

    def __call__(
        self, command: str, *folders: str, fleet: str = "", task: str = "a"
    ) -> tuple[str, str]:
        fleet = fleet or self._fleet
        order = TaskOrder(command, fleet, task, self.typed, folders or self.all)
        stage = self._tasks.send(order)
        return stage.step, stage.says

    @property
    def all(self) -> tuple[str, ...]:
        return ("/nowhere/at/all", "/", self._folder)


def test_each_command_changes_the_task(engine: RemoteFleetEngine, send: Send) -> None:
    assert send("pause_fleet") == ("confirmed", "")
    assert engine.state().closed
    assert engine.claim(Worker(owner="w", host="here")) is None
    assert send("resume_fleet") == ("confirmed", "")
    assert not engine.state().closed
    assert send("block") == ("confirmed", "a is blocked; no agent was at work on it")
    task = engine.state().tasks["a"]
    assert (task.status, task.says) == (TaskStatus.BLOCKED, "why not")
    send.typed = "Use the new API."
    assert send("retry") == ("confirmed", "a may be tried again")
    task = engine.state().tasks["a"]
    assert (task.status, task.message) == (TaskStatus.PENDING, "Use the new API.")
    send.typed = ""
    assert send("give_up") == ("confirmed", "a is cancelled; no agent was at work on it")
    assert engine.state().tasks["a"].status is TaskStatus.FAILED
    send.typed = "Write the -- docs"
    assert send("add") == ("confirmed", "write-the-docs added")
    assert engine.state().tasks["write-the-docs"].task.prompt == "Write the -- docs"


def test_a_done_task_is_done_once_more_with_a_message(
    engine: RemoteFleetEngine, send: Send
) -> None:
    claim = engine.claim(Worker(owner="one", host="here", pid=1), 1)
    assert claim is not None
    engine.finish(claim.ticket, AttemptResult(outcome=AttemptOutcome.DONE))
    send.typed = "With tests."
    assert send("again") == ("confirmed", "a may be tried again")
    task = engine.state().tasks["a"]
    assert (task.status, task.message) == (TaskStatus.PENDING, "With tests.")


def test_an_agent_at_work_on_a_blocked_task_is_gone_before_it_is_confirmed(
    engine: RemoteFleetEngine, send: Send
) -> None:
    run = "0c4f4d35-8b2c-4a2e-9d5f-2f6f3a1b0c9d"
    with subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: run}) as agent:
        here = this_machine()
        claim = engine.claim(Worker(owner="one", host=here.host, boot=here.boot), 1)
        assert claim is not None
        engine.note(DriverStarted(2.0, "a", 1, run, pid=0))
        assert send("block")[0] == "confirmed"
        assert agent.wait(30) < 0
    assert engine.state().tasks["a"].status is TaskStatus.BLOCKED


def test_a_conflict_that_goes_back_to_the_agent_is_no_failure(
    place: DaemonSandbox, engine: RemoteFleetEngine, send: Send
) -> None:
    shop = place.project
    (shop / "file").write_text("base\n")
    git(shop, "add", "file")
    git(shop, "commit", "-q", "-m", "base")
    repository = find_repository(str(shop))
    made = open_workspaces(place.home, repository, os.environ).create("a")
    for where, content in ((Path(made.path), "theirs\n"), (shop, "ours\n")):
        (where / "file").write_text(content)
        git(where, "commit", "-q", "-a", "-m", content)
    claim = engine.claim(Worker(owner="one", host="here", pid=1), 1)
    assert claim is not None
    work = TaskWorkspace(made.path, made.branch, made.base)
    engine.note(WorkspaceReady(2.0, "a", 1, work))
    commit = git(Path(made.path), "rev-parse", "HEAD").strip()
    engine.finish(claim.ticket, AttemptResult(outcome=AttemptOutcome.DONE, commit=commit))
    assert send("merge")[0] == "failed"
    assert send("resolve") == ("confirmed", "its agent gets the conflict in file")
    assert engine.state().tasks["a"].status is TaskStatus.PENDING


def git(folder: Path, *args: str) -> str:
    me = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid")
    return subprocess.run(
        ["git", "-C", str(folder), *me, *args], check=True, capture_output=True, text=True
    ).stdout


def test_a_command_of_the_command_line_is_carried_out_in_the_repository(
    engine: RemoteFleetEngine, send: Send
) -> None:
    send.typed = "7"
    assert send("prioritize") == ("confirmed", "changed")
    assert engine.state().tasks["a"].task.priority == 7
    send.typed = "lunch"
    step, says = send("save_fleet")
    assert step == "confirmed"
    assert says.startswith("lunch-")


def test_a_question_is_answered(engine: RemoteFleetEngine, send: Send) -> None:
    claim = engine.claim(Worker(owner="one", host="here", pid=1), 1)
    assert claim is not None
    engine.note(QuestionAsked(2.0, "a", 1, "How many?", until=62.0))
    send.typed = "-1 or 2"
    assert send("answer") == ("confirmed", "question 1 is answered")
    assert [each.answer for each in engine.state().tasks["a"].questions] == ["-1 or 2"]


def test_a_refusal_of_the_command_line_is_told(engine: RemoteFleetEngine, send: Send) -> None:
    send.typed = "soon"
    step, says = send("prioritize")
    assert step == "failed"
    assert "soon" in says
    assert send("merge")[0] == "failed"
    assert engine.state().tasks["a"].task.priority == 0


def test_a_task_that_was_given_up_meanwhile_is_not_given_up_again(
    engine: RemoteFleetEngine, send: Send
) -> None:
    engine.cancel("a")
    assert send("give_up") == ("failed", "a is failed: there is nothing left to give up")


def test_a_repository_that_is_not_there_is_told(
    engine: RemoteFleetEngine, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    step, says = send("save_fleet", "/nowhere", fleet="shop-00000000")
    assert (step, says) == (
        "failed",
        "the repository of shop-00000000 was not found; start the screen in it",
    )
    assert send("block", fleet="shop-00000000") == ("failed", "There is no fleet 'shop-00000000'.")
