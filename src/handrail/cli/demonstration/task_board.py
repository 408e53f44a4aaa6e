"""The small fleet of the panel's demo: scripted agents take tasks, and work in worktrees."""

import os
import subprocess
from time import time
from typing import TYPE_CHECKING
from uuid import uuid4

from handrail.fleet.engine.engine import Claim, FleetError, Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    DriverStarted,
    TaskAudited,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository import find_repository
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.places import open_workspaces
from handrail.testing.model_server import ToolCall

if TYPE_CHECKING:
    from handrail.cli.demonstration.live_show import LiveShow

_TASKS = (
    Task(id="orders", prompt="Add the endpoint /orders to the API."),
    Task(id="prices", prompt="Show prices with two digits."),
    Task(id="till", prompt="Fix the flaky test of the till.", priority=1),
    Task(id="api-docs", prompt="Describe the endpoint /orders.", depends_on=("orders",)),
)
_SLOTS = 2
_PARTS = 6
"""How many parts of a task an agent writes, one after the other."""


class TaskBoard:
    """A repository with tasks, and two slots that work through them."""

    def __init__(self, show: "LiveShow") -> None:
        self._show = show
        self._folder = show.project("till", {"parts/README.md": "# The parts of the till\n"})
        home, environ = show.stage.handrail, show.stage.environ
        self._engine = remote_engine(home, self._folder, environ)
        self._workspaces = open_workspaces(home, find_repository(self._folder), environ)
        self._engine.submit(_TASKS)

    @property
    def slots(self) -> range:
        """Return the numbers of the slots."""
        return range(1, _SLOTS + 1)

    def work(self, slot: int) -> None:
        """Take one task after the other; without one, look again later."""
        # A fleet's agents have a driver of their own; a person's command may end it.
        driver = subprocess.Popen(["sleep", "86400"], env=self._show.stage.environ)
        try:
            while True:
                claim = self._engine.claim(self._worker(driver.pid), slot)
                if claim is None:
                    self._show.rest()
                else:
                    self._attempt(claim, driver.pid)
        finally:
            driver.kill()
            driver.wait()

    def _worker(self, pid: int) -> Worker:
        machine = this_machine()
        began = start_time_of_pid(pid)
        return Worker(owner="demo", host=machine.host, boot=machine.boot, pid=pid, pid_began=began)

    def _attempt(self, claim: Claim, pid: int) -> None:
        try:
            folder = self._prepare(claim)
            run = str(uuid4())
            at, ticket = time(), claim.ticket
            began = start_time_of_pid(pid)
            self._engine.note(DriverStarted(at, ticket.task, ticket.attempt, run, pid, began))
            self._engine.note(TaskAudited(time(), ticket.task, ticket.attempt, "start"))
            if self._write(claim, folder, run):
                commit = self._show.git(folder, "git rev-parse HEAD")
                self._engine.note(self._entry(claim, folder, run))
                result = AttemptResult(outcome=AttemptOutcome.DONE, commit=commit, iterations=1)
                self._engine.finish(ticket, result)
        except FleetError:
            # A person gave the task to somebody else, or ended it.
            self._show.rest()

    def _entry(self, claim: Claim, folder: str, run: str) -> TaskAudited:
        """What the driver of an agent writes down after its turn."""
        task, attempt = claim.ticket.task, claim.ticket.attempt
        files = self._show.git(folder, "git diff --name-only origin/main...").splitlines()
        last = self._show.git(folder, "git log -1 --format='%h \"%s\"'")
        return TaskAudited(
            time(), task, attempt, "iteration",
            iteration=1, files=tuple(files), commit=last, end="COMPLETE", run=run,
        )  # fmt: skip

    def _prepare(self, claim: Claim) -> str:
        task, attempt = claim.ticket.task, claim.ticket.attempt
        made = self._workspaces.reuse(task) or self._workspaces.create(task, attempt)
        where = TaskWorkspace(made.path, made.branch, made.base)
        self._engine.note(WorkspaceReady(time(), task, attempt, where))
        return made.path

    def _write(self, claim: Claim, folder: str, run: str) -> bool:
        """Write the parts of a task; return whether nobody took it away."""
        name = claim.ticket.task
        with self._show.agent(folder, run, claim.state.task.prompt) as agent:
            for part in range(1, _PARTS + 1):
                while (stands := self._engine.renew(claim.ticket)) == "paused":
                    self._show.rest()
                if stands != "held":
                    return False
                path = os.path.join("parts", f"{name}-{part}.md")
                text = f"# {name}\n\nPart {part} of {_PARTS}.\n"
                agent.do(ToolCall("Write", {"file_path": path, "content": text}))
                self._show.rest(2)
                commit = f"git add parts && git commit -qm '{name}: part {part}'"
                agent.do(ToolCall("Bash", {"command": commit}))
                self._show.rest(2)
        return True
