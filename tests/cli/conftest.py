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
    from .undone import Project

DATA = Path(__file__).parent / "data"


class Ran(Struct):
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


class Shell:
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

    def run(self, *args: str, stdin: bytes = b"") -> Ran:
        """In this process."""
        streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (stdin, b"", b"")]
        with self._patch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = main(args)
        out, err = (_text(stream) for stream in streams[1:])
        return Ran(code, out, err)

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
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


Run = Callable[..., Ran]


@pytest.fixture
def run(shell: Shell) -> Run:
    return shell.run


@pytest.fixture
def project(shell: Shell) -> Iterator["Project"]:
    """A project in which an agent has worked."""
    from .counter import Counter
    from .undone import Project

    with Counter(shell).open() as counter:
        yield Project(shell, counter)
