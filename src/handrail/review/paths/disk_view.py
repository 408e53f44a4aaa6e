"""The view of the disk that a review gets: read-only and bounded."""

import os
import stat
from itertools import islice
from typing import Protocol

from handrail.model.host import HostProfile
from handrail.review.paths.program_files import ProgramFiles

MAX_SCRIPT = 256 * 1024
"""More of a script is not read; what is longer cannot be judged."""
_MAX_LINKS = 40
_MAX_NAMES = 500


class DiskView(Protocol):
    """The disk as a review sees it. None means unknown."""

    def real(self, path: str) -> str:
        """The path with symbolic links resolved."""

    def exists(self, path: str) -> bool | None:
        """Whether something is there."""

    def tracked(self, path: str) -> bool | None:
        """Whether git has a version of it."""

    def script(self, path: str) -> str | None:
        """The beginning of a script, if it is a text file; too long to be read stays too long."""

    def is_program(self, path: str, host: HostProfile) -> bool:
        """Whether a file is the program of a host, whatever it is called."""

    def changed_at(self, path: str) -> float | None:
        """When a regular file, or its name, last changed, in seconds since 1970."""

    def names_in(self, folder: str) -> list[str]:
        """Names of what is in a folder; of a large one, only some."""


class BlindDiskView:
    """Shows nothing: for past sessions and other machines."""

    def real(self, path: str) -> str:
        return path

    def exists(self, path: str) -> bool | None:
        return None

    def tracked(self, path: str) -> bool | None:
        return None

    def script(self, path: str) -> str | None:
        return None

    def is_program(self, path: str, host: HostProfile) -> bool:
        return False

    def changed_at(self, path: str) -> float | None:
        return None

    def names_in(self, folder: str) -> list[str]:
        return []


class LocalDiskView:
    """The disk of this machine, as seen from a folder; remembers what it saw for one review.

    A folder that is not there belongs to another machine, of which nothing is known. `live`: it
    is this machine all the same, and the folder was taken away: its absence must hide neither
    links nor scripts, but what is in it may be back when the action runs.
    """

    def __init__(
        self,
        root: str,
        *,
        visible: bool | None = None,
        live: bool = False,
        home: str = "",
        search: str = "",
    ) -> None:
        """`search`: the folders in which commands are looked up, as in PATH."""
        self._home = home
        self._search = search
        self._root = root
        self._visible = visible
        self._live = live
        self._real: dict[str, str] = {"": ""}
        self._index: bytes | None = None
        self._scripts: dict[str, str | None] = {}
        self._programs: ProgramFiles | None = None

    @property
    def visible(self) -> bool:
        """Whether the project is on this machine at all."""
        if self._visible is None:
            self._visible = os.path.isdir(self._root)
        return self._visible

    def real(self, path: str) -> str:
        if not (self._live or self.visible) or not path.startswith("/"):
            return path
        return self._resolve(path.rstrip("/"), 0) or "/"

    def _resolve(self, path: str, links: int) -> str:
        """Like realpath, but each folder is looked at once."""
        known = self._real.get(path)
        if known is not None:
            return known
        parent, _, name = path.rpartition("/")
        folder = self._resolve(parent, links)
        here = f"{folder}/{name}"
        if links < _MAX_LINKS and not any(char in name for char in "*?["):
            try:
                target = os.readlink(here)
            except (OSError, ValueError):
                pass
            else:
                joined = os.path.normpath(os.path.join(folder or "/", target))
                here = self._resolve(joined if joined != "/" else "", links + 1)
        self._real[path] = here
        return here

    def exists(self, path: str) -> bool | None:
        if not self.visible and (not self._live or f"{path}/".startswith(f"{self._root}/")):
            return None
        fixed = path
        for wildcard in ("/**", "/*"):
            fixed = fixed.partition(wildcard)[0]
        if any(char in fixed for char in "*?["):
            fixed = fixed.rpartition("/")[0]
        try:
            if not os.path.lexists(fixed or "/"):
                return False
            if fixed == path or not os.path.isdir(fixed):
                return True
            with os.scandir(fixed) as entries:
                return any(entries)
        except (OSError, ValueError):
            return None

    def tracked(self, path: str) -> bool | None:
        if not self.visible:
            return None
        if self._index is None:
            self._index = _read_index(self._root)
        relative = os.path.relpath(path, self._root).encode("utf-8", "surrogateescape")
        return relative + b"\0" in self._index or relative + b"/" in self._index

    def script(self, path: str) -> str | None:
        if not (self._live or self.visible):
            return None
        if path not in self._scripts:
            self._scripts[path] = _read_script(path)
        return self._scripts[path]

    def is_program(self, path: str, host: HostProfile) -> bool:
        if not (self._live or self.visible):
            return False
        if self._programs is None:
            self._programs = ProgramFiles(self._home, self._search)
        return self._programs.is_copy(path, host)

    def changed_at(self, path: str) -> float | None:
        if not (self._live or self.visible):
            return None
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return None
        # Nobody can set this time, other than the one that `touch` and `cp -p` set.
        return found.st_ctime if stat.S_ISREG(found.st_mode) else None

    def names_in(self, folder: str) -> list[str]:
        if not (self._live or self.visible):
            return []
        try:
            with os.scandir(folder) as entries:
                return [entry.name for entry in islice(entries, _MAX_NAMES)]
        except (OSError, ValueError):
            return []


def _read_script(path: str) -> str | None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            data = file.read(MAX_SCRIPT + 1)
    except (OSError, ValueError):
        return None
    if b"\0" in data[:1024]:
        return None
    return data.decode("utf-8", "replace")


def _read_index(root: str) -> bytes:
    """The names in git's index; it is searched as bytes, which is enough to see a path in it."""
    folder = root
    while True:
        git = os.path.join(folder, ".git")
        if os.path.exists(git):
            break
        parent = os.path.dirname(folder)
        if parent == folder:
            return b""
        folder = parent
    try:
        if os.path.isfile(git):
            with open(git, encoding="utf-8") as file:
                git = os.path.join(folder, file.read().partition("gitdir:")[2].strip())
        with open(os.path.join(git, "index"), "rb") as index:
            return index.read(64 * 1024 * 1024)
    except OSError:
        return b""
