"""Runs of the real Claude Code that Handrail drives, with a person's hand on them."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import psutil

from handrail.model.control import Standing
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import ModelServer, Script
from tests.claude.controlled import living
from tests.claude.driven_agent import MODEL
from tests.claude.prompted_session import served_by
from tests.claude.supervised import PATIENCE, SupervisedSandbox, until
from tests.run_controller import RunController


class DrivenRun:
    """A run that is driven: `handrail run`, its agent, and the model that this one asks."""

    def __init__(
        self,
        world: SupervisedSandbox,
        process: "subprocess.Popen[bytes]",
        model: ModelServer,
        output: Path,
    ) -> None:
        self.world = world
        self.ann = RunController(world.state)
        self.process = process
        self.model = model
        self._output = output

    @cached_property
    def run(self) -> str:
        """Its id, as soon as the daemon knows of it."""

        def first() -> str:
            found = self.ann.current() if Path(self.world.state.log).exists() else []
            return str(found[0]["run_id"]) if found else ""

        return until(first, f"no run has begun: {self.said}")

    @property
    def said(self) -> str:
        """What `handrail run` has printed."""
        return self._output.read_text()

    @property
    def models(self) -> list[str]:
        """Which model was asked, each time."""
        return [str(each.body["model"]) for each in self.model.requests if each.tools]

    @property
    def last_request(self) -> str:
        """All that the model was told when it was asked last."""
        return [each for each in self.model.requests if each.tools][-1].text

    def when_asked(self, times: int) -> None:
        """Until the model was asked so many times."""
        until(lambda: len(self.models) >= times, f"the model was not asked: {self.said}")

    def when(self, standing: Standing) -> RunState:
        """How the run is, as soon as it stands like that."""
        return self.ann.when(self.run, lambda state: state.hand.standing == standing)

    def when_at_rest(self) -> RunState:
        """How the run is, as soon as its agent has stopped by itself."""
        return self.ann.when(self.run, lambda state: state.prompts and state.phase == "waiting")

    @property
    def agents(self) -> list[int]:
        """The processes below the driver."""
        try:
            below = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return living([each.pid for each in below])

    def wait(self) -> int:
        """Until it has ended; its exit code."""
        return self.process.wait(PATIENCE)


@contextmanager
def driven(world: SupervisedSandbox, goal: str, script: Script, *args: str) -> Iterator[DrivenRun]:
    """A run that has ended after the block."""
    output = world.bed.root / "driven.out"
    with ModelServer(script) as model, output.open("wb") as out:
        process = subprocess.Popen(
            [str(world.bin / "handrail"), "run", goal, "--model", MODEL, *args],
            cwd=world.repo,
            env={**world.bed.environ, **served_by(model)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with process:
            try:
                yield DrivenRun(world, process, model, output)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)
                    try:
                        process.wait(20)
                    except subprocess.TimeoutExpired:
                        process.kill()
