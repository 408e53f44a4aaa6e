"""A log as the daemon writes it: real reviews of real actions, under a clock of the test."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from hypothesis import strategies as st
from tests.supervise.ready import ready

from handrail.hosts.claude.host import HOST
from handrail.intervene import Capability
from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.control import ControlCommand, Standing
from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionHeld,
    ActionReviewed,
    AgentEnded,
    AgentStarted,
    BreachFound,
    CheckpointTaken,
    Compacted,
    ControlAnswered,
    ControlAsked,
    DesktopChecked,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    IncidentResolved,
    Intervened,
    InterventionJudged,
    IterationBegun,
    IterationEnded,
    LoopBegun,
    LoopEnded,
    ModelAsked,
    PromptGiven,
    RolledBack,
    RunEnded,
    RunStarted,
    SettingsChanged,
    StopConfirmed,
    UsageMeasured,
    UsageSampled,
    Verified,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk, Verdict
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore
from handrail.supervise.followup.breach import EndedCall
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor

from .conftest import HandrailShell

NOON = 1_794_744_000.0
"""Sunday, 15 November 2026, 12:00:00 UTC."""
WORKED = Outcome(True)
FAILED = Outcome(False, 1, "", "Exit code 1\nImportError: no module named cart")


class Logbook:
    """Writes the log of runs that a test tells about."""

    def __init__(
        self, store: Store, environ: Mapping[str, str], folder: str, began: float = NOON
    ) -> None:
        self.store = store
        self.folder = folder
        self.now = began
        self.calls = 0
        can = HOST.capabilities | {Capability.FILES}
        self.runs = RunRegistry(
            Journal(store), Projects(environ), can=lambda host: can, clock=lambda: self.now
        )

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def start(self, run: str, prompt: str = "", cwd: str = "") -> "RunLog":
        """A session that begins, by default in the project, and is told something."""
        log = RunLog(self, run, cwd or self.folder)
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
        self.action = Action("", {})

    @property
    def supervisor(self) -> Supervisor:
        return self.book.runs.get(self.run, self.cwd)

    def note(self, event: Event) -> None:
        self.supervisor.record(event).result(5)

    def ask(self, tool: str, *, agent: str = "", asks: bool = False, **given: object) -> Verdict:
        """The agent wants to do something."""
        self.book.calls += 1
        self.action = Action(tool, given, self.cwd, {}, f"toolu_{self.book.calls}")
        return ready(self.supervisor.decide(self.action, agent=agent, may_ask=asks)).wait()

    def end(self, outcome: Outcome = WORKED, action: Action | None = None) -> None:
        """It was done."""
        self.supervisor.take_in(EndedCall(action or self.action, outcome)).wait()

    def do(self, command: str, outcome: Outcome = WORKED, agent: str = "") -> Verdict:
        """A command that, unless it is refused, runs for a second as the verdict says."""
        verdict = self.ask("Bash", command=command, agent=agent)
        if verdict.decision is not Decision.BLOCK:
            self.book.wait(1)
            given = verdict.updated_input or self.action.input
            self.end(outcome, Action("Bash", given, self.cwd, {}, self.action.id))
        return verdict

    def fail(self, times: int, command: str = "pytest -q", apart: float = 40) -> None:
        """The same command fails in the same way, again and again."""
        for _ in range(times):
            self.do(command, FAILED)
            self.book.wait(apart)

    def drop(self, says: str) -> None:
        """It was not done after all."""
        for receipt in self.supervisor.drop(self.action.id, says):
            receipt.result(5)

    def finish(self, reason: str = "prompt_input_exit") -> None:
        self.note(RunEnded(self.book.now, reason))


def memory_logbook() -> Logbook:
    """A log that is nowhere on the disk."""
    environ = {"HOME": "/home/me", "HANDRAIL_HOME": "/home/me/h"}
    book = Logbook(MemoryStore(clock=lambda: book.now), environ, "/w/shop")
    return book


@contextmanager
def open_logbook(shell: HandrailShell, began: float = NOON) -> Iterator[Logbook]:
    """The log of a shell's state folder, as a daemon would have it open."""
    with closing(SqliteStore(shell.state / "events.db")) as store:
        yield Logbook(store, shell.environ, str(shell.project), began)


