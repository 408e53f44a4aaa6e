"""All runs of a daemon: found in the log, kept while they are used, let go when they are idle."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from time import time

from handrail.intervene import Capability
from handrail.model.event import ActionHeld, FaultNoted
from handrail.store.errors import StoreError
from handrail.store.journal import Journal
from handrail.supervise.decision.checkpoint_request import CheckpointPlanner
from handrail.supervise.decision.verdict import OnFault
from handrail.supervise.log.event_bus import EventBus
from handrail.supervise.log.state_reader import StateReader
from handrail.supervise.log.topics import RUNS, run_of, topic_of
from handrail.supervise.runs.process_ancestry import ProcessAncestry
from handrail.supervise.runs.project import Project, Projects, is_in_project
from handrail.supervise.state.run_state import RunState
from handrail.supervise.state.watched_state import WatchedState
from handrail.supervise.supervised_run import Delivered
from handrail.supervise.supervisor import Supervisor

_MAX_KEPT = 2000
_PATIENCE = 2.0
"""Seconds that a log may take to answer before its run is read again."""


class RunRegistry:
    """Used from one thread at a time."""

    def __init__(
        self,
        journal: Journal,
        projects: Projects,
        *,
        can: Callable[[str], frozenset[Capability]] = lambda host: frozenset(),
        planner: CheckpointPlanner | None = None,
        delivered: Delivered | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        """`can`: what a host can do, by its name; `planner`: who takes checkpoints; `delivered`:
        who writes down that an agent was told what a person wants it to know."""
        self.journal = journal
        self.projects = projects
        self.bus = EventBus()
        """Tells who subscribes of every event of every run."""
        self._can = can
        self.planner = planner
        self.delivered = delivered
        self._clock = clock
        self._kept: OrderedDict[str, Supervisor] = OrderedDict()
        """The one that was not used longest comes first; before it, those that have ended."""
        self._said: dict[str, set[str]] = {}
        """Which faults each run was told of: kept apart, because a fault ends a supervisor."""

    def get(self, run: str, cwd: str) -> Supervisor:
        """The supervisor of a run; a run that nobody knows begins in `cwd`."""
        kept = self._kept.get(run)
        if kept is not None and kept.log.lost is None:
            self._kept.move_to_end(run)
            kept.follow(self.projects.at(kept.state.cwd or cwd))
            return kept
        if kept is not None:
            # What is still on its way to the log would be missing in the state.
            kept.log.settle(_PATIENCE)
        state = load_state(self.journal, run)
        state.course.watch.custom.adopt(self.projects.extensions.detectors)
        lost = kept is not None
        supervisor = Supervisor(
            state,
            self._project(kept, state, cwd),
            self.journal,
            said=self._told(run),
            distrusts_log=lost,
            can=self._can,
            bus=self.bus,
            delivered=self.delivered,
            planner=self.planner,
            current=partial(self.get, run, cwd),
            neighbour=self._neighbour,
            clock=self._clock,
        )
        self._let_go()
        self._kept[run] = supervisor
        self._kept.move_to_end(run)
        if state.course.acting is not None:
            # Begun before a daemon ended, and finished now.
            self.bus.publish(supervisor, state.course.acting)
        if lost:
            supervisor.record(
                FaultNoted(self._clock(), "log", "events of this run could not be written")
            )
        elif supervisor.project.newer is not None and state.phase != "ended":
            supervisor.note_newer()
        return supervisor

    def find(self, run: str) -> Supervisor | None:
        """The supervisor of a run; None: nobody has heard of it."""
        if run in self._kept or self.journal.store.read(topic_of(run), 0, 1):
            return self.get(run, "/")
        return None

    def kept_state(self, run: str) -> RunState | None:
        """What is known of a run without the log, which may not have all of it; None: nothing."""
        kept = self._kept.get(run)
        return None if kept is None else kept.state

    def bare(self, run: str, cwd: str) -> Supervisor:
        """A supervisor without a past, for when the log cannot be read: it only has settings."""
        kept = self._kept.get(run)
        folder = (kept.state.cwd if kept is not None else "") or cwd
        state = WatchedState(run, cwd=folder)
        project = self._project(kept, state, folder)
        return Supervisor(state, project, self.journal, said=self._told(run))

    def on_fault(self, run: str) -> OnFault:
        """What a run wants where Handrail fails, so far as that is known at once.

        May be asked in any thread: the supervision thread may be what has failed.
        """
        kept = self._kept.get(run)
        return "deny" if kept is None else kept.project.on_fault

    def renew(self, run: str, cwd: str = "", pid: int = 0) -> None:
        """A session was started anew, in a process: the settings on the disk hold from now on.

        Where an agent has started it in its own project, those hold too that the agent began
        with: it may have brought in laxer ones itself.
        """
        kept = self._kept.get(run)
        folder = kept.state.cwd or cwd if kept is not None else ""
        if kept is None or not folder:
            return
        now = self.projects.at(folder)
        agent = self._agent_above(pid, folder)
        kept.project = now if agent is None else agent.project.under_way(now)

    def _agent_above(self, pid: int, folder: str) -> Supervisor | None:
        """The run whose agent has started a process to work in the same project."""
        above = ProcessAncestry(pid)
        for kept in self._kept.values():
            state = kept.state
            is_above = above.has(state.pid, state.pid_at, state.pid_began)
            if is_above and is_in_project(folder, state.cwd):
                return kept
        return None

    def _neighbour(self, state: RunState, since: float) -> str:
        """Another run that has changed files in the same work tree since a moment; empty: none."""
        try:
            for other in self._since(since):
                is_other = other.run != state.run and _has_written(other, since)
                if is_other and _share_tree(state.cwd, other.cwd):
                    return other.run
        except StoreError:
            return "unknown"
        return ""

    def _since(self, moment: float) -> Iterator[RunState]:
        """The states of all runs that have gone on since a moment, kept or not."""
        for topic in self.journal.store.topics(RUNS):
            run = run_of(topic.name)
            if topic.changed >= moment:
                kept = self._kept.get(run)
                yield load_state(self.journal, run) if kept is None else kept.state

    def _project(self, kept: Supervisor | None, state: RunState, cwd: str) -> Project:
        """The settings that a run began with, and those on the disk where they forbid more."""
        folder = state.cwd or cwd
        now = self.projects.at(folder)
        if kept is not None:
            return kept.project.under_way(now)
        if state.settings is None:
            return now
        return self.projects.begun(folder, state.settings).under_way(now)

    def _told(self, run: str) -> set[str]:
        """The faults that a run was told of, remembered for so many runs as are kept."""
        said = self._said.setdefault(run, set())
        if len(self._said) > 2 * _MAX_KEPT:
            del self._said[next(other for other in self._said if other not in self._kept)]
        return said

    def end(self, run: str) -> None:
        """A run has ended: it is the next to be let go."""
        kept = self._kept.get(run)
        if kept is None:
            return
        kept.log.save()
        self._kept.move_to_end(run, last=False)
        self._let_go()

    def let_idle_go(self, before: float) -> None:
        """Forget the states of runs that nothing was heard of since; the log has them."""
        idle = [
            run
            for run, kept in self._kept.items()
            if kept.state.changed < before
            and kept.log.settled
            and not kept.broken
            # Read again, it would have what it does done twice.
            and kept.state.course.acting is None
        ]
        for run in idle:
            self._drop(run)

    def let_held_go(self, since: float) -> None:
        """Note that nobody waits for the actions any more that a daemon before us has held."""
        for state in list(self._since(since)):
            for action in list(state.hand.held):
                event = ActionHeld(self._clock(), action, "", released="the daemon was restarted")
                self.get(state.run, "/").record(event)

    def save_all(self) -> None:
        """Keep the states of all runs, before the daemon ends."""
        for supervisor in self._kept.values():
            supervisor.log.save()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, run: object) -> bool:
        return run in self._kept

    def __iter__(self) -> Iterator[RunState]:
        """The states of all runs that are kept."""
        return (supervisor.state for supervisor in self._kept.values())

    def _let_go(self) -> None:
        while self._kept:
            run, oldest = next(iter(self._kept.items()))
            if len(self._kept) < _MAX_KEPT and oldest.state.phase != "ended":
                break
            if not oldest.log.settled:  # read again, it would lack what is on its way to the log
                break
            if oldest.state.course.acting is not None:  # the same stop would be carried out twice
                self._kept.move_to_end(run)
                break
            self._drop(run)

    def _drop(self, run: str) -> None:
        self._kept.pop(run).log.save()
        self._said.pop(run, None)


def _has_written(state: RunState, since: float) -> bool:
    ended = any(each.changes and each.at >= since for each in state.course.lately)
    return ended or any(each.file_operations and each.let_through for each in state.open)


def _share_tree(one: str, other: str) -> bool:
    return bool(other) and (is_in_project(one, other) or is_in_project(other, one))


def load_state(journal: Journal, run: str) -> WatchedState:
    """The state of a run, with its detectors."""
    return _states.read(journal.store, run)


_states = StateReader(WatchedState)
