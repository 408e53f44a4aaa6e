"""A project in a scratch folder, and supervisors for it: in this process, or by a daemon."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail import ActionVerdict, Supervisor
from tests.project_settings import write_confirmed
from tests.server.daemon_sandbox import DaemonSandbox

SOURCE = "def total(cart):\n    return 0\n"


class SupervisedProject:
    """A repository with one commit, and the supervisors that were made for it."""

    def __init__(self, sandbox: DaemonSandbox, folder: Path, *, daemon: bool) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.daemon = daemon
        self._made: list[Supervisor] = []
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "cart.py").write_text(SOURCE)
        (folder / "notes.txt").write_text("a note\n")
        for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            self.shell("git -c user.name=a -c user.email=a@example.org " + " ".join(args))

    def supervise(self, **options: Any) -> Supervisor:
        """A supervisor of this project, closed when the test ends."""
        given = {"folder": self.folder, "environ": self.sandbox.environ, "daemon": self.daemon}
        made = Supervisor(**{**given, **options})
        self._made.append(made)
        return made

    def shell(self, command: str) -> "subprocess.CompletedProcess[str]":
        """What a command says, run in the project."""
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.sandbox.environ,
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, supervisor: Supervisor, command: str) -> ActionVerdict:
        """What is said to a command, which runs if it may, as an agent would run it."""
        verdict = supervisor.before("Bash", {"command": command})
        if verdict.allowed:
            ran = self.shell(str(verdict.input["command"]))
            supervisor.after(verdict, ran.stdout + ran.stderr, exit_code=ran.returncode)
        return verdict

    def settings(self, text: str) -> None:
        """What stands in `handrail.yaml`."""
        write_confirmed(self.folder, text, self.sandbox.environ)

    def close(self) -> None:
        for made in self._made:
            made.close()


@pytest.fixture(scope="session")
def sandbox() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as made:
        yield made


@pytest.fixture
def folder(sandbox: DaemonSandbox, request: pytest.FixtureRequest) -> Path:
    """Short, and of this test alone."""
    number = len(list((sandbox.root / "home").iterdir()))
    return sandbox.root / "home" / f"p{number}"


@pytest.fixture
def project(sandbox: DaemonSandbox, folder: Path) -> Iterator[SupervisedProject]:
    """Supervised in this process."""
    made = SupervisedProject(sandbox, folder, daemon=False)
    yield made
    made.close()


@pytest.fixture(params=["embedded", "daemon"])
def either(
    sandbox: DaemonSandbox, folder: Path, request: pytest.FixtureRequest
) -> Iterator[SupervisedProject]:
    """Supervised in this process, and by a daemon: nobody should see a difference."""
    made = SupervisedProject(sandbox, folder, daemon=request.param == "daemon")
    yield made
    made.close()
