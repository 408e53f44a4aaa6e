"""A repository with tasks, an engine in this process, and agents that a test plays."""

import subprocess
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path

import msgspec
import pytest
from tests.cli.conftest import CommandResult, HandrailShell

from handrail.cli.fleet import opened_fleet
from handrail.cli.fleet.opened_fleet import OpenedFleet, open_fleet
from handrail.fleet.engine.engine import Claim, FleetEngine, Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.requests import (
    FleetAnswer,
    FleetCall,
    FleetRequest,
    RemoteFleetEngine,
    perform,
)
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.starting_point import add_dependencies
from handrail.store.memory import MemoryStore


class FleetShell:
    """Runs `handrail task` and `handrail merge` in a real repository, without a daemon."""

    def __init__(self, shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shell = shell
        self.tree = shell.project
        self.engine = LogEngine(MemoryStore(), "shop", FleetState())
        self._slots = count(1)
        remote = RemoteFleetEngine(partial(_over_a_wire, self.engine))
        monkeypatch.setattr(opened_fleet, "remote_engine", lambda *_: remote)
        monkeypatch.setattr(opened_fleet, "ready_daemon", lambda *_: nullcontext())
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        (self.tree / ".git").rmdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Me")
        self.git("config", "user.email", "me@example.invalid")
        self.write("README.md", "# A shop\n")
        self.commit("start")

    @property
    def opened(self) -> OpenedFleet:
        return open_fleet(str(self.tree))

    def run(self, *args: str, stdin: bytes = b"") -> CommandResult:
        return self.shell.run(*args, stdin=stdin)

    def task(self, name: str) -> TaskState:
        return self.engine.state().tasks[name]

    def add(self, *names: str, after: tuple[str, ...] = (), verify: str = "") -> None:
        self.engine.submit(
            [Task(id=name, prompt=f"do {name}", depends_on=after, verify=verify) for name in names]
        )

    def claim(self) -> Claim:
        """Take the next task and make its workspace, as a scheduler does."""
        claim = self.engine.claim(Worker(owner="w", host="elsewhere"), next(self._slots))
        assert claim is not None
        name, all_of = claim.ticket.task, self.opened.workspaces
        made = all_of.reuse(name) or all_of.create(name, claim.ticket.attempt)
        made = all_of.mark_set_up(add_dependencies(all_of, made, claim.state.task, claim.needs))
        ready = TaskWorkspace(made.path, made.branch, made.base)
        self.engine.note(WorkspaceReady(1.0, name, claim.ticket.attempt, ready))
        return claim

    def do(self, file: str, content: str = "1\n") -> str:
        """Take the next task, write a file, commit it, and hand in the result; return its id."""
        claim = self.claim()
        task = self.task(claim.ticket.task)
        assert task.workspace is not None
        at = Path(task.workspace.path)
        self.write(file, content, at)
        commit = self.commit(f"do {task.task.id}", at)
        result = AttemptResult(
            outcome=AttemptOutcome.DONE, commit=commit, verified=True, iterations=2, seconds=90
        )
        self.engine.finish(claim.ticket, result)
        return task.task.id

    def write(self, path: str, content: str, at: Path | None = None) -> None:
        ((at or self.tree) / path).write_text(content)

    def commit(self, message: str, at: Path | None = None) -> str:
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", message, at=at)
        return self.git("rev-parse", "HEAD", at=at)

    def git(self, *args: str, at: Path | None = None) -> str:
        ran = subprocess.run(
            ["git", *args], cwd=at or self.tree, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()


def _over_a_wire(engine: FleetEngine, request: FleetRequest) -> FleetAnswer:
    call = msgspec.json.decode(msgspec.json.encode(FleetCall("/shop", request)), type=FleetCall)
    return msgspec.json.decode(msgspec.json.encode(perform(engine, call.request)), type=FleetAnswer)
