"""Refreshes git's index while a checkpoint of the same files is written."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from handrail.checkpoint.errors import GitError
from handrail.checkpoint.files import unlink_all
from handrail.checkpoint.git.runner import Git, end_process, join_paths
from handrail.checkpoint.save.fast_save import FastChanges
from handrail.checkpoint.save.staging import RENEW

_COMMAND = "update-index"
_NAMES_ONLY = ("--info-only", "-z", "--stdin")


@contextmanager
def refreshing_index(git: Git, direct: FastChanges | None) -> Iterator[Callable[[], bool]]:
    """Refresh the index while the block runs.

    Gives a function to call after the checkpoint: whether the index certainly holds the same.
    """
    if direct is None or not direct.paths:
        yield lambda: True
        return
    try:
        second = _SecondIndex(git, direct.paths)
    except OSError:
        yield lambda: False
        return
    try:
        yield lambda: second.take_over(direct)
    finally:
        second.close()


class _SecondIndex:
    """A second index, which holds the names of contents that only the checkpoint holds.

    So it takes the place of the first one after the checkpoint is there, or never.
    """

    def __init__(self, git: Git, paths: Sequence[str]) -> None:
        """Raises OSError where there cannot be a second one."""
        self._place = git.index
        self._git = git.with_index(f"{git.index}.new")
        os.link(self._place, self._git.index)  # git never writes into one, but a new one
        self._process = self._git.start(_COMMAND, *RENEW, *_NAMES_ONLY)
        if self._process.stdin:
            with suppress(BrokenPipeError), self._process.stdin as given:
                given.write(join_paths(paths))
            self._process.stdin = None

    def take_over(self, direct: FastChanges) -> bool:
        """Wait for it, and put it in the place of the first one, if git has read the same."""
        try:
            self._git.finish(_COMMAND, self._process)
        except GitError:
            return False
        if not direct.is_still(self._git.work_tree):
            return False
        os.replace(self._git.index, self._place)
        return True

    def close(self) -> None:
        """Give it up, unless it has taken over."""
        end_process(self._process)
        unlink_all((self._git.index, f"{self._git.index}.lock"))
