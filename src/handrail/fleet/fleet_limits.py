"""The limits of a whole fleet: the free space on its disks, and its budget."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from handrail.config.fleet import Fleet
from handrail.fleet.budget import fleet_budget
from handrail.fleet.disk_space import check_disks, free_megabytes
from handrail.fleet.engine.fleet_state import FleetState


class LimitLevel(IntEnum):
    """What a fleet does about its limits; a higher one is worse. The numbers are a DiskLevel's."""

    OK = 0
    WARN = 1
    PAUSE = 2
    """No new task starts."""
    STOP = 3
    """All agents stop, and the run ends."""


class LimitReport(NamedTuple):
    """The limit that matters most now."""

    level: LimitLevel
    says: str = ""


NO_LIMIT = LimitReport(LimitLevel.OK)


class FleetLimits:
    """Looks at the disks and the costs of a fleet."""

    def __init__(
        self,
        settings: Fleet,
        folders: Sequence[Path],
        free: Callable[[Path], float | None] = free_megabytes,
    ) -> None:
        """`folders`: those that a fleet writes to."""
        self._settings = settings
        self._folders = folders
        self._free = free

    def check(self, state: FleetState) -> LimitReport:
        """Return the limit that matters most."""
        budget = fleet_budget(
            (each.cost_usd for each in state.tasks.values()), self._settings.budget_usd
        )
        if budget.is_spent:
            says = f"{budget.says}: the budget of the fleet is spent (fleet.budget_usd)"
            return LimitReport(LimitLevel.STOP, says)
        disk = check_disks(self._folders, self._settings.disk, self._free)
        return LimitReport(LimitLevel(disk.level), disk.says)
