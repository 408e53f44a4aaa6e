"""Follow the fleets in the log, for the screen. What has not changed costs nothing."""

from collections.abc import Iterable, Sequence

import msgspec

from handrail.fleet.engine.events import TaskEvent, TaskSubmitted, event_decoder
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.state_loading import TOPIC, load_fleet
from handrail.fleet.runs_of_tasks import RunsOfTasks
from handrail.store.port import Store, StoredEntry
from handrail.views.task_overview import FleetView, TaskOverview, fleet_view, task_overview
from handrail.words.fleet_summary import by_urgency, has_open_tasks
from handrail.words.tasks import TaskLine, list_tasks

_LATELY = 60 * 60
"""Seconds that a fleet stays on the screen after its last event, if nothing is left to do."""


class FleetFeed:
    """Keeps the state of every fleet, and makes views of those that have changed."""

    def __init__(self) -> None:
        self._fleets: dict[str, _FollowedFleet] = {}
        self._views: tuple[FleetView, ...] = ()
        self._runs: RunsOfTasks | None = None

    def begin(self, store: Store) -> None:
        """Read all fleets anew."""
        self._fleets.clear()
        self._runs = None
        for topic in store.topics(TOPIC):
            self._load(store, topic.name)

    def take_in(self, store: Store, entries: Iterable[StoredEntry]) -> None:
        """Apply new entries of the log; those of other topics are passed over."""
        for stored in entries:
            if not stored.topic.startswith(TOPIC):
                continue
            self._runs = None
            followed = self._fleets.get(stored.topic)
            if followed is None or not followed.apply(stored):
                self._load(store, stored.topic)

    def views(self, now: float) -> tuple[FleetView, ...]:
        """Return the fleets to show; the same object while nothing has changed."""
        shown = [each.view(now) for each in self._fleets.values() if each.is_shown(now)]
        views = tuple(sorted(shown, key=lambda view: view.name))
        if not _are_same(views, self._views):
            self._views = views
        return self._views

    @property
    def runs(self) -> RunsOfTasks:
        """Return the tasks by their last run."""
        if self._runs is None:
            self._runs = RunsOfTasks(task for each in self._fleets.values() for task in each.tasks)
        return self._runs

    def _load(self, store: Store, topic: str) -> None:
        name = topic.removeprefix(TOPIC)
        self._fleets[topic] = _FollowedFleet(name, load_fleet(store, name, "").state)


class _FollowedFleet:
    """One fleet; its view is made again only after an event."""

    def __init__(self, name: str, state: FleetState) -> None:
        self._name = name
        self._state = state
        self._known: dict[str, TaskOverview] = {}
        self._touched = set(state.tasks)
        self._view: FleetView | None = None
        self._has_open = False

    @property
    def tasks(self) -> Iterable[TaskState]:
        """Return its tasks."""
        return self._state.tasks.values()

    def apply(self, stored: StoredEntry) -> bool:
        """Apply an entry; return False if the fleet must be read again."""
        if stored.seq <= self._state.seq:
            return True
        if stored.seq > self._state.seq + 1:
            return False
        try:
            event = event_decoder.decode(stored.body)
        except (msgspec.DecodeError, RecursionError):
            return False
        self._state.apply(event)
        match event:
            case TaskEvent():
                self._touched.add(event.task)
            case TaskSubmitted():
                self._touched.add(event.task.id)
            case _:
                self._touched.update(self._state.tasks)
        self._view = None
        return True

    def is_shown(self, now: float) -> bool:
        """Return whether something is left to do, or something has happened lately."""
        self.view(now)
        return self._has_open or (bool(self._known) and now - self._state.changed < _LATELY)

    def view(self, now: float) -> FleetView:
        """Return the view after the last event."""
        if self._view is None:
            lines = by_urgency(list_tasks(self._state, now))
            self._has_open = has_open_tasks(self._state, lines)
            self._view = fleet_view(self._name, self._state, lines, self._overviews(lines))
            self._touched.clear()
        return self._view

    def _overviews(self, lines: Sequence[TaskLine]) -> list[TaskOverview]:
        """Make the overviews of tasks that have changed, and keep those of the others."""
        for line in lines:
            known = self._known.get(line.task)
            if known is None or line.task in self._touched or known.words != line.words:
                state = self._state.tasks[line.task]
                self._known[line.task] = task_overview(self._name, state, line.words)
        return [self._known[line.task] for line in lines]


def _are_same(views: tuple[FleetView, ...], others: tuple[FleetView, ...]) -> bool:
    return len(views) == len(others) and all(
        one is other for one, other in zip(views, others, strict=True)
    )
