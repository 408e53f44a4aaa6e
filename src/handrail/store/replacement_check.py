"""Notice that somebody deleted or replaced the files of an open log."""

import os
import time

from handrail.store.connection import file_identity

_SETTLED_NS = 3_000_000_000
"""File systems round their times, at most to 2 s: a younger change may hide a second one."""


class ReplacementCheck:
    """Compare the log's files with those that were opened, as often as wanted.

    A file comes, goes or is renamed only with a change of its folder. So the folder alone is
    looked at, as long as its last change is the one that was there when the files were compared.
    """

    def __init__(self, path: str) -> None:
        self.opened = file_identity(path)
        """The files that were opened."""
        self._path = path
        self._folder = os.path.dirname(path)
        self._compared: tuple[int, int, int] | None = None
        """The folder when the files were compared: device, inode and last change."""

    def is_replaced(self) -> bool:
        """Return whether one of the files is gone, or another one."""
        try:
            found = os.stat(self._folder)
        except FileNotFoundError:
            return True
        # Not the time of modification: that can be set back.
        folder = (found.st_dev, found.st_ino, found.st_ctime_ns)
        if folder == self._compared:
            return False
        settled = found.st_ctime_ns + _SETTLED_NS < time.time_ns()
        self._compared = folder if settled else None
        return file_identity(self._path) != self.opened
