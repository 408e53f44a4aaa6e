"""A process in which restores fail or are killed at a chosen change of a file.

Run as a program: what is watched is the whole process, and for good.
"""

import errno
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger, RestoreTarget, UndoLevel
from handrail.checkpoint.errors import NotRestoredError

from .conftest import CheckpointProject

_CHANGES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink"})
_JOURNALS = ("restoring-", "interrupted-")
_ENOUGH = 200
PARTS = 3
"""In which the moments of a kill are tried, beside each other."""


class FileChangeCounter:
    """Counts the changes that a restore makes to files and to its journal."""

    def __init__(self) -> None:
        self.was_reached = False
        self._left = 0
        self._goes_on = False
        self._act: Callable[[], None] = lambda: None
        sys.addaudithook(self._hear)

    def arm(self, at: int, act: Callable[[], None], *, goes_on: bool = False) -> None:
        """Do something at the n-th change, or from then on at each."""
        self.was_reached = False
        self._left, self._act, self._goes_on = at, act, goes_on

    def disarm(self) -> None:
        self._left = 0

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if not self._left or not _is_change(event, args):
            return
        if self._left > 1:
            self._left -= 1
            return
        self._left = 1 if self._goes_on else 0
        self.was_reached = True
        self._act()


def _is_change(event: str, args: tuple[object, ...]) -> bool:
    if not args or not isinstance(args[0], str | bytes):  # a pipe, say
        return False
    path = os.fsdecode(args[0])
    if event == "open":
        flags = args[2]
        is_written = isinstance(flags, int) and bool(flags & os.O_WRONLY)
        name = os.path.basename(path)
        return is_written and (not os.path.isabs(path) or name.startswith(_JOURNALS))
    if event not in _CHANGES:
        return False
    return not os.path.isabs(path) or os.path.basename(path).startswith(_JOURNALS)


class ChangedTree:
    """A tree with every kind of change, as an agent made them."""

    def __init__(self, root: Path) -> None:
        self.bench = CheckpointProject(root)
        bench = self.bench
        bench.write("changed", "1")
        bench.write("deep/gone/x", "was here")
        bench.write("file", "was a file")
        bench.write("folder/inner", "was in a folder")
        (bench.tree / "link").symlink_to("changed")
        self.before = bench.content()
        self.start = bench.save().record
        bench.write("changed", "2")
        (bench.tree / "deep/gone/x").unlink()
        (bench.tree / "deep/gone").rmdir()
        (bench.tree / "deep").rmdir()
        (bench.tree / "file").unlink()
        bench.write("file/now/a", "a folder")
        (bench.tree / "folder/inner").unlink()
        (bench.tree / "folder").rmdir()
        bench.write("folder", "a file")
        (bench.tree / "link").unlink()
        bench.write("made/new", "new")
        self.after = bench.content()

    def restore(self, to: CheckpointRecord | None = None) -> None:
        way = RestoreTarget(UndoLevel.CHECKPOINT, to or self.start)
        self.bench.checkpoints.restore(way, over=True)

    def edit(self) -> None:
        self.bench.write("changed", "just now, by hand")

    def redo(self) -> None:
        """Back to what the agent made of it."""
        self.restore(self.bench.checkpoints.find(self.undo))

    def try_to_restore(
        self, watch: FileChangeCounter, moment: int, *, goes_on: bool = False
    ) -> NotRestoredError | None:
        """Fail at a moment; without an error, everything is as it was."""
        watch.arm(moment, _fail, goes_on=goes_on)
        try:
            self.restore()
        except NotRestoredError as error:
            return error
        finally:
            watch.disarm()
        assert self.bench.content() == self.before, moment
        return None

    @property
    def undo(self) -> str:
        """The last checkpoint before a restore."""
        records = self.bench.checkpoints.newest_first()
        return next(each.id for each in records if each.moment is CheckpointTrigger.BEFORE_RESTORE)


