"""Where the controls are: the files, the address and the process that steer Handrail."""

import os
import re
from collections.abc import Iterator

import msgspec

from handrail.config import compile_globs
from handrail.model.decodable import decodable
from handrail.model.host import HostProfile, known_hosts
from handrail.review.paths.disk_view import DiskView
from handrail.review.paths.known_paths import TOP_FOLDERS

PROGRAM = f"{os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))}/"
"""The folder of the package that is running, wherever it was installed from."""
SETTINGS_FILE = "handrail.yaml"
HOST_FOLDERS = tuple(host.folder for host in known_hosts())
"""What hosts call the folders from which they read their hooks, in a project or a home."""
_KEYS = frozenset({
    "control-token", "hook-token", "read-token", "panel-sessions.json", "secrets.env",
    "daemon.lock", "guardian.lock", "daemon.sock", "port", "events.db",
    "events.db-wal", "events.db-shm",
})  # fmt: skip
"""Tokens, passwords, the log, where the daemon is: for Handrail's own programs only."""
_LINKS = "panel-link-"
"""The files with one-time links to the panel begin so."""


def _settings_of(host: HostProfile) -> str:
    """An expression for the files that hold a host's hooks, in its folder and beside it."""
    named = re.escape(host.settings_glob).replace(r"\*", "[^/]*")
    beside = "".join(f"|/{re.escape(name)}" for name in host.files_beside)
    return rf"/{re.escape(host.folder)}(?:/{named})?{beside}"


def _loader(host: HostProfile) -> re.Pattern[str]:
    """Everything from which a host takes its hooks, also by way of a whole folder."""
    inside = "|".join(map(re.escape, host.hook_folders)) or "(?!)"
    system = "".join(f"|{re.escape(path)}(?:/.*)?" for path in host.system_folders)
    return re.compile(
        rf"{_settings_of(host)}|/{re.escape(host.folder)}/(?:{inside})(?:/.*)?{system}"
    )


_LOADERS = tuple((f"/{host.folder}", _loader(host)) for host in known_hosts())
_NAMES = "|".join(map(_settings_of, known_hosts()))
STEERING = re.compile(rf"(?:/handrail\.yaml|{_NAMES})$")
"""Controls by their names alone, where the folder is not known."""
_SHARED = TOP_FOLDERS | {"/tmp", "/var", "/var/tmp", "/usr", "/usr/lib", "/usr/local"}
"""Folders that are too large to be taken for what holds a control."""
_WILD = re.compile(r"[*?\[]")
_OWN_HOOK = "handrail"


@decodable
class _DaemonLock(msgspec.Struct):
    """What `daemon.lock` and `guardian.lock` say."""

    pid: int = 0


