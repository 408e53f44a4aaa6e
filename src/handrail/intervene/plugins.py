"""Interventions and strategies from packages of the user's own, by entry points."""

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

import msgspec

INTERVENTIONS = "handrail.interventions"
STRATEGIES = "handrail.strategies"

Plugin = Callable[..., object]


class Plugins(msgspec.Struct, frozen=True):
    """What could be loaded, by name, and what could not."""

    found: dict[str, Plugin] = {}
    problems: tuple[str, ...] = ()


@lru_cache
def load_plugins(group: str, names: frozenset[str] | None) -> Plugins:
    """The named plugins of a group, or all; a broken one is reported, and the others are there."""
    if names is not None and not names:  # looking through what is installed takes its time
        return Plugins()
    installed = {point.name: point for point in entry_points(group=group)}
    found: dict[str, Plugin] = {}
    problems = []
    for name in sorted(installed if names is None else names):
        try:
            found[name] = _load(group, name, installed.get(name))
        except Exception as error:  # noqa: BLE001 - another's code must not break a run
            problems.append(f"{group}: {name} cannot be used: {error}")
    return Plugins(found, tuple(problems))


def _load(group: str, name: str, point: EntryPoint | None) -> Plugin:
    if point is None:
        raise LookupError(f"no installed package has an entry point {name} in {group}")
    loaded: object = point.load()
    plugin: object = loaded() if isinstance(loaded, type) else loaded
    if not callable(plugin):
        raise TypeError(f"{point.value} cannot be called")
    return cast("Plugin", plugin)
