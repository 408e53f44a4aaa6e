"""Objects that are not copied yet: they are read from the store of the user's repository."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from handrail.checkpoint.errors import GitFailedError
from handrail.checkpoint.files import replace_file, scratch_folder
from handrail.checkpoint.git import index_file
from handrail.checkpoint.git.runner import Git, join_lines
from handrail.checkpoint.git.user_repository import read_text

_MISSING = b" missing"
_AS_THEY_ARE = ("--quiet", "--window=0", "--delta-base-offset", "--threads=1")
"""Git reuses the deltas that the user's repository has, and searches for no others."""
_MAX_DAMAGED = 50
_MAX_BYTES = 10_000_000
_GIVEN = ("cat-file", "--batch-check=%(objectname)", "--buffer")


def borrow(git: Git, objects: str) -> None:
    """Let git read missing objects from the user's store, and never write there."""
    lenders = _lenders(git)
    real = os.path.realpath(objects)
    if real in lenders:
        return
    os.makedirs(os.path.dirname(_place(git)), exist_ok=True)
    # As durable as the checkpoints that need it.
    replace_file(_place(git), join_lines((*lenders, real)), durable=True)


def is_borrowing(git: Git) -> bool:
    """Whether checkpoints may need the user's store."""
    return os.path.exists(_place(git))


def stop_borrowing(git: Git) -> None:
    """Stop borrowing, unless a checkpoint may need it."""
    if is_borrowing(git) and not git.run("for-each-ref", "--count=1"):
        _forget(git)


def has_lost(git: Git) -> bool:
    """Whether the user's store has lost a file of the index: it was cleaned up, or deleted."""
    if not is_borrowing(git):
        return False
    seen = _look_of(_lenders(git))
    if seen == read_text(_seen(git), _MAX_BYTES):
        return False
    try:
        entries = git.run("ls-files", "-s", "-z").split(b"\0")[:-1]
    except GitFailedError:
        return False  # whoever needs the index will hear it, too
    if _absent(git, [entry.split(b" ", 2)[1].decode() for entry in entries]):
        return True
    git.run("write-tree")  # folders that were lost can be written anew
    replace_file(_seen(git), os.fsencode(seen))
    return False


def copy_borrowed(git: Git) -> list[str]:
    """Copy borrowed objects into the private store; gives the names of lost objects.

    It only writes a pack, so a save may go on meanwhile.
    """
    needed = _needed(git)
    with _alone(git) as private:
        absent = _absent(git, needed, *private)
    lost = set(_absent(git, absent))
    return sorted([*lost, *_pack(git, [name for name in absent if name not in lost])])


def copy_and_drop(git: Git) -> bool:
    """Copy everything borrowed, check that it is complete, and stop borrowing.

    False: the user's store does not give out an object now.
    """
    if not is_borrowing(git):
        return True
    lost = copy_borrowed(git)
    with _alone(git) as private:
        still = set(_absent(git, _needed(git), *private)).difference(lost)
    if still or (lost and not all(map(os.path.isdir, _lenders(git)))):
        return False  # it may be on a disk that comes back
    if lost:  # files that are still there are taken in anew
        for index in _indexes(git):
            os.unlink(index)
    _forget(git)
    return True


def _pack(git: Git, names: list[str]) -> list[str]:
    """Write these objects into one pack, or several; gives the damaged ones."""
    pack = os.path.join(git.directory, "objects", "pack", "pack")
    damaged: list[str] = []
    waiting = [names] if names else []
    while waiting:
        batch = waiting.pop()
        half = len(batch) // 2
        try:
            git.run("pack-objects", *_AS_THEY_ARE, pack, given=join_lines(batch))
        except GitFailedError:
            if len(damaged) == _MAX_DAMAGED:
                raise
            if half:
                waiting += [batch[half:], batch[:half]]
            else:
                damaged += batch
    return damaged


def _needed(git: Git) -> list[str]:
    """The objects of all checkpoints and of all indexes."""
    listed = git.run("rev-list", "--objects", "--no-object-names", "--missing=print", "--all")
    names = dict.fromkeys(line.lstrip("?") for line in listed.decode().split())
    for index in _indexes(git):
        with suppress(OSError, index_file.UnreadableIndexError):
            names.update(dict.fromkeys(index_file.read(index).blobs()))
    return list(names)


def _absent(git: Git, names: Iterable[str], *options: str) -> list[str]:
    said = git.run(*options, *_GIVEN, given=join_lines(names))
    return [
        line.removesuffix(_MISSING).decode()
        for line in said.splitlines()
        if line.endswith(_MISSING)
    ]


@contextmanager
def _alone(git: Git) -> Iterator[tuple[str, ...]]:
    """Options that hide the borrowed objects from git."""
    with scratch_folder(git.directory, "alone") as directory:
        objects = os.path.join(directory, "objects")
        for folder in (os.path.join(directory, "refs"), objects):
            os.mkdir(folder, 0o700)
        replace_file(os.path.join(directory, "HEAD"), b"ref: refs/heads/none\n")
        for each in os.scandir(os.path.join(git.directory, "objects")):
            if each.name != "info":
                os.symlink(each.path, os.path.join(objects, each.name))
        yield (f"--git-dir={directory}",)


def _look_of(lenders: Iterable[str]) -> str:
    """A text that changes whenever objects come or go."""
    looks = []
    for lender in lenders:
        try:
            folders = sorted(os.scandir(lender), key=lambda each: each.name)
            looks += [f"{each.path} {each.stat().st_mtime_ns}" for each in folders]
        except OSError:
            looks.append(f"{lender} gone")
    return "\n".join(looks)


def _lenders(git: Git) -> list[str]:
    return read_text(_place(git), _MAX_BYTES).split("\n")[:-1]


def _indexes(git: Git) -> list[str]:
    folder = os.path.dirname(git.index)
    names = (name for name in os.listdir(folder) if name.startswith("index-") and "." not in name)
    return [os.path.join(folder, name) for name in names]


def _forget(git: Git) -> None:
    with suppress(FileNotFoundError):
        os.unlink(_place(git))


def _place(git: Git) -> str:
    return os.path.join(git.directory, "objects", "info", "alternates")


def _seen(git: Git) -> str:
    return f"{git.index}.borrowed"
