"""A fleet with agents at work that somebody watches in the browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time

import msgspec
from playwright.sync_api import Locator, Page

from handrail.drive.daemon_client import LoopStart
from handrail.fleet.engine.engine import Claim
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    DriverStarted,
    FleetBegun,
    QuestionAsked,
)
from handrail.fleet.tasks.task import Task
from handrail.server.fleet.rollback_messages import SAVE
from handrail.server.http.socket_client import call_daemon
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.watched_run import agent_in
from tests.server.fleet.saved_fleet import SavedFleet

FLEET_RUN = "5e1f0000-5ce7-4f0e-9d52-2c6c5d0b3a11"
HOSTILE = "Fix <img src=x onerror=\"document.title='owned'\"> in the cart"


class WorkingFleet(SavedFleet):
    """A fleet whose attempts are begun, driven and ended by the test."""

    def __init__(self, place: PanelSandbox) -> None:
        super().__init__(place)
        self.panel = place
        for key, value in (("user.name", "t"), ("user.email", "t@example.com")):
            self.git("config", key, value)

    @property
    def address(self) -> str:
        """Where the panel shows its tasks."""
        return f"{self.panel.address}/fleets/{self.repository.fleet}/tasks"

    def begin(self, slots: int = 2) -> None:
        """Begin the run of the fleet itself, as `handrail run tasks.yaml` does."""
        self._drive(
            FLEET_RUN, LoopStart(goal="all tasks", cwd=str(self.tree), max=99, mode="grind")
        )
        self.engine.record(FleetBegun(time(), FLEET_RUN, str(self.tree), slots, 5.0))

    def add(self, name: str, prompt: str = "", **values: object) -> None:
        """Add a task."""
        self.engine.submit([Task(id=name, prompt=prompt or f"do {name}", **values)])  # type: ignore[arg-type]

    @contextmanager
    def work(self) -> Iterator[ScriptedAgent]:
        """Let an agent begin with the next task, in a run that Handrail drives."""
        claim, path = self.claim()
        ticket = claim.ticket
        run = f"{ticket.task}-5ce7-4f0e-9d52-2c6c5d0b3a11"
        started = DriverStarted(time(), ticket.task, ticket.attempt, run, pid=0)
        parent = self.engine.state().run
        loop = LoopStart(
            goal=f"do {ticket.task}",
            cwd=path,
            max=9,
            mode="issue",
            parent=parent,
            issue=ticket.task,
        )
        self._drive(run, loop)
        self.engine.note(started)
        with agent_in(self.panel, run, loop.goal, Path(path)) as agent:
            yield agent

    def _drive(self, run: str, loop: LoopStart) -> None:
        call_daemon(self.place.home, "POST", f"/runs/{run}/loop", msgspec.json.encode(loop))

    def do(self, file: str, text: str = "done\n") -> str:
        """Do the next task: write a file, commit it, hand in the result; return the task's id."""
        claim, path = self.claim()
        return self.hand_in(claim, path, file, text)

    def hand_in(self, claim: Claim, path: str, file: str, text: str = "done\n") -> str:
        """End an attempt with one file as its work."""
        task = claim.ticket.task
        (Path(path) / file).write_text(text)
        self.git("add", "-A", at=path)
        self.git("commit", "-q", "-m", f"work on {task}", at=path)
        commit = self.git("rev-parse", "HEAD", at=path)
        result = AttemptResult(outcome=AttemptOutcome.DONE, commit=commit, verified=True)
        self.engine.finish(claim.ticket, result)
        return task

    def ask_person(self, claim: Claim, question: str) -> None:
        """Let the agent of an attempt ask a person."""
        task, attempt = claim.ticket.task, claim.ticket.attempt
        self.engine.note(QuestionAsked(time(), task, attempt, question, until=time() + 600))

    def save(self, name: str) -> None:
        """Save the whole fleet."""
        self.ask(SAVE, name=name)


def column(page: Page, title: str) -> Locator:
    """The tasks of one state on the board."""
    return page.get_by_role("region", name=title, exact=True)
