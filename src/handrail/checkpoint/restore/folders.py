"""Looks at the folders of a work tree, and at obstacles for a file."""

import os
import stat
from collections.abc import Collection, Iterable

from handrail.checkpoint.files import folders_above

_FILE_ABOVE = "a file is in the place of its folder"
_FULL_FOLDER = "a folder with other files is in its place"


class WorkTreeFolders:
    """Folders on the disk; each path is looked at once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._kinds: dict[str, int] = {}
        self._writable: dict[str, bool] = {}

    def nearest(self, path: str) -> str:
        """The innermost existing folder above a path; empty: the work tree itself."""
        found = ""
        for folder in _above(path):
            if not stat.S_ISDIR(self._kind(folder)):
                break
            found = folder
        return found

    def is_writable_above(self, path: str) -> bool:
        """Whether files may be made and deleted in the innermost existing folder above a path."""
        folder = os.path.join(self._root, self.nearest(path))
        if folder not in self._writable:
            self._writable[folder] = os.access(folder, os.W_OK | os.X_OK, effective_ids=True)
        return self._writable[folder]

    def missing(self, paths: Iterable[str]) -> list[str]:
        """The missing folders above these paths."""
        above = {folder for path in paths for folder in _above(path)}
        return sorted(each for each in above if not stat.S_ISDIR(self._kind(each)))

    def above(self, paths: Iterable[str]) -> list[str]:
        """Every folder above these paths, the work tree itself too."""
        return sorted({"", *(folder for path in paths for folder in _above(path))})

    def holds_file(self, path: str) -> bool:
        """Whether there is something other than a folder; beyond a link it is elsewhere."""
        if self.nearest(path) != os.path.dirname(path):
            return False
        kind = self._kind(path)
        return kind != 0 and not stat.S_ISDIR(kind)

    def in_the_way(self, path: str, going: Collection[str]) -> str | None:
        """The obstacle for a file once others are deleted; None: there is none."""
        for folder in _above(path):
            kind = self._kind(folder)
            if not kind:
                return None
            if not stat.S_ISDIR(kind):
                return None if folder in going else _FILE_ABOVE
        if stat.S_ISDIR(self._kind(path)) and not self._becomes_empty(path, going):
            return _FULL_FOLDER
        return None

    def _becomes_empty(self, folder: str, going: Collection[str]) -> bool:
        for above, inner, names in os.walk(os.path.join(self._root, folder)):
            beside = os.path.relpath(above, self._root)
            links = [name for name in inner if os.path.islink(os.path.join(above, name))]
            if any(os.path.join(beside, name) not in going for name in (*names, *links)):
                return False
        return True

    def _kind(self, path: str) -> int:
        if path not in self._kinds:
            self._kinds[path] = self._look(path)
        return self._kinds[path]

    def _look(self, path: str) -> int:
        """How the system calls its kind; 0: there is nothing."""
        try:
            return os.lstat(os.path.join(self._root, path)).st_mode
        except OSError:
            return 0


def _above(path: str) -> list[str]:
    return [folder[:-1] for folder in folders_above(path)][::-1]
