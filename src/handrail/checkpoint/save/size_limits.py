"""Limits the size of one checkpoint, and chooses the files to leave out."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

import msgspec

from handrail.checkpoint.files import folders_above
from handrail.checkpoint.record import LeftOut
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

_LEAST_FREE = 500 * MEGABYTE
_LEAST_SHARE = 0.02
DISK_FULL = "the disk is nearly full"


class CandidateFile(msgspec.Struct, frozen=True):
    """A file or link that can be taken in."""

    path: str
    size: int
    mode: int
    changed_ns: int = 0
    """When it, or its permissions, were last changed."""
    link: tuple[int, int] | None = None
    """Inode and number of names of a file with several names."""


class SelectedFiles(msgspec.Struct, frozen=True):
    """The files to save, in this order, and the others."""

    files: list[CandidateFile]
    left_out: list[LeftOut]


_size = attrgetter("size")


def too_large(settings: Settings) -> str:
    """Why a file that is larger than the limit is left out."""
    return f"larger than {settings.max_file_mb} MB"


def within_limits(
    changed: Sequence[CandidateFile],
    new: Sequence[CandidateFile],
    known: Callable[[], Iterable[str]],
    settings: Settings,
    store: str,
) -> SelectedFiles:
    """Choose changed files, then new ones, from small to large, as far as there is room.

    `known`: gives the paths in the index; only a folder without any is left out as a whole.
    """
    left_out: list[LeftOut] = []
    if len(new) > settings.max_files:
        new, left_out = _fewer(new, settings.max_files, known())
    files = [*sorted(changed, key=_size), *sorted(new, key=_size)]
    most = settings.max_mb * MEGABYTE
    room = _room(store)
    full = DISK_FULL if room < most else f"more than {settings.max_mb} MB at once"
    most = min(most, room)
    taken: list[CandidateFile] = []
    for file in files:
        if file.size <= most:
            most -= file.size
            taken.append(file)
        else:
            left_out.append(LeftOut(file.path, full))
    return SelectedFiles(taken, left_out)


def _room(store: str) -> int:
    """How many bytes the file system of the store may still take."""
    found = os.statvfs(store)
    least = min(_LEAST_FREE, int(found.f_blocks * found.f_frsize * _LEAST_SHARE))
    return found.f_bavail * found.f_frsize - least


def _fewer(
    new: Sequence[CandidateFile], most: int, known: Iterable[str]
) -> tuple[list[CandidateFile], list[LeftOut]]:
    why = f"more than {most} new files at once"
    crowded = _crowded([file.path for file in new], most, known)
    kept = [file for file in new if not crowded.intersection(folders_above(file.path))]
    kept.sort(key=_size)
    left_out = [LeftOut(folder, why) for folder in crowded]
    left_out += [LeftOut(file.path, why) for file in kept[most:]]
    return kept[:most], left_out


def _crowded(paths: Sequence[str], most: int, known: Iterable[str]) -> set[str]:
    """The folders with the most new files, until the rest are few enough."""
    counts = Counter(folder for path in paths for folder in folders_above(path))
    used = {folder for path in known for folder in folders_above(path)}
    within: dict[str, list[str]] = {}
    tops = []
    for folder in counts:
        above = next(folders_above(folder.rstrip("/")), "")
        within.setdefault(above, []).append(folder)
        if folder not in used and (not above or above in used):
            tops.append(folder)
    tops.sort(key=lambda folder: counts[folder])
    excess = len(paths) - most
    chosen: set[str] = set()
    while excess > 0 and tops:
        folder = _narrowed(tops.pop(), counts, within, excess)
        chosen.add(folder)
        excess -= counts[folder]
    return chosen


def _narrowed(folder: str, counts: Counter[str], within: dict[str, list[str]], excess: int) -> str:
    """The inner folder with most of the files, if leaving that one out is enough."""
    while folder in within:
        inner = max(within[folder], key=lambda each: counts[each])
        if counts[inner] < max(excess, counts[folder] / 2):
            break
        folder = inner
    return folder
