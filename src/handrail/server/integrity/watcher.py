"""Notices that one of a few named files has changed, by notifications and by looking at them."""

import os
import select
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from handrail.server.integrity.inotify import CONTENTS, ENTRIES, Inotify

MAX_NAMED = 30
"""Files that are looked at after each call."""
_POLL_SECONDS = 2.0
"""How often they are looked at where there are no notifications."""

Stamp = tuple[int, int, int, int, int]
_GONE: Stamp = (0, 0, 0, 0, 0)


def stamp(path: str, look: Callable[[str], os.stat_result] = os.stat) -> Stamp:
    """By which a change of a file is recognised; nobody can set the time of its last change."""
    try:
        now = look(path)
    except OSError:
        return _GONE
    return now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_mode


def changed_at(path: str) -> float:
    """When a file was last changed, or taken away; by the clock of the kernel."""
    moments = []
    for look in (os.lstat, os.stat):
        with suppress(OSError):
            moments.append(look(path).st_ctime)
    while not moments and path != os.path.dirname(path):
        path = os.path.dirname(path)
        with suppress(OSError):
            moments.append(os.stat(path).st_ctime)
    return max(moments, default=0.0)


class Watcher:
    """`look` may be called in any thread, the rest in one."""

    def __init__(
        self,
        notifications: Inotify | None,
        *,
        busy: Iterable[str] = (),
        look: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        """`busy`: folders whose files are written all the time; only their names are watched."""
        self._inotify = notifications
        self._busy = frozenset(busy)
        self._stat = look
        self._stamps: dict[str, Stamp] = {}
        self._folders: dict[int, str] = {}
        """The watched folders by their numbers."""
        self._lock = threading.Lock()
        self._changed: set[str] = set()
        self._trees: set[str] = set()
        """Folders in which every file counts."""
        self.lost = False
        """Notifications were lost, so everything has to be compared."""
        self._wake, self._alarm = os.pipe()
        os.set_blocking(self._alarm, False)

    @property
    def is_dirty(self) -> bool:
        """Whether something has changed since `take`."""
        return bool(self._changed) or self.lost

    def name(self, paths: Iterable[str], trees: Iterable[str] = ()) -> None:
        """Watch these files from now on, and all files in these folders."""
        named = list(dict.fromkeys(paths))[:MAX_NAMED]
        with self._lock:
            self._stamps = {
                path: self._stamps.get(path) or stamp(path, self._stat) for path in named
            }
            self._trees = set(trees)
            if self._inotify is not None:
                self._watch(self._inotify, {*map(_folder, named), *self._trees})

    def look(self) -> bool:
        """Read the notifications, look at the files; tells whether one has changed."""
        with self._lock:
            if self._inotify is not None:
                self._read(self._inotify)
            for path, before in self._stamps.items():
                now = stamp(path, self._stat)
                if now != before:
                    self._stamps[path] = now
                    self._changed.add(path)
            return self.is_dirty

    def take(self) -> set[str]:
        """What has changed since the last time."""
        with self._lock:
            changed, self._changed, self.lost = self._changed, set(), False
            return changed

    def wait(self, seconds: float) -> None:
        """Wait for a notification, for `wake`, or for so long."""
        waiting = [self._wake]
        if self._inotify is not None:
            waiting.append(self._inotify.handle)
        else:
            seconds = min(seconds, _POLL_SECONDS)
        ready, _, _ = select.select(waiting, [], [], seconds)
        if self._wake in ready:
            os.read(self._wake, 4096)

    def wake(self) -> None:
        """End a `wait`; called in any thread."""
        with suppress(BlockingIOError):
            os.write(self._alarm, b"!")

    def close(self) -> None:
        """Give everything back."""
        if self._inotify is not None:
            self._inotify.close()
        os.close(self._alarm)
        os.close(self._wake)

    def _watch(self, inotify: Inotify, wanted: set[str]) -> None:
        known = {folder: number for number, folder in self._folders.items()}
        for folder in known.keys() - wanted:
            inotify.forget(known[folder])
            del self._folders[known[folder]]
        for folder in wanted - known.keys():
            mask = ENTRIES if folder in self._busy else CONTENTS
            with suppress(OSError):  # it is not there yet, or there are no more watches
                self._folders[inotify.watch(folder, mask)] = folder

    def _read(self, inotify: Inotify) -> None:
        for number, name in inotify.read():
            if number < 0:
                self.lost = True
                continue
            folder = self._folders.get(number, "")
            path = os.path.join(folder, os.fsdecode(name)) if name else folder
            if path in self._stamps or folder in self._trees:
                self._changed.add(path)
            elif not name:  # the folder itself was moved or removed
                self._folders.pop(number, None)
                self._changed.update(each for each in self._stamps if _folder(each) == folder)


def _folder(path: str) -> str:
    return os.path.dirname(path)
