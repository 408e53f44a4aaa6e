"""Schedules checkpoints of runs: when, in which order, and who waits for them."""

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
from handrail.checkpoint.history.repository_state import RepositoryLook, repository_look
from handrail.checkpoint.record import AgentState
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.model.checkpoint import Checkpoint, StateSnapshot
from handrail.model.event import CheckpointTaken, Event, FaultNoted
from handrail.review.judgment.checkpoint_cover import CheckpointCover
from handrail.server.files.overwrite_copies import OverwriteCopies
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
"""Seconds between two checkpoints before unknown code, if no agent has changed anything."""
_SHARE, _BURST = 0.25, 5.0
"""The share of all cores, and the seconds at once, for checkpoints that can be thinned out.

A hundred busy agents must not keep the machine busy with checkpoints alone.
"""
_SLOW = 1.0
"""Seconds; if a checkpoint takes longer, the scheduler skips optional ones for a while."""
_REST = 10
"""The length of that while, as a multiple of the time that the checkpoint took."""
_MAX_TROUBLES = 1000
_MAX_TREES = 1000
_GRACE = 2.0
"""Extra seconds beyond the hard limit for a required checkpoint, because others may come first."""
_MAX_CREATED = 1000

RecordEvent = Callable[[str, Event], None]
"""Writes an event of a run, from any thread."""
FindConversation = Callable[[str, str], ConversationPosition | None]
"""Finds the place in the conversation of a run with its host."""


