"""A project, an agent in it with real processes, and who ends them."""

import os
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Self

import psutil

from handrail.control.command_actions import CommandOutcome, Finished
from handrail.hosts.claude.profile import PROFILE
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAsked, LoopBegun, RunStarted
from handrail.server.control.process_control import ProcessControl
from handrail.supervise.supervisor import Supervisor
from tests.intervene.process_spawner import ProcessSpawner, is_alive
from tests.server.checkpoint_setup import CheckpointSetup

Act = Callable[[Supervisor, ControlAsked, Finished], None]


class AgentProcesses:
    """All of it has a run of its own: tests beside this one end processes, too."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        (folder / "zoo").mkdir()
        self.zoo = ProcessSpawner(folder / "zoo")
        self.shop = CheckpointSetup(folder, settings)
        self.run = str(uuid.uuid4())
        self.told: list[tuple[str, CommandOutcome]] = []
        self.heard: Callable[[], None] | None = None
        """What is done as soon as something is told."""
        self.processes = self.restarted()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.settle()
        self.zoo.__exit__()
        self.shop.close()

    def restarted(self) -> ProcessControl:
        """What the next daemon has, which knows nothing of what the one before has done."""
        self.processes = ProcessControl(self.shop.home, self.shop.scheduler)
        return self.processes

    @property
    def supervisor(self) -> Supervisor:
        return self.shop.runs.get(self.run, str(self.shop.tree))

    def claude(self, script: str = "sleep 60 & echo $! > child; wait", *, env: str = "") -> int:
        """A program that is named as the agent; what it starts is marked, as is so there."""
        program = self.zoo.root / "claude"
        program.write_text(f"export {PROFILE.session_variable}={self.run}\necho ready\n{script}\n")
        return self.zoo.sh(f"exec env {env} sh {program}", marked=False)

    def begins(
        self,
        pid: int,
        *,
        attended: bool = False,
        driver: int = 0,
        adopts: bool = False,
        group: str = "",
    ) -> None:
        """The agent says that it has begun, and which process it is."""
        now, cwd = time.time(), str(self.shop.tree)
        if driver:
            self.supervisor.record(
                LoopBegun(now, "Fix the cart.", 10, driver=driver, adopts=adopts, group=group)
            )
        self.supervisor.record(RunStarted(now, "claude", cwd, attended=attended, pid=pid))

    def do(self, act: Act, command: ControlCommand) -> CommandOutcome:
        """Ask for something, and wait for what comes of it."""
        asked = self.asked(command)
        self.begin(act, asked)
        self.processes.settle()
        [came] = [came for request, came in self.told if request == asked.request]
        return came

    def begin(self, act: Act, asked: ControlAsked) -> None:
        """Ask for something; what comes of it is told later."""
        act(self.supervisor, asked, partial(self._tell, asked.request))

    def stop(self) -> CommandOutcome:
        return self.do(self.processes.stop, ControlCommand.STOP)

    def freeze(self) -> CommandOutcome:
        return self.do(self.processes.freeze, ControlCommand.FREEZE)

    def thaw(self) -> CommandOutcome:
        return self.do(self.processes.thaw, ControlCommand.RESUME)

    def asked(self, command: ControlCommand) -> ControlAsked:
        return ControlAsked(time.time(), str(uuid.uuid4()), command, Standing.RUNNING, "ann")

    def _tell(self, request: str, came: CommandOutcome) -> None:
        self.told.append((request, came))
        heard, self.heard = self.heard, None
        if heard is not None:
            heard()


def numbers(came: CommandOutcome, word: str) -> set[int]:
    """The processes of which a piece of evidence tells something."""
    told = [each.removeprefix(f"{word}: ") for each in came.evidence if each.startswith(word)]
    return {int(each.split()[0]) for each in told}


def is_still(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_STOPPED


def are_alive(*pids: int) -> list[bool]:
    return [is_alive(pid) for pid in pids]


def run_file(folder: str) -> Path:
    """What is kept of the only freeze."""
    [name] = os.listdir(folder)
    return Path(folder) / name
