"""The operations about fleets over a real repository, in this process."""

import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import quote

from handrail.fleet.engine.engine import Claim, Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository import find_repository
from handrail.server.api.fleets import FleetOperations
from handrail.server.api.task_commands import TaskCommands
from handrail.server.fleet.endpoint import FleetEndpoint
from handrail.server.fleet.fleet_access import FleetAccess
from handrail.server.fleet.fleet_views import FleetViews
from handrail.server.fleet.merge_jobs import MergeJobs
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.places import open_workspaces
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from tests.server.api.api_client import InProcessApi as ApiClient
from tests.server.asgi import AsgiResponse
from tests.server.in_process_api import InProcessApi

ME = ("-c", "user.name=t", "-c", "user.email=t@example.com")


class FleetOffice:
    """A repository with a fleet, and a person who asks about it."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "home" / "shop"
        self.tree.mkdir(parents=True)
        self.home = Home(str(folder / "state"))
        self.environ = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"]}
        self.git("init", "-q", "-b", "main")
        for key, value in (("user.name", "t"), ("user.email", "t@example.com")):
            self.git("config", key, value)
        (self.tree / "README.md").write_text("# A shop\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "start")
        self.repository = find_repository(str(self.tree))
        self.fleet = self.repository.fleet
        self.api = InProcessApi(store=MemoryStore(), environ=self.environ)
        self.fleets = OpenFleets(self.api.store, self.home.path, self.environ)
        projects = self.api.desk.runs.projects
        supervision = self.api.supervision
        endpoint = FleetEndpoint(supervision, projects, self.fleets, time)
        self.engine: LogEngine = endpoint.engine_of(
            self.repository, projects.at(self.repository.top)
        )
        self.merges = MergeJobs()
        self.views = FleetViews(self.fleets)
        self.access = FleetAccess(
            supervision, projects, self.fleets, endpoint, self.home, self.environ
        )
        control = self.api.control_endpoint
        self.commands = TaskCommands(control, self.merges, self.home, self.environ, time)
        operations = FleetOperations(
            self.access, self.views, self.commands, self.merges, self.environ
        )
        self.client = ApiClient([operations])
        self.workspaces = open_workspaces(self.home, self.repository, self.environ)
        self.slot = 0

    def run(self, story: Callable[["FleetOffice"], Awaitable[None]]) -> None:
        """Play a story in an event loop that must not be blocked."""

        async def whole() -> None:
            await story(self)
            await self.merges.settle()

        with self.api:
            self.api.run(whole)

    async def ask(self, method: str, path: str = "", **body: object) -> AsgiResponse:
        """Ask something about the fleet."""
        return await self.client.ask(method, f"/fleets/{quote(self.fleet)}{path}", body or None)

    async def task(self, name: str) -> Any:
        """The details of a task."""
        answer = await self.ask("GET", f"/tasks/{name}")
        assert answer.status == 200, answer.body
        return answer.json

    async def command(self, task: str, command: str, **more: object) -> AsgiResponse:
        """Decide something about a task."""
        return await self.ask("POST", f"/tasks/{task}", command=command, **more)

    def submit(self, *names: str, **values: Any) -> None:
        self.engine.submit([Task(id=each, prompt=f"do {each}", **values) for each in names])

    def claim(self) -> Claim:
        """Take the next task and make its workspace, as a scheduler does."""
        self.slot += 1
        machine = this_machine()
        worker = Worker(owner="w", host=machine.host, boot=machine.boot)
        claim = self.engine.claim(worker, self.slot)
        assert claim is not None
        name, attempt = claim.ticket.task, claim.ticket.attempt
        made = self.workspaces.reuse(name) or self.workspaces.create(name, attempt)
        where = TaskWorkspace(made.path, made.branch, made.base)
        self.engine.note(WorkspaceReady(time(), name, attempt, where))
        return claim

    def do(self, file: str, content: str = "1\n") -> str:
        """Take the next task, commit a file, and hand in the result; return its id."""
        claim = self.claim()
        state = self.engine.copy_of(claim.ticket.task)
        assert state.workspace is not None
        at = state.workspace.path
        (Path(at) / file).write_text(content)
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", f"do {claim.ticket.task}", at=at)
        commit = self.git("rev-parse", "HEAD", at=at)
        result = AttemptResult(outcome=AttemptOutcome.DONE, commit=commit, verified=True)
        self.engine.finish(claim.ticket, result)
        return claim.ticket.task

    def git(self, *args: str, at: str = "") -> str:
        ran = subprocess.run(
            ["git", *ME, *args],
            cwd=at or self.tree,
            env=self.environ,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    def home_files(self, name: str) -> list[Path]:
        """Files of a name in the worktrees."""
        return list((self.tree.parent / ".local").rglob(name))
