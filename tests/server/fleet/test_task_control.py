"""The slot of a task's run goes on with another task; no work is lost."""

from pathlib import Path

import pytest

from handrail.control.command_actions import CommandOutcome
from handrail.fleet.engine import Worker
from handrail.fleet.events import DriverStarted, TaskWorkspace, WorkspaceReady
from handrail.fleet.repository import find_repository
from handrail.fleet.task import Task, TaskStatus
from handrail.model.control import HANDRAIL, ControlCommand, Standing
from handrail.model.event import ControlAsked
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.places import open_workspaces
from handrail.server.fleet.task_control import TaskControl
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.run_state import RunState
from tests.fleet.task_repository import TaskRepository

RUN = "run-a"
ENDED = CommandOutcome(evidence=("no process was left",))


class ReassignedFleet:
    """A task at work in a real worktree, and another one that waits."""

    def __init__(self, root: Path) -> None:
        self.shop = TaskRepository(root)
        self.shop.git("config", "user.name", "Me")
        self.shop.git("config", "user.email", "me@example.invalid")
        environ = {**self.shop.environ, "XDG_DATA_HOME": str(root / "data")}
        home = Home(str(root / "state"))
        repository = find_repository(str(self.shop.tree))
        self.fleets = OpenFleets(MemoryStore(), home.path)
        self.engine = self.fleets.open(repository.fleet).engine
        self.workspaces = open_workspaces(home, repository, environ)
        self.control = TaskControl(self.fleets, home, environ)
        self.state = RunState(RUN, loop=LoopState("do a", 10, mode="issue", issue="a"))
        self.engine.submit([Task(id=name, prompt=f"do {name}") for name in ("a", "b", "c")])
        claim = self.engine.claim(Worker(owner="w", host="here"), 1)
        assert claim is not None
        made = self.workspaces.create("a")
        self.path = made.path
        where = TaskWorkspace(made.path, made.branch, made.base)
        self.engine.note(WorkspaceReady(1.0, "a", 1, where))
        self.engine.note(DriverStarted(1.0, "a", 1, RUN, pid=0))

    def ask(
        self, command: ControlCommand, text: str = "", *, by: str = "ada", choice: str = ""
    ) -> CommandOutcome:
        heard: list[CommandOutcome] = []
        asked = ControlAsked(1.0, "r", command, Standing.STOPPING, by, text=text, choice=choice)
        self.control.after_stop(self.state, asked, heard.append)(ENDED)
        return heard[0]

    def next_task(self) -> str:
        claim = self.engine.claim(Worker(owner="w", host="here"), 2)
        return "" if claim is None else claim.ticket.task


@pytest.fixture
def fleet(tmp_path: Path) -> ReassignedFleet:
    return ReassignedFleet(tmp_path)


def test_the_work_is_committed_and_the_old_task_names_the_commit(fleet: ReassignedFleet) -> None:
    fleet.shop.write("half.txt", "half of it\n", at=fleet.path)
    outcome = fleet.ask(ControlCommand.REASSIGN, "c")
    assert outcome.ok
    head = fleet.shop.git("log", "-1", "--format=%h %s", "--abbrev=12", at=fleet.path)
    assert head.endswith("Work in progress: do a")
    old = fleet.engine.state().tasks["a"]
    assert (old.status, old.held, old.tries) == (TaskStatus.PENDING, False, 0)
    assert head[:12] in old.says
    assert head[:12] in old.audit[-1].commit
    assert fleet.next_task() == "c", "it comes before b, which waits for longer"
    assert fleet.workspaces.reuse("c") is None


def test_the_other_task_can_go_on_in_the_same_workspace(fleet: ReassignedFleet) -> None:
    assert fleet.ask(ControlCommand.REASSIGN, "c", choice="same").ok
    found = fleet.workspaces.reuse("c")
    assert found is not None
    assert found.path == fleet.path
    assert fleet.workspaces.reuse("a") is None


def test_a_target_that_was_taken_meanwhile_leaves_the_old_task_to_a_person(
    fleet: ReassignedFleet,
) -> None:
    fleet.engine.cancel("c")
    outcome = fleet.ask(ControlCommand.REASSIGN, "c")
    assert not outcome.ok
    assert "c is failed, not pending" in outcome.says
    assert fleet.engine.state().tasks["a"].held


def test_work_that_cannot_be_committed_stays_where_it_is(fleet: ReassignedFleet) -> None:
    file = fleet.shop.write("half.txt", "half of it\n", at=fleet.path)
    Path(fleet.path, ".git").rename(Path(fleet.path, "git"))
    outcome = fleet.ask(ControlCommand.REASSIGN, "c")
    assert not outcome.ok
    assert file.exists()
    assert fleet.engine.state().tasks["a"].held
    assert fleet.next_task() == "b"


def test_a_stop_by_handrail_itself_leaves_the_task_to_its_scheduler(fleet: ReassignedFleet) -> None:
    assert fleet.ask(ControlCommand.STOP, by=HANDRAIL) == ENDED
    assert fleet.engine.state().tasks["a"].status is TaskStatus.ACTIVE


def test_a_task_that_has_ended_meanwhile_is_left_alone(fleet: ReassignedFleet) -> None:
    fleet.engine.cancel("a", "eve")
    assert fleet.ask(ControlCommand.STOP) == ENDED
    assert fleet.engine.state().tasks["a"].status is TaskStatus.FAILED
