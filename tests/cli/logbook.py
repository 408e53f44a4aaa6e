"""A log as the daemon writes it: real reviews of real actions, under a clock of the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.model.action import Action, Outcome
from handrail.model.event import (
    Event,
    PromptGiven,
    RunEnded,
    RunStarted,
)
from handrail.model.review import Verdict
from handrail.store.journal import Journal
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore
from handrail.supervise.breach import Ended
from handrail.supervise.project import Projects
from handrail.supervise.runs import Runs
from handrail.supervise.supervisor import Supervisor

NOON = 1_794_744_000.0
"""Sunday, 15 November 2026, 12:00:00 UTC."""


class Logbook:
    """Writes the log of runs that a test tells about."""

    def __init__(self, store: Store, home: Path, project: Path, began: float = NOON) -> None:
        self.store = store
        self.project = project
        self.now = began
        environ = {"HOME": str(home), "HANDRAIL_HOME": str(home / "state")}
        self.runs = Runs(Journal(store), Projects(environ), clock=self.clock)
        self._ids = 0

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def start(self, run: str, prompt: str = "", cwd: str = "") -> "RunLog":
        """A session that begins in the project, and is told something."""
        log = RunLog(self, run, cwd or str(self.project))
        log.note(RunStarted(self.now, "claude", log.cwd, "startup", model="sonnet"))
        if prompt:
            log.note(PromptGiven(self.now, prompt))
        return log


class RunLog:
    """One run of a logbook."""

    def __init__(self, book: Logbook, run: str, cwd: str) -> None:
        self.book = book
        self.run = run
        self.cwd = cwd

    @property
    def supervisor(self) -> Supervisor:
        return self.book.runs.get(self.run, self.cwd)

    def note(self, event: Event) -> None:
        self.supervisor.record(event).result(5)

    def ask(
        self,
        tool: str,
        *,
        agent: str = "",
        may_ask: bool = False,
        key: str = "",
        **given: object,
    ) -> Verdict:
        """The agent wants to do something."""
        self.book._ids += 1
        self.action = Action(tool, given, self.cwd, {}, key or f"toolu_{self.book._ids}")
        return self.supervisor.decide(self.action, agent=agent, may_ask=may_ask).wait()

    def end(self, *, ms: float = 0.0, exit_code: int | None = None, error: str = "",
            action: Action | None = None) -> None:  # fmt: skip
        """It was done."""
        outcome = Outcome(exit_code is None and not error, exit_code, "", error, ms)
        self.supervisor.take_in(Ended(action or self.action, outcome)).wait()

    def do(self, command: str, *, ms: float = 0.0, exit_code: int | None = None,
           error: str = "", agent: str = "") -> Verdict:  # fmt: skip
        """A command that is asked for and, unless that is refused, run as the verdict says."""
        verdict = self.ask("Bash", command=command, agent=agent)
        self.book.wait(1)
        if verdict.decision.value != "block":
            ran = verdict.updated_input or self.action.input
            action = Action("Bash", ran, self.cwd, {}, self.action.id)
            self.end(ms=ms, exit_code=exit_code, error=error, action=action)
        return verdict

    def drop(self, says: str) -> None:
        """It was not done after all."""
        for receipt in self.supervisor.drop(self.action.id, says):
            receipt.result(5)

    def finish(self, reason: str = "prompt_input_exit") -> None:
        self.note(RunEnded(self.book.now, reason))


@contextmanager
def open_logbook(state: Path, project: Path, began: float = NOON) -> Iterator[Logbook]:
    """The log in a state folder, as a daemon would have it open."""
    store = SqliteStore(state / "events.db")
    try:
        yield Logbook(store, project.parent, project, began)
    finally:
        store.close()