def _fail() -> None:
    raise OSError(errno.EIO, "the disk is broken")


def moments(first: int = 1, step: int = 1) -> Iterator[int]:
    """One after the other, until it is over."""
    for moment in count(first, step):
        assert moment < _ENOUGH
        yield moment


def fails_once(scene: ChangedTree, watch: FileChangeCounter) -> None:
    """A failure at any moment changes nothing."""
    said = 0
    for moment in moments():
        error = scene.try_to_restore(watch, moment)
        if not watch.was_reached:
            break
        if error is None:  # it did not matter
            scene.redo()
            continue
        assert "nothing is changed: " in str(error), error
        assert error.undo == scene.undo
        assert scene.bench.content() == scene.after, (moment, error)
        said += 1
    assert said > 10


def fails_for_good(scene: ChangedTree, watch: FileChangeCounter) -> None:
    """A disk that breaks: it is said how to get back, and that works once it can."""
    said = 0
    for moment in moments():
        error = scene.try_to_restore(watch, moment, goes_on=True)
        if not watch.was_reached:
            break
        if error is not None and "nothing is changed: " not in str(error):
            assert f"`handrail rollback {scene.undo}`" in str(error), error
            said += 1
        scene.redo()
        assert scene.bench.content() == scene.after, moment
    assert said > 5


def killed(scene: ChangedTree, watch: FileChangeCounter, part: int) -> None:
    """Killed at any moment: the next process clears up, knows, and can go on or back."""
    noted = 0
    for moment in moments(part + 1, PARTS):
        child = os.fork()
        if not child:
            watch.arm(moment, lambda: os.kill(os.getpid(), signal.SIGKILL))
            scene.restore()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        noted += _is_cleared(scene, moment)
    assert noted
    assert scene.bench.checkpoints.interrupted() is None


def _is_cleared(scene: ChangedTree, moment: int) -> bool:
    checkpoints = scene.bench.checkpoints
    note = checkpoints.interrupted()
    undo = scene.undo
    left = [path for path in scene.bench.content() if ".handrail-" in path]
    assert not left, (moment, left)
    if note is None:
        assert scene.bench.content() in (scene.before, scene.after), moment
    else:
        assert (note.target, note.undo) == (scene.start.id, undo), moment
    if moment % 2:
        scene.restore()
        assert scene.bench.content() == scene.before, moment
    scene.restore(checkpoints.find(undo))
    assert scene.bench.content() == scene.after, moment
    assert checkpoints.interrupted() is None
    return note is not None


def edited_meanwhile(scene: ChangedTree, watch: FileChangeCounter) -> None:
    """Somebody writes to a file between its being saved and its being replaced."""
    watch.arm(3, scene.edit)
    with pytest.raises(NotRestoredError, match="changed while it was restored") as caught:
        scene.restore()
    assert caught.value.paths == ("changed",)
    assert scene.bench.content() == scene.after | {"changed": b"just now, by hand"}


def disk_full(scene: ChangedTree, watch: FileChangeCounter) -> None:
    """No file may become larger than a little."""
    bench = scene.bench
    big = bench.write("big", bytes(300_000))
    start = bench.save().record
    big.write_bytes(b"short")
    bench.write("small", "new")
    now = bench.content()
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    with pytest.raises(NotRestoredError, match="nothing is changed") as caught:
        scene.restore(start)
    assert caught.value.paths == ("big",)
    assert bench.content() == now


SCENES: dict[str, Callable[[ChangedTree, FileChangeCounter], None]] = {
    "fails once": fails_once,
    "fails for good": fails_for_good,
    "edited meanwhile": edited_meanwhile,
    "disk full": disk_full,
    **{f"killed {part}": partial(killed, part=part) for part in range(PARTS)},
}

if __name__ == "__main__":
    SCENES[sys.argv[1]](ChangedTree(Path(sys.argv[2])), FileChangeCounter())
