"""A scratch world with a fleet: a repository, a state folder, and a stand-in for Claude Code."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from handrail.fleet.engine.events import FleetEvent, event_decoder
from handrail.fleet.engine.requests import RemoteFleetEngine
from handrail.fleet.engine.state_loading import topic_of
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.server.fleet.client import remote_engine
from handrail.server.fleet.places import open_workspaces
from handrail.store.opening import open_log
from tests.chaos import standin_claude
from tests.claude.handrail_run import world_for_runs
from tests.claude.sandbox import VERSION
from tests.claude.supervised import SupervisedSandbox

SLOTS = 3
LEASE_SECONDS = 2
UNLIMITED = 10_000
_KINDS = {
    "guardian": "handrail.server.guardian",
    "driver": "handrail.server.fleet.task_driver",
    "agent": standin_claude.__file__,
    "daemon": "serve",
    "scheduler": "tasks.yaml",
}
"""The word in the command line that tells what a process is; the first one counts."""


class FoundProcess(NamedTuple):
    """A process of this world. The descriptor keeps its number from meaning another process."""

    kind: str
    pid: int
    pidfd: int
    command: str

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if it still lives."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, number)


class FleetWorld:
    """The fleet, seen from outside."""

    def __init__(self, sandbox: SupervisedSandbox, *, max_retries: int, slots: int) -> None:
        self.sandbox = sandbox
        self.repo = sandbox.repo
        self.folder = sandbox.bed.root / "chaos"
        self.folder.mkdir()
        self.environ = sandbox.bed.environ
        self.environ |= {
            "CHAOS_FOLDER": str(self.folder),
            "CHAOS_CLAUDE_VERSION": VERSION,
            "IS_SANDBOX": "1",
        }
        python, program = quote(sys.executable), quote(standin_claude.__file__)
        sandbox.program("claude", f'exec {python} -IS {program} "$@"')
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.schedulers: list[int] = []
        """The exit codes of the schedulers that came to an end."""
        self._write_settings(max_retries, slots)

    def write_tasks(self, count: int, *, lines: int = 4, last_fault: int = 0) -> list[str]:
        """Write the task file; the tasks end one after the other while the faults come."""
        names = [f"t{number:02}" for number in range(1, count + 1)]
        tasks = [
            {
                "id": name,
                "prompt": f"Write work/{name}.txt with {lines} lines after fault "
                f"{last_fault * number // count}.",
                "verify": f'test -n "$FLEET_SLOT" && test $(wc -l < work/{name}.txt) -eq {lines}',
            }
            for number, name in enumerate(names, 1)
        ]
        (self.repo / "tasks.yaml").write_text(json.dumps({"tasks": tasks}))
        self.sandbox.bed.git("add", "tasks.yaml")
        self.sandbox.bed.git("commit", "-q", "-m", "tasks")
        return names

    def count_fault(self, number: int) -> None:
        """Tell the agents how many faults there were."""
        fresh = self.folder / "faults.new"
        fresh.write_text(str(number))
        fresh.replace(self.folder / "faults")

    # The scheduler

    def keep_scheduler(self) -> bool:
        """Start a scheduler unless one runs; return False once one has ended with all done."""
        process = self._scheduler
        if process is not None:
            if process.poll() is None:
                return True
            self.schedulers.append(process.returncode)
            if process.returncode == 0:
                return False
        with (self.folder / "scheduler.log").open("ab") as log:
            self._scheduler = subprocess.Popen(
                [sys.executable, "-m", "handrail", "run", "tasks.yaml"],
                cwd=self.repo,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return True

    def scheduler_ended(self) -> bool:
        """Return whether the last scheduler has come to an end."""
        return self._scheduler is not None and self._scheduler.poll() is not None

    def has_driver(self, pid: int) -> bool:
        """Return whether a process holds the lease of a task."""
        leases = (each.lease for each in self.engine.state().tasks.values())
        return any(lease and lease.pid == pid for lease in leases)

    def end(self) -> None:
        """End every process of this world, and wait for the scheduler."""
        self.sandbox.end()
        if self._scheduler is not None:
            self._scheduler.wait()

    # What is there

    @contextmanager
    def processes(self) -> Iterator[list[FoundProcess]]:
        """All processes with this world's state folder, except those that are about to be one."""
        found: list[FoundProcess] = []
        try:
            for entry in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    pidfd = os.pidfd_open(int(entry.name))
                    one = self._process(entry, pidfd)
                    found.append(one) if one else os.close(pidfd)
            yield found
        finally:
            for each in found:
                os.close(each.pidfd)

    def _process(self, entry: Path, pidfd: int) -> FoundProcess | None:
        try:
            mark = b"HANDRAIL_HOME=" + os.fsencode(self.sandbox.state.path) + b"\0"
            if mark not in (entry / "environ").read_bytes() + b"\0":
                return None
            words = _command(entry)
        except OSError:
            return None
        kind = next((kind for kind, word in _KINDS.items() if word in words), "")
        if kind and words == _command_of_parent(entry):
            kind = ""  # a helper that was forked, and is not yet another program
        return FoundProcess(kind, int(entry.name), pidfd, " ".join(words).strip())

    @property
    def engine(self) -> RemoteFleetEngine:
        return remote_engine(self.sandbox.state, str(self.repo), self.environ)

    @property
    def repository(self) -> FleetRepository:
        return find_repository(str(self.repo))

    @property
    def workspaces(self) -> Workspaces:
        return open_workspaces(self.sandbox.state, self.repository, self.environ)

    def events(self) -> list[FleetEvent]:
        """Every event of the fleet, in order."""
        topic = topic_of(self.repository.fleet)
        with closing(open_log(self.sandbox.state.log, "read")) as store:
            found: list[FleetEvent] = []
            after = 0
            while page := store.read(topic, after, 1000):
                found += [event_decoder.decode(each.body) for each in page]
                after = page[-1].seq
            return found

    def git(self, *args: str) -> str:
        """Return what git prints in the repository."""
        return subprocess.run(
            ["git", *args],
            cwd=self.repo, env=self.environ, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    def _write_settings(self, max_retries: int, slots: int) -> None:
        folder = self.sandbox.bed.home / ".config" / "handrail"
        folder.mkdir(parents=True)
        fleet = {
            "slots": slots,
            "lease_seconds": LEASE_SECONDS,
            "max_retries": max_retries,
            "max_iterations": 0,
            "merge": {"auto": True},
        }
        (folder / "handrail.yaml").write_text(json.dumps({"fleet": fleet}))


def _command(entry: Path) -> list[str]:
    return os.fsdecode((entry / "cmdline").read_bytes()).split("\0")


def _command_of_parent(entry: Path) -> list[str]:
    try:
        parent = (entry / "stat").read_bytes().rpartition(b")")[2].split()[1]
        return _command(entry.parent / os.fsdecode(parent))
    except OSError:
        return []


@contextmanager
def fleet_world(*, max_retries: int = UNLIMITED, slots: int = SLOTS) -> Iterator[FleetWorld]:
    """A world that leaves nothing behind, however the block ends."""
    with world_for_runs() as sandbox:
        world = FleetWorld(sandbox, max_retries=max_retries, slots=slots)
        try:
            yield world
        finally:
            world.end()
