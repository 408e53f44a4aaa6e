"""The embedded engine: the fleet of one repository, in a topic of the event log."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from handrail.fleet.engine import events
from handrail.fleet.engine.claim_order import next_task, slot_of
from handrail.fleet.engine.dependency_check import check_dependencies
from handrail.fleet.engine.engine import (
    Claim,
    FleetEngine,
    Renewal,
    StaleAttemptError,
    TaskStatusError,
    Ticket,
    UnknownTaskError,
    Worker,
)
from handrail.fleet.engine.engine_rules import DEFAULT_RULES, EngineRules
from handrail.fleet.engine.events import AttemptEvent, AttemptResult, FleetEvent, Lease, TaskAudited
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.lease_clock import lease_clock
from handrail.fleet.engine.lease_times import LeaseTimes
from handrail.fleet.engine.state_loading import save_snapshot, topic_of
from handrail.fleet.tasks.task import OPEN, Task, TaskStatus
from handrail.store.port import NewEntry, Store

SNAPSHOT_EVERY = 200
_SHOWN_AUDIT = 5
"""The audit entries of a task in an overview."""
_WRITE_SECONDS = 10.0
_encoder = msgspec.json.Encoder()


class LogEngine(FleetEngine):
    """One lock for all calls; each call writes all its events in one transaction.

    After a start nothing expires for one lease, so a daemon that was away takes nothing from those
    who worked on meanwhile.
    """

    def __init__(
        self,
        store: Store,
        fleet: str,
        state: FleetState,
        rules: EngineRules = DEFAULT_RULES,
        *,
        clock: Callable[[], float] = time.time,
        lease_time: Callable[[], float] = lease_clock,
        keep_tasks: Callable[[FleetState], None] = lambda state: None,
    ) -> None:
        """`keep_tasks`: writes the list of tasks beside the log when it has changed."""
        self._store = store
        self._fleet = fleet
        self._state = state
        self._rules = rules
        self._clock = clock
        self._folder = ""
        self._clean: Callable[[FleetEvent], FleetEvent] = lambda event: event
        self._lock = threading.RLock()
        self._leases = LeaseTimes(lease_time, [each.task.id for each in state.active()])
        self._saved = state.seq
        self._keep_tasks = keep_tasks

    def go_by(
        self, rules: EngineRules, clean: Callable[[FleetEvent], FleetEvent], folder: str = ""
    ) -> None:
        """Use these rules from now on.

        `clean`: takes secrets out of an event; `folder`: the main work tree of the repository.
        """
        with self._lock:
            self._rules, self._clean = rules, clean
            self._folder = folder or self._folder

    def note_presence(self) -> None:
        """Say, every PRESENCE_SECONDS, that this process runs; does not block."""
        self._leases.note_presence(self._rules.lease_seconds)

    def submit(self, tasks: Sequence[Task], by: str = "") -> list[str]:
        """Add tasks, all or none; return the ids of the new ones."""
        with self._lock:
            fresh = [each for each in tasks if self._is_news(each)]
            check_dependencies(fresh, [each.task for each in self._state.tasks.values()])
            new = [each.id for each in fresh if each.id not in self._state.tasks]
            written = [events.TaskSubmitted(self._clock(), each, by) for each in fresh]
            if written and self._state.folder != self._folder:
                written[0] = msgspec.structs.replace(written[0], folder=self._folder)
            self._write(written)
            if written:
                self._keep_tasks(self._state)
            return new

    def claim(self, worker: Worker, slot: int = 0) -> Claim | None:
        """Take the next task, as its next attempt; None: nothing can be claimed now."""
        with self._lock:
            self._block_expired()
            if self._state.closed:
                return None
            if again := self._claimed_before(worker, slot):
                return again
            if self._is_slot_taken(worker, slot):
                return None  # its attempt was heard of again, since somebody looked
            lost = [each for each in self._state.active() if self._is_expired(each)]
            chosen = next_task(self._state, lost, slot)
            if chosen is None:
                return None
            before, at, name = chosen.lease, self._clock(), chosen.task.id
            lease = Lease(
                owner=worker.owner,
                attempt=chosen.attempt + 1,
                slot=slot,
                host=worker.host,
                boot=worker.boot,
                pid=worker.pid,
                pid_began=worker.pid_began,
            )
            claimed: list[FleetEvent] = [events.TaskClaimed(at, name, lease)]
            if before is not None:
                claimed.insert(0, events.LeaseExpired(at, name, before.attempt, _silent(before)))
            self._write(claimed)
            self._leases.hear(name)
            return self._claim_of(self._state.tasks[name])

    def renew(self, ticket: Ticket) -> Renewal:
        """Say that an attempt is alive; its lease counts from now."""
        with self._lock:
            task = self._task(ticket.task)
            if task.status is TaskStatus.ACTIVE and task.attempt == ticket.attempt:
                self._leases.hear(ticket.task)
                return "paused" if self._state.closed else "held"
            cancelled = task.status is TaskStatus.FAILED and task.attempt == ticket.attempt
            return "cancelled" if cancelled and task.result is None else "lost"

    def note(self, event: AttemptEvent) -> None:
        """Record an event of an attempt under way. Raises StaleAttemptError."""
        with self._fenced(Ticket(event.task, event.attempt), "an entry"):
            self._write([event])  # type: ignore[list-item]  # all its kinds are fleet events

    def finish(self, ticket: Ticket, result: AttemptResult) -> None:
        """Hand in the result of an attempt; twice is once. Raises StaleAttemptError."""
        with self._lock:
            task = self._task(ticket.task)
            if task.attempt == ticket.attempt and task.result == result:
                return  # the answer to the first call was lost
            with self._fenced(ticket, f"a result ({result.outcome.value})", result.commit):
                finished = events.AttemptFinished(
                    self._clock(),
                    ticket.task,
                    ticket.attempt,
                    result,
                    again=self._is_tried_again(task, result),
                )
                self._write([finished])

    def give_back(
        self, ticket: Ticket, says: str, *, by: str = "", held: bool = False, counts: bool = True
    ) -> None:
        """End an attempt without a result. Raises StaleAttemptError."""
        with self._fenced(ticket, "a task given back"):
            at = self._clock()
            written: list[FleetEvent] = [
                events.TaskGivenBack(
                    at, ticket.task, ticket.attempt, says, by=by, held=held, counts=counts
                )
            ]
            tries, most = self._task(ticket.task).tries + 1, self._rules.max_tries
            if counts and most and tries >= most:
                why = f"{tries} attempts were lost; the last one: {says}"
                written.append(events.TaskBlocked(at, ticket.task, why))
            self._write(written)

    def cancel(self, task: str, by: str = "", says: str = "") -> None:
        """Give up a task; whoever works on it hears that when it renews."""
        with self._lock:
            known = self._task(task)
            if known.status not in OPEN:
                raise TaskStatusError(task, known.status, "there is nothing left to cancel")
            self._write([events.TaskCancelled(self._clock(), task, by, says)])

    def record(self, event: FleetEvent) -> None:
        """Record a decision of a person, who need no ticket."""
        with self._lock:
            if isinstance(event, events.TaskEvent):
                self._task(event.task)
            self._write([event])

    def state(self) -> FleetState:
        """Return a copy of the state."""
        with self._lock:
            return self._with_overdue(_decode_state(_encoder.encode(self._state)))

    def look_at(self, task: str) -> TaskState:
        """Return a copy of one task."""
        with self._lock:
            return _copy(self._task(task))

    def overview(self) -> FleetState:
        """Return a copy with only the last audit entries of each task."""
        with self._lock:
            tasks = {
                name: msgspec.structs.replace(each, audit=each.audit[-_SHOWN_AUDIT:])
                for name, each in self._state.tasks.items()
            }
            return self._with_overdue(msgspec.structs.replace(self._state, tasks=tasks))

    def _with_overdue(self, copy: FleetState) -> FleetState:
        """Mark the tasks whose process was not heard of: the time decides about it, not the log."""
        for task in self.expired():
            copy.tasks[task.task.id].overdue = True
        return copy

    def expired(self) -> list[TaskState]:
        """Return the active tasks whose process was not heard of for longer than a lease."""
        with self._lock:
            return [each for each in self._state.active() if self._is_expired(each)]

    def alive(self) -> list[TaskState]:
        """Return the active tasks whose process was heard of within a lease, since the start."""
        with self._lock:
            active = (each for each in self._state.active() if self._leases.was_heard(each.task.id))
            return [each for each in active if not self._is_expired(each)]

    def copy_of(self, task: str) -> TaskState:
        """Return a copy of one task with its history. Raises UnknownTaskError."""
        with self._lock:
            return _copy(self._task(task))

    # Without the lock: what a reader sees may change the next moment, as any answer may

    @property
    def run(self) -> str:
        """Return the run that stands for the whole fleet, or ""."""
        return self._state.run

    @property
    def folder(self) -> str:
        """Return the main work tree of the repository, or "" if nobody has said it."""
        return self._folder or self._state.folder

    @property
    def seq(self) -> int:
        """Return the number of the last event."""
        return self._state.seq

    @property
    def closed(self) -> bool:
        """Return whether dispatch is closed."""
        return self._state.closed

    @property
    def closed_by(self) -> tuple[str, str]:
        """Return who closed dispatch, and why."""
        return self._state.closed_by, self._state.closed_says

    def has_run(self, run: str) -> bool:
        """Return whether a run is the last one of a task."""
        return any(each.run == run for each in list(self._state.tasks.values()))

    def why_not_next(self, task: str) -> str:
        """Return why no agent can take a task now, or ""."""
        known = self._state.tasks.get(task)
        if known is None:
            return f"There is no task {task!r}"
        if known.held:
            return f"{task} is held; handrail task retry {task} releases it"
        if known.status is not TaskStatus.PENDING:
            return f"{task} is {known.status.value}, not pending"
        if not self._state.is_set_free(known):
            return f"{task} waits for other tasks"
        return ""

    def has_workspace(self, task: str) -> bool:
        """Return whether a task has a worktree of its own."""
        known = self._state.tasks.get(task)
        return known is not None and known.workspace is not None

    # Inside the lock

    def _is_slot_taken(self, worker: Worker, slot: int) -> bool:
        in_slot = (each for each in self._state.active() if slot and slot_of(each) == slot)
        here = (each for each in in_slot if each.lease and each.lease.host == worker.host)
        return any(not self._is_expired(each) for each in here)

    def _claimed_before(self, worker: Worker, slot: int) -> Claim | None:
        for task in self._state.active():
            lease = task.lease
            if lease and (lease.owner, lease.slot, lease.pid) == (worker.owner, slot, worker.pid):
                self._leases.hear(task.task.id)
                return self._claim_of(task)
        return None

    def _claim_of(self, task: TaskState) -> Claim:
        others = (self._state.tasks[name] for name in task.task.depends_on)
        needs = tuple(other.result.commit for other in others if other.result)
        return Claim(
            Ticket(task.task.id, task.attempt),
            _copy(task),
            task.lost,
            tuple(commit for commit in needs if commit),
        )

    def _is_news(self, task: Task) -> bool:
        known = self._state.tasks.get(task.id)
        if known is None:
            return True
        if known.task == task:
            return False
        if known.status is not TaskStatus.ACTIVE:
            return True
        raise TaskStatusError(task.id, "active", "stop its agent before you change it")

    def _is_expired(self, task: TaskState) -> bool:
        return self._leases.is_over(task.task.id, self._rules.lease_seconds)

    def _block_expired(self) -> None:
        """Block the tasks whose attempts were lost too often."""
        most = self._rules.max_expiries
        for task in self._state.active() if most else ():
            if task.lease is not None and self._is_expired(task) and task.expiries + 1 >= most:
                at, name, attempt = self._clock(), task.task.id, task.attempt
                says = f"{most} attempts were lost; the last one: {_silent(task.lease)}"
                self._write(
                    [
                        events.LeaseExpired(at, name, attempt, _silent(task.lease)),
                        events.TaskBlocked(at, name, says),
                    ]
                )

    def _is_tried_again(self, task: TaskState, result: AttemptResult) -> bool:
        most = self._rules.max_tries
        return result.outcome is events.AttemptOutcome.FAILED and (
            not most or task.tries + 1 < most
        )

    def _task(self, name: str) -> TaskState:
        task = self._state.tasks.get(name)
        if task is None:
            raise UnknownTaskError(name)
        return task

    @contextmanager
    def _fenced(self, ticket: Ticket, what: str, commit: str = "") -> Iterator[None]:
        """Refuse the words of an attempt that is over, and leave a trace of them.

        `commit`: its work, which stays where it is.
        """
        with self._lock:
            task = self._task(ticket.task)
            if task.status is TaskStatus.ACTIVE and task.attempt == ticket.attempt:
                yield
                return
            why = f"the task is {task.status.value}, at attempt {task.attempt}"
            says = f"refused {what} of attempt {ticket.attempt}: {why}"
            at, name, attempt = self._clock(), ticket.task, ticket.attempt
            self._write([TaskAudited(at, name, attempt, "refused", says, commit=commit)])
            raise StaleAttemptError(ticket, why)

    def _write(self, written: Sequence[FleetEvent]) -> None:
        """Write events in one transaction, then take them in; all or none."""
        if not written:
            return
        clean = [self._clean(each) for each in written]
        topic = topic_of(self._fleet)
        receipt = self._store.append([NewEntry(topic, _encoder.encode(each)) for each in clean])
        receipt.result(_WRITE_SECONDS)
        for event in clean:
            self._state.apply(event)
        self._save_now_and_then()

    def _save_now_and_then(self) -> None:
        if self._state.seq - self._saved >= SNAPSHOT_EVERY:
            self._saved = self._state.seq
            save_snapshot(self._store, self._fleet, self._state)


_state_decoder = msgspec.json.Decoder(FleetState)
_task_decoder = msgspec.json.Decoder(TaskState)


def _decode_state(body: bytes) -> FleetState:
    return _state_decoder.decode(body)


def _copy(task: TaskState) -> TaskState:
    return _task_decoder.decode(_encoder.encode(task))


def _silent(lease: Lease) -> str:
    process = f"process {lease.pid}" if lease.pid else "the process"
    return f"nothing was heard of {process} of attempt {lease.attempt} for longer than its lease"
