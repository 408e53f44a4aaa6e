"""Names that settings may use for built-in detectors and interventions.

Their code is in rooms above this one. Each file there is named after its finding or intervention,
so the file names are enough to tell a misspelling from a name of the user's own.
"""

from functools import cache
from pathlib import Path
from pkgutil import iter_modules

_ROOMS = Path(__file__).parents[1]
OTHER_KINDS = "default"
"""The key for all kinds of findings that are not listed."""


@cache
def finding_kinds() -> frozenset[str]:
    """Return the kinds of findings of the built-in detectors."""
    return _files("detect/detectors") | {OTHER_KINDS}


@cache
def intervention_names() -> frozenset[str]:
    """Return the names of the built-in interventions."""
    return _files("intervene/kinds")


def _files(folder: str) -> frozenset[str]:
    return frozenset(each.name for each in iter_modules([str(_ROOMS / folder)]))
