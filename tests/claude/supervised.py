"""A bed in which Handrail is installed and supervises Claude Code with a daemon of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import TypeVar

from handrail.model.event import Event
from handrail.server.home import Home
from handrail.server.lock import daemon_pid, guardian_pid
from handrail.store.decoding import decode
from handrail.store.opening import open_log
from handrail.testing.model_server import Script, ToolCall
from tests.claude.sandbox import CLAUDE, ClaudeSandbox, FinishedSession
from tests.server.daemon_sandbox import kill_both

T = TypeVar("T")

PATIENCE = 60.0
STOPPED = "Handrail stopped this"
"""How every refusal begins that the model reads."""


def until(condition: Callable[[], T | None], what: str) -> T:
    """The first true value of a condition; fails with `action_subject` where it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.01)
    return found


def bash(command: str, name: str) -> ToolCall:
    """A call of the shell; its name becomes its id."""
    return ToolCall("Bash", {"command": command, "description": name}, id=name)


class SupervisedSandbox:
    """Claude Code under supervision in a scratch world, where harm can be done to nobody else."""

    def __init__(self, bed: ClaudeSandbox) -> None:
        self.bed = bed
        self.repo = bed.repo
        self.settings = bed.config / "settings.json"
        self.state = Home(str(bed.state))
        self.bin = bed.root / "bin"
        bed.environ["PATH"] = f"{self.bin}:{bed.environ['PATH']}"
        self.bin.mkdir()
        self.program("claude", f'exec {quote(str(CLAUDE))} "$@"')
        self.program("handrail", f'exec {quote(sys.executable)} -m handrail "$@"')

    def intervene_never(self) -> None:
        """Let refusals have no consequences, so that one session can collect many of them."""
        folder = self.bed.home / ".config" / "handrail"
        folder.mkdir(parents=True)
        (folder / "handrail.yaml").write_text("interventions: {enabled: false}\n")

    def program(self, name: str, script: str) -> None:
        """Put a program in front of all others, for the session too."""
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def handrail(self, *args: str) -> str:
        """What one of Handrail's own commands prints; it must succeed."""
        done = subprocess.run(
            [self.bin / "handrail", *args],
            cwd=self.repo,
            env=self.bed.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"handrail {' '.join(args)}: {done.stdout}{done.stderr}"
        return done.stdout

    def run(
        self,
        prompt: str,
        script: Script,
        mode: str = "bypassPermissions",
        args: Sequence[str] = (),
    ) -> FinishedSession:
        """A whole session."""
        return self.bed.run(prompt, script, mode=mode, args=args)

    # What is left behind

    def events(self) -> list[Event]:
        """Everything in the log, in order."""
        with closing(open_log(self.state.log, "read")) as store:
            return [decode(entry) for entry in store.read_all()]

    def topics(self) -> list[str]:
        """The names of everything that has events in the log."""
        with closing(open_log(self.state.log, "read")) as store:
            return [topic.name for topic in store.topics()]

    # The daemon

    @property
    def pid(self) -> int | None:
        """The process that is the daemon now."""
        return daemon_pid(self.state)

    def signal(self, number: signal.Signals) -> None:
        """Send guardian and daemon a signal, the guardian first: it looks after the daemon."""
        for pid in (guardian_pid(self.state), self.pid):
            assert pid, "no daemon runs"
            os.kill(pid, number)

    def kill_daemon(self) -> None:
        """End the daemon alone; its guardian starts another one."""
        pid = self.pid
        assert pid, "no daemon runs"
        os.kill(pid, signal.SIGKILL)

    def kill(self) -> None:
        """End daemon and guardian in one blow, if they run: nobody has time for anything."""
        kill_both(self.state)

    def end(self) -> None:
        """End the daemon, and whoever is about to start another one."""
        until(lambda: not _kill(self._processes()), "something still runs")

    def _processes(self) -> list[int]:
        """Everything that runs with this world's state; where /proc is missing, the daemon."""
        mark = b"HANDRAIL_HOME=" + os.fsencode(self.state.path) + b"\0"
        pid = self.pid  # asked once: it may end meanwhile
        found = [pid] if pid else []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it has ended, or belongs to somebody else
                if mark in entry.read_bytes() + b"\0":
                    found.append(int(entry.parent.name))
        return found


def _kill(pids: list[int]) -> list[int]:
    """End processes in one blow: daemon and guardian would start each other again."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    return pids


@contextmanager
def supervised(*install: str, settings: str = "") -> Iterator[SupervisedSandbox]:
    """A world with Handrail installed: `install` says how, `settings` what the user had before."""
    with ClaudeSandbox() as bed:
        world = SupervisedSandbox(bed)
        bed.at_end(world.end)
        if settings:
            world.settings.write_text(settings)
        world.handrail("install", "claude", "--yes", *install)
        yield world
