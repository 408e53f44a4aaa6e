"""The views of all fleets, made from their engines. What has not changed costs nothing."""

from time import time

from handrail.fleet.recovery.recovered_kinds import recovery_after
from handrail.fleet.tasks.task import OPEN
from handrail.server.fleet.open_fleets import OpenFleet, OpenFleets
from handrail.views.task_overview import FleetView, fleet_view, task_overview
from handrail.words.fleet_summary import by_urgency, recovery_lines
from handrail.words.tasks import list_tasks


class FleetViews:
    """Makes the view of a fleet again only after an event. Its methods block, but the last one."""

    def __init__(self, fleets: OpenFleets) -> None:
        self._fleets = fleets
        self._made: dict[str, tuple[int, FleetView]] = {}

    def all(self) -> list[FleetView]:
        """Return the views of all fleets: those with open tasks first, then the latest."""
        views = map(self.of, self._fleets.all())
        return sorted(views, key=lambda view: (not _is_open(view), -view.changed))

    def of(self, fleet: OpenFleet) -> FleetView:
        """Return the view of a fleet after its last event."""
        seq = fleet.engine.seq
        made = self._made.get(fleet.name)
        if made is None or made[0] != seq:
            state = fleet.engine.overview()
            lines = by_urgency(list_tasks(state, time()))
            tasks = [
                task_overview(fleet.name, state.tasks[each.task], each.words) for each in lines
            ]
            made = self._made[fleet.name] = (
                state.seq,
                fleet_view(fleet.name, state, lines, tasks, fleet.engine.folder),
            )
        return made[1]

    def recovered(self, name: str) -> tuple[str, ...]:
        """Say how a fleet was recovered at the start of the daemon; nothing if it was whole."""
        fleet = next((each for each in self._fleets.opened() if each.name == name), None)
        recovery = None if fleet is None else recovery_after(fleet.loaded)
        return () if recovery is None else tuple(recovery_lines(recovery))


def _is_open(view: FleetView) -> bool:
    return any(task.status in OPEN for task in view.tasks)
