"""Keeps pictures in a folder for people who look later, within limits of age and room."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.errors import CaptureError

_NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-\d{3,}\.jpg")
_PART = ".part"
_TIME = "%Y%m%dT%H%M%S.%fZ"
_OLDEST_PART = 3600.0
"""Seconds after which a half-written picture was left behind by a crash."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_DAY = 86_400.0
_MB = 1_000_000


class DebugCopies:
    """A folder of pictures that only its owner reads. Many processes may share one."""

    def __init__(self, folder: str, days: float, megabytes: float) -> None:
        self.folder = folder
        self._days = days
        self._bytes = megabytes * _MB

    def keep(self, screenshot: Screenshot) -> str:
        """Write a picture and return its name; then remove what is too old or too much.

        Raises CaptureError if the picture cannot be written, for instance on a full disk.
        """
        stamp = datetime.fromtimestamp(screenshot.at, UTC).strftime(_TIME)
        try:
            with self._opened() as folder:
                name = _write(folder, stamp, screenshot.data)
                self._remove_old(folder, name, screenshot.at)
        except OSError as error:
            problem = error.strerror or str(error)
            raise CaptureError(f"the picture cannot be kept in {self.folder}: {problem}") from error
        return name

    def read(self, name: str) -> bytes:
        """Return a picture; raises LookupError if there is none of this name."""
        if not _NAME.fullmatch(name):
            raise LookupError(name)
        try:
            with self._opened() as folder:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                with open(file, "rb") as picture:
                    return picture.read()
        except OSError as error:
            raise LookupError(name) from error

    def names(self) -> list[str]:
        """The pictures that are there, the oldest first."""
        with suppress(OSError), self._opened() as folder:
            return sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
        return []

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Open the folder, so that nobody can put another one in its place."""
        parent = os.path.dirname(os.path.abspath(self.folder))
        os.makedirs(parent, mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(self.folder, 0o700)
        folder = os.open(self.folder, _FOLDER)
        try:
            status = os.fstat(folder)
            if status.st_uid != os.geteuid():
                raise PermissionError(0, "it belongs to somebody else")
            if status.st_mode & _OTHERS_WRITE:
                raise PermissionError(0, "others may write there: chmod go-w it first")
            yield folder
        finally:
            os.close(folder)

    def _remove_old(self, folder: int, newest: str, now: float) -> None:
        room = self._bytes
        # The newest stays even if it is larger than all the room: a check names it.
        for name, size in sorted(_sizes(folder), reverse=True):
            room -= size
            if name != newest and (room < 0 or now - _taken(name) > self._days * _DAY):
                _remove(folder, name)
        for name in os.listdir(folder):
            is_part = name.endswith(_PART) and _NAME.fullmatch(name.removesuffix(_PART))
            if is_part and now - _taken(name) > _OLDEST_PART:
                _remove(folder, name)


def _write(folder: int, stamp: str, data: bytes) -> str:
    """Write a picture under the first free name; nobody sees half of it."""
    number = 0
    while True:
        number += 1
        name = f"{stamp}-{number:03}.jpg"
        part = name + _PART
        # Who has created this part is the only one that may use the name.
        try:
            file = os.open(part, _NEW, 0o600, dir_fd=folder)
        except FileExistsError:
            continue
        try:
            with open(file, "wb") as picture:
                if _exists(folder, name):
                    continue
                os.fchmod(picture.fileno(), 0o600)
                picture.write(data)
            os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            _remove(folder, part)
        return name


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _sizes(folder: int) -> Iterator[tuple[str, int]]:
    for name in os.listdir(folder):
        if _NAME.fullmatch(name):
            with suppress(FileNotFoundError):
                yield name, os.stat(name, dir_fd=folder, follow_symlinks=False).st_size


def _remove(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _taken(name: str) -> float:
    moment = datetime.strptime(name.partition("-")[0], _TIME).replace(tzinfo=UTC)
    return moment.timestamp()
