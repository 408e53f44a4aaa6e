"""A scratch project, a log and a clock: everything that a run under supervision stands on."""

from pathlib import Path

from handrail.model.action import Action, Outcome
from handrail.model.event import Event
from handrail.model.review import Verdict
from handrail.store.journal import Journal
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry, load_state
from handrail.supervise.state.watched_state import WatchedState, fold
from handrail.supervise.supervisor import Supervisor
from tests.project_settings import write_confirmed
from tests.supervise.fakes import Clock, FaultyLog

RUN = "r1"
MORE_THAN_A_LOOK = 2.0
"""Seconds after which a project looks at its files again."""


class SupervisionSetup:
    """One daemon's worth of supervision; `restart` makes the next one, from the log."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.path = self.home / "project"
        self.elsewhere = self.home / "other"
        for made in (self.path / ".git", self.path / "notes", self.elsewhere / "notes"):
            made.mkdir(parents=True)
        (self.path / "notes" / "plan.md").write_text("the plan\n")
        (self.elsewhere / "notes" / "plan.md").write_text("somebody else's plan\n")
        self.environ = {"HOME": str(self.home), "HANDRAIL_HOME": str(folder / "state")}
        self.clock = Clock(1_800_000_000.0)
        self.ticks = Clock()
        self.log = FaultyLog(self.clock)
        self.journal = Journal(self.log)
        self.restart()

    def restart(self) -> None:
        """A new daemon, which knows nothing but the log."""
        self.projects = Projects(self.environ, now=self.ticks)
        self.runs = RunRegistry(self.journal, self.projects, clock=self.clock)

    @property
    def run(self) -> Supervisor:
        """The supervisor of the run that most tests have, as the daemon would get it now."""
        return self.get(RUN)

    def get(self, run: str, cwd: Path | None = None) -> Supervisor:
        return self.runs.get(run, str(cwd or self.path))

    def settings(self, text: str, *, confirmed: bool = True) -> None:
        """Put settings into the project, and let time pass until they are noticed."""
        if confirmed:
            write_confirmed(self.path, text, self.environ)
        else:
            (self.path / "handrail.yaml").write_text(text)
        self.ticks.advance(MORE_THAN_A_LOOK)

    def bash(self, command: str, call: str = "", cwd: Path | None = None) -> Action:
        return Action("Bash", {"command": command}, str(cwd or self.path), id=call)

    def write(self, path: Path, call: str = "", text: str = "") -> Action:
        return Action("Write", {"file_path": str(path), "content": text}, str(self.path), id=call)

    def do(self, action: Action, *, ok: bool = True, output: str = "") -> Verdict:
        """Judge an action, and if it may run say that it ran as it was let through."""
        verdict = self.run.before(action)
        if verdict.updated_input is not None:
            action = Action(action.tool, verdict.updated_input, action.cwd, id=action.id)
        if verdict.decision.value != "block":
            self.run.after(EndedCall(action, Outcome(ok, output=output)))
        return verdict

    def events(self, run: str = RUN) -> list[Event]:
        return [event for _, event in self.journal.read(topic_of(run))]

    def kinds(self, run: str = RUN) -> list[str]:
        return [type(event).__name__ for event in self.events(run)]

    def loaded(self, run: str = RUN) -> WatchedState:
        """The state as a new daemon would find it."""
        return load_state(self.journal, run)

    def folded(self, run: str = RUN) -> WatchedState:
        """The state as all events give it."""
        return fold(run, self.events(run))


def ran(action: Action, *, ok: bool = True, output: str = "") -> EndedCall:
    """What the host reports of an action that ran."""
    return EndedCall(action, Outcome(ok, output=output))
