"""All runs of a daemon: found in the log, kept while they are used, let go when they are idle."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from time import time

import msgspec

from handrail.model.event import FaultNoted
from handrail.store.errors import DamagedError
from handrail.store.journal import Journal
from handrail.supervise.project import Projects
from handrail.supervise.state import RunState
from handrail.supervise.supervisor import Supervisor, topic_of

_MAX_KEPT = 2000
_decoder = msgspec.json.Decoder(RunState)


class Runs:
    """Used from one thread at a time."""

    def __init__(
        self, journal: Journal, projects: Projects, *, clock: Callable[[], float] = time
    ) -> None:
        self.journal = journal
        self.projects = projects
        self._clock = clock
        self._kept: OrderedDict[str, Supervisor] = OrderedDict()
        self._said: dict[str, set[str]] = {}
        """Which faults each run was told of: kept apart, because a fault ends a supervisor."""

    def get(self, run: str, cwd: str) -> Supervisor:
        """The supervisor of a run; a run that nobody knows begins in `cwd`."""
        kept = self._kept.get(run)
        if kept is not None and not kept.broken:
            self._kept.move_to_end(run)
            kept.project = self.projects.at(kept.state.cwd or cwd)
            return kept
        said = self._said.setdefault(run, set())
        lost = kept is not None
        state = load_state(self.journal, run)
        supervisor = Supervisor(
            state, self.projects.at(state.cwd or cwd), self.journal, said=said, clock=self._clock
        )
        self._kept[run] = supervisor
        if lost:
            supervisor.record(
                FaultNoted(self._clock(), "log", "events of this run could not be written")
            )
        self._let_go()
        return supervisor

    def bare(self, run: str, cwd: str) -> Supervisor:
        """A supervisor without a past, for when the log cannot be read: it only has settings."""
        said = self._said.setdefault(run, set())
        return Supervisor(RunState(run), self.projects.at(cwd), self.journal, said=said)

    def end(self, run: str) -> None:
        """Let go of a run that has ended."""
        kept = self._kept.pop(run, None)
        self._said.pop(run, None)
        if kept is not None and not kept.broken:
            kept.save()

    def save_all(self) -> None:
        """Keep the states of all runs, before the daemon ends."""
        for supervisor in self._kept.values():
            if not supervisor.broken:
                supervisor.save()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, run: object) -> bool:
        return run in self._kept

    def __iter__(self) -> Iterator[RunState]:
        """The states of all runs that are kept."""
        return (supervisor.state for supervisor in self._kept.values())

    def _let_go(self) -> None:
        while len(self._kept) > _MAX_KEPT:
            _, idle = self._kept.popitem(last=False)
            if not idle.broken:
                idle.save()


def load_state(journal: Journal, run: str) -> RunState:
    """The state of a run: its last snapshot, and the events since."""
    topic = topic_of(run)
    snapshot = journal.store.load_snapshot(topic)
    state = RunState(run)
    if snapshot is not None:
        try:
            state = _decoder.decode(snapshot.body)
        except msgspec.MsgspecError:
            # Made by another version: the events are the truth, and they are all there.
            state = RunState(run)
    try:
        for _, event in journal.read(topic, state.seq):
            state.apply(event)
    except msgspec.MsgspecError as error:
        raise DamagedError("", f"{topic}: {error}") from None
    return state
