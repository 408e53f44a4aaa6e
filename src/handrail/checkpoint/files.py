"""Small files and scratch folders of the checkpoint store, and the names of folders."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import msgspec

T = TypeVar("T")


def work_tree_key(work_tree: str) -> str:
    """A short name for a work tree, the same each time."""
    return hashlib.sha256(os.fsencode(work_tree)).hexdigest()[:16]


def folders_above(path: str) -> Iterator[str]:
    """The folders above a relative path, the nearest first, each with a slash at its end."""
    end = path.rfind("/")
    while end > 0:
        yield path[: end + 1]
        end = path.rfind("/", 0, end)


@contextmanager
def open_folder(path: str) -> Iterator[int]:
    """Open a folder, so that paths below it may be longer than absolute ones can be."""
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield opened
    finally:
        os.close(opened)


def replace_file(path: str, data: bytes, *, durable: bool = False) -> None:
    """Replace a file as a whole; `durable`: wait until the disk has it. The caller is alone."""
    fresh = f"{path}.new"
    with open(fresh, "wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    os.replace(fresh, path)
    if durable:
        with open_folder(os.path.dirname(path)) as folder:
            os.fsync(folder)


def read_json(path: str, kind: type[T]) -> T | None:
    """Read a small file; None where it is missing or damaged."""
    try:
        with open(path, "rb") as file:
            return msgspec.json.decode(file.read(), type=kind)
    except (OSError, ValueError):
        return None


def unlink_all(paths: Iterable[str]) -> None:
    """Remove files that may be gone already."""
    for path in paths:
        with suppress(FileNotFoundError):
            os.unlink(path)


@contextmanager
def scratch_folder(beside: str, name: str) -> Iterator[str]:
    """An empty folder beside another path; the next process sweeps it if this one is killed."""
    folder = os.path.join(os.path.dirname(beside), name)
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder, 0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
