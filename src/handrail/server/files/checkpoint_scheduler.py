"""Saves the files of runs: when, in which order, and who waits for it."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Container, Mapping
from concurrent.futures import Future
from functools import partial
from time import perf_counter, time
from typing import TypeVar

import msgspec

from handrail.checkpoint import (
    CheckpointError,
    CheckpointInfo,
    CheckpointRecord,
    CheckpointStore,
    CheckpointTrigger,
    ConversationPosition,
    checkpoint_folder,
    work_tree_of,
)
from handrail.checkpoint.record import AgentState
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.model.checkpoint import Checkpoint, StateSnapshot
from handrail.model.event import CheckpointTaken, Event, FaultNoted
from handrail.review.judgment.checkpoint_cover import CheckpointCover
from handrail.server.files.time_budget import TimeBudget
from handrail.server.files.work_tree_state import (
    CHECKPOINT_SECONDS,
    TIDY_EVERY,
    SaveFailure,
    WorkTreeState,
)
from handrail.server.threads.keyed_executor import KeyedExecutor, log_failure
from handrail.supervise.decision.checkpoint_request import (
    CheckpointRequest,
    CheckpointResult,
    CheckpointUrgency,
    Save,
)
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

T = TypeVar("T")

CHECKPOINT_STEPS = 10
CODE_SECONDS = 10.0
"""How far apart they are before code that may do anything, where no agent has changed a thing."""
_SHARE, _BURST = 0.25, 5.0
"""Of the time of all cores, and seconds at once, that may go into checkpoints of which there could
be fewer: a hundred busy agents must not have a machine that does nothing else."""
_SLOW = 1.0
"""Seconds; where a checkpoint takes longer, not every change is worth one, beside those that must
be undone."""
_REST = 10
"""How many times as long as it took there is none then."""
_MAX_TROUBLES = 1000
_MAX_TREES = 1000
_GRACE = 2.0
"""Seconds over the hard limit that are waited for what must be saved: others may come first."""
_MAX_CREATED = 1000

RecordEvent = Callable[[str, Event], None]
"""Writes an event of a run; may be called in any thread."""
FindConversation = Callable[[str, str], ConversationPosition | None]
"""Where the conversation of a run with a host is."""


class CheckpointScheduler:
    """Takes checkpoints in lanes of their own. Asked in the supervision thread."""

    def __init__(
        self,
        home: str,
        environ: Mapping[str, str],
        record: RecordEvent,
        *,
        conversation: FindConversation = lambda host, run: None,
        clock: Callable[[], float] = time,
    ) -> None:
        self._home = home
        self._environ = environ
        self._record = record
        self._lanes = KeyedExecutor()
        self.restoring: set[str] = set()
        """Runs whose files are just being put back because a person wants it."""
        self._conversation = conversation
        self._clock = clock
        self._trees: dict[str, WorkTreeState] = {}
        """By the folder that a run works in."""
        self._troubles: dict[str, SaveFailure] = {}
        """The runs whose files could not be saved when it was last tried."""
        self._spending = TimeBudget(_SHARE * (os.cpu_count() or 1), _BURST)

    # Work on the files of a folder, one after the other

    def put(self, cwd: str, work: Callable[[], T]) -> "Future[T]":
        """Have something done in a thread, after all that is done to the files of a folder."""
        return self._lanes.put(self._tree(cwd).folder, work)

    def do(self, cwd: str, work: Callable[[], T]) -> Awaitable[T]:
        """The same, for the event loop."""
        return asyncio.wrap_future(self.put(cwd, work))

    def settle(self) -> None:
        """Wait until everything that was begun is done."""
        self._lanes.settle()

    def close(self) -> None:
        """Finish what was begun."""
        self._lanes.close()

    # Moments, in the supervision thread

    def begin(self, supervisor: Supervisor, moment: CheckpointTrigger, why: str) -> None:
        """Save before an iteration: what differs since the last one is nobody's of ours."""
        state = supervisor.state
        self._save_soon(supervisor, moment, why)
        self._tree(state.cwd).enter(state.run)

    def rest(self, supervisor: Supervisor, why: str) -> None:
        """Save after an iteration; from here on, others change the files."""
        state = supervisor.state
        self._save_soon(supervisor, CheckpointTrigger.ITERATION_END, why)
        self.leave(state)

    def leave(self, state: RunState) -> None:
        """A run does not work any more."""
        tree = self._tree(state.cwd)
        tree.working.discard(state.run)
        tree.touched.discard(state.run)

    def after_action(self, supervisor: Supervisor, step: int, at: float) -> None:
        """Save after an action that was saved for, and now and then."""
        state = supervisor.state
        tree = self._tree(state.cwd)
        if state.phase == "working":  # a daemon that has just started does not know yet
            tree.enter(state.run)
        waiting = tree.before.get(state.run)
        if waiting is not None and waiting[0] <= step:
            del tree.before[state.run]
            why = f"after {waiting[1].removeprefix('before ')}"
            self._save_soon(supervisor, CheckpointTrigger.AFTER_ACTION, why)
            return
        last = state.course.checkpoints[-1] if state.course.checkpoints else None
        # The clock may have been set back since.
        is_due = last is None or (
            step - last.step >= CHECKPOINT_STEPS and abs(at - last.at) >= CHECKPOINT_SECONDS
        )
        if is_due and not self._lanes.is_busy(tree.folder) and self._may_save(state.run):
            self._save_soon(supervisor, CheckpointTrigger.PERIODIC, f"after step {step}")

    def after_task(self, supervisor: Supervisor) -> None:
        """Save after so many completed tasks."""
        every = supervisor.project.config.checkpoints.every_tasks
        done = sum(state == "done" for state in supervisor.state.tasks.values())
        if every and done and done % every == 0:
            self._save_soon(supervisor, CheckpointTrigger.TASKS, f"after {done} tasks")

    def save_for(
        self, supervisor: Supervisor, why: str, name: str = ""
    ) -> Future[CheckpointRecord]:
        """Save because a person wants something of a run; raises CheckpointError in the end."""
        state, settings = supervisor.state, supervisor.project.config.checkpoints
        about = self._about(state, CheckpointTrigger.REQUEST, why)
        about = msgspec.structs.replace(about, name=name)
        return self.put(state.cwd, self._job(state.cwd, about, settings))

    def plan(self, request: CheckpointRequest, state: RunState, settings: Settings) -> Save | None:
        """How the files are saved before an action; None: there is nothing to wait for."""
        if not settings.enabled:
            return None
        saves = self._is_due(request)
        tree = self._tree(request.cwd)
        tree.dirty = True
        if not saves and not self._lanes.is_busy(tree.folder):
            return None
        about = self._about(state, CheckpointTrigger.BEFORE_ACTION, request.why) if saves else None
        return partial(self._save_first, request, about, settings)

    def _is_due(self, request: CheckpointRequest) -> bool:
        """Whether a checkpoint is taken before an action."""
        if request.need is CheckpointUrgency.QUIET or request.need is CheckpointUrgency.MUST:
            return request.need is CheckpointUrgency.MUST
        if not self._may_save(request.run):
            return False
        tree = self._tree(request.cwd)
        since = abs(self._clock() - tree.saved)
        if request.need is CheckpointUrgency.CHANGE:
            return tree.took < _SLOW or since >= tree.took * _REST
        return tree.dirty or since >= CODE_SECONDS

    def _may_save(self, run: str) -> bool:
        """Whether there is time for a checkpoint that need not be, and it did not just fail."""
        trouble = self._troubles.get(run)
        is_troubled = trouble is not None and not trouble.is_over(self._clock())
        return not is_troubled and not self._spending.is_over()

    def ended(self, state: RunState) -> None:
        """A run has ended."""
        self.leave(state)
        self._tree(state.cwd).noted.pop(state.run, None)
        self._troubles.pop(state.run, None)

    def _about(self, state: RunState, moment: CheckpointTrigger, why: str) -> CheckpointInfo:
        """What belongs to a checkpoint of a run beside the files."""
        by = set(self._tree(state.cwd).touched)
        if moment not in _BEGINNINGS:  # a daemon that has just started does not know yet
            by.add(state.run)
        created = tuple(sorted(state.history.created))[:_MAX_CREATED]
        return CheckpointInfo(
            moment,
            why,
            run=state.run,
            step=state.step,
            by=tuple(sorted(by)),
            conversation=self._conversation(state.host, state.run),
            case_states=dict(state.tasks) or {state.run: "active"},
            state_snapshot=StateSnapshot(
                state.history.goal, state.last_prompt, created, dict(state.tasks)
            ),
            agent_states=(AgentState(state.run, state.run, state.prompts),),
        )

    def worked(self, cwd: str) -> tuple[str, ...]:
        """The runs that worked in a folder's work tree since the last checkpoint."""
        return tuple(sorted(self._tree(cwd).touched))

    def checkpoints(self, cwd: str, settings: Settings | None = None) -> CheckpointStore:
        """The checkpoints of the work tree that holds a folder."""
        tree = self._tree(cwd)
        return CheckpointStore(
            tree.folder, tree.path, settings or Settings(), self._environ, self._clock
        )

    # Waiting, in the event loop

    async def _save_first(
        self, request: CheckpointRequest, about: CheckpointInfo | None, settings: Settings
    ) -> CheckpointResult:
        """Save what is there before an action runs; waits as long as that needs it.

        `about`: None: only what is under way is waited for.
        """
        tree = self._tree(request.cwd)
        if about is None:
            work = self.put(request.cwd, CheckpointResult)
        else:
            tree.before[request.run] = request.step + 1, request.why
            job = self._job(request.cwd, about, settings)
            work = self.put(request.cwd, lambda: self._first(request, job))
        must = request.need is CheckpointUrgency.MUST
        patience = settings.hard_seconds + _GRACE if must else settings.soft_seconds
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(work)), patience)
        except TimeoutError:
            tree.passed += not must
            return CheckpointResult(problem=f"it was not done after {patience:g} s")

    # Called in a lane

    def _first(
        self, request: CheckpointRequest, save: Callable[[], CheckpointRecord]
    ) -> CheckpointResult:
        try:
            record = save()
            targets = request.targets
            uncovered = self.checkpoints(request.cwd).uncovered(targets) if targets else ()
        except (CheckpointError, OSError) as error:
            self._note_trouble(request.run, str(error))
            return CheckpointResult(problem=str(error))
        kept = CheckpointCover(record.work_tree, record.coverage.complete, uncovered)
        return CheckpointResult(record.id, kept)

    def _job(
        self, cwd: str, about: CheckpointInfo, settings: Settings, known: Container[str] = ()
    ) -> Callable[[], CheckpointRecord]:
        """What saves the files; asked for when it is decided, and done in a lane."""
        is_late = self._tree(cwd).watch()
        return lambda: self._save(cwd, about, settings, known, is_late)

    def _save(
        self,
        cwd: str,
        about: CheckpointInfo,
        settings: Settings,
        known: Container[str],
        is_late: Callable[[], bool],
    ) -> CheckpointRecord:
        """Save the files; `known`: commits that the run was told of."""
        tree, checkpoints = self._tree(cwd), self.checkpoints(cwd, settings)
        began = perf_counter()
        tree.dirty = False
        saved = checkpoints.save(about, is_late=is_late)
        took = round((perf_counter() - began) * 1000, 3)
        self._spending.spend(took / 1000)
        record, at = saved.record, self._clock()
        tree.saved, tree.took = at, took / 1000
        tree.touched = set(tree.working)
        self._troubles.pop(about.run, None)
        is_news = tree.noted.get(about.run) != record.git_commit
        tree.noted[about.run] = record.git_commit
        if saved.is_new or (is_news and record.git_commit not in known):
            taken = Checkpoint(record.id, about.run, about.step, record.git_commit, at, about.why)
            partial = not record.coverage.complete
            self._record(about.run, CheckpointTaken(at, taken, record.files, took, partial))
        if saved.is_new:
            self.count(cwd, checkpoints, about.run)
        return record

    def count(self, cwd: str, checkpoints: CheckpointStore, run: str = "") -> None:
        """Tidy up after so many new checkpoints; a problem is told to the run that took it."""
        tree = self._tree(cwd)
        tree.new += 1
        if tree.new < TIDY_EVERY:
            return
        tree.new = 0

        def work() -> None:
            problem = checkpoints.tidy().problem
            if not run:  # the next one that is told hears of it
                return
            if problem and problem != tree.problem:
                self._record(run, FaultNoted(self._clock(), "checkpoint", problem))
            tree.problem = problem

        self._lanes.put(f"{tree.folder} tidy", work).add_done_callback(log_failure)

    def _tree(self, cwd: str) -> WorkTreeState:
        tree = self._trees.get(cwd)
        if tree is None:
            if len(self._trees) >= _MAX_TREES:
                del self._trees[next(iter(self._trees))]
            path = work_tree_of(cwd, self._environ)
            folder = checkpoint_folder(self._home, path)
            same = (each for each in self._trees.values() if each.folder == folder)
            tree = next((each for each in same if each.path == path), None) or WorkTreeState(
                path, folder
            )
            self._trees[cwd] = tree
        return tree

    def _save_soon(self, supervisor: Supervisor, moment: CheckpointTrigger, why: str) -> None:
        settings = supervisor.project.config.checkpoints
        if not settings.enabled:
            return
        state = supervisor.state
        known = {each.commit for each in state.course.checkpoints}
        save = self._job(state.cwd, self._about(state, moment, why), settings, known)
        run = state.run

        def work() -> None:
            try:
                save()
            except (CheckpointError, OSError) as error:
                self._note_trouble(run, str(error))

        self.put(state.cwd, work).add_done_callback(log_failure)

    def _note_trouble(self, run: str, says: str) -> None:
        """Remember why the files could not be saved, and write it down if it is news."""
        before = self._troubles.pop(run, None)
        self._troubles[run] = SaveFailure(self._clock(), says, before.times + 1 if before else 1)
        if len(self._troubles) > _MAX_TROUBLES:
            del self._troubles[next(iter(self._troubles))]
        if before is None or before.says != says:
            self._record(run, FaultNoted(self._clock(), "checkpoint", says))


_BEGINNINGS = frozenset({CheckpointTrigger.PROMPT, CheckpointTrigger.UNATTENDED})
"""Moments at which a run has not worked yet."""
