"""The log of a fleet as it may be at noon: tasks in every state."""

import msgspec

from handrail.fleet.engine import events
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    FleetEvent,
    Lease,
    TaskWorkspace,
)
from handrail.fleet.engine.state_loading import topic_of
from handrail.fleet.tasks.task import Task
from handrail.store.port import NewEntry, Store

FLEET = "shop-1a2b3c4d"


class FleetLog:
    """Writes the events of a fleet that a test tells about."""

    def __init__(self, store: Store, now: float, fleet: str = FLEET) -> None:
        self.store = store
        self.now = now
        self.fleet = fleet

    def write(self, *written: FleetEvent) -> None:
        """Write events."""
        self.write_raw(*map(msgspec.json.encode, written))

    def write_raw(self, *bodies: bytes) -> None:
        """Write whatever it is."""
        topic = topic_of(self.fleet)
        self.store.append([NewEntry(topic, body) for body in bodies]).result(5)

    def add(self, *tasks: str) -> None:
        """Submit tasks."""
        made = (Task(id=name, prompt=f"Do {name} well") for name in tasks)
        self.write(*(events.TaskSubmitted(self.now, each, "ada") for each in made))

    def claim(self, task: str, slot: int = 1, attempt: int = 1, run: str = "") -> None:
        """An agent takes a task, in a workspace."""
        workspace = TaskWorkspace(f"/w/trees/{task}", f"handrail/{task}", "f00")
        self.write(
            events.TaskClaimed(self.now, task, Lease(owner="s", attempt=attempt, slot=slot)),
            events.WorkspaceReady(self.now, task, attempt, workspace),
            events.DriverStarted(self.now, task, attempt, run or f"run-{task}", 4242),
        )

    def iterate(self, task: str, iteration: int, attempt: int = 1, cost: float = 0.0) -> None:
        """An iteration ends."""
        self.write(
            events.TaskAudited(
                self.now,
                task,
                attempt,
                "iteration",
                iteration=iteration,
                files=("cart.py",),
                passed=3,
                failed=1,
                commit='f00dfeed "Fix the total"',
                cost_usd=cost,
            )
        )

    def finish(self, task: str, outcome: AttemptOutcome, says: str = "", attempt: int = 1) -> None:
        """An attempt ends with a result."""
        result = AttemptResult(outcome=outcome, says=says)
        self.write(events.AttemptFinished(self.now, task, attempt, result))


def sample_fleet(store: Store, now: float) -> FleetLog:
    """A fleet with tasks that need somebody, are at work, wait, and are done."""
    log = FleetLog(store, now - 600)
    log.add("docs", "cart", "login", "search", "ports", "broken", "later")
    log.write(
        events.TaskSubmitted(
            log.now, Task(id="release", prompt="Release it", depends_on=("cart", "docs")), "ada"
        )
    )
    log.claim("docs", 1)
    log.iterate("docs", 1, cost=0.2)
    log.finish("docs", AttemptOutcome.DONE, "all is written")
    log.write(events.MergeChanged(log.now, "docs", "merged", "main", "f00"))
    log.claim("ports", 2)
    log.finish("ports", AttemptOutcome.BLOCKED, "Which port may I use?")
    log.claim("broken", 2)
    log.finish("broken", AttemptOutcome.FAILED, "the tests fail")
    log.now = now - 60
    log.claim("cart", 1, attempt=1, run="run-cart")
    log.iterate("cart", 1, cost=0.12)
    log.iterate("cart", 2, cost=0.1)
    log.claim("login", 3)
    log.now = now
    return log
