"""A scratch home and project, and `handrail` run in this process or in one of its own."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct

from handrail.cli import main

if TYPE_CHECKING:
    from .fleet_shell import FleetShell
    from .undo_project import UndoProject

DATA = Path(__file__).parent / "data"


class CommandResult(Struct):
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class HandrailShell:
    """Runs `handrail` in a project, as a person would."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = root / "home"
        self.project = self.home / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.state = root / "state"
        self.environ = {"HOME": str(self.home), "HANDRAIL_HOME": str(self.state)}
        self._patch = monkeypatch
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        for name in ("NO_COLOR", "HANDRAIL_DEBUG", "TERM"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(self.project)

    def run(self, *args: str, stdin: bytes = b"") -> CommandResult:
        """In this process."""
        streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (stdin, b"", b"")]
        with self._patch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = main(args)
        out, err = (_text(stream) for stream in streams[1:])
        return CommandResult(code, out, err)

    def spawn(
        self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[bytes]:
        """In a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "handrail", *args],
            input=stdin,
            capture_output=True,
            cwd=self.project,
            env={**os.environ, **self.environ, **environ},
            timeout=60,
            check=False,
        )


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandrailShell:
    return HandrailShell(tmp_path, monkeypatch)


Run = Callable[..., CommandResult]


@pytest.fixture
def run(shell: HandrailShell) -> Run:
    return shell.run


@pytest.fixture
def project(shell: HandrailShell) -> Iterator["UndoProject"]:
    """A project in which an agent has worked."""
    from .checkpoint_endpoints import CheckpointEndpoints
    from .undo_project import UndoProject

    with CheckpointEndpoints(shell).open() as counter:
        yield UndoProject(shell, counter)


@pytest.fixture
def fleet(shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> "FleetShell":
    """A repository with tasks."""
    from .fleet_shell import FleetShell

    return FleetShell(shell, monkeypatch)
