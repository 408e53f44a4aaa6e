"""Removes leftovers of killed processes from a private folder.

The caller holds the lock, so nobody else is writing there.
"""

import os
import re
import shutil

from handrail.checkpoint.files import unlink_all

_UNDER_WAY = re.compile(r"(?s:.*)\.(lock|new|tmp)|fast_import_crash_\d+")
_PART_OF_PACK = re.compile(r"tmp_(?s:.*)|\.tmp-(?s:.*)")
_FAN_OUT = re.compile(r"[0-9a-f]{2}")
_OF_PACK = re.compile(r"(pack-[0-9a-f]+)\.\w+")

_COARSE = 10.0
"""Seconds by which the times of files may be wrong, on another machine's disk say."""
_SCRATCH = ("scratch", "patterns", "alone", "asking", "parts")
"""Folders that are there only for the while of one question to git."""


def sweep_locks(folder: str) -> None:
    """Remove files that would stop git: in few folders, so it can be done each time."""
    for place in (folder, os.path.join(folder, "git")):
        _remove(place, _UNDER_WAY)


def sweep_all(folder: str, since: float) -> None:
    """Remove everything that a process killed after `since` may have left, except packs."""
    directory = os.path.join(folder, "git")
    refs = (found for found, _, _ in os.walk(os.path.join(directory, "refs")))
    for place in (os.path.join(folder, "records"), *refs):
        _remove(place, _UNDER_WAY)
    for scratch in _SCRATCH:
        shutil.rmtree(os.path.join(folder, scratch), ignore_errors=True)
    for place in _entries(os.path.join(directory, "objects"), folders=True):
        name = os.path.basename(place)
        if name.startswith("tmp_"):
            shutil.rmtree(place, ignore_errors=True)
        # Thousands of objects: only where a name has come or gone since.
        elif _FAN_OUT.fullmatch(name) and os.stat(place).st_mtime >= since - _COARSE:
            _remove(place, _PART_OF_PACK)


def parts_of_packs(folder: str) -> list[str]:
    """Files of packs that were never finished, or not wholly removed."""
    found = _entries(os.path.join(folder, "git", "objects", "pack"))
    names = {os.path.basename(path): path for path in found}
    return [path for name, path in names.items() if _is_part(name, names)]


def _is_part(name: str, names: dict[str, str]) -> bool:
    if _PART_OF_PACK.fullmatch(name):
        return True
    pack = _OF_PACK.fullmatch(name)  # git writes the .idx last, and looks for nothing without it
    return pack is not None and f"{pack[1]}.idx" not in names


def _remove(folder: str, pattern: re.Pattern[str]) -> None:
    unlink_all(path for path in _entries(folder) if pattern.fullmatch(os.path.basename(path)))


def _entries(folder: str, *, folders: bool = False) -> list[str]:
    """The files in a folder, or the folders."""
    try:
        with os.scandir(folder) as entries:
            return [each.path for each in entries if each.is_dir(follow_symlinks=False) is folders]
    except FileNotFoundError:
        return []
