"""Change files of other programs for an installation, and give them back as they were.

This module replaces a file as a whole or not at all. It keeps the old content beside Handrail's
state, so that the file comes back byte for byte if nobody else changed it in between.
"""

import errno
import hashlib
import os
import stat
import time
from collections.abc import Sequence

import msgspec

from handrail.model.decodable import decodable
from handrail.store.private_files import make_folder, replace_file
from handrail.store.seals import write_sealed

_MODE = 0o600


class FileChange(msgspec.Struct, frozen=True):
    """One changed file."""

    path: str
    original: bytes | None
    """The old content; None if the file did not exist."""
    after: str
    """The checksum of the new content."""
    made: tuple[str, ...] = ()
    """Folders created for it, the outermost first."""


@decodable
class InstallRecord(msgspec.Struct, frozen=True):
    """The changes of one installation."""

    host: str
    settings: FileChange
    exclude: FileChange | None = None
    """The repository's ignore list, if the installation added a line."""
    line: str = ""


class ChangedMeanwhileError(Exception):
    """Somebody else changed a file between reading and replacing it."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was changed by somebody else just now; run this again")
        self.path = path


def read(path: str, most: int = -1) -> bytes | None:
    """Read a file, or its first `most` bytes; None if it does not exist."""
    try:
        # Opening a pipe like a file would wait for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "this is not a file", path)
    with open(handle, "rb") as file:
        return file.read(most)


def decode(data: bytes) -> str:
    """Decode bytes reversibly, even if they are not UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes of a decoded text."""
    return text.encode("utf-8", "surrogateescape")


def checksum(data: bytes) -> str:
    """Return the checksum of a file's content."""
    return hashlib.sha256(data).hexdigest()


class FileChangePlan(msgspec.Struct, frozen=True):
    """The present and the future content of a file; None: no file."""

    path: str
    before: bytes | None
    after: bytes | None
    private: bool = False
    """Whether the future content holds a token, which nobody else may read."""

    @property
    def changes(self) -> bool:
        """Return whether the content changes."""
        return self.before != self.after

    def carry_out(self) -> None:
        """Replace or remove the file. Follow a link, and create missing folders.

        Raises OSError or ChangedMeanwhileError; then nothing has changed.
        """
        if not self.changes:
            self._close()
            return
        if read(self.path) != self.before:
            raise ChangedMeanwhileError(self.path)
        target = os.path.realpath(self.path)
        made = missing_folders(target)
        try:
            mode = _mode(target)
            if self.after is None:
                os.unlink(target)
                return
            for folder in made:
                os.mkdir(folder)
            replace_file(target, self.after, mode & _MODE if self.private else mode)
        except OSError as error:
            remove_folders(made)
            says = error.strerror or str(error)
            raise OSError(error.errno, f"{says}; nothing was changed", self.path) from None

    def _close(self) -> None:
        """Take the rights of others away from a file that keeps its content."""
        if self.private and self.after is not None:
            target = os.path.realpath(self.path)
            if (mode := _mode(target)) & ~_MODE:
                os.chmod(target, mode & _MODE)


def clear_the_way(path: str) -> None:
    """Make a file of ours readable and writable again; move aside whatever is no file.

    Raises OSError.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode) | 0o700)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        os.rename(target, f"{target}.aside-{time.strftime('%Y%m%d-%H%M%S')}")
    elif not os.access(target, os.R_OK | os.W_OK):
        os.chmod(target, stat.S_IMODE(mode) | 0o600)


def missing_folders(path: str) -> tuple[str, ...]:
    """Return the missing folders above a file, the outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def _mode(target: str) -> int:
    """Return the file's mode, which stays."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return _MODE
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "this is not a file")
    # A rename needs no right to write the file itself, so check that right first.
    if not stat.S_IMODE(mode) & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only")
    return stat.S_IMODE(mode)


def remove_folders(made: Sequence[str]) -> None:
    """Remove folders that Handrail created and that are empty again."""
    for folder in reversed(made):
        try:
            os.rmdir(folder)
        except OSError:  # it has content, so somebody uses it
            return


# The record


def load_installs(path: str) -> list[InstallRecord]:
    """Return all known installations; an unreadable record counts as none."""
    return _load(path) or []


def is_broken(path: str) -> bool:
    """Return whether there is an unreadable record."""
    return _load(path) is None


def put_aside(path: str) -> str:
    """Rename a broken record, which holds the old content of files; return the new name, or ""."""
    if not is_broken(path):
        return ""
    aside = f"{path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
    os.rename(path, aside)
    return aside


def _load(path: str) -> list[InstallRecord] | None:
    try:
        return msgspec.json.decode(read(path) or b"[]", type=list[InstallRecord])
    except (ValueError, OSError):
        return None


def find_install(installs: Sequence[InstallRecord], settings: str) -> InstallRecord | None:
    """Return the installation in one settings file."""
    return next((each for each in installs if each.settings.path == settings), None)


def save_installs(path: str, installs: Sequence[InstallRecord]) -> None:
    """Save the record, for this user alone."""
    make_folder(os.path.dirname(path))
    write_sealed(os.path.realpath(path), msgspec.json.encode(installs))
