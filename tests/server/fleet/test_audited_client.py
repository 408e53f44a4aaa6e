"""A driver begins no iteration while the dispatch of its fleet is closed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from handrail.drive.daemon_client import DriverReport
from handrail.fleet.engine.engine import FleetEngine, Renewal, Ticket, Worker
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import workspace_status
from handrail.model.control import HANDRAIL, ControlCommand
from handrail.server.fleet.audited_client import AuditedDaemonClient
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from tests.fleet.task_repository import TaskRepository

HERE = Workspace(name="a", task="a", attempt=1, path="/", branch="handrail/a", base="")


class ClosedEngine:
    """Gives the same answers to renewals in every test; a person has closed it."""

    def __init__(self, answers: Sequence[Renewal]) -> None:
        self._answers = list(answers)

    def renew(self, ticket: Ticket) -> Renewal:
        return self._answers.pop(0)

    def state(self) -> FleetState:
        return FleetState(closed=True, closed_by="ada", closed_says="lunch")


class AskingClient(AuditedDaemonClient):
    """Writes down what it asks for its own run."""

    def __init__(self, home: str, answers: Sequence[Renewal]) -> None:
        engine = cast("FleetEngine", ClosedEngine(answers))
        super().__init__(Home(home), "run-a", engine, Ticket("a", 1), HERE, {})
        self.asked: list[tuple[ControlCommand, str, str]] = []

    def _ask(self, command: ControlCommand, by: str, reason: str) -> None:
        self.asked.append((command, by, reason))


PAUSE = (ControlCommand.PAUSE, "ada", "lunch")


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        (["held"], []),
        (["paused", "paused"], [PAUSE]),
        (["paused", "held"], [PAUSE, (ControlCommand.RESUME, HANDRAIL, "")]),
        (["lost"], []),
    ],
    ids=["open", "closed", "opened meanwhile", "lost"],
)
def test_it_pauses_its_run_at_the_boundary_in_the_name_of_who_closed(
    tmp_path: Path,
    answers: list[Renewal],
    asked: list[tuple[ControlCommand, str, str]],
) -> None:
    client = AskingClient(str(tmp_path), answers)
    asyncio.run(client._pause_with_fleet())
    assert client.asked == asked


class ReportingClient(AuditedDaemonClient):
    """Keeps its reports instead of sending them."""

    def __init__(self, engine: LogEngine, ticket: Ticket, shop: TaskRepository) -> None:
        workspace = shop.workspaces.create(ticket.task)
        home, environ = Home(str(shop.home)), shop.environ
        super().__init__(home, "run-a", engine, ticket, workspace, environ, stall_iterations=2)
        self.sent: list[DriverReport] = []
        self.remember(workspace_status(workspace, environ))

    async def report(self, report: DriverReport) -> None:
        self.sent.append(report)


def test_iterations_without_any_work_are_reported_as_a_stall_once(tmp_path: Path) -> None:
    shop = TaskRepository(tmp_path)
    engine = LogEngine(MemoryStore(), "f", FleetState())
    engine.submit([Task(id="a", prompt="do it")])
    claim = engine.claim(Worker(owner="one", host="here", pid=1), 1)
    assert claim is not None
    client = ReportingClient(engine, claim.ticket, shop)
    asyncio.run(client.audit())
    assert client.sent == []
    asyncio.run(client.audit())
    asyncio.run(client.audit())
    says = "no commit and no changed file in 2 iterations"
    assert [(each.kind, each.says) for each in client.sent] == [("stall", says)]
    assert [each.says for each in engine.state().tasks["a"].audit if each.kind == "stall"] == [says]
