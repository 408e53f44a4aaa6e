"""All built-in interventions."""

from importlib import import_module
from operator import attrgetter
from pkgutil import iter_modules

from handrail.intervene import kinds
from handrail.intervene.kind import InterventionKind


def _built_in(name: str) -> InterventionKind:
    found: InterventionKind = import_module(f"{kinds.__name__}.{name}").KIND
    if found.name != name:
        raise TypeError(f"{kinds.__name__}.{name} has {found.name}; call the file so")
    return found


_FOUND = [_built_in(each.name) for each in iter_modules(kinds.__path__)]
KINDS = {each.name: each for each in sorted(_FOUND, key=attrgetter("strength"))}
"""Built-in interventions by name, from the mildest to the strongest."""