class CheckpointScheduler:
    """Takes checkpoints in lanes of their own. Called in the supervision thread."""

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
        """Runs whose files a person is restoring now."""
        self._conversation = conversation
        self._clock = clock
        self._trees: dict[str, WorkTreeState] = {}
        """States by the folder that a run works in."""
        self._troubles: dict[str, SaveFailure] = {}
        """The last failed save of each run."""
        self._copies = OverwriteCopies(self._lanes, home, environ, record, clock)
        self._spending = TimeBudget(_SHARE * (os.cpu_count() or 1), _BURST)

    # Work on the files of a folder, one after the other

    def put(self, cwd: str, work: Callable[[], T]) -> "Future[T]":
        """Run a job in a thread, after all earlier jobs on the files of a folder."""
        return self._lanes.put(self._tree(cwd).folder, work)

    def do(self, cwd: str, work: Callable[[], T]) -> Awaitable[T]:
        """Run a job like `put`, and await its result in the event loop."""
        return asyncio.wrap_future(self.put(cwd, work))

    def settle(self) -> None:
        """Wait for all work under way."""
        self._lanes.settle()

    def close(self) -> None:
        """Finish the work under way."""
        self._lanes.close()

    # Moments, in the supervision thread

    def begin(self, supervisor: Supervisor, moment: CheckpointTrigger, why: str) -> None:
        """Save before an iteration: no agent made the changes since the last one."""
        state = supervisor.state
        self._save_soon(supervisor, moment, why)
        self._tree(state.cwd).enter(state.run)

    def rest(self, supervisor: Supervisor, why: str) -> None:
        """Save after an iteration: from now on, others change the files."""
        state = supervisor.state
        self._save_soon(supervisor, CheckpointTrigger.ITERATION_END, why)
        self.leave(state)

    def leave(self, state: RunState) -> None:
        """Note that a run no longer works."""
        tree = self._tree(state.cwd)
        tree.working.discard(state.run)
        tree.touched.discard(state.run)

    def after_action(self, supervisor: Supervisor, step: int, at: float) -> None:
        """Save after an action that had a checkpoint before it, and now and then."""
        state = supervisor.state
        self._copies.ended(state.run, step)
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
        """Save after every few completed tasks."""
        every = supervisor.project.config.checkpoints.every_tasks
        done = sum(state == "done" for state in supervisor.state.tasks.values())
        if every and done and done % every == 0:
            self._save_soon(supervisor, CheckpointTrigger.TASKS, f"after {done} tasks")

    def save_for(
        self, supervisor: Supervisor, why: str, name: str = ""
    ) -> Future[CheckpointRecord]:
        """Save for a person's request on a run. The result may raise CheckpointError."""
        state, settings = supervisor.state, supervisor.project.config.checkpoints
        about = self._about(state, CheckpointTrigger.REQUEST, why)
        about = msgspec.structs.replace(about, name=name)
        return self.put(state.cwd, self._job(state.cwd, about, settings))

    def plan(self, request: CheckpointRequest, state: RunState, settings: Settings) -> Save | None:
        """Return how to save the files before an action, or None if nothing has to wait."""
        tree = self._tree(request.cwd)
        files = self._copies.candidates(request, tree.path, settings.max_file_mb)
        copies = bool(files) or (request.copies is not None and request.copies.has_unseen)
        if not settings.enabled and not copies:
            return None
        saves = settings.enabled and self._is_due(request)
        waits = saves or self._lanes.is_busy(tree.folder)
        tree.dirty = True
        if not waits and not copies:
            return None
        about = None
        if saves:
            about = self._about(state, CheckpointTrigger.BEFORE_ACTION, request.describe())
        save = partial(self._save_first, request, about, settings) if waits else None
        if not copies:
            return save
        checkpoints = self.checkpoints(request.cwd, settings)
        return self._copies.before(request, files, checkpoints, save)

    def _is_due(self, request: CheckpointRequest) -> bool:
        """Return whether to take a checkpoint before an action."""
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
        """Return whether the budget allows an optional one, and the last did not just fail."""
        trouble = self._troubles.get(run)
        is_troubled = trouble is not None and not trouble.is_over(self._clock())
        return not is_troubled and not self._spending.is_over()

    def ended(self, state: RunState) -> None:
        """Note that a run has ended."""
        self.leave(state)
        self._tree(state.cwd).noted.pop(state.run, None)
        self._troubles.pop(state.run, None)

    def _about(self, state: RunState, moment: CheckpointTrigger, why: str) -> CheckpointInfo:
        """Collect the state of a run that belongs to a checkpoint."""
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
        """Return the runs that worked in a folder's work tree since the last checkpoint."""
        return tuple(sorted(self._tree(cwd).touched))

    def checkpoints(self, cwd: str, settings: Settings | None = None) -> CheckpointStore:
        """Open the checkpoints of a folder's work tree."""
        tree = self._tree(cwd)
        return CheckpointStore(
            tree.folder, tree.path, settings or Settings(), self._environ, self._clock
        )

    # Waiting, in the event loop

    async def _save_first(
        self, request: CheckpointRequest, about: CheckpointInfo | None, settings: Settings
    ) -> CheckpointResult:
        """Save the files before an action, and wait as long as the action needs.

        `about`: None means: wait only for the checkpoint under way.
        """
        tree = self._tree(request.cwd)
        if about is None:
            work = self.put(request.cwd, CheckpointResult)
        else:
            tree.before[request.run] = request.step + 1, about.why
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
        self,
        cwd: str,
        about: CheckpointInfo,
        settings: Settings,
        known: Container[str] = (),
        look: RepositoryLook | None = None,
    ) -> Callable[[], CheckpointRecord]:
        """Make the job that saves the files; a lane runs it later."""
        is_late = self._tree(cwd).watch()
        return lambda: self._save(cwd, about, settings, known, is_late, look)

    def _save(
        self,
        cwd: str,
        about: CheckpointInfo,
        settings: Settings,
        known: Container[str],
        is_late: Callable[[], bool],
        look: RepositoryLook | None,
    ) -> CheckpointRecord:
        """Save the files; `known`: commits that the run knows of."""
        tree, checkpoints = self._tree(cwd), self.checkpoints(cwd, settings)
        began = perf_counter()
        tree.dirty = False
        saved = checkpoints.save(about, is_late=is_late, look=look)
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
        """Tidy up after every few checkpoints; report a problem to the run of the last one."""
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
        # Nobody waits for it: a person may commit before it is taken.
        look = repository_look(self._tree(state.cwd).path)
        save = self._job(state.cwd, self._about(state, moment, why), settings, known, look)
        run = state.run

        def work() -> None:
            try:
                save()
            except (CheckpointError, OSError) as error:
                self._note_trouble(run, str(error))

        self.put(state.cwd, work).add_done_callback(log_failure)

    def _note_trouble(self, run: str, says: str) -> None:
        """Remember why a save failed, and record it if it is news."""
        before = self._troubles.pop(run, None)
        self._troubles[run] = SaveFailure(self._clock(), says, before.times + 1 if before else 1)
        if len(self._troubles) > _MAX_TROUBLES:
            del self._troubles[next(iter(self._troubles))]
        if before is None or before.says != says:
            self._record(run, FaultNoted(self._clock(), "checkpoint", says))


_BEGINNINGS = frozenset({CheckpointTrigger.PROMPT, CheckpointTrigger.UNATTENDED})
"""Triggers at which a run has not worked yet."""
