"""Commands about tasks reach the engine of their fleet, through a real daemon."""

import subprocess
from collections.abc import Iterator

import pytest

from handrail.fleet.engine.engine import Worker
from handrail.fleet.engine.events import QuestionAsked
from handrail.fleet.engine.requests import RemoteFleetEngine
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.fleet.workspaces.repository import find_repository
from handrail.server.fleet.client import remote_engine
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

    def __call__(self, command: str, *folders: str, fleet: str = "") -> tuple[str, str]:
        fleet = fleet or self._fleet
        order = TaskOrder(command, fleet, "a", self.typed, folders or self.all)
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
    assert send("retry") == ("confirmed", "a may be tried again")
    assert engine.state().tasks["a"].status is TaskStatus.PENDING
    assert send("give_up") == ("confirmed", "a is cancelled; no agent was at work on it")
    assert engine.state().tasks["a"].status is TaskStatus.FAILED


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


def test_a_refusal_of_the_engine_is_told(engine: RemoteFleetEngine, send: Send) -> None:
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
