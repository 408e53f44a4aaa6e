"""`handrail run` with the real Claude Code and a scripted model, as a person starts it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from handrail.hosts.driven_agent import MARK
from handrail.testing.model_server import ModelRequest, ModelServer, Script
from tests.claude.prompted_session import served_by
from tests.claude.sandbox import ClaudeSandbox
from tests.claude.supervised import PATIENCE, SupervisedSandbox, until

MODEL = ("--model", "claude-sonnet-4-5")


class FinishedRun(NamedTuple):
    """How it ended, what it printed, and what the model was asked."""

    code: int
    out: str
    err: str
    requests: list[ModelRequest]

    def prompts(self) -> list[str]:
        """What the agent was told, from prompt to prompt."""
        said = [_last_text(request) for request in self.requests if request.tools]
        return [text for text in said if text]


def _last_text(request: ModelRequest) -> str:
    """The last words of a person; empty where the last thing was a tool's result."""
    messages = request.body["messages"]
    assert isinstance(messages, list)
    content = messages[-1]["content"]
    if isinstance(content, str):
        return content
    if any(block.get("type") == "tool_result" for block in content):
        return ""
    return "\n".join(block.get("text", "") for block in content)


class StartedRun:
    """A `handrail run` that is under way."""

    def __init__(self, world: SupervisedSandbox, model: ModelServer, *args: str) -> None:
        self.world = world
        self.model = model
        self._out = world.bed.root / "run.out"
        self._err = world.bed.root / "run.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [world.bin / "handrail", "run", *args, *MODEL],
                cwd=world.repo,
                env={**world.bed.environ, **served_by(model)},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def out(self) -> str:
        """What it has printed so far."""
        return self._out.read_text()

    def until_said(self, text: str) -> None:
        """Until it has printed something."""
        until(lambda: text in self.out or self.process.poll() is not None, f"never said: {text}")
        assert text in self.out, self.out + self._err.read_text()

    def until_there(self, name: str) -> None:
        """Until there is a file in the repository."""
        until((self.world.repo / name).exists, f"there is no file {name}: {self.out}")

    def ctrl_c(self) -> None:
        """As the terminal sends it: to the driver alone."""
        self.process.send_signal(signal.SIGINT)

    def wait(self) -> FinishedRun:
        """Until it has ended by itself."""
        try:
            code = self.process.wait(2 * PATIENCE)
        except subprocess.TimeoutExpired as late:
            late.add_note(self.out + self._err.read_text())
            raise
        self.model.check()
        return FinishedRun(code, self.out, self._err.read_text(), self.model.requests)

    def end(self) -> None:
        """Whatever the test came to, nothing is left."""
        for pid in driven():
            if self._is_ours(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()

    def left(self) -> list[int]:
        """Processes of the run that are alive."""
        return [pid for pid in driven() if self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        home = f"HANDRAIL_HOME={self.world.state.path}\0".encode()
        with suppress(OSError):
            return home in Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
        return False


def driven() -> list[int]:
    """Every process that carries the mark of a driven run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{MARK}=".encode() in entry.read_bytes():
                found.append(int(entry.parent.name))
    return found


@contextmanager
def world_for_runs() -> Iterator[SupervisedSandbox]:
    """Claude Code and Handrail, which is not installed: a driven run brings its hooks along."""
    with ClaudeSandbox() as bed:
        world = SupervisedSandbox(bed)
        bed.at_end(world.end)
        yield world


@contextmanager
def running(world: SupervisedSandbox, script: Script, *args: str) -> Iterator[StartedRun]:
    """A run that is under way inside the block."""
    with ModelServer(script) as model:
        under_way = StartedRun(world, model, *args)
        try:
            yield under_way
        finally:
            under_way.end()


def run(world: SupervisedSandbox, script: Script, *args: str) -> FinishedRun:
    """A whole run."""
    with running(world, script, *args) as under_way:
        return under_way.wait()
