"""Which folders to watch, so that a notification tells when a named file comes or goes."""

import os
from collections.abc import Iterable, Sequence

import msgspec

from handrail.server.integrity.inotify import ARRIVALS, CONTENTS, ENTRIES


class WatchPlan(msgspec.Struct, frozen=True):
    """What to watch, and which missing folders would bring a named file."""

    masks: dict[str, int]
    """The folders, and what is watched in each."""
    awaited: dict[str, set[str]]
    """Missing folders, each with the named files below it."""


def plan_watches(named: Sequence[str], trees: Iterable[str]) -> WatchPlan:
    """Plan the watches for named files, and for folders in which every file counts."""
    plan = WatchPlan(dict.fromkeys(trees, CONTENTS), {})
    for path in named:
        folder = os.path.dirname(path)
        if os.path.isdir(folder):
            plan.masks[folder] = plan.masks.get(folder, 0) | ENTRIES
        else:
            _await(path, plan)
    return plan


def _await(path: str, plan: WatchPlan) -> None:
    """Plan to notice the first missing folder on the way to a file."""
    missing = os.path.dirname(path)
    above = os.path.dirname(missing)
    while not os.path.isdir(above) and above != missing:
        missing, above = above, os.path.dirname(above)
    plan.masks[above] = plan.masks.get(above, 0) | ARRIVALS
    plan.awaited.setdefault(missing, set()).add(path)
