"""Which names are in folders, remembered until a folder changes.

Handrail looks for many files that are not there: a `.env.test`, a program in the first of ten
folders of PATH. A folder's own time changes with every name that comes into it or leaves it, so
one look at the folder answers for all of them.
"""

import os
from collections.abc import Callable
from time import monotonic, time_ns

_SETTLED_NS = 3_000_000_000
"""A folder that changed within this time may change again without a new time: some file systems
count in steps of two seconds."""
_TRUSTED_SECONDS = 10.0
"""Then everything is looked for again: some network file systems keep a folder's time."""
_MAX_FOLDERS = 1_000

FolderStamp = tuple[int, int, int]
"""Device, inode, and the time of the last change, which nobody can set."""


class FolderMemory:
    """Remembers names that were in a folder, and names that were not."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._known: dict[str, tuple[FolderStamp, dict[str, bool]]] = {}
        self._since = now()

    def look(self) -> "FolderLook":
        """Begin a new look at the disk."""
        now = self._now()
        if now - self._since > _TRUSTED_SECONDS or len(self._known) > _MAX_FOLDERS:
            self._known, self._since = {}, now
        return FolderLook(self._known)


class FolderLook:
    """One moment, in which each folder is looked at once at most."""

    def __init__(self, known: dict[str, tuple[FolderStamp, dict[str, bool]]]) -> None:
        self._known = known
        self._seen: dict[str, tuple[FolderStamp | None, dict[str, bool]]] = {}

    def has(self, path: str) -> bool:
        """Return whether anything is at a path, even a broken link."""
        folder, _, name = path.rpartition("/")
        stamp, names = self._names_in(folder or "/")
        if stamp is None:
            return False
        found = names.get(name)
        if found is None:
            found = names[name] = os.path.lexists(path)
        return found

    def stamp(self, folder: str) -> FolderStamp | None:
        """Return the version of a folder; None if it cannot be reached."""
        return self._names_in(folder)[0]

    def _names_in(self, folder: str) -> tuple[FolderStamp | None, dict[str, bool]]:
        seen = self._seen.get(folder)
        if seen is None:
            seen = self._seen[folder] = self._look_at(folder)
        return seen

    def _look_at(self, folder: str) -> tuple[FolderStamp | None, dict[str, bool]]:
        try:
            found = os.stat(folder)
        except (OSError, ValueError):
            return None, {}
        stamp = (found.st_dev, found.st_ino, found.st_ctime_ns)
        known = self._known.get(folder)
        if known is not None and known[0] == stamp:
            return known
        fresh: tuple[FolderStamp, dict[str, bool]] = (stamp, {})
        if time_ns() - found.st_ctime_ns > _SETTLED_NS:
            self._known[folder] = fresh
        return fresh
