"""How a few changed files differ from the last checkpoint, read from the files themselves.

Git would read them into its store, then be asked about all files, and then write the checkpoint.
So the checkpoint is written from what is read here, and what git remembers is renewed beside it.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from time import time_ns

import msgspec

from handrail.checkpoint.caps import File
from handrail.checkpoint.committing import ABSENT, Difference
from handrail.checkpoint.content import Content, content_of
from handrail.config.checkpoints import MEGABYTE

MOST_FILES = 500
_MOST_BYTES = 8 * MEGABYTE
_TICK_NS = 15_000_000
"""For as long a file may change again without looking changed: kernels count time in steps."""
_COARSE_NS = 1_000
"""Some file systems count whole seconds: what they say of a moment is nothing to go by."""

Look = tuple[int, int, int, int]
"""Place, size, and the times of its last changes."""


class Direct(msgspec.Struct, frozen=True):
    """What was read."""

    changes: tuple[Difference, ...] = ()
    looks: Mapping[str, Look] = {}
    """How the files looked before they were read."""
    gone: tuple[str, ...] = ()
    began_ns: int = 0

    @property
    def paths(self) -> list[str]:
        """All that git has to look at."""
        return [*self.gone, *self.looks]

    def is_still(self, work_tree: str) -> bool:
        """Whether git, which has read the files since, has certainly read the same."""
        top = os.open(work_tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return not any(_look_of(path, top) for path in self.gone) and all(
                _look_of(path, top) == look and self._tells_change(look[-1])
                for path, look in self.looks.items()
            )
        finally:
            os.close(top)

    def _tells_change(self, changed_ns: int) -> bool:
        return changed_ns < self.began_ns - _TICK_NS and changed_ns % _COARSE_NS != 0


def read_directly(
    top: int, files: Sequence[File], gone: Iterable[str], held: Mapping[str, Content]
) -> Direct | None:
    """Read changed and new files below an open folder; None: they are too many, or one moves.

    `held`: what the index holds, which was all that the last checkpoint holds.
    """
    if len(files) > MOST_FILES or sum(file.size for file in files) > _MOST_BYTES:
        return None
    gone = tuple(gone)
    changes = [Difference(os.fsencode(path), ABSENT, b"") for path in gone]
    looks: dict[str, Look] = {}
    began_ns = time_ns()
    for file in files:
        pieces: list[bytes] = []
        look = _look_of(file.path, top)
        content = content_of(file.path, top, pieces.append)
        if look is None or content is None:
            return None
        looks[file.path] = look
        if content != held.get(file.path):
            names = (os.fsencode(file.path), content.mode.encode(), content.blob.encode())
            changes.append(Difference(*names, b"".join(pieces)))
    return Direct(tuple(changes), looks, gone, began_ns)


def _look_of(path: str, top: int) -> Look | None:
    try:
        found = os.stat(path, dir_fd=top, follow_symlinks=False)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
