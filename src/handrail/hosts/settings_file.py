"""Files of others that are changed for an installation, and given back as they were.

A file is replaced as a whole or not at all. What it was before is kept beside Handrail's state, so
that it comes back byte for byte if nobody else changed it in between.
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

_MODE = 0o600


class FileChange(msgspec.Struct, frozen=True):
    """One file that was changed."""

    path: str
    original: bytes | None
    """What it was before; None if it was not there."""
    after: str
    """What it was made, as a checksum."""
    made: tuple[str, ...] = ()
    """Folders that were made for it, the outermost first."""


@decodable
class InstallRecord(msgspec.Struct, frozen=True):
    """What was changed for one installation."""

    host: str
    settings: FileChange
    exclude: FileChange | None = None
    """A list of what git is to leave alone, if a line was added to it."""
    line: str = ""


class ChangedMeanwhileError(Exception):
    """Somebody else changed a file between the look at it and the change."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was changed by somebody else just now; run this again")
        self.path = path


def read(path: str, most: int = -1) -> bytes | None:
    """What is in a file, or its first `most` bytes; None if it is not there."""
    try:
        # A pipe would be waited for if it were opened like a file.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "this is not a file", path)
    with open(handle, "rb") as file:
        return file.read(most)


def decode(data: bytes) -> str:
    """Text that becomes the same bytes again, also where it is not UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes of a decoded text."""
    return text.encode("utf-8", "surrogateescape")


def checksum(data: bytes) -> str:
    """By which a file is recognised."""
    return hashlib.sha256(data).hexdigest()


class FileChangePlan(msgspec.Struct, frozen=True):
    """What a file is, and what it is to become; None is a file that is not there."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def changes(self) -> bool:
        """Whether the file is different afterwards."""
        return self.before != self.after

    def carry_out(self) -> None:
        """Replace or remove the file. A link is followed, missing folders are made.

        Raises OSError or ChangedMeanwhileError, and then nothing was changed.
        """
        if not self.changes:
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
            replace_file(target, self.after, mode)
        except OSError as error:
            remove_folders(made)
            says = error.strerror or str(error)
            raise OSError(error.errno, f"{says}; nothing was changed", self.path) from None


def missing_folders(path: str) -> tuple[str, ...]:
    """The folders above a file that are not there, the outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def _mode(target: str) -> int:
    """The mode that the file has and keeps."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return _MODE
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "this is not a file")
    # A rename needs no right to write the file itself, so it has to be asked for.
    if not stat.S_IMODE(mode) & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only")
    return stat.S_IMODE(mode)


def remove_folders(made: Sequence[str]) -> None:
    """Remove folders that were made and are empty again."""
    for folder in reversed(made):
        try:
            os.rmdir(folder)
        except OSError:  # something is in it, so it is in use
            return


# The record


def load_installs(path: str) -> list[InstallRecord]:
    """Everything that is installed, as far as it is known; a broken record is no record."""
    return _load(path) or []


def is_broken(path: str) -> bool:
    """Whether there is a record that cannot be read."""
    return _load(path) is None


def put_aside(path: str) -> str:
    """Rename a broken record, which holds what files were before; its new name, or nothing."""
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
    """The installation in one settings file."""
    return next((each for each in installs if each.settings.path == settings), None)


def save_installs(path: str, installs: Sequence[InstallRecord]) -> None:
    """Keep the record, for this user alone."""
    make_folder(os.path.dirname(path))
    replace_file(os.path.realpath(path), msgspec.json.encode(installs), _MODE)
