"""The private folder of a project's checkpoints: made, locked, and swept."""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from handrail.checkpoint.errors import BusyError
from handrail.checkpoint.excludes import excluded_lines, global_excludes
from handrail.checkpoint.git import ATTRIBUTES, Deadline, Git

_PAUSE = 0.02
_LEFTOVERS = re.compile(r"tmp_obj_|tmp_pack_|tmp_idx_|.*\.lock$")
"""Names of files that only a git process under way has."""


def key_of(work_tree: str) -> str:
    """A name for a work tree, the same each time."""
    return hashlib.sha256(os.fsencode(work_tree)).hexdigest()[:16]


class Private:
    """A git directory of Handrail's own, with an index for each work tree."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.directory = os.path.join(folder, "git")
        self._environ = environ
        self._global_excludes: str | None = None

    @contextmanager
    def open(self, work_tree: str, seconds: float) -> Iterator[Git]:
        """Git for a work tree, for one process at a time."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        index = os.path.join(self.folder, f"index-{key_of(work_tree)}")
        with self._locked(seconds), self._swept():
            git = Git(self.directory, index, work_tree, Deadline(seconds), self._environ)
            self._prepare(git)
            yield git

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        until = monotonic() + seconds
        file = os.open(os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if monotonic() > until:
                        raise BusyError(self.folder, seconds) from None
                    sleep(_PAUSE)
            yield
        finally:
            os.close(file)

    @contextmanager
    def _swept(self) -> Iterator[None]:
        """Remove what killed git processes left behind: whoever holds the lock is alone here."""
        busy = os.path.join(self.folder, "busy")
        self._sweep(everywhere=os.path.exists(busy))
        with open(busy, "w", encoding="ascii"):
            pass
        yield
        os.unlink(busy)  # stays if something went wrong, or this process is killed

    def _sweep(self, *, everywhere: bool) -> None:
        objects = os.path.join(self.directory, "objects")
        for folder, below, names in os.walk(self.folder):
            if folder == objects and not everywhere:
                below.clear()  # thousands of files, in which only room is lost
            for name in filter(_LEFTOVERS.match, names):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))

    def _prepare(self, git: Git) -> None:
        ready = os.path.join(self.folder, "ready")
        if not os.path.exists(ready):
            git.make()
            self._write_info("attributes", ATTRIBUTES)
            with open(ready, "w", encoding="ascii"):
                pass
        if self._global_excludes is None:
            self._global_excludes = global_excludes(git)
        git.excludes = self._global_excludes
        self._write_info("exclude", excluded_lines(git.work_tree, self.folder))

    def _write_info(self, name: str, text: str) -> None:
        folder = os.path.join(self.directory, "info")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(os.fsencode(text))
