"""The fold: a machine of random calls, restarts and clocks, and the same state by replay."""

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from handrail.fleet.engine.engine import StaleAttemptError, TaskStatusError, Ticket
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    DispatchClosed,
    DispatchOpened,
    TaskReleased,
)
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import load_fleet
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.store.memory import MemoryStore
from tests.fleet.conftest import RULES, SteppedClock, worker

NAMES = st.sampled_from(["a", "b", "c"])


class FleetMachine(RuleBasedStateMachine):
    """Any order of calls: at most one attempt speaks for a task, and a result counts once."""

    tickets = Bundle("tickets")

    def __init__(self) -> None:
        super().__init__()
        self.store, self.clock = MemoryStore(), SteppedClock()
        self.folder = TemporaryDirectory()
        self.slot = 0
        self.accepted: dict[str, set[int]] = {}
        self.restart()

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule()
    def restart(self) -> None:
        loaded = load_fleet(self.store, "f", str(Path(self.folder.name)))
        self.engine = LogEngine(
            self.store, "f", loaded.state, RULES, clock=self.clock, lease_time=self.clock
        )

    @rule(name=NAMES, after=NAMES)
    def submit(self, name: str, after: str) -> None:
        depends = (after,) if after < name and after in self.engine.state().tasks else ()
        try:
            self.engine.submit([Task(id=name, prompt="p", depends_on=depends)])
        except TaskStatusError:
            assert self.engine.state().tasks[name].status is TaskStatus.ACTIVE

    @rule(target=tickets)
    def claim(self) -> Ticket:
        self.slot += 1
        claim = self.engine.claim(worker(), self.slot)
        return claim.ticket if claim else Ticket("a", -1)

    @rule(ticket=tickets)
    def renew(self, ticket: Ticket) -> None:
        known = self.engine.state().tasks.get(ticket.task)
        if known is not None:
            holds = known.status is TaskStatus.ACTIVE and known.attempt == ticket.attempt
            goes_on = "paused" if self.engine.state().closed else "held"
            assert (self.engine.renew(ticket) == goes_on) == holds

    @rule(ticket=tickets, outcome=st.sampled_from(AttemptOutcome))
    def finish(self, ticket: Ticket, outcome: AttemptOutcome) -> None:
        known = self.engine.state().tasks.get(ticket.task)
        if known is None:
            return
        try:
            self.engine.finish(ticket, AttemptResult(outcome=outcome, says=str(ticket.attempt)))
        except StaleAttemptError:
            assert known.status is not TaskStatus.ACTIVE or known.attempt != ticket.attempt
        else:
            assert known.attempt == ticket.attempt, "only the last attempt is heard"
            if outcome is AttemptOutcome.DONE:
                self.accepted.setdefault(ticket.task, set()).add(ticket.attempt)

    @rule(ticket=consumes(tickets), held=st.booleans())
    def give_back(self, ticket: Ticket, held: bool) -> None:
        if ticket.task in self.engine.state().tasks:
            with contextlib.suppress(StaleAttemptError):
                self.engine.give_back(ticket, "x", held=held)

    @rule(name=NAMES)
    def cancel_or_release(self, name: str) -> None:
        known = self.engine.state().tasks.get(name)
        if known is None or known.status is TaskStatus.DONE:
            return
        if known.status is TaskStatus.FAILED:
            self.engine.record(TaskReleased(self.clock(), name))
        else:
            self.engine.cancel(name)

    @rule(open_=st.booleans())
    def dispatch(self, open_: bool) -> None:
        at = self.clock()
        self.engine.record(DispatchOpened(at) if open_ else DispatchClosed(at))

    @rule(seconds=st.sampled_from([1.0, RULES.lease_seconds / 2, RULES.lease_seconds + 1]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def one_result_counts(self) -> None:
        assert all(len(attempts) == 1 for attempts in self.accepted.values())

    @invariant()
    def replay_gives_the_same_state(self) -> None:
        again = load_fleet(self.store, "f", self.folder.name)
        now = self.engine.state()
        for task in now.tasks.values():
            task.overdue = False  # the time decides about it, not the log
        assert again.state == now

    @invariant()
    def an_active_task_has_a_lease_and_no_other_has_one(self) -> None:
        for each in self.engine.state().tasks.values():
            assert (each.lease is not None) == (each.status is TaskStatus.ACTIVE)


FleetMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestFleet = FleetMachine.TestCase
