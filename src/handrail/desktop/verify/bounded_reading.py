"""Read regular files and nothing else: no pipe, device or folder can make Handrail wait."""

import os
import stat
from collections.abc import Sequence

from handrail.desktop.errors import DesktopError

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PIECE = 1_000_000
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISLNK, "a symbolic link"),
)


class UnreadableFileError(DesktopError, OSError):
    """A file cannot be read, or must not be."""


class AbsentFileError(UnreadableFileError):
    """There is no such file."""


def read_bounded(path: str, most: int) -> bytes:
    """Read a regular file of at most `most` bytes; raises UnreadableFileError."""
    try:
        _must_be_file(os.stat(path), most)
        return _read(os.open(path, _FLAGS), most)
    except UnreadableFileError:
        raise
    except (OSError, ValueError) as error:
        raise _refusal(error) from None


def read_inside(root: str, path: str, most: int) -> bytes:
    """Read a file below a folder; a symbolic link may not lead out of it."""
    real = resolve_inside(root, path)
    try:
        base = os.path.realpath(root)
        # Nothing of the resolved path is a link, unless somebody changes it at this moment.
        return _read(_open_below(base, os.path.relpath(real, base).split(os.sep), most), most)
    except UnreadableFileError:
        raise
    except (OSError, ValueError) as error:
        raise _refusal(error) from None


def resolve_inside(root: str, path: str) -> str:
    """Return the absolute path without links; raises UnreadableFileError if it leads out."""
    base = os.path.realpath(root)
    try:
        real = os.path.realpath(os.path.join(base, path))
    except (OSError, ValueError) as error:
        raise _refusal(error) from None
    if os.path.commonpath((base, real)) != base:
        raise UnreadableFileError("a symbolic link leads out of ROOT")
    return real


def _open_below(base: str, names: Sequence[str], most: int) -> int:
    folder = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names[:-1]:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            inner = os.open(name, flags, dir_fd=folder)
            os.close(folder)
            folder = inner
        _must_be_file(os.stat(names[-1], dir_fd=folder, follow_symlinks=False), most)
        return os.open(names[-1], _FLAGS | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _must_be_file(found: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = next((name for test, name in _KINDS if test(found.st_mode)), "no file")
        raise UnreadableFileError(f"is {kind}, not a file")
    if found.st_size > most:
        problem = f"has {found.st_size:,} bytes; Handrail reads at most {most:,}"
        raise UnreadableFileError(problem)


def _read(opened: int, most: int) -> bytes:
    with open(opened, "rb", buffering=0) as file:
        status = os.fstat(opened)
        _must_be_file(status, most)
        # One read for a file that nobody writes to.
        pieces = [file.read(status.st_size + 1)]
        size = len(pieces[0])
        while pieces[-1]:
            pieces.append(file.read(_PIECE))
            size += len(pieces[-1])
            if size > most:
                raise UnreadableFileError(f"grows beyond {most:,} bytes")
        return pieces[0] if len(pieces) == 2 else b"".join(pieces)


def _refusal(error: OSError | ValueError) -> UnreadableFileError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return AbsentFileError("there is no such file")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return UnreadableFileError(f"cannot be read: {reason}")
