"""Changes single files of a work tree, and never through a link that leads out of it."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from handrail.checkpoint.git.file_content import LINK, PROGRAM, FileContent, file_content

Fill = Callable[[Callable[[bytes], object]], None]
"""Gives the content of a file to a function, in pieces."""
Look = tuple[int, int, int, int, int]
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_OVER = os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_PRIVATE = 0o600
_USUAL = 0o666
_USUAL_PROGRAM = 0o777
"""The umask applies."""
_EXECUTE = 0o111
_READ = 0o444


class SafeWorkTree:
    """A work tree, opened folder by folder."""

    def __init__(self, root: str) -> None:
        self._root = root

    def write(self, path: str, mode: str, fill: Fill, permissions: int | None) -> None:
        """Make a file or a link that is not there yet; `permissions`: None: the usual ones."""
        with self._parent(path) as (folder, name):
            if mode == LINK:
                pieces: list[bytes] = []
                fill(pieces.append)
                os.symlink(b"".join(pieces), os.fsencode(name), dir_fd=folder)
                return
            usual = _USUAL_PROGRAM if mode == PROGRAM else _USUAL
            first = usual if permissions is None else _PRIVATE
            with open(os.open(name, _NEW, first, dir_fd=folder), "wb") as file:
                fill(file.write)
                if permissions is not None:
                    os.fchmod(file.fileno(), permissions)

    def put(self, fresh: str, path: str) -> None:
        """Move a file over its target; makes folders and removes empty ones in the way."""
        with self._parent(fresh) as (source, name), self._parent(path, make=True) as (folder, last):
            _remove_empty(last, folder)
            os.rename(name, last, src_dir_fd=source, dst_dir_fd=folder)

    def fill(self, fresh: str, path: str) -> None:
        """Move content and permissions into a file that keeps its other names."""
        with self._parent(fresh) as (source, name), self._parent(path) as (folder, last):
            try:
                target = os.open(last, _OVER, dir_fd=folder)
            except PermissionError:  # it is read-only: then it gets a place of its own
                os.rename(name, last, src_dir_fd=source, dst_dir_fd=folder)
                return
            opened = os.open(name, _FILE, dir_fd=source)
            with open(opened, "rb") as content, open(target, "wb") as file:
                shutil.copyfileobj(content, file)
                file.flush()
                os.fchmod(target, stat.S_IMODE(os.fstat(opened).st_mode))
            os.unlink(name, dir_fd=source)

    def delete(self, path: str) -> None:
        """Delete a file or a link, and the folders that become empty by it."""
        self.discard(path)
        folders = path.split("/")[:-1]
        while folders and self.remove_folder("/".join(folders)):
            folders.pop()

    def discard(self, path: str) -> None:
        """Delete a file or a link that may be there."""
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            self._parent(path) as (folder, name),
        ):
            os.unlink(name, dir_fd=folder)

    def remove_folder(self, path: str) -> bool:
        """Remove a folder if it is empty."""
        try:
            with self._parent(path) as (folder, name):
                os.rmdir(name, dir_fd=folder)
        except OSError:  # there is something in it
            return False
        return True

    def sync(self, path: str) -> None:
        """Make the names in a folder durable, if it still exists."""
        with suppress(OSError), self._open(path.split("/") if path else []) as folder:
            os.fsync(folder)

    def permissions(self, path: str, mode: str) -> int | None:
        """The permissions of a file, made executable or not; None: there is no file."""
        with suppress(OSError), self._parent(path) as (folder, name):
            old = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISREG(old):
                return _adapted(stat.S_IMODE(old), mode)
        return None

    def look(self, path: str) -> Look | None:
        """A signature that changes with the file or link; None: there is none."""
        with suppress(OSError), self._parent(path) as (folder, name):
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISDIR(seen.st_mode):
                return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
        return None

    def content(self, path: str) -> FileContent | None:
        """The mode and blob id of a file or link; None: there is none."""
        with suppress(OSError), self._parent(path) as (folder, name):
            return file_content(name, folder)
        return None

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The open folder that holds a path, and the name of the path in it."""
        *folders, name = path.split("/")
        with self._open(folders, make=make) as folder:
            yield folder, name

    @contextmanager
    def _open(self, folders: list[str], *, make: bool = False) -> Iterator[int]:
        opened = os.open(self._root, _FOLDER)
        try:
            for name in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=opened)
                inner = os.open(name, _FOLDER, dir_fd=opened)
                os.close(opened)
                opened = inner
            yield opened
        finally:
            os.close(opened)


def _remove_empty(name: str, folder: int) -> None:
    """Remove a folder in which there are only empty folders."""
    try:
        opened = os.open(name, _FOLDER, dir_fd=folder)
    except OSError:  # nothing, a file, or a link
        return
    try:
        for inner in os.listdir(opened):
            _remove_empty(inner, opened)
    finally:
        os.close(opened)
    os.rmdir(name, dir_fd=folder)


def applicable_permissions(permissions: int, mode: str) -> int:
    """The saved permissions, made executable or not as the saved mode says."""
    is_program = bool(permissions & stat.S_IXUSR)
    return permissions if is_program == (mode == PROGRAM) else _adapted(permissions, mode)


def _adapted(old: int, mode: str) -> int:
    if mode == PROGRAM:
        return old | (old & _READ) >> 2  # whoever may read it may run it
    return old & ~_EXECUTE
