"""Find the plugins of installed packages; skip the slow search where there are none."""

import os
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_OURS = b"[handrail."
_ABOUT_PACKAGE = (".dist-info", ".egg-info")


def find_entry_points(*groups: str) -> "list[EntryPoint]":
    """Return the entry points of these groups, in the order of their names."""
    if not _has_plugins():
        return []
    # Imported here: it takes longer than a review.
    from importlib.metadata import entry_points  # noqa: PLC0415

    found = [point for group in groups for point in entry_points(group=group)]
    return sorted(found, key=lambda point: point.name)


def _has_plugins() -> bool:
    """Return False only if no installed package can have plugins for Handrail."""
    others = (finder for finder in sys.meta_path if finder is not PathFinder)
    if any(hasattr(finder, "find_distributions") for finder in others):
        return True
    return any(map(_holds_plugins, sys.path))


def _holds_plugins(folder: str) -> bool:
    try:
        with os.scandir(folder or ".") as entries:
            return any(
                _names_us(entry.path) for entry in entries if entry.name.endswith(_ABOUT_PACKAGE)
            )
    except NotADirectoryError:
        return True  # an archive: only importlib can look into it
    except OSError:
        return False


def _names_us(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            return _OURS in file.read()
    except OSError:
        return False
