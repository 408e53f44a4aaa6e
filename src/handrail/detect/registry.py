"""All detectors and combinations, and their descriptions."""

from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pkgutil import iter_modules
from typing import TypeGuard

from handrail.detect import detectors, tampering
from handrail.detect.combinations import Combination
from handrail.detect.description import FindingDescription
from handrail.detect.detector import Detector
from handrail.detect.plugins import load_plugins


def _built_in() -> Iterator[type[Detector] | Combination]:
    for name in sorted(each.name for each in iter_modules(detectors.__path__)):
        module = import_module(f"{detectors.__name__}.{name}")
        members: list[type[Detector] | Combination] = [
            each for each in vars(module).values() if _is_registered(each)
        ]
        if [each.kind for each in members] != [name]:
            raise TypeError(f"{module.__name__} must have one detector, of the kind {name}")
        yield members[0]


def _is_registered(value: object) -> TypeGuard[type[Detector] | Combination]:
    if isinstance(value, type):
        return issubclass(value, Detector) and value is not Detector
    return isinstance(value, Combination)


_FOUND = sorted(_built_in(), key=attrgetter("order"))
DETECTORS = tuple(each for each in _FOUND if isinstance(each, type))
COMBINATIONS = tuple(each for each in _FOUND if isinstance(each, Combination))
KINDS = (*(each.kind for each in DETECTORS), *(each.kind for each in COMBINATIONS))
"""The kinds of the built-in detectors."""
_ABOUT = {tampering.KIND: tampering.DESCRIPTION, **{each.kind: each.about for each in _FOUND}}
_UNDESCRIBED = FindingDescription()


def description_of(kind: str) -> FindingDescription:
    """Return the description of a kind: built in, from a package, or the default."""
    known = _ABOUT.get(kind)
    if known is not None:
        return known
    own = (each.about for each in load_plugins().detectors.values() if each.kind == kind)
    return next(own, _UNDESCRIBED)


def own_fittings() -> list[tuple[str, ...]]:
    """Return the fitting interventions of the detectors from packages."""
    found = (each.about.fitting for each in load_plugins().detectors.values())
    return [fitting.places for fitting in found if fitting is not None]
