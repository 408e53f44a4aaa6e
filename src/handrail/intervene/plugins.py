"""Load interventions and strategies from a user's own packages, by entry points."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

import msgspec

from handrail.config.entry_points import find_entry_points
from handrail.intervene import kinds
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import RunSituation
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

INTERVENTIONS = "handrail.interventions"
STRATEGIES = "handrail.strategies"

Plugin = Callable[..., object] | InterventionKind


class InterventionPlugins(msgspec.Struct, frozen=True):
    """Loaded plugins by name, and the problems with others."""

    found: dict[str, Plugin] = {}
    problems: tuple[str, ...] = ()


@lru_cache
def load_plugins(group: str, names: frozenset[str] | None) -> InterventionPlugins:
    """Load the named plugins of a group, or all; a broken one is reported."""
    if names is not None and not names:  # searching the installed packages takes time
        return InterventionPlugins()
    installed = {point.name: point for point in find_entry_points(group)}
    found: dict[str, Plugin] = {}
    problems = []
    for name in sorted(installed if names is None else names):
        try:
            found[name] = _load(group, name, installed.get(name))
        except Exception as error:  # noqa: BLE001 - another's code must not break a run
            problems.append(f"{group}: {name} cannot be used: {error}")
    return InterventionPlugins(found, tuple(problems))


def _load(group: str, name: str, point: "EntryPoint | None") -> Plugin:
    if point is None:
        raise LookupError(f"no installed package has an entry point {name} in {group}")
    loaded: object = point.load()
    plugin: object = loaded() if isinstance(loaded, type) else loaded
    if isinstance(plugin, InterventionKind) and group == INTERVENTIONS:
        return plugin
    if not callable(plugin):
        raise TypeError(f"{point.value} cannot be called")
    return cast("Plugin", plugin)


def as_kind(name: str, plugin: Plugin) -> InterventionKind:
    """Return a plugin under its name; a mere function gets the finding and the situation."""
    if isinstance(plugin, InterventionKind):
        return msgspec.structs.replace(plugin, name=name)

    def make(
        finding: Finding, at: RunSituation, _about: object, _settings: object
    ) -> InterventionDraft | None:
        made = plugin(finding, at)
        if isinstance(made, Intervention):
            return InterventionDraft(made.guidance, made.allowance, limits=made.limits)
        return cast("InterventionDraft | None", made)

    return InterventionKind(name=name, label=name.replace("_", " "), make=make)


def kind_named(name: str) -> InterventionKind | None:
    """Return the intervention with this name, built in or from a package.

    It loads no other: a reader of the log waits for every import.
    """
    built_in = f"{kinds.__name__}.{name}"
    if name.isidentifier() and find_spec(built_in) is not None:
        found: InterventionKind = import_module(built_in).KIND
        return found
    own = load_plugins(INTERVENTIONS, frozenset({name})).found.get(name)
    return own if isinstance(own, InterventionKind) else None
