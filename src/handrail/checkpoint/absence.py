"""Whether a file was certainly not there when a checkpoint was taken."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence

from handrail.checkpoint.blobs import open_blobs
from handrail.checkpoint.differences import LINK, Change
from handrail.checkpoint.git import Git, join_paths
from handrail.checkpoint.record import LeftOut, Record

_HERE = "./"
"""In front of a name that would otherwise mean something to git: `:(top)x`."""
_IGNORE_FILE = ".gitignore"
_UNFINISHED = "that checkpoint was not finished, so nobody knows whether it was there"
_IGNORED = "it was ignored then, so nobody knows whether it was there"


def uncertain(
    git: Git, target: Record, paths: Sequence[str], back: Mapping[str, Change]
) -> dict[str, str]:
    """Those of the paths that may have been there, and why.

    `paths`: not in the checkpoint; `back`: by path, the way from the files now to the target.
    """
    if not paths:
        return {}
    if target.coverage.unfinished:
        return dict.fromkeys(paths, _UNFINISHED)
    found = dict.fromkeys(_ignored_then(git, paths, back), _IGNORED)
    gaps = Gaps(target.coverage.left_out)
    for path in paths:
        if (why := gaps.why(path)) is not None:
            found[path] = f"it was left out then: {why}"
    return found


class Gaps:
    """What a checkpoint does not hold, though it was there."""

    def __init__(self, those: Iterable[LeftOut]) -> None:
        self._why = {each.path: each.why for each in those}

    def why(self, path: str) -> str | None:
        """Why a path was left out, by itself or with a folder above it; None: it was not."""
        if not self._why:
            return None
        names = (path, *(f"{folder}/" for folder in _folders_above(path)))
        return next((self._why[name] for name in names if name in self._why), None)


def _ignored_then(git: Git, paths: Sequence[str], back: Mapping[str, Change]) -> set[str]:
    asked = join_paths([_HERE + path for path in paths])
    if not any(os.path.basename(path) == _IGNORE_FILE for path in back):
        return _ignored(git, asked)  # they are now as they were then
    scratch = os.path.join(os.path.dirname(git.directory), "scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    os.mkdir(scratch, 0o700)
    try:
        _write_ignore_files(git, scratch, paths, back)
        return _ignored(git.elsewhere(scratch), asked)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _ignored(git: Git, asked: bytes) -> set[str]:
    # 1: none of them.
    found = git.paths("check-ignore", "--no-index", "-z", "--stdin", given=asked, good=(0, 1))
    return {path.removeprefix(_HERE) for path in found}


def _write_ignore_files(
    git: Git, scratch: str, paths: Sequence[str], back: Mapping[str, Change]
) -> None:
    """Those that counted for the paths: where they have changed, as they were then."""
    with open_blobs(git) as copy:
        for folder in sorted({above for path in paths for above in _folders_above(path)}):
            name = os.path.join(folder, _IGNORE_FILE)
            now, then = os.path.join(git.work_tree, name), os.path.join(scratch, name)
            change = back.get(name)
            if change is None and os.path.isfile(now) and not os.path.islink(now):
                os.makedirs(os.path.dirname(then), exist_ok=True)
                shutil.copyfile(now, then)
            elif change is not None and not change.deletes and change.mode != LINK:
                os.makedirs(os.path.dirname(then), exist_ok=True)
                with open(then, "wb") as file:
                    copy(change.blob, file.write)


def _folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]
