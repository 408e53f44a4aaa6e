"""A project with a run in it, and the hands of a daemon."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from handrail.config.notify import Notify
from handrail.intervene.notify import Notification, Notifier
from handrail.model import Action, Finding, Severity
from handrail.model.action import Outcome
from handrail.model.event import Event, Intervened, PromptGiven, RunStarted
from handrail.model.intervention import Intervention, InterventionName
from handrail.server.control.emergency_stops import EmergencyStops
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler, FindConversation
from handrail.server.files.event_reactions import EventReactions
from handrail.server.home import Home
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor
from tests.project_settings import write_confirmed

RUN = f"3f2a9c10-aaaa-4bbb-8ccc-{os.getpid():012x}"
"""Of this process alone: a stop ends every process that carries the name of its run."""
LOOP = Finding("loop", Severity.HIGH, 0.9, (3, 4), says="The same call failed 4 times: make")
NOTIFY = "notify: {urls: ['json://127.0.0.1'], severity: medium}\n"


class RecordingNotifier(Notifier):
    """Keeps what people would be told."""

    def __init__(self) -> None:
        super().__init__(dict)
        self.messages: list[Notification] = []
        self.to: list[tuple[str, ...]] = []

    def tell(self, settings: Notify, message: Notification) -> None:
        if settings.urls:
            self.messages.append(message)
            self.to.append(settings.urls)


class CheckpointSetup:
    """A project, a run in it, and the hands of a daemon; events are written at once."""

    def __init__(
        self,
        folder: Path,
        settings: str = "",
        conversation: FindConversation = lambda host, run: None,
    ) -> None:
        self.tree = folder / "home" / "shop"
        (self.tree / ".git").mkdir(parents=True)
        (self.tree / "cart.txt").write_text("three apples\n")
        self.home = Home(str(folder / "state"))
        self.environ = {
            "HOME": str(folder / "home"),
            "HANDRAIL_HOME": self.home.path,
            "PATH": "/usr/bin:/bin",
        }
        if settings:
            self.settings(settings)
        self.told = RecordingNotifier()
        self.journal = Journal(MemoryStore())
        self.time = 1_800_000_000.0
        self.late: list[Event] = []
        self.stops = EmergencyStops(
            self.home, self._record, self.told, self.events, clock=self._clock
        )
        self.scheduler = CheckpointScheduler(
            self.home.path,
            self.environ,
            self._record,
            conversation=conversation,
            clock=self._clock,
        )
        self.panel = ""
        """The address of the panel; empty: there is none."""
        self._later: list[Callable[[], None]] = []
        self.reactions = EventReactions(
            self.scheduler,
            self._record,
            self.told,
            self.stops,
            later=self._later.append,
            panel=lambda: self.panel,
            clock=self._clock,
        )
        self.restart()
        self.run.record(RunStarted(self._clock(), "claude", str(self.tree)))

    def settings(self, text: str) -> None:
        """Put settings into the project that a person has confirmed."""
        write_confirmed(self.tree, text, self.environ)

    def restart(self) -> None:
        """A new daemon, which knows nothing but the log."""
        self.runs = RunRegistry(
            self.journal,
            Projects(self.environ),
            planner=self.scheduler,
            clock=self._clock,
        )
        self.runs.bus.subscribe(self.reactions.on_event)

    @property
    def run(self) -> Supervisor:
        return self.runs.get(RUN, str(self.tree))

    def record(self, event: Event) -> None:
        """Something happens, and everything that follows from it is done."""
        self.run.record(event)
        self.settle()

    def settle(self) -> None:
        while self._later:
            self._later.pop(0)()
        self.scheduler.settle()
        self.stops.settle()
        late, self.late = self.late, []
        for event in late:
            self.run.record(event)

    def act(self, number: int) -> None:
        action = Action("Bash", {"command": f"echo {number}"}, str(self.tree), id=f"t{number}")
        self.run.before(action)
        self.run.after(EndedCall(action, Outcome(ok=True, output=str(number))))
        self.settle()

    def intervene(
        self,
        means: InterventionName,
        *,
        checkpoint: str = "",
        incident: str = "",
        files: tuple[str, ...] = (),
    ) -> None:
        done = Intervention(
            "i1", means, LOOP, 4, checkpoint=checkpoint, incident=incident, files=files
        )
        self.record(Intervened(self._clock(), done))

    def events(self, run: str = RUN) -> Iterator[Event]:
        return (event for _, event in self.journal.read(topic_of(run)))

    def all(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events() if isinstance(event, kind)]

    def checkpoints(self) -> list[str]:
        return [each.id for each in self.run.state.course.checkpoints]

    def _record(self, run: str, event: Event) -> None:
        # Called in the hands' thread; a run is touched in one thread only.
        self.late.append(event)

    def _clock(self) -> float:
        return self.time

    def close(self) -> None:
        self.scheduler.close()
        self.told.close()


def prompt(text: str = "Fix the cart.") -> PromptGiven:
    return PromptGiven(1.0, text)
