"""Notices that one of a few named files has changed, by notifications and by looking at them."""

import os
import select
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress

from handrail.server.integrity.inotify import FILE, Inotify
from handrail.server.integrity.watch_plan import WatchPlan, plan_watches

MAX_NAMED = 30
"""Files that are watched."""
_POLL_SECONDS = 2.0
"""How often all of them are looked at, whatever the notifications say."""

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
        look: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        self._inotify = notifications
        self._stat = look
        self._stamps: dict[str, Stamp] = {}
        self._unannounced: tuple[str, ...] = ()
        """The named files whose changes no notification tells for certain."""
        self._plan = WatchPlan({}, {})
        self._folders: dict[str, int] = {}
        """The numbers of the watched folders."""
        self._files: dict[str, int] = {}
        """The numbers of the watched files: two names of one file have the same."""
        self._watched: dict[int, str] = {}
        """The watched folders and files by their numbers."""
        self._lock = threading.Lock()
        self._changed: set[str] = set()
        self._trees: frozenset[str] = frozenset()
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
            self._trees = frozenset(trees)
            if self._inotify is not None:
                self._watch(self._inotify, named)
            # After the watches are set: a change in between shows in the stamp.
            self._stamps = {
                path: self._stamps.get(path) or stamp(path, self._stat) for path in named
            }
            self._unannounced = tuple(path for path in named if not self._is_announced(path))

    def look(self) -> bool:
        """Read the notifications, look at files without any; tells whether one has changed."""
        with self._lock:
            return self._look(self._unannounced)

    def look_at_all(self) -> bool:
        """Look at every named file: a program that maps one into its memory tells nobody."""
        with self._lock:
            return self._look(tuple(self._stamps))

    def take(self) -> set[str]:
        """What has changed since the last time."""
        with self._lock:
            changed, self._changed, self.lost = self._changed, set(), False
            return changed

    def wait(self, seconds: float) -> None:
        """Wait for a notification, for `wake`, or for so long, at most until the next look."""
        waiting = [self._wake]
        if self._inotify is not None:
            waiting.append(self._inotify.handle)
        ready, _, _ = select.select(waiting, [], [], min(seconds, _POLL_SECONDS))
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

    def _look(self, paths: Iterable[str]) -> bool:
        if self._inotify is not None:
            self._read(self._inotify)
        for path in paths:
            now = stamp(path, self._stat)
            if now != self._stamps[path]:
                self._stamps[path] = now
                self._changed.add(path)
        return self.is_dirty

    def _is_announced(self, path: str) -> bool:
        """Whether every change of a file brings a notification: of it, or of its folder."""
        folder = _folder(path)
        above = _first_missing(folder, self._plan.awaited)
        watched = _folder(above) if above else folder
        if watched not in self._folders or os.path.realpath(watched) != watched:
            return False  # a link on the way can lead elsewhere at any time
        return path in self._trees or path in self._files or self._stamps[path] == _GONE

    def _watch(self, inotify: Inotify, named: Sequence[str]) -> None:
        plan, before = plan_watches(named, self._trees), {*self._watched}
        folders = {
            folder: number
            for folder, number in self._folders.items()
            if plan.masks.get(folder) == self._plan.masks.get(folder)
        }
        for folder in plan.masks.keys() - folders.keys():
            with suppress(OSError):  # it has gone, or there are no more watches
                folders[folder] = inotify.watch(folder, plan.masks[folder])
        files: dict[str, int] = {}
        for path in named:
            if path not in self._trees:
                with suppress(OSError):
                    files[path] = inotify.watch(path, FILE)
        self._plan, self._folders, self._files = plan, folders, files
        self._watched = {number: path for path, number in (files | folders).items()}
        for number in before - self._watched.keys():
            inotify.forget(number)

    def _read(self, inotify: Inotify) -> None:
        for number, name in inotify.read():
            if number < 0:
                self.lost = True
                continue
            watched = self._watched.get(number, "")
            path = os.path.join(watched, os.fsdecode(name)) if name else watched
            if watched in self._trees:
                self._changed.add(path)
            elif watched in self._files:
                self._changed.update(each for each, of in self._files.items() if of == number)
            elif path in self._stamps:
                self._changed.add(path)
            elif path in self._plan.awaited:
                self._changed |= self._plan.awaited[path]
            elif not name:  # the folder itself was moved or removed
                self._folders.pop(watched, None)
                below = f"{watched}/"
                self._changed.update(each for each in self._stamps if each.startswith(below))


def _folder(path: str) -> str:
    return os.path.dirname(path)


def _first_missing(folder: str, awaited: Container[str]) -> str:
    """Return the awaited folder on the way to a folder, or ""."""
    while folder not in awaited and folder != _folder(folder):
        folder = _folder(folder)
    return folder if folder in awaited else ""