@contextmanager
def utc() -> Iterator[None]:
    """Clocks on the wall show the same everywhere."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


# Any events at all

_text = st.text(max_size=40)
_at = st.floats(0, 2e9)
_step = st.integers(1, 6)
_agent = st.sampled_from(["", "a1", "b2"])
_review = st.builds(
    Review,
    st.sampled_from(Decision),
    st.just(Risk(0.5, Severity.LOW)),
    st.just(Rationality(0.6, 0.6, 0.6, 1.0, 1.0)),
)
_verdict = st.builds(
    Verdict,
    st.sampled_from(Decision),
    _text,
    changes=st.lists(_text, max_size=2).map(tuple),
    restore=st.sampled_from(["", "mv -n /h/trash/k1/x /x", "git apply /h/trash/k2/work.patch"]),
)
_action = st.one_of(
    st.builds(Action, st.sampled_from(["Bash", "Read", "mcp__x__y"]), st.just({}), _text),
    st.builds(lambda text: Action("Bash", {"command": text}, "/w"), _text),
    st.builds(lambda tool, text: Action(tool, {"file_path": text}), _text, _text),
)
_outcome = st.builds(
    Outcome, st.booleans(), st.none() | st.integers(0, 255), _text, _text, st.floats(0, 1e7)
)
_finding = st.builds(
    Finding,
    st.sampled_from(["loop", "stall", "my_own"]),
    st.sampled_from(Severity),
    st.floats(0, 1),
    st.lists(_step, max_size=4).map(tuple),
    says=_text,
    symptom=st.sampled_from(["", "x"]),
)
_made = st.sampled_from(["i1", "i2", "i3"])
_incident = st.sampled_from(["", "2026-11-15-shop"])
_intervention = st.builds(
    Intervention,
    _made,
    st.sampled_from([*InterventionName, "my_own"]),
    _finding,
    _step,
    st.floats(0, 2),
    guidance=_text,
    allowance=st.none() | st.builds(Allowance, st.integers(0, 9)),
    checkpoint=st.sampled_from(["", "c1"]),
    incident=_incident,
    limits=_text,
)
_checkpoint = st.builds(Checkpoint, st.just("c1"), st.just("r"), _step, st.just("f00"), _at, _text)
_texts = st.lists(_text, max_size=5).map(tuple)
_request = st.sampled_from(["r1", "r2", "r3"])
_many = st.integers(0, 10**9)

any_event: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        _at,
        st.just("claude"),
        _text,
        st.sampled_from(["", "startup", "resume", "compact", "odd"]),
        model=_text,
    ),
    st.builds(PromptGiven, _at, _text),
    st.builds(
        DesktopChecked,
        _at,
        _step,
        st.builds(
            DesktopCheck,
            st.sampled_from(ScreenStatus),
            st.sampled_from(CheckOutcome),
            st.floats(0, 1),
            _text,
            steps=st.lists(st.builds(RecoveryStep, _text, st.booleans(), _text)).map(tuple),
            why=_text,
        ),
    ),
    st.builds(
        ActionReviewed,
        _at,
        _step,
        _text,
        _action,
        _review,
        _verdict,
        _agent,
        asked=st.booleans(),
    ),
    st.builds(ActionEnded, _at, _step, _outcome, overruled=st.booleans()),
    st.builds(ActionDropped, _at, _step, _text),
    st.builds(BreachFound, _at, _text, _step),
    st.builds(AgentStarted, _at, _agent, _text),
    st.builds(AgentEnded, _at, _agent),
    st.builds(Compacted, _at, _text),
    st.builds(IterationEnded, _at, _text),
    st.builds(SettingsChanged, _at, _text, _text, _text),
    st.builds(FaultNoted, _at, _text, _text),
    st.builds(FeedbackGiven, _at, _step, st.booleans(), _text, st.sampled_from(["", "loop"])),
    st.builds(FindingMade, _at, _step, _finding, _agent),
    st.builds(Intervened, _at, _intervention, _agent),
    st.builds(InterventionJudged, _at, _made, _step, st.booleans(), _text, st.just("rollback")),
    st.builds(CheckpointTaken, _at, _checkpoint),
    st.builds(RolledBack, _at, st.just("c1"), _made, _texts, problem=_text),
    st.builds(StopConfirmed, _at, _incident, _texts, _texts, _text),
    st.builds(IncidentResolved, _at, _incident, st.sampled_from(["abort", "go_on"]), _text),
    st.builds(ModelAsked, _at, _step, st.sampled_from(["goal", "action"]), _text, says=_text),
    st.builds(
        ControlAsked,
        _at,
        _request,
        st.sampled_from(ControlCommand),
        st.sampled_from(Standing),
        _text,
        _text,
        _text,
    ),
    st.builds(
        ControlAnswered,
        _at,
        _request,
        st.sampled_from(ControlCommand),
        st.sampled_from(Standing),
        st.booleans(),
        _text,
        _texts,
        st.sampled_from(["", "opus"]),
    ),
    st.builds(
        ActionHeld,
        _at,
        st.sampled_from(["", "t1", "t2"]),
        _text,
        _agent,
        st.sampled_from(["", "x"]),
    ),
    st.builds(LoopBegun, _at, _text, st.integers(1, 20), model=_text, verify=_text, cwd=_text),
    st.builds(IterationBegun, _at, st.integers(1, 20)),
    st.builds(Verified, _at, st.integers(1, 20), _text, st.booleans(), _text, st.floats(0, 1e7)),
    st.builds(UsageSampled, _at, _many, st.floats(0, 1e6)),
    st.builds(UsageMeasured, _at, _many, st.floats(0, 1e6), st.floats(0, 1e7), st.floats(0, 1e6)),
    st.builds(
        LoopEnded,
        _at,
        st.sampled_from(["done", "abort"]),
        st.sampled_from(["COMPLETE", "LIMIT", "odd"]),
        _text,
    ),
    st.builds(RunEnded, _at, _text),
)
