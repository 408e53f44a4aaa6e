"""Notifications of the kernel about changes in folders; only Linux has them."""

import ctypes
import errno
import os
import select
import struct
from collections.abc import Iterator

_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_TO = 0x2, 0x4, 0x8, 0x80
_MOVED, _CREATE, _DELETE, _SELF = 0x40 | 0x80, 0x100, 0x200, 0x400 | 0x800
_OVERFLOW, _IGNORED, _ONLY_DIR, _MASK_ADD = 0x4000, 0x8000, 0x01000000, 0x20000000
ENTRIES = _ATTRIB | _MOVED | _CREATE | _DELETE | _SELF | _ONLY_DIR
"""Which names are in a folder, and their modes."""
CONTENTS = ENTRIES | _CLOSE_WRITE
"""And what is written into the files."""
FILE = _MODIFY | _CLOSE_WRITE | _ATTRIB | _SELF | _MASK_ADD
"""What happens to one file, by whichever of its names."""
ARRIVALS = _CREATE | _MOVED_TO | _ONLY_DIR
"""Only new names in a folder."""
_HEADER = struct.Struct("iIII")
_BUFFER = 64 * 1024


class NoNotificationsError(OSError):
    """This system has none, or no more of them."""


class Inotify:
    """One queue for all watched folders."""

    def __init__(self) -> None:
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            init = self._libc.inotify_init1
        except (OSError, AttributeError):
            raise NoNotificationsError(errno.ENOSYS, "there is no inotify here") from None
        self.handle: int = init(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.handle < 0:
            raise NoNotificationsError(ctypes.get_errno(), "no more inotify instances")
        self._waiting = select.poll()
        self._waiting.register(self.handle, select.POLLIN)

    def watch(self, path: str, mask: int) -> int:
        """Watch a folder or a file; return its number. Raises OSError."""
        number: int = self._libc.inotify_add_watch(self.handle, os.fsencode(path), mask)
        if number < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), path)
        return number

    def forget(self, number: int) -> None:
        """Watch a folder or a file no more."""
        self._libc.inotify_rm_watch(self.handle, number)

    def read(self) -> Iterator[tuple[int, bytes]]:
        """What has happened: the number of a watch, a name in a folder; -1: some were lost."""
        # Every hook asks, and there is hardly ever anything: an exception would cost more.
        while self._waiting.poll(0):
            data = os.read(self.handle, _BUFFER)
            place = 0
            while place < len(data):
                number, mask, _, size = _HEADER.unpack_from(data, place)
                name = data[place + _HEADER.size : place + _HEADER.size + size].rstrip(b"\0")
                place += _HEADER.size + size
                if mask & _OVERFLOW:
                    yield -1, b""
                elif not mask & _IGNORED:
                    yield number, name
                else:
                    yield number, b""

    def close(self) -> None:
        """Give it back."""
        os.close(self.handle)
