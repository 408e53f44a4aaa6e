"""A repository with a fleet, and a real daemon that holds it."""

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic, time

from handrail.fleet.engine.engine import Claim, Worker
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    TaskWorkspace,
    WorkspaceReady,
)
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.engine.requests import RemoteFleetEngine
from handrail.fleet.rollback.checkpoint_files import FleetCheckpointFiles
from handrail.fleet.rollback.journal import RollbackJournal
from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.repository import find_repository
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.places import fleet_folder, open_workspaces
from handrail.server.http.socket_client import call_daemon
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox

ME = ("-c", "user.name=t", "-c", "user.email=t@example.com")


class SavedFleet:
    """A repository with a fleet, and a daemon that holds it."""

    def __init__(self, place: DaemonSandbox) -> None:
        self.place = place
        self.tree = place.project
        self.git("init", "-q", "-b", "main")
        (self.tree / "README.md").write_text("# A shop\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "start")
        self.repository = find_repository(str(self.tree))
        self.engine: RemoteFleetEngine = remote_engine(place.home, str(self.tree), place.environ)
        folder = fleet_folder(place.home.path, self.repository.fleet)
        self.files = FleetCheckpointFiles(os.path.join(folder, "checkpoints"))
        self.journal = RollbackJournal(folder)
        self.workspaces = open_workspaces(place.home, self.repository, place.environ)
        self.slot = 0

    def git(self, *args: str, at: str = "") -> str:
        ran = subprocess.run(
            ["git", *ME, *args],
            cwd=at or self.tree,
            env=self.place.environ,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    def ask(self, path: str, **fields: object) -> dict[str, object]:
        body = {"folder": str(self.tree), **fields}
        return call_daemon(self.place.home, "POST", path, body, timeout=PATIENCE)

    def submit(self, *names: str) -> None:
        self.engine.submit([Task(id=name, prompt=f"do {name}") for name in names])

    def claim(self) -> tuple[Claim, str]:
        self.slot += 1
        machine = this_machine()
        worker = Worker(owner="w", host=machine.host, boot=machine.boot)
        claim = self.engine.claim(worker, self.slot)
        assert claim is not None
        task, attempt = claim.ticket.task, claim.ticket.attempt
        made = self.workspaces.reuse(task) or self.workspaces.create(task, attempt)
        where = TaskWorkspace(made.path, made.branch, made.base)
        self.engine.note(WorkspaceReady(time(), task, attempt, where))
        return claim, made.path

    def finish(self) -> str:
        claim, path = self.claim()
        (Path(path) / f"{claim.ticket.task}.txt").write_text("done\n")
        self.git("add", "-A", at=path)
        self.git("commit", "-q", "-m", f"work on {claim.ticket.task}", at=path)
        self.engine.finish(claim.ticket, AttemptResult(outcome=AttemptOutcome.DONE))
        return claim.ticket.task

    def statuses(self) -> dict[str, str]:
        return {name: each.status.value for name, each in self.engine.state().tasks.items()}


def until(is_so: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    pause = threading.Event()
    while not is_so():
        assert monotonic() < end
        pause.wait(0.02)
