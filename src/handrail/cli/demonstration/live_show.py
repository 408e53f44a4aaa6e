"""The live show of `handrail demo --panel`: the story, and runs in other states beside it."""

import http.client
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import click
import psutil

from handrail.api.messages.control import CommandRequest
from handrail.cli.demonstration.neighbours import NEIGHBOURS, WHY_PAUSED, Neighbour, page_calls
from handrail.cli.demonstration.release_pipeline import PROJECT, TELLS, run_pipeline
from handrail.cli.demonstration.stage import DemoStage
from handrail.cli.demonstration.task_board import TaskBoard
from handrail.model.host import known_hosts
from handrail.server.http.api_connection import connect_api
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import stop_daemon
from handrail.supervise.runs.settings_trust import confirm_settings
from handrail.testing.model_server import Json, ToolCall
from handrail.testing.scripted_agent import ScriptedAgent

_HELD_SECONDS = 600.0
"""How long a call may be held: by a pause, or for an approval."""
_LEAVING = 10.0
_PAGES_PER_RUN = 40


class ShowEnded(Exception):  # noqa: N818 - the end of a show is no error
    """The person has seen enough."""


class LiveShow:
    """Agents of several runs, each in a thread of its own, until the show is over."""

    def __init__(self, stage: DemoStage, pace: float) -> None:
        self.stage = stage
        self._pace = pace
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        """Let all agents begin to work."""
        self._start("story", self._story)
        for each in NEIGHBOURS:
            self._start(each.project, partial(self._play, each))
        self._start(PROJECT, partial(run_pipeline, self))
        board = TaskBoard(self)
        for slot in board.slots:
            self._start(f"slot {slot}", partial(board.work, slot))

    def end(self) -> None:
        """End the daemon, the agents, and what they have started."""
        self.stage.over.set()
        stop_daemon(self.stage.handrail)
        for process in _processes_of(self.stage.handrail.path):
            process.kill()
        for thread in self._threads:
            thread.join(_LEAVING)

    def rest(self, steps: float = 1.0) -> None:
        """Let the person read. Raises ShowEnded."""
        if self.stage.over.wait(self._pace * steps):
            raise ShowEnded

    def project(self, name: str, files: dict[str, str]) -> str:
        """Make a repository with a remote."""
        folder = Path(self.stage.home, name)
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for command in (
            f"git init -q --bare ../{name}.git && git init -q -b main . && git add -A",
            f"git commit -qm Start && git tag v2.0 && git remote add origin ../{name}.git",
            "git push -q origin main v2.0",
        ):
            self.git(str(folder), command)
        confirm_settings(str(folder), self.stage.environ)
        return str(folder)

    def git(self, folder: str, command: str) -> str:
        """Run commands of git in a folder; return what they print."""
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=self.stage.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    def agent(self, folder: str, session: str, goal: str) -> ScriptedAgent:
        """Return an agent that never leaves the scratch folder."""
        return _BoundAgent(self.stage, folder, session, goal)

    def _start(self, name: str, work: Callable[[], None]) -> None:
        def until_over() -> None:
            try:
                work()
            except ShowEnded:
                pass
            except (OSError, http.client.HTTPException, DaemonError, click.ClickException,
                    subprocess.CalledProcessError):  # fmt: skip
                # The daemon has gone, and the agent notices it in the middle of something.
                if not self.stage.over.is_set():
                    raise

        thread = threading.Thread(target=until_over, name=f"demo: {name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _story(self) -> None:
        for _ in self.stage.play():
            self.rest()

    def _play(self, run: Neighbour) -> None:
        folder = self.project(run.project, run.files)
        session = str(uuid4())
        if run.ending == "stays":
            self._work_on(run, folder)
            return
        with self.agent(folder, session, run.goal) as agent:
            self._do(agent, run.calls)
            if run.ending == "paused":
                self._pause(session)
            if run.last is not None:
                agent.do(run.last)
                self.rest()
                agent.do(ToolCall("Bash", {"command": "git status --short"}))

    def _pause(self, session: str) -> None:
        asked = CommandRequest("pause", reason=WHY_PAUSED)
        connect_api(self.stage.handrail).send_command(session, asked)

    def _work_on(self, run: Neighbour, folder: str) -> None:
        """Write page after page, in one session after the other."""
        number = 0
        while True:
            with self.agent(folder, str(uuid4()), run.goal) as agent:
                for page in range(number, number + _PAGES_PER_RUN):
                    if not self._do(agent, page_calls(page)):
                        return
            number += _PAGES_PER_RUN

    def _do(self, agent: ScriptedAgent, calls: Sequence[ToolCall]) -> bool:
        """Make the calls at reading speed; return whether any was allowed."""
        allowed = False
        for call in calls:
            allowed |= not agent.do(call).refused
            self.rest()
        return allowed


def told() -> Iterator[tuple[str, str]]:
    """What there is to see: the names of projects, and what happens there."""
    yield "shop", "goes wrong, is corrected, and stopped in the end: decide how it goes on"
    for each in NEIGHBOURS:
        yield each.project, each.tells
    yield "till", "two agents work through four tasks"
    yield PROJECT, TELLS


@contextmanager
def open_show(stage: DemoStage, pace: float) -> Iterator[LiveShow]:
    """Begin a show on a stage, and end it with everything that it has started."""
    show = LiveShow(stage, pace)
    try:
        show.begin()
        yield show
    finally:
        show.end()


class _BoundAgent(ScriptedAgent):
    """Stays in its project: it carries out nothing that would touch anything else."""

    def __init__(self, stage: DemoStage, folder: str, session: str, goal: str) -> None:
        super().__init__(
            stage.handrail.socket,
            folder,
            session=session,
            environ={**stage.environ, known_hosts()[0].session_variable: session},
            prompt=goal,
            seconds=_HELD_SECONDS,
        )
        self._stage = stage

    def carry_out(self, call: ToolCall, given: Json) -> tuple[bool, str]:
        self._stage.check(call.tool, given)
        return super().carry_out(call, given)


def _processes_of(state_folder: str) -> list[psutil.Process]:
    """Return all processes that know the demo's state folder by their environment."""
    return [each for each in psutil.process_iter() if _state_folder(each) == state_folder]


def _state_folder(process: psutil.Process) -> str:
    try:
        return process.environ().get("HANDRAIL_HOME", "")
    except psutil.Error:
        return ""
