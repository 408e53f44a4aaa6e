"""The mode and blob id of a file, computed without git."""

import hashlib
import os
import stat
from collections.abc import Callable

import msgspec

LINK = "120000"
PLAIN = "100644"
PROGRAM = "100755"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PIECE = 1_000_000


class FileContent(msgspec.Struct, frozen=True):
    """Of a file or a link."""

    mode: str
    blob: str


def file_content(
    name: str, folder: int, take: Callable[[bytes], object] = lambda piece: None
) -> FileContent | None:
    """Read a file or link below an open folder; None: it is missing, or changes meanwhile.

    `take` gets the content piece by piece.
    """
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            target = os.fsencode(os.readlink(name, dir_fd=folder))
            take(target)
            return FileContent(LINK, _begun(len(target), target).hexdigest())
        if stat.S_ISREG(found.st_mode):
            return _content_of_file(os.open(name, _READ, dir_fd=folder), take)
    except OSError:
        pass
    return None


def _content_of_file(opened: int, take: Callable[[bytes], object]) -> FileContent | None:
    with open(opened, "rb", buffering=0) as file:
        found = os.fstat(opened)
        digest = _begun(found.st_size)
        size = 0
        while piece := file.read(_PIECE):
            digest.update(piece)
            take(piece)
            size += len(piece)
    if size != found.st_size or not stat.S_ISREG(found.st_mode):
        return None
    return FileContent(PROGRAM if found.st_mode & stat.S_IXUSR else PLAIN, digest.hexdigest())


def _begun(size: int, data: bytes = b"") -> "hashlib._Hash":
    return hashlib.sha1(b"blob %d\0%b" % (size, data), usedforsecurity=False)
