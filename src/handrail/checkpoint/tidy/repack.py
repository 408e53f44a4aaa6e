"""Keeps the private git directory small: few packs, and no unreachable objects.

Writing a pack harms nobody, so a save does not wait for it. Objects are removed under the lock
only, so that no save can come to need them.
"""

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from handrail.checkpoint.errors import CheckpointError, GitFailedError
from handrail.checkpoint.files import unlink_all
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git, join_lines
from handrail.checkpoint.tidy import disk_space
from handrail.config.checkpoints import MEGABYTE

MAX_LOOSE = 1_000
"""More objects than this in files of their own are put into a pack."""
MAX_PACKS = 20
_OBJECT = re.compile(r"[0-9a-f]{38,62}")
_FAN_OUT = re.compile(r"[0-9a-f]{2}")
_PACK_INDEX = re.compile(r"pack-(?s:.*)\.idx")
_GROWTH = 2
"""A pack joins smaller ones if it is at most this many times their total size."""
_SPARED = 100 * MEGABYTE
"""Bytes of the disk that stay free."""
_PARTS = (".idx", ".pack", ".rev", ".bitmap", ".keep")
"""Of a pack, in the order of their removal: without the first, git does not look at the rest."""


class NoRoomError(CheckpointError):
    """The disk is too full to write packs anew."""

    def __init__(self, needed: int, free: int) -> None:
        super().__init__(f"{needed:,} bytes are needed for a while, and {free:,} are free")
        self.needed = needed
        self.free = free


class ReachableRoots(msgspec.Struct, frozen=True):
    """Everything from which an object can be needed."""

    commits: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    """Trees of the indexes: git itself looks at one only."""

    @property
    def lines(self) -> list[str]:
        """As git reads them."""
        return [*self.commits, *self.trees]

    def without(self, commits: Iterable[str]) -> "ReachableRoots":
        """The roots without some checkpoints."""
        gone = frozenset(commits)
        return ReachableRoots(tuple(each for each in self.commits if each not in gone), self.trees)


def find_roots(private: CheckpointRepository, git: Git) -> ReachableRoots:
    """The roots as they are now; the caller holds the lock."""
    commits = git.text("for-each-ref", "--format=%(objectname)").split()
    trees = [_tree_of(git.with_index(index)) for index in private.indexes()]
    return ReachableRoots(tuple(dict.fromkeys(commits)), tuple(dict.fromkeys(filter(None, trees))))


def _tree_of(git: Git) -> str:
    # Of a copy: git writes an index anew with its tree, and would have to look at the files for
    # that, which are not here. One that changed as it was saved would not be looked at again.
    copied = git.with_index(f"{git.index}.tmp")
    shutil.copyfile(git.index, copied.index)
    try:
        return copied.text("write-tree")
    except GitFailedError:
        os.unlink(git.index)  # damaged, so of no use to a save either: that makes it anew
        return ""
    finally:
        os.unlink(copied.index)


def needed_bytes(git: Git, roots: ReachableRoots) -> int:
    """Bytes of all reachable objects."""
    if not roots.lines:
        return 0
    listed = git.run("rev-list", "--objects", "--stdin", given=join_lines(roots.lines))
    names = b"".join(line.split()[0] + b"\n" for line in listed.splitlines())
    sizes = git.run("cat-file", "--batch-check=%(objectsize:disk)", "--buffer", given=names)
    return sum(int(size) for size in sizes.split() if size.isdigit())


def pack_up(git: Git) -> None:
    """Pack many loose objects, or join many small packs; nothing is lost."""
    loose = _loose(git)
    if len(loose) > MAX_LOOSE:
        _pack(git, loose)
        git.run("prune-packed", "--quiet")
    if len(packs := _packs(git)) > MAX_PACKS:
        small = _small(packs)
        _check_room(git, sum(packs[pack] for pack in small))
        _join(git, small)


def collect(private: CheckpointRepository, git: Git, seconds: float) -> None:
    """Remove unreachable objects; `seconds`: how long a save may have to wait.

    Packs everything reachable beside saves; under the lock, packs the objects of saves meanwhile;
    then removes the old packs.
    """
    _check_room(git, disk_space.used_bytes(_objects(git)))
    _pack(git, _loose(git))  # needed or not: so it goes away with the old packs
    git.run("prune-packed", "--quiet")
    old = _packs(git)
    with private.open_store(seconds) as alone:
        roots = find_roots(private, alone)
    new = _pack(git, roots.lines, "--revs")
    with private.open_store(seconds) as alone:
        new |= _pack(alone, _since(roots, find_roots(private, alone)), "--revs")
        for pack in old.keys() - new:
            _remove(git, pack)


def _since(then: ReachableRoots, now: ReachableRoots) -> list[str]:
    """Objects that became reachable since, as arguments of `rev-list`."""
    fresh = [root for root in now.lines if root not in then.lines]
    known = [f"^{commit}^{{tree}}" for commit in then.commits]
    return [*fresh, *known, *(f"^{tree}" for tree in then.trees)] if fresh else []


def _pack(git: Git, names: Sequence[str], *options: str) -> set[str]:
    """Write a pack of these; its name."""
    if not names:
        return set()
    where = os.path.join(_objects(git), "pack", "pack")
    # One thread: the person's own work goes first.
    quiet = ("--quiet", "--non-empty", "--threads=1", "--window-memory=100m", "--delta-base-offset")
    written = git.text("pack-objects", *quiet, *options, where, given=join_lines(names))
    return {f"pack-{name}" for name in written.split()}


def _join(git: Git, packs: Sequence[str]) -> None:
    names: list[str] = []
    for pack in packs:
        with open(os.path.join(_objects(git), "pack", f"{pack}.idx"), "rb") as index:
            listed = git.run("show-index", given=index.read())
        names += [line.split()[1].decode() for line in listed.splitlines()]
    new = _pack(git, names)
    for pack in packs:
        if pack not in new:
            _remove(git, pack)


def _small(packs: dict[str, int]) -> list[str]:
    """Choose packs to join, so that each object is rewritten rarely."""
    chosen: list[str] = []
    together = 0
    for pack in sorted(packs, key=packs.__getitem__):
        if len(chosen) > 1 and packs[pack] > _GROWTH * together:
            break
        chosen.append(pack)
        together += packs[pack]
    return chosen


def _check_room(git: Git, needed: int) -> None:
    free = disk_space.free_bytes(git.directory)
    if needed + _SPARED > free:
        raise NoRoomError(needed, free)


def _packs(git: Git) -> dict[str, int]:
    """The packs and their sizes."""
    folder = os.path.join(_objects(git), "pack")
    with suppress(FileNotFoundError):
        names = [name[:-4] for name in os.listdir(folder) if _PACK_INDEX.fullmatch(name)]
        return {name: os.path.getsize(os.path.join(folder, f"{name}.pack")) for name in names}
    return {}


def _remove(git: Git, pack: str) -> None:
    unlink_all(os.path.join(_objects(git), "pack", pack + part) for part in _PARTS)


def _loose(git: Git) -> list[str]:
    found: list[str] = []
    for start in filter(_FAN_OUT.fullmatch, os.listdir(_objects(git))):
        with suppress(FileNotFoundError):
            names = os.listdir(os.path.join(_objects(git), start))
            found += [start + name for name in names if _OBJECT.fullmatch(name)]
    return found


def _objects(git: Git) -> str:
    return os.path.join(git.directory, "objects")
