"""What the end of an agent's loop means for its task."""

import asyncio
from pathlib import Path

import pytest

from handrail.config.fleet import Fleet
from handrail.drive import loop_end
from handrail.drive.daemon_client import DriverReport
from handrail.drive.loop_end import LoopEnd
from handrail.fleet.engine.engine import Ticket, Worker
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.server.fleet.audited_client import AuditedDaemonClient
from handrail.server.fleet.task_driver import TaskDriver
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from handrail.words.task_commands import next_commands
from tests.fleet.task_repository import TaskRepository

ERRORS = loop_end.error(3, "API Error: 400 no such model")
KILLED = loop_end.error(3, "the agent was ended by signal 9", crashed=True)


class QuietClient(AuditedDaemonClient):
    """Sends nothing."""

    async def report(self, report: DriverReport) -> None:
        pass


class EndingDriver(TaskDriver):
    """Its agent's loop has ended; `moved`: after an iteration."""

    def __init__(
        self, engine: LogEngine, ticket: Ticket, workspace: Workspace, home: Home, session: str
    ) -> None:
        super().__init__(home, engine, ticket, workspace, Fleet(), session=session)
        self.end = ERRORS
        self.moved = False

    async def _drive(
        self, state: TaskState, environ: dict[str, str]
    ) -> tuple[LoopEnd, AuditedDaemonClient]:
        client = QuietClient(
            self._home, self._run, self._engine, self._ticket, self._workspace, environ
        )
        client.iteration = 5 if self.moved else 0
        return self.end, client


@pytest.mark.parametrize(
    ("end", "session", "moved", "status"),
    [
        (ERRORS, "", False, TaskStatus.BLOCKED),
        (KILLED, "", False, TaskStatus.PENDING),
        (ERRORS, "run-1", False, TaskStatus.PENDING),
        (ERRORS, "run-1", True, TaskStatus.BLOCKED),
    ],
    ids=["errors", "killed", "no session to resume", "errors after resuming"],
)
def test_three_errors_in_a_row_need_a_person_and_a_crash_is_tried_again(
    tmp_path: Path, end: LoopEnd, session: str, moved: bool, status: TaskStatus
) -> None:
    shop = TaskRepository(tmp_path)
    engine = LogEngine(MemoryStore(), "f", FleetState())
    engine.submit([Task(id="a", prompt="do it"), Task(id="b", prompt="do this")])
    worker = Worker(owner="one", host="here", pid=1)
    claim = engine.claim(worker, 1)
    assert claim is not None
    workspace = shop.workspaces.create("a")
    driver = EndingDriver(engine, claim.ticket, workspace, Home(str(shop.home)), session)
    driver.end, driver.moved = end, moved
    asyncio.run(driver.drive(claim.state, shop.environ))
    task = engine.state().tasks["a"]
    assert (task.status, task.lease) == (status, None)
    assert task.says == end.says
    assert Path(workspace.path).exists()
    if status is TaskStatus.BLOCKED:
        assert "handrail task retry a" in dict(next_commands(task))
        following = engine.claim(worker, 1)
        assert following is not None, "its slot is free"
        assert following.ticket.task == "b"
