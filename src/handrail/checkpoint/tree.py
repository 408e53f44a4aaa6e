"""Changes single files of a work tree, and never through a link that leads out of it."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from handrail.checkpoint.plan import LINK, PROGRAM

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_EXECUTE = 0o111
_READ = 0o444


class Tree:
    """A work tree, opened folder by folder."""

    def __init__(self, root: str) -> None:
        self._root = root

    def delete(self, path: str) -> None:
        """Delete a file or a link, and the folders that become empty by it."""
        *folders, name = path.split("/")
        with suppress(FileNotFoundError, NotADirectoryError), self._open(folders) as folder:
            os.unlink(name, dir_fd=folder)
        while folders:
            *above, name = folders
            try:
                with self._open(above) as folder:
                    os.rmdir(name, dir_fd=folder)
            except OSError:  # there is something else in it
                return
            folders = above

    def write(self, path: str, mode: str, data: bytes) -> None:
        """Put a file or a link in its place, whole or not at all."""
        *folders, name = path.split("/")
        fresh = f".handrail-{secrets.token_hex(6)}"
        with self._open(folders, make=True) as folder:
            try:
                if mode == LINK:
                    os.symlink(data, os.fsencode(fresh), dir_fd=folder)
                else:
                    _fill(folder, fresh, name, mode, data)
                with suppress(OSError):  # an empty folder in its place; a full one stays
                    os.rmdir(name, dir_fd=folder)
                os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(fresh, dir_fd=folder)
                raise

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


def _fill(folder: int, fresh: str, name: str, mode: str, data: bytes) -> None:
    """Write a new file with the permissions of the old one, able to run or not."""
    usual = 0o777 if mode == PROGRAM else 0o666  # the umask takes away what it takes away
    with open(os.open(fresh, _NEW, usual, dir_fd=folder), "wb") as file:
        file.write(data)
        with suppress(FileNotFoundError):
            old = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISREG(old):
                os.fchmod(file.fileno(), _permissions(stat.S_IMODE(old), mode))


def _permissions(old: int, mode: str) -> int:
    if mode == PROGRAM:
        return old | (old & _READ) >> 2  # whoever may read it may run it
    return old & ~_EXECUTE
