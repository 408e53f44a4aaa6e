"""The interventions that Handrail has by itself: one file each, called after its name.

A file has an `InterventionKind`, which is found by its place here.
"""

from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pkgutil import iter_modules

from handrail.intervene.kind import InterventionKind


def _built_in() -> Iterator[InterventionKind]:
    for name in sorted(each.name for each in iter_modules(__path__)):
        module = import_module(f"{__name__}.{name}")
        found = [each for each in vars(module).values() if isinstance(each, InterventionKind)]
        if [each.name for each in found] != [name]:
            raise TypeError(f"{module.__name__} must have one InterventionKind, with that name")
        yield found[0]


KINDS = {each.name: each for each in sorted(_built_in(), key=attrgetter("strength"))}
"""By name, from the mildest to the strongest."""
