"""Reads a few changed files directly, so that a checkpoint needs one git process.

Git itself would read them into its store, compare all files, and then write the checkpoint. Its
index is refreshed at the same time.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from time import time_ns

import msgspec

from handrail.checkpoint.files import folders_above, open_folder
from handrail.checkpoint.git.commit import ABSENT, IndexChange
from handrail.checkpoint.git.file_content import FileContent, file_content
from handrail.checkpoint.save.file_signature import Look, file_signature
from handrail.checkpoint.save.size_limits import CandidateFile
from handrail.config.checkpoints import MEGABYTE

MOST_FILES = 500
_MOST_BYTES = 8 * MEGABYTE
_TICK_NS = 15_000_000
"""For as long a file may change again without looking changed: kernels count time in steps."""
_COARSE_NS = 1_000
"""Some file systems count whole seconds: their times say too little."""

_TOP = "."


class FastChanges(msgspec.Struct, frozen=True):
    """The changes that were read."""

    changes: tuple[IndexChange, ...] = ()
    paths: tuple[str, ...] = ()
    """The paths that git has to look at."""
    looks: Mapping[str, Look | None] = {}
    """How these looked before they were read, and the folders above them: a file that comes and
    goes, or a folder that is moved, leaves a mark there. None: it was not there."""
    began_ns: int = 0
    """When they were looked at; 0: one had changed just before."""

    def is_still(self, work_tree: str) -> bool:
        """Whether git has certainly read the same content since."""
        with open_folder(work_tree) as top:
            return all(
                file_signature(path, top) == look and self._tells_change(look)
                for path, look in self.looks.items()
            )

    def _tells_change(self, look: Look | None) -> bool:
        if look is None:
            return True
        changed_ns = look[-1]
        return changed_ns < self.began_ns - _TICK_NS and changed_ns % _COARSE_NS != 0


def read_fast_changes(
    top: int, files: Sequence[CandidateFile], gone: Iterable[str], held: Mapping[str, FileContent]
) -> FastChanges | None:
    """Read changed and new files below an open folder; None: too many, or one changes meanwhile.

    `held`: the content in the index, which equals the last checkpoint.
    """
    if len(files) > MOST_FILES or sum(file.size for file in files) > _MOST_BYTES:
        return None
    gone = tuple(gone)
    changes = [IndexChange(os.fsencode(path), ABSENT, b"") for path in gone]
    paths = (*gone, *(file.path for file in files))
    began_ns = time_ns()
    folders = {folder.rstrip("/") for path in paths for folder in folders_above(path)}
    looks = {path: file_signature(path, top) for path in (*paths, *folders, _TOP)}
    looks |= dict.fromkeys(gone)  # one that is there again is not as it was
    for file in files:
        pieces: list[bytes] = []
        look = looks[file.path]
        content = file_content(file.path, top, pieces.append)
        if look is None or content is None:
            return None
        if look[-1] != file.changed_ns:
            began_ns = 0
        if content != held.get(file.path):
            names = (os.fsencode(file.path), content.mode.encode(), content.blob.encode())
            changes.append(IndexChange(*names, b"".join(pieces)))
    return FastChanges(tuple(changes), paths, looks, began_ns)
