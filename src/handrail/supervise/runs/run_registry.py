"""All runs of a daemon: read from the log, kept while in use, dropped when idle."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from time import time

from handrail.config import ConfigError
from handrail.config.sources import PipelineSafety
from handrail.intervene import Capability
from handrail.model.event import ActionHeld, FaultNoted
from handrail.model.finding import Finding
from handrail.store.errors import StoreError
from handrail.store.journal import Journal
from handrail.supervise.decision.checkpoint_request import CheckpointPlanner
from handrail.supervise.decision.verdict import OnFault
from handrail.supervise.followup.corrections import stop_events
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
"""Seconds that a log may take to answer before the registry reads its run again."""


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
        """`can`: the capabilities of a host; `planner`: takes checkpoints; `delivered`: records
        that the agent got a person's message."""
        self.journal = journal
        self.projects = projects
        self.bus = EventBus()
        """Tells subscribers of every event of every run."""
        self.announce: Callable[[RunState], str] = lambda state: ""
        """Returns the notice for a person at the start of a run, or with the next prompt."""
        self.own_problem: Callable[[], str] = lambda: ""
        """Returns the reason why Handrail itself is not whole, or ""."""
        self._can = can
        self.planner = planner
        self.delivered = delivered
        self._clock = clock
        self._kept: OrderedDict[str, Supervisor] = OrderedDict()
        """Ended runs first, then the least recently used ones."""
        self._said: dict[str, set[str]] = {}
        """The faults announced to each run; kept apart, because a fault ends a supervisor."""

    def get(self, run: str, cwd: str) -> Supervisor:
        """Return the supervisor of a run; an unknown run begins in `cwd`."""
        kept = self._kept.get(run)
        if kept is not None and kept.log.lost is None:
            self._kept.move_to_end(run)
            kept.follow(self.projects.at(kept.state.cwd or cwd))
            return kept
        if kept is not None:
            # The state would lack events that are still on their way to the log.
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
            own_problem=self.own_problem,
            clock=self._clock,
        )
        self._let_go()
        self._kept[run] = supervisor
        self._kept.move_to_end(run)
        if state.course.acting is not None:
            # Begun under the last daemon, and finished now.
            self.bus.publish(supervisor, state.course.acting)
        if lost:
            supervisor.record(
                FaultNoted(self._clock(), "log", "events of this run could not be written")
            )
        elif supervisor.project.newer is not None and state.phase != "ended":
            supervisor.note_newer()
        return supervisor

    def find(self, run: str) -> Supervisor | None:
        """Return the supervisor of a run; None if the run is unknown."""
        if run in self._kept or self.journal.store.read(topic_of(run), 0, 1):
            return self.get(run, "/")
        return None

    def fleet_state(self, run: str) -> RunState | None:
        """Return the state of a fleet's run while it goes on; None: there is none."""
        try:
            found = self.find(run) if run else None
        except StoreError:
            return None
        return found.state if found is not None and found.state.active else None

    def kept_state(self, run: str) -> RunState | None:
        """Return the known state of a run without the log, which may lack events; None: unknown."""
        kept = self._kept.get(run)
        return None if kept is None else kept.state

    def bare(self, run: str, cwd: str) -> Supervisor:
        """Return a supervisor without a past, for an unreadable log: it only has settings."""
        kept = self._kept.get(run)
        folder = (kept.state.cwd if kept is not None else "") or cwd
        state = WatchedState(run, cwd=folder)
        project = self._project(kept, state, folder)
        return Supervisor(state, project, self.journal, said=self._told(run))

    def on_fault(self, run: str) -> OnFault:
        """Return a run's policy for faults of Handrail, as far as it is known at once.

        Any thread may call it: the supervision thread may be the one that failed.
        """
        kept = self._kept.get(run)
        return "deny" if kept is None else kept.project.on_fault

    def renew(self, run: str, cwd: str = "", pid: int = 0) -> None:
        """Note a new start of a session in a process: the settings on the disk hold from now on.

        If an agent started it in its own project, the agent's settings hold too: it may have
        brought in laxer ones itself.
        """
        kept = self._kept.get(run)
        folder = kept.state.cwd or cwd if kept is not None else ""
        if kept is None or not folder:
            return
        now = self._under_pipeline(kept.state, self.projects.look_again_at(folder))
        agent = self._agent_above(pid, folder)
        kept.project = now if agent is None else agent.project.under_way(now)

    def renew_if_confirmed(self, run: str, pid: int = 0) -> None:
        """A person gives a prompt: settings on the disk that a person has confirmed hold now."""
        kept = self._kept.get(run)
        if kept is None or not kept.state.cwd:
            return
        kept.follow(self.projects.look_again_at(kept.state.cwd))
        newer = kept.project.newer
        if newer is None or not newer.confirmed:
            return
        self.renew(run, pid=pid)
        if kept.project.newer is None:
            kept.note_settings()

    def _under_pipeline(self, state: RunState, now: Project) -> Project:
        """Return the project of a run with the settings of its pipeline, if it has any."""
        loop = state.loop
        if loop is None or not loop.safety:
            return now
        own = PipelineSafety(loop.safety, loop.safety_file)
        try:
            return self.projects.under_pipeline(state.cwd, own)
        except ConfigError:  # a file that they name has gone: those of the start still hold
            return self._kept[state.run].project

    def _agent_above(self, pid: int, folder: str) -> Supervisor | None:
        """Return the run whose agent started a process to work in the same project."""
        above = ProcessAncestry(pid)
        for kept in self._kept.values():
            state = kept.state
            is_above = above.has(state.pid, state.pid_at, state.pid_began)
            if is_above and is_in_project(folder, state.cwd):
                return kept
        return None

    def _neighbour(self, state: RunState, since: float) -> str:
        """Return another run that has changed files in the same work tree since a time, or ""."""
        try:
            for other in self.since(since):
                is_other = other.run != state.run and _has_written(other, since)
                if is_other and _share_tree(state.cwd, other.cwd):
                    return other.run
        except StoreError:
            return "unknown"
        return ""

    def stop(self, run: str, finding: Finding) -> str:
        """Stop a run because of something that no detector could see; the incident."""
        kept = self.get(run, "/")
        state, can = kept.state, self._can(kept.state.host)
        for event in stop_events(state, kept.project, can, self._clock(), self._neighbour, finding):
            kept.record(event)
        return state.course.stopped

    def since(self, moment: float) -> Iterator[RunState]:
        """Yield the states of all runs with events since a time, kept or not."""
        for topic in self.journal.store.topics(RUNS):
            run = run_of(topic.name)
            if topic.changed >= moment:
                kept = self._kept.get(run)
                yield load_state(self.journal, run) if kept is None else kept.state

    def _project(self, kept: Supervisor | None, state: RunState, cwd: str) -> Project:
        """Return the first settings of a run, and those on the disk if they forbid more."""
        folder = state.cwd or cwd
        now = self.projects.at(folder)
        if kept is not None:
            return kept.project.under_way(now)
        if state.settings is None:
            return now
        return self.projects.begun(folder, state.settings).under_way(now)

    def _told(self, run: str) -> set[str]:
        """Return the faults announced to a run; the memory covers as many runs as are kept."""
        said = self._said.setdefault(run, set())
        if len(self._said) > 2 * _MAX_KEPT:
            del self._said[next(other for other in self._said if other not in self._kept)]
        return said

    def end(self, run: str) -> None:
        """Drop an ended run next."""
        kept = self._kept.get(run)
        if kept is None:
            return
        kept.log.save()
        self._kept.move_to_end(run, last=False)
        self._let_go()

    def let_idle_go(self, before: float) -> None:
        """Forget the states of runs without news since a time; the log has them."""
        idle = [
            run
            for run, kept in self._kept.items()
            if kept.state.changed < before
            and kept.log.settled
            and not kept.broken
            # After another read of the log, it would act twice.
            and kept.state.course.acting is None
        ]
        for run in idle:
            self._drop(run)

    def let_held_go(self, since: float) -> None:
        """Note that nobody waits any more for actions that an earlier daemon held."""
        for state in list(self.since(since)):
            for action in list(state.hand.held):
                event = ActionHeld(self._clock(), action, "", released="the daemon was restarted")
                self.get(state.run, "/").record(event)

    def save_all(self) -> None:
        """Save the states of all runs before the daemon ends."""
        for supervisor in self._kept.values():
            supervisor.log.save()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, run: object) -> bool:
        return run in self._kept

    def __iter__(self) -> Iterator[RunState]:
        """Yield the states of all kept runs."""
        return (supervisor.state for supervisor in self._kept.values())

    def _let_go(self) -> None:
        while self._kept:
            run, oldest = next(iter(self._kept.items()))
            if len(self._kept) < _MAX_KEPT and oldest.state.phase != "ended":
                break
            if not oldest.log.settled:  # a new read would lack events on their way to the log
                break
            if oldest.state.course.acting is not None:  # it would carry out the same stop twice
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
    """Load the state of a run, with its detectors."""
    return _states.read(journal.store, run)


_states = StateReader(WatchedState)
