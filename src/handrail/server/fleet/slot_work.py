"""The work of a scheduler on this machine: workspaces, drivers, and the ends of lost attempts."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Mapping
from contextlib import suppress

import psutil

from handrail.config.fleet import Fleet
from handrail.fleet.engine.engine import Claim
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, Lease, TaskWorkspace
from handrail.fleet.engine.lease_clock import Machine
from handrail.fleet.recovery.orphans import OrphanDecision, decide
from handrail.fleet.slot_work_port import ProcessesLeftError
from handrail.fleet.workspaces.repository import FleetRepository
from handrail.fleet.workspaces.starting_point import add_dependencies
from handrail.fleet.workspaces.workspace_environment import workspace_environment
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_setup import set_up_workspace
from handrail.fleet.workspaces.workspace_work import commit_task
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.hosts.driven_agent import MARK
from handrail.intervene.processes.process_tree import (
    ProcessFamily,
    ProcessIdentity,
    end_processes,
    identity_of,
    is_same_moment,
)
from handrail.server.driving.agent_driver import driven_settings
from handrail.server.fleet.orphan_facts import orphan_facts, with_verification
from handrail.server.fleet.places import driver_log
from handrail.server.home import Home
from handrail.store.private_files import make_folder, open_private

DRIVER = "handrail.server.fleet.task_driver"
"""The module that is a driver's process."""
_END_SECONDS = 12.5
"""For the end of an attempt: agents have 5 of them to end by themselves."""


class LocalSlotWork:
    """Runs drivers as processes of their own: they outlive the scheduler and the daemon."""

    def __init__(
        self,
        home: Home,
        repository: FleetRepository,
        workspaces: Workspaces,
        settings: Fleet,
        machine: Machine,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._home = home
        self._repository = repository
        self._workspaces = workspaces
        self._settings = settings
        self._machine = machine
        self._environ = environ

    async def end_attempt(self, lease: Lease, run: str) -> str:
        """End all processes of an attempt that was lost; return the evidence."""
        return await asyncio.to_thread(self._end_attempt, lease, run)

    async def judge(self, claim: Claim, slot: int) -> OrphanDecision:
        """Look at what the attempts before left, and decide how the task goes on."""
        facts = await asyncio.to_thread(orphan_facts, claim, self._workspaces, self._environ)
        workspace = await asyncio.to_thread(self._workspaces.reuse, claim.ticket.task)
        if workspace is not None:
            facts = await with_verification(facts, claim.state, workspace, slot)
        return decide(facts)

    async def conclude(self, claim: Claim) -> AttemptResult:
        """Return the result of a task that was done already."""
        return await asyncio.to_thread(self._conclude, claim)

    async def prepare(self, claim: Claim, slot: int, *, fresh: bool = False) -> TaskWorkspace:
        """Make or find the workspace of a task, ready for an agent."""
        found = await asyncio.to_thread(self._workspace, claim, fresh)
        environment = workspace_environment(slot, found)
        found = await set_up_workspace(
            self._workspaces, found, self._settings.workspace.setup, environment
        )
        return TaskWorkspace(found.path, found.branch, found.base)

    async def launch(
        self, claim: Claim, workspace: TaskWorkspace, slot: int, session: str = ""
    ) -> Awaitable[int]:
        """Start the driver of an attempt, in a session of its own."""
        ticket = claim.ticket
        arguments = (self._repository.top, ticket.task, str(ticket.attempt), str(slot), session)
        with open(self._log(ticket.task), "ab", buffering=0) as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-EP", "-m", DRIVER, *arguments),
                cwd=workspace.path,
                env={**self._environ, "HANDRAIL_HOME": self._home.path},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return process.wait()

    def is_alive(self, lease: Lease) -> bool:
        """Return whether the process of a lease still runs, on this machine."""
        return self._identity(lease) is not None

    def _identity(self, lease: Lease) -> ProcessIdentity | None:
        if (lease.host, lease.boot) != (self._machine.host, self._machine.boot):
            return None
        found = identity_of(lease.pid) if lease.pid else None
        is_it = found is not None and is_same_moment(found.began, lease.pid_began)
        return found if is_it and not _is_zombie(lease.pid) else None

    def _end_attempt(self, lease: Lease, run: str) -> str:
        driver = self._identity(lease)
        if driver is not None and not _is_driver(driver.pid):
            driver = None  # the scheduler itself: it had started no driver
        family = ProcessFamily({MARK: run}, driver)
        ended = end_processes(family, seconds=_END_SECONDS)
        if ended.left:
            raise ProcessesLeftError(", ".join(ended.left))
        if run:
            with suppress(FileNotFoundError):  # a driver that was killed could not remove them
                os.unlink(driven_settings(self._home.path, run))
        was = "alive" if driver else "gone"
        many = len(ended.ended)
        return f"the process of attempt {lease.attempt} was {was}; {many} processes were ended"

    def _conclude(self, claim: Claim) -> AttemptResult:
        task, workspace = claim.state.task, self._workspaces.reuse(claim.ticket.task)
        if workspace is None:
            raise WorkspaceError("its workspace is gone")
        return AttemptResult(
            outcome=AttemptOutcome.DONE,
            says="an earlier attempt had done it",
            commit=commit_task(workspace, task, self._environ),
            verified=bool(task.verify),
        )

    def _workspace(self, claim: Claim, fresh: bool) -> Workspace:
        ticket, all_of = claim.ticket, self._workspaces
        found = all_of.reuse(ticket.task)
        if found is not None and fresh:
            all_of.remove(found, lose=True)  # what it holds is the work of other tasks
            found = None
        found = found or all_of.create(ticket.task, ticket.attempt)
        return add_dependencies(all_of, found, claim.state.task, claim.needs)

    def _log(self, task: str) -> str:
        path = driver_log(self._home, self._repository, task)
        make_folder(os.path.dirname(path))
        os.close(open_private(path, os.O_WRONLY | os.O_APPEND))
        return path


def _is_driver(pid: int) -> bool:
    with suppress(psutil.Error):
        return DRIVER in psutil.Process(pid).cmdline()
    return False


def _is_zombie(pid: int) -> bool:
    with suppress(psutil.Error):
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return False
