"""The audit entries of iterations, and the entry about a stall."""

import asyncio
from pathlib import Path

import pytest

from handrail.fleet.engine import Ticket
from handrail.fleet.fleet_state import FleetState
from handrail.fleet.log_engine import LogEngine
from handrail.fleet.task import Task
from handrail.fleet.workspace_work import workspace_status
from handrail.server.fleet.audited_client import AuditedDaemonClient
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from tests.fleet.conftest import worker
from tests.fleet.task_repository import TaskRepository


class AuditedAttempt:
    """One attempt in a real workspace; no daemon is needed to write its entries."""

    def __init__(self, root: Path) -> None:
        self.repository = TaskRepository(root)
        self.engine = LogEngine(MemoryStore(), "f", FleetState())
        self.engine.submit([Task(id="a", prompt="go")])
        self.engine.claim(worker(), 1)
        self.workspace = self.repository.workspaces.create("a")
        environ = self.repository.environ
        home = Home(str(root / "state"))
        ticket = Ticket("a", 1)
        self.client = AuditedDaemonClient(
            home, "run", self.engine, ticket, self.workspace, environ, stall_iterations=2
        )
        self.client.remember(workspace_status(self.workspace, environ))

    def iterate(self) -> None:
        """Come to the end of an iteration."""
        self.client.iteration += 1
        asyncio.run(self.client.audit())

    def write(self, content: str) -> None:
        self.repository.write("work.txt", content, at=self.workspace.path)

    @property
    def kinds(self) -> list[str]:
        return [each.kind for each in self.engine.state().tasks["a"].audit]


@pytest.fixture
def attempt(tmp_path: Path) -> AuditedAttempt:
    return AuditedAttempt(tmp_path)


def test_iterations_without_a_change_are_a_stall_that_is_told_once(attempt: AuditedAttempt) -> None:
    for _ in range(3):
        attempt.iterate()
    assert attempt.kinds == ["iteration", "iteration", "stall", "iteration"]
    stall = attempt.engine.state().tasks["a"].audit[2]
    assert stall.says == "no commit and no changed file in 2 iterations"


def test_a_file_that_changes_again_is_progress(attempt: AuditedAttempt) -> None:
    for content in ("1", "12", "123"):
        attempt.write(content)
        attempt.iterate()
    assert "stall" not in attempt.kinds


def test_a_commit_is_progress(attempt: AuditedAttempt) -> None:
    attempt.iterate()
    attempt.write("1")
    attempt.repository.commit("work", at=attempt.workspace.path)
    attempt.iterate()
    attempt.iterate()
    assert "stall" not in attempt.kinds