class ProtectedControls:
    """The controls of one user and project."""

    def __init__(
        self, home: str, state: str, hosts: tuple[str, ...], roots: tuple[str, ...]
    ) -> None:
        """`hosts`: the folder of each known host for all projects; empty: in the home."""
        self._state = state
        inside = any(PROGRAM.startswith(f"{root}/") for root in roots)
        self._program = "" if inside else PROGRAM
        self._hosts = tuple(
            given or f"{home}/{name}" for given, name in zip(hosts, HOST_FOLDERS, strict=True)
        )
        self._roots = roots
        self._port: int | None = None
        units = f"{home}/.config/systemd/user/handrail.service"
        holding = (
            units, f"{home}/.config/handrail", *self._hosts, state, self._program.rstrip("/")
        )  # fmt: skip
        self._above = {
            folder: inner
            for inner in filter(None, holding)
            for folder in _folders_above(inner)
            if folder not in _SHARED and not f"{home}/".startswith(f"{folder}/")
        }
        """Folders that hold controls, up to the home folder, each with what it holds."""

    # Files

    def is_state(self, path: str) -> bool:
        """Whether a path is Handrail's state folder or lies in it."""
        return bool(self._state) and (path == self._state or path.startswith(self._state + "/"))

    def is_program(self, path: str) -> bool:
        """Whether a path is part of the running Handrail, unless the project is Handrail itself."""
        return bool(self._program) and path.startswith(self._program)

    def is_host(self, path: str) -> bool:
        """Whether a path is a host's folder for all projects, or lies in it."""
        return any(path == host or path.startswith(f"{host}/") for host in self._hosts)

    def loads_hooks(self, path: str) -> bool:
        """Whether a host takes its hooks from a file, or from files in this folder."""
        for host, (folder, loader) in zip(self._hosts, _LOADERS, strict=True):
            if path == host or path.startswith(f"{host}/"):
                return loader.fullmatch(folder + path[len(host) :]) is not None
        return any(
            loader.fullmatch(path[max(path.rfind(folder), 0) :]) is not None
            for folder, loader in _LOADERS
        )

    def is_above(self, path: str, world: DiskView) -> bool:
        """Whether a folder holds controls that are there, or may be."""
        inner = self._above.get(path)
        return inner is not None and world.exists(inner) is not False

    def is_key(self, path: str) -> bool:
        """Whether reading this gives away a token, or where the daemon is."""
        if not self.is_state(path):
            return False
        first, slash, _ = path[len(self._state) + 1 :].partition("/")
        if _WILD.search(first):
            return True
        return not slash and (not first or first in _KEYS or first.startswith(_LINKS))

    def holds_keys(self, path: str) -> bool:
        """Whether a folder below the home folder holds the state folder with its keys."""
        return path in self._above and path.count("/") > 1 and self._state.startswith(f"{path}/")

    def named(self) -> Iterator[str]:
        """The files that hold keys, and those from which hosts take their hooks in all projects."""
        if self._state:
            yield from (f"{self._state}/{name}" for name in sorted(_KEYS))
        for host, folder in zip(known_hosts(), self._hosts, strict=True):
            yield from (f"{folder}/{name}" for name in host.settings_files)

    def hit_by(self, glob: str, world: DiskView) -> str:
        """A control that is there and that a path with wildcards means, or nothing."""
        # What git prints as `top/**/*` may be the top folder itself.
        globs = {glob, glob.replace("/**/*", "")}
        for path in self._files():
            if any(_covers(each, path) for each in globs) and world.exists(path):
                return path
        return ""

    def is_disguised(self, path: str) -> bool:
        """Whether it is a control where capital letters do not count, as on macOS."""
        low = path.lower()
        if low == path:
            return False
        state = f"{self._state}/"
        if path.startswith(state):  # what lies deeper, as in the trash, may be called anything
            first = path[len(state) :].partition("/")[0]
            return first != first.lower()
        return low.startswith(state.lower()) or STEERING.search(low) is not None

    def swept(self, world: DiskView, *, tracked: bool) -> str:
        """A control in the project that git does or does not have a version of, or nothing."""
        for root in self._roots:
            for path in _in_project(root):
                if (
                    world.exists(path)
                    and world.tracked(path) is tracked
                    and (path.endswith(SETTINGS_FILE) or _OWN_HOOK in (world.script(path) or ""))
                ):
                    return path
        return ""

    def state_in_project(self, world: DiskView, *, ignored: bool) -> str:
        """The state folder where it lies in the project and git takes it along, or nothing."""
        inside = any(self._state.startswith(f"{root}/") for root in self._roots if self._state)
        if not inside or not world.exists(self._state):
            return ""
        hidden = world.script(f"{self._state}/.gitignore") is not None
        return self._state if ignored or not hidden else ""

    def _files(self) -> Iterator[str]:
        for root in self._roots:
            yield from _in_project(root)
        for host, folder in zip(known_hosts(), self._hosts, strict=True):
            for name in host.settings_files:
                yield f"{folder}/{name}"
        if self._state:
            yield from self._locks()
            yield f"{self._state}/events.db"

    # The daemon

    @property
    def port(self) -> int:
        """Where the daemon listens on loopback; 0 as long as it has chosen none."""
        if self._port is None and self._state:
            self._port = _read_number(f"{self._state}/port")
        return self._port or 0

    @property
    def marks(self) -> tuple[str, ...]:
        """Words by which a program that deals with the daemon can be told."""
        return tuple(filter(None, (self._state, str(self.port) if self.port else "")))

    def pids(self, world: DiskView) -> frozenset[int]:
        """The processes of daemon and guardian, as far as they run."""
        found = (_read_pid(world.script(path)) for path in self._locks())
        return frozenset(pid for pid in found if pid)

    def _locks(self) -> Iterator[str]:
        if self._state:
            yield f"{self._state}/daemon.lock"
            yield f"{self._state}/guardian.lock"


def _read_pid(text: str | None) -> int:
    try:
        return msgspec.json.decode(text or "{}", type=_DaemonLock).pid
    except msgspec.DecodeError:
        return 0


def _folders_above(path: str) -> Iterator[str]:
    while path.count("/") > 1:
        path = path.rpartition("/")[0]
        yield path


def _in_project(root: str) -> Iterator[str]:
    yield f"{root}/{SETTINGS_FILE}"
    for host in known_hosts():
        yield from settings_in(f"{root}/{host.folder}")


def settings_in(folder: str) -> Iterator[str]:
    """The files in a host's folder that its hooks are read from."""
    for host in known_hosts():
        if folder.endswith(f"/{host.folder}"):
            for name in host.settings_files:
                yield f"{folder}/{name}"


def _covers(glob: str, path: str) -> bool:
    """Whether a shell's glob means a path or a folder above it; a star takes no leading dot."""
    names = glob.split("/")
    if "**" not in names and any(
        name[:1] in {"*", "?", "["} and there.startswith(".")
        for name, there in zip(names, path.split("/"), strict=False)
    ):
        return False
    return compile_globs((glob,)).fullmatch(path) is not None


def _read_number(path: str) -> int | None:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read(16))
    except (OSError, ValueError):
        return None
