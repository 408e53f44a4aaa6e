"""Names that settings may use for built-in detectors and interventions.

Their code stands in rooms above this one. Each file there is called after what it finds or does, so
the names of the files are enough to tell a slip from a name of the user's own.
"""

from functools import cache
from pathlib import Path
from pkgutil import iter_modules

_ROOMS = Path(__file__).parents[1]
OTHER_KINDS = "default"
"""Stands for all kinds of findings that are not listed."""


@cache
def finding_kinds() -> frozenset[str]:
    """What built-in detectors find."""
    return _files("detect/detectors") | {OTHER_KINDS}


@cache
def means() -> frozenset[str]:
    """What built-in interventions are called."""
    return _files("intervene/kinds")


def _files(folder: str) -> frozenset[str]:
    return frozenset(each.name for each in iter_modules([str(_ROOMS / folder)]))
