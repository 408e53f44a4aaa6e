"""A project, a state folder and a real desktop, for the public `handrail.desktop.Watch`."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict, Unpack

import pytest

from handrail.desktop import Desktop, DesktopCheck, DesktopWorker, Watch
from handrail.testing.desktop_fakes import FakeWorker
from tests.desktop.desktop_bed import DesktopBed
from tests.server.daemon_sandbox import DaemonSandbox

EAGER = Desktop(interval_seconds=0.2, min_cooldown_seconds=0)
CALM = Desktop(interval_seconds=600, min_cooldown_seconds=0)


class WatchOptions(TypedDict, total=False):
    """What a test may choose."""

    settings: Desktop
    expected_file: str
    worker: DesktopWorker
    on_critical_failure: Callable[[DesktopCheck], object]
    daemon: bool


class WatchedDesktop:
    """A desktop with a project of its own; used by one test."""

    def __init__(self, bed: DesktopBed, sandbox: DaemonSandbox) -> None:
        self.bed = bed
        self.sandbox = sandbox
        self.project = sandbox.project
        self.environ = {**bed.environment, **sandbox.environ}
        self.worker = FakeWorker()

    def file(self, name: str, text: str = "x = 1\n") -> Path:
        """Make a file in the project."""
        path = self.project / name
        path.write_text(text)
        return path

    def watch(self, **options: Unpack[WatchOptions]) -> Watch:
        """Make a watch, by default in this process and with a worker that only remembers."""
        chosen: WatchOptions = {"settings": CALM, "worker": self.worker, "daemon": False}
        chosen.update(options)
        return Watch(folder=self.project, environ=self.environ, **chosen)

    def handrail(self, *args: str) -> "subprocess.CompletedProcess[str]":
        """Run a command, as a person does in the project."""
        return subprocess.run(
            [sys.executable, "-m", "handrail", *args],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def start_handrail(self, *args: str) -> "subprocess.Popen[str]":
        """Start a command beside the test."""
        return subprocess.Popen(
            [sys.executable, "-m", "handrail", *args],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def pictures(self) -> Path:
        """Where pictures are kept."""
        return Path(self.sandbox.home.path, "desktop")


@pytest.fixture
def watched(desktop: DesktopBed) -> Iterator[WatchedDesktop]:
    """A desktop and a project, both empty."""
    with DaemonSandbox() as sandbox:
        yield WatchedDesktop(desktop, sandbox)
