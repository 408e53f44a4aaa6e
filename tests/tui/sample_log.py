"""A log as it may be at noon: five runs, each in another state."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.control import ControlCommand, Standing
from handrail.model.effect import Effect, Kind
from handrail.model.event import (
    ActionEnded,
    ActionHeld,
    ActionReviewed,
    CheckpointTaken,
    ControlAnswered,
    ControlAsked,
    Event,
    FindingMade,
    Intervened,
    IterationBegun,
    IterationEnded,
    LoopBegun,
    PromptGiven,
    RunEnded,
    RunStarted,
    UsageMeasured,
    Verified,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.review import (
    CommandStep,
    Rationality,
    Review,
    Risk,
    RiskFactor,
    RuleHit,
    Verdict,
)
from handrail.redact import Redactor
from handrail.store.journal import Journal
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore
from handrail.supervise.log.topics import topic_of

NOON = 1_794_744_000.0
"""Sunday, 15 November 2026, 12:00:00 UTC."""
SHOP = "3f2a9c10-shop"
DOCS = "91bc77aa-docs"
API = "77d0e5b2-api"
NOTES = "a001f00d-notes"
OLD = "0b5e55ed-old"

FINDING = Finding(
    "repetitive_errors",
    Severity.MEDIUM,
    0.85,
    (2, 4, 6),
    0.4,
    "the same error 3 times: ImportError: no module named cart",
    "ImportError cart",
    {"error": "ImportError: no module named cart"},
)


class SampleLog:
    """Writes events of runs under a clock of its own."""

    def __init__(self, store: Store, now: float) -> None:
        self.store = store
        self.now = now
        self._journal = Journal(store)
        self._redactor = Redactor()
        self._steps: dict[str, int] = {}

    def note(self, run: str, make: Callable[[float], Event], after: float = 0.0) -> None:
        """Something happens in a run, so many seconds later."""
        self.now += after
        self.write(run, make(self.now))

    def write(self, run: str, event: Event) -> None:
        """An event that is there already."""
        self._journal.append(topic_of(run), event, self._redactor).receipt.result(5)

    def start(self, run: str, cwd: str, prompt: str = "") -> None:
        """A session begins."""
        self.note(
            run, lambda at: RunStarted(at, "claude", cwd, "startup", model="claude-sonnet-4-5")
        )
        if prompt:
            self.note(run, lambda at: PromptGiven(at, prompt))

    def ask(
        self,
        run: str,
        tool: str,
        what: str,
        verdict: Verdict | None = None,
        *,
        asked: bool = False,
        after: float = 3.0,
    ) -> int:
        """An agent wants to do something; the number of the step."""
        step = self._steps[run] = self._steps.get(run, 0) + 1
        key = "command" if tool == "Bash" else "file_path"
        action = Action(tool, {key: what}, "/home/ada/shop", id=f"toolu_{step}")
        verdict = verdict or Verdict(Decision.ALLOW)
        event = review_of(action, verdict)
        self.note(
            run,
            lambda at: ActionReviewed(at, step, what, action, event, verdict, asked=asked),
            after,
        )
        return step

    def end(self, run: str, outcome: Outcome | None = None, after: float = 1.0) -> None:
        """The last step of a run has ended."""
        step = self._steps[run]
        self.note(run, lambda at: ActionEnded(at, step, outcome or Outcome(True)), after)

    def do(self, run: str, tool: str, what: str, ms: float = 0.0, *, fails: str = "") -> None:
        """An action that is allowed, and ends."""
        self.ask(run, tool, what)
        code = 1 if fails else 0
        outcome = Outcome(not fails, code, "", fails, duration_ms=ms)
        self.end(run, outcome, after=ms / 1000)


def review_of(action: Action, verdict: Verdict) -> Review:
    """A review that leads to a verdict."""
    risky = verdict.decision is not Decision.ALLOW
    text = str(action.input.get("command", ""))
    return Review(
        verdict.decision,
        Risk(0.97 if risky else 0.05, Severity.CRITICAL if risky else Severity.NONE)
        if not risky
        else Risk(
            0.97, Severity.CRITICAL, (RiskFactor("delete", 0.8), RiskFactor("outside scope", 0.3))
        ),
        Rationality(0.6, 0.6, 0.6, 1.0, 1.0),
        (Effect(Kind.DELETE, "/srv/app/data/*", Severity.CRITICAL, Undo.IMPOSSIBLE),)
        if risky
        else (),
        (RuleHit("prevent_recursive_deletion", verdict.decision, verdict.reason),) if risky else (),
        (verdict.reason,) if verdict.reason else (),
        verdict.alternative,
        steps=(CommandStep(text, "deletes /srv/app/data/*", blamed=True),)
        if risky and text
        else (),
    )


STOPPED = Verdict(
    Decision.BLOCK,
    "Recursive deletion outside the scope that cannot be undone.",
    "List first: ls -la /srv/app/data",
)
CHANGED = Verdict(
    Decision.MODIFY,
    changes=("notes/ is moved to the trash instead of being deleted",),
    updated_input={"command": "handrail-trash notes"},
    restore="handrail restore k1",
)
FAILURE = "Exit code 1\nImportError: no module named cart"


def write_sample(store: Store, now: float = NOON) -> SampleLog:
    """Five runs, of which the last event is some minutes old."""
    book = SampleLog(store, now)
    for write, minutes in ((_old, 180), (_notes, 40), (_api, 30), (_docs, 20), (_shop, 3.4)):
        book.now = now - 60 * minutes
        write(book)
    book.now = now
    return book


def _old(book: SampleLog) -> None:
    book.start(OLD, "/home/ada/old", "say hello")
    book.do(OLD, "Bash", "echo hello")
    book.note(OLD, lambda at: RunEnded(at, "prompt_input_exit"), 5)


def _notes(book: SampleLog) -> None:
    book.start(NOTES, "/home/ada/notes", "tidy up the notes of last week\nand the week before")
    book.do(NOTES, "Read", "/home/ada/notes/todo.md")
    book.note(NOTES, lambda at: IterationEnded(at, "All notes are sorted by day now."), 60)


def _api(book: SampleLog) -> None:
    book.start(API, "/home/ada/api")
    book.note(API, lambda at: LoopBegun(at, "fixture clean-up", 10, model="claude-sonnet-4-5"))
    book.note(API, lambda at: IterationBegun(at, 4))
    book.note(API, lambda at: UsageMeasured(at, 90_000, 1.1))
    book.do(API, "Edit", "/home/ada/api/tests/fixtures.py")
    pause = ControlCommand.PAUSE
    reason = "fixing the fixture first"
    book.note(
        API, lambda at: ControlAsked(at, "q1", pause, Standing.PAUSING, "ada", reason), 18 * 60 - 70
    )
    book.note(API, lambda at: ActionHeld(at, "toolu_9", "Bash pytest -q"), 2)
    book.note(
        API,
        lambda at: ControlAnswered(
            at, "q1", pause, Standing.PAUSED, True, "Loop paused at iteration 4", ("step 1",)
        ),
    )


def _docs(book: SampleLog) -> None:
    book.start(DOCS, "/home/ada/docs")
    book.note(DOCS, lambda at: LoopBegun(at, "release 2.3", 10, model="claude-haiku-4-5-20251001"))
    book.note(DOCS, lambda at: IterationBegun(at, 1))
    book.note(DOCS, lambda at: UsageMeasured(at, 9_000, 0.08))
    book.do(DOCS, "Bash", "make html", 2100)
    book.note(DOCS, lambda at: FindingMade(at, 1, FINDING))
    stop = Intervention(
        "i1", InterventionName.EMERGENCY_STOP, FINDING, 1, incident="2026-11-15-docs"
    )
    book.note(DOCS, lambda at: Intervened(at, stop))


def _shop(book: SampleLog) -> None:
    book.start(SHOP, "/home/ada/shop")
    goal = "fix the cart total"
    book.note(
        SHOP,
        lambda at: LoopBegun(at, goal, 10, model="claude-sonnet-4-5-20250929", verify="pytest -q"),
    )
    book.note(SHOP, lambda at: IterationBegun(at, 1))
    book.do(SHOP, "Read", "/home/ada/shop/README.md")
    book.do(SHOP, "Bash", "pytest -q", 1200, fails=FAILURE)
    book.note(
        SHOP,
        lambda at: CheckpointTaken(
            at, Checkpoint("c7", SHOP, 2, "f00d", at, "before rm -rf build notes/")
        ),
    )
    book.ask(SHOP, "Bash", "rm -rf build notes/", CHANGED)
    book.end(SHOP)
    book.do(SHOP, "Bash", "pytest -q", 1300, fails=FAILURE)
    book.ask(SHOP, "Bash", "cd /srv/app && rm -rf ./data/*", STOPPED)
    book.do(SHOP, "Bash", "pytest -q", 1200, fails=FAILURE)
    book.note(SHOP, lambda at: FindingMade(at, 6, FINDING))
    told = "cart.py has moved to shop/cart.py: import it from there."
    book.note(
        SHOP,
        lambda at: Intervened(
            at, Intervention("i1", InterventionName.SOFT_CORRECTION, FINDING, 6, guidance=told)
        ),
    )
    book.note(SHOP, lambda at: IterationEnded(at, "I have fixed the import."), 4)
    book.note(
        SHOP,
        lambda at: Verified(
            at, 1, "pytest -q", ok=False, says="exit code 1\n1 failed, 11 passed", ms=1400
        ),
    )
    book.note(SHOP, lambda at: IterationBegun(at, 2))
    book.note(SHOP, lambda at: UsageMeasured(at, 42_000, 0.42))
    book.do(SHOP, "Edit", "/home/ada/shop/src/cart.py")
    book.ask(SHOP, "Bash", "grep -rn cart src")


@contextmanager
def sample_log(folder: Path, now: float = NOON) -> Iterator[SampleLog]:
    """The log in a file, open for more."""
    with closing(SqliteStore(folder / "events.db", clock=lambda: now)) as store:
        yield write_sample(store, now)
