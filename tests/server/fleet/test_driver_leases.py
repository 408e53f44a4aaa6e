"""A driver keeps its lease for as long as it works, whatever it works on."""

import asyncio
from pathlib import Path

from handrail.config.fleet import Fleet
from handrail.drive.loop_end import LoopEnd
from handrail.fleet.engine.engine import Renewal, Ticket, Worker
from handrail.fleet.engine.events import AttemptOutcome
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.hosts.port import HostError
from handrail.server.fleet.audited_client import AuditedDaemonClient
from handrail.server.fleet.task_driver import TaskDriver
from handrail.server.home import Home
from handrail.store.memory import MemoryStore

SETTINGS = Fleet(lease_seconds=0.02)


class ListeningEngine(LogEngine):
    """Says when a lease was renewed."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(), "f", FleetState())
        self.loop = asyncio.get_running_loop()
        self.renewed = asyncio.Event()

    def renew(self, ticket: Ticket) -> Renewal:
        self.loop.call_soon_threadsafe(self.renewed.set)
        return super().renew(ticket)


class SlowToPrepare(TaskDriver):
    """Finds no agent, and takes longer than a lease for it."""

    async def _drive(
        self, state: TaskState, environ: dict[str, str]
    ) -> tuple[LoopEnd, AuditedDaemonClient]:
        assert isinstance(self._engine, ListeningEngine)
        await asyncio.wait_for(self._engine.renewed.wait(), 30)
        raise HostError("cannot find the agent")


def test_a_driver_renews_its_lease_while_it_looks_for_its_agent(tmp_path: Path) -> None:
    async def work() -> TaskState:
        engine = ListeningEngine()
        engine.submit([Task(id="a", prompt="do it")])
        claim = engine.claim(Worker(owner="one", host="here", pid=1), 1)
        assert claim is not None
        workspace = Workspace(name="a", task="a", attempt=1, path="/w/a", branch="b", base="c")
        home = Home(str(tmp_path))
        await SlowToPrepare(home, engine, claim.ticket, workspace, SETTINGS).drive(claim.state, {})
        return engine.state().tasks["a"]

    task = asyncio.run(work())
    assert task.result is not None
    assert task.result.outcome is AttemptOutcome.BLOCKED
