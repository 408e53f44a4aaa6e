"""Small files and folders of the checkpoint store, and the names of their parents."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager


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
