"""Takes what has changed in a work tree into a private index."""

import os
import stat
from collections.abc import Iterable

from handrail.checkpoint.git import Git, join_paths
from handrail.checkpoint.record import LeftOut

MAX_BYTES = 50_000_000
"""A larger file is left out: builds and databases would fill the disk."""
NESTED = "a repository of its own"
TOO_LARGE = f"larger than {MAX_BYTES // 1_000_000} MB"
UNREADABLE = "it cannot be read"


class _Sorter:
    """Decides about each path: taken in, gone, or left out."""

    def __init__(self, work_tree: str) -> None:
        self.add: list[str] = []
        self.gone: list[str] = []
        self.left_out: list[LeftOut] = []
        self._work_tree = work_tree
        self._linked: dict[str, bool] = {}

    def take(self, path: str) -> None:
        """Decide about a path."""
        if path.endswith("/"):
            self.left_out.append(LeftOut(path, NESTED))
            return
        full = os.path.join(self._work_tree, path)
        try:
            found = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            self.gone.append(path)
            return
        except OSError:
            self.left_out.append(LeftOut(path, UNREADABLE))
            return
        if self._is_beyond_link(path):
            self.gone.append(path)
        elif stat.S_ISLNK(found.st_mode):
            self.add.append(path)
        elif not stat.S_ISREG(found.st_mode):
            self.gone.append(path)  # a folder or a pipe is in its place
        elif found.st_size > MAX_BYTES:
            self.left_out.append(LeftOut(path, TOO_LARGE))
        elif not os.access(full, os.R_OK):
            self.left_out.append(LeftOut(path, UNREADABLE))
        else:
            self.add.append(path)

    def _is_beyond_link(self, path: str) -> bool:
        """Whether a folder above it is a link: what is seen there is somewhere else."""
        folder = os.path.join(self._work_tree, os.path.dirname(path)).rstrip("/")
        if folder not in self._linked:
            self._linked[folder] = os.path.realpath(folder) != folder
        return self._linked[folder]


def stage(git: Git, also: Iterable[str] = ()) -> tuple[LeftOut, ...]:
    """Bring the index up to date; `also`: paths that count even where they are ignored."""
    changed = git.paths("ls-files", "-z", "--modified", "--others", "--exclude-standard")
    sorter = _Sorter(git.work_tree)
    for path in sorted({*changed, *also}):
        sorter.take(path)
    if sorter.gone:
        git.run("update-index", "--force-remove", "-z", "--stdin", given=join_paths(sorter.gone))
    if sorter.add:
        git.run(
            "update-index",
            *("--add", "--remove", "--replace", "-z", "--stdin"),
            given=join_paths(sorter.add),
        )
    return tuple(sorter.left_out)
