"""Whether a file was certainly not there when a checkpoint was taken."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence

from handrail.checkpoint.files import folders_above, scratch_folder
from handrail.checkpoint.git.blobs import open_blobs
from handrail.checkpoint.git.excludes import ignore_digest
from handrail.checkpoint.git.file_content import LINK
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.tree_diff import TreeChange
from handrail.checkpoint.record import CheckpointRecord, LeftOut
from handrail.checkpoint.save.covered_paths import IGNORE_FILE, ignored_paths

_UNFINISHED = "that checkpoint was not finished, so nobody knows whether it was there"
_OTHER_LISTS = "git ignores other files than it did then, so nobody knows whether it was there"
_IGNORED = "it was ignored then, so nobody knows whether it was there"


def possibly_present(
    git: Git, target: CheckpointRecord, paths: Sequence[str], back: Mapping[str, TreeChange]
) -> dict[str, str]:
    """The paths that may have existed at the checkpoint, each with the reason.

    `paths`: not in the checkpoint; `back`: by path, the change from now to the target.
    """
    if not paths:
        return {}
    if target.coverage.unfinished:
        return dict.fromkeys(paths, _UNFINISHED)
    if target.ignoring != ignore_digest(git):
        return dict.fromkeys(paths, _OTHER_LISTS)
    found = dict.fromkeys(_ignored_then(git, paths, back, target.include), _IGNORED)
    gaps = CoverageGaps(target.coverage.left_out)
    for path in paths:
        if (why := gaps.why(path)) is not None:
            found[path] = f"it was left out then: {why}"
    return found


class CoverageGaps:
    """Files that a checkpoint left out although they were there."""

    def __init__(self, those: Iterable[LeftOut]) -> None:
        self._why = {each.path: each.why for each in those}

    def why(self, path: str) -> str | None:
        """Why a path was left out, by itself or with a folder above it; None: it was not."""
        names = (path, *reversed([*folders_above(path)]))
        return next((self._why[name] for name in names if name in self._why), None)


def _ignored_then(
    git: Git, paths: Sequence[str], back: Mapping[str, TreeChange], include: Sequence[str]
) -> set[str]:
    if not any(os.path.basename(path) == IGNORE_FILE for path in back):
        return ignored_paths(git, paths, include)  # the lists are now as they were then
    with scratch_folder(git.directory, "scratch") as folder:
        then = git.with_work_tree(folder)
        _write_ignore_files(then, git, paths, back)
        return ignored_paths(then, paths, include)


def _write_ignore_files(
    into: Git, git: Git, paths: Sequence[str], back: Mapping[str, TreeChange]
) -> None:
    """Write the .gitignore files above these paths as they were at the checkpoint."""
    with open_blobs(git) as copy:
        for folder in sorted({"", *(above for path in paths for above in folders_above(path))}):
            name = os.path.join(folder, IGNORE_FILE)
            now, then = os.path.join(git.work_tree, name), os.path.join(into.work_tree, name)
            change = back.get(name)
            if change is None and os.path.isfile(now) and not os.path.islink(now):
                os.makedirs(os.path.dirname(then), exist_ok=True)
                shutil.copyfile(now, then)
            elif change is not None and not change.deletes and change.mode != LINK:
                os.makedirs(os.path.dirname(then), exist_ok=True)
                with open(then, "wb") as file:
                    copy(change.blob, file.write)
