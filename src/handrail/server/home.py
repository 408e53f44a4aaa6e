"""The state folder, and the paths of everything in it."""

import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from shlex import join, quote

from handrail.hosts import HOSTS
from handrail.model.host import known_hosts
from handrail.model.state_folder import state_folder
from handrail.store.private_files import make_folder, replace_file, write_temporary_file

SERVE = (sys.executable, "-EP", "-m", "handrail", "serve")
"""The command that is a guardian, and then a daemon; without what a folder or variables add."""
CLIENT = "hook_client.sh"
"""The file name of the client in the package of a host that cannot call a URL for every hook."""
_PRIVATE = ("hook-token", "control-token", "read-token", "secrets.env", "panel-sessions.json")
"""Files with secrets, for their owner alone."""
_PORTS = range(47100, 47900)
"""Ports below the ephemeral range that no well-known service uses."""
_MAX_SOCKET_PATH = 100
"""A safe length for the path of a unix socket: macOS allows 104 bytes, Linux 108."""
_PASSED_ON = ("HOME", "PATH", "LANG", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ")
_PASSED_ON_PREFIXES = ("LC_", "XDG_", "HANDRAIL_")
_AGAIN = f"remove it, then run `handrail install {next(iter(HOSTS))}` again"


class HomeError(OSError):
    """The state folder cannot be used."""

    def __init__(self, path: str, says: str) -> None:
        super().__init__(f"{path}: {says}")
        self.path = path
        self.says = says


class Home:
    """The state folder of one user: log, socket, tokens, hook client.

    Handrail makes the port and the tokens once and keeps them, because the settings of hosts refer
    to them.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.log = self._file("events.db")
        self.lock = self._file("daemon.lock")
        """The file that a daemon keeps locked while it lives."""
        self.guardian_lock = self._file("guardian.lock")
        """The file that a guardian keeps locked while it lives."""
        self.daemon_log = self._file("daemon.log")
        """The output of a daemon in the background."""
        self.installs = self._file("installs.json")
        """The record of the settings files that `install` changed."""
        self.units = self._file("units.json")
        """The record of the units that were written for systemd or launchd."""
        self.trust = self._file("trust.json")
        """The record of the settings that a person confirmed."""
        self.incidents = self._file("incidents")
        """One folder for each emergency stop."""
        self.notices = self._file("notices.jsonl")
        """Notices about Handrail's own parts, one line each."""
        self.notices_seen = self._file("notices-seen.json")
        """The numbers of the notices that a person has seen."""
        self.panel_sessions = self._file("panel-sessions.json")
        """The browsers that are logged in to the panel."""
        self.client_path = os.path.join(path, "bin", "handrail-hook")
        """The hook client, which `client()` writes."""

    def secrets(self) -> dict[str, str]:
        """Read the passwords and keys for notifications and second opinions: `NAME=value` lines.

        They need a file of their own: the daemon starts with hardly any environment, and projects
        commit their settings.
        """
        path = self._file("secrets.env")
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file if not line.startswith("#")]
        except FileNotFoundError:
            return {}
        pairs = (line.partition("=") for line in lines if "=" in line)
        return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}

    @property
    def socket(self) -> str:
        """Return the daemon's unix socket: in /tmp if the path in the state folder is too long."""
        path = self._file("daemon.sock")
        if len(os.fsencode(path)) <= _MAX_SOCKET_PATH:
            return path
        name = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
        return f"/tmp/handrail-{os.getuid()}-{name}/daemon.sock"

    @property
    def port(self) -> int:
        """The daemon's port on loopback."""
        text = self._kept("port", lambda: str(_free_port()))
        if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > 65535:
            raise HomeError(self._file("port"), f"there is no port in it; {_AGAIN}")
        return int(text)

    @property
    def has_port(self) -> bool:
        """Return whether a port was chosen already; reading `port` would choose one."""
        return os.path.exists(self._file("port"))

    @property
    def hook_token(self) -> str:
        """Return the token for the hook endpoint only; it stands in the settings of hosts."""
        return self._kept("hook-token", lambda: _new_token(24))

    @property
    def control_token(self) -> str:
        """Return the token for every endpoint; only people's programs read it."""
        return self._kept("control-token", lambda: _new_token(32))

    def find_read_token(self) -> str:
        """Return the token that may only look, or "" before a person asked for one."""
        try:
            return _read(self._file("read-token"))
        except FileNotFoundError:
            return ""

    def make_read_token(self, *, new: bool) -> str:
        """Return the token that may only look; make one if there is none, or a `new` one."""
        if new:
            self.prepare()
            replace_file(self._file("read-token"), _new_token(32).encode(), 0o600)
        return self._kept("read-token", lambda: _new_token(32))

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that a daemon needs; it outlives the process that starts it."""
        needed = {
            name: value
            for name, value in environ.items()
            if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
        }
        return {**needed, "HANDRAIL_HOME": self.path}

    def client(self, environ: Mapping[str, str] = os.environ) -> str:
        """Write the hook client of every host anew, and return the path of the first.

        A daemon that it starts gets today's environment, because the project in which an agent
        works shapes the environment of a hook.
        """
        from importlib.resources import files  # noqa: PLC0415 - rarely needed, and slow to load
        from shutil import which  # noqa: PLC0415

        passed_on = [f"{name}={value}" for name, value in self.environment(environ).items()]
        start = [*SERVE, "--background"]
        values = {
            "@SOCKET@": quote(self.socket),
            "@LOG@": quote(self.daemon_log),
            "@PORT@": str(self.port),
            "@CURL@": quote(which("curl") or "/usr/bin/curl"),
            "@START@": join([which("env") or "/usr/bin/env", "-i", *passed_on, *start]),
        }
        self.prepare()
        make_folder(os.path.dirname(self.client_path))
        for host in known_hosts():
            if host.client:
                script = files(HOSTS[host.name]).joinpath(CLIENT).read_text(encoding="utf-8")
                text = re.sub("|".join(values), lambda mark: values[mark[0]], script)
                # Paths in it need not be text.
                replace_file(self.client_of(host.client), os.fsencode(text), 0o700)
        return self.client_path

    def small_files(self) -> tuple[str, ...]:
        """Return the files that hosts need to reach the daemon, and that `uninstall` needs."""
        clients = [host.client for host in known_hosts() if host.client]
        return (*self.fixed_files(), self.installs, self.units, *map(self.client_of, clients))

    def fixed_files(self) -> tuple[str, ...]:
        """Return the files that never change, because the settings of hosts refer to them."""
        return tuple(map(self._file, ("port", "hook-token", "control-token")))

    @property
    def private_modes(self) -> dict[str, int]:
        """Return the private files and folders, and the widest mode allowed for each."""
        return dict.fromkeys(map(self._file, _PRIVATE), 0o600)

    def client_of(self, name: str) -> str:
        """Return the path of a host's hook client."""
        return os.path.join(os.path.dirname(self.client_path), name)

    def prepare(self) -> None:
        """Create the folders for this user only, and let git ignore them."""
        for folder in dict.fromkeys((self.path, os.path.dirname(self.socket))):
            make_folder(folder)
            _check_owner(folder)
            if stat.S_IMODE(os.stat(folder).st_mode) != 0o700:
                os.chmod(folder, 0o700)
        if not os.path.lexists(self._file(".gitignore")):
            replace_file(self._file(".gitignore"), b"*\n", 0o600)

    def check_socket(self) -> None:
        """Raise HomeError if somebody else could have placed the socket."""
        _check_owner(os.path.dirname(self.socket))

    def _file(self, name: str) -> str:
        return os.path.join(self.path, name)

    def _kept(self, name: str, make: Callable[[], str]) -> str:
        """Return the content of a small file; the first process that asks writes it."""
        path = self._file(name)
        try:
            return _read(path)
        except FileNotFoundError:
            self.prepare()
        fresh = write_temporary_file(path, make().encode(), 0o600)
        try:
            os.link(fresh, path)  # fails where a rename would replace what another one made
        except FileExistsError:
            pass
        finally:
            os.unlink(fresh)
        return _read(path)


def open_home(environ: Mapping[str, str]) -> Home:
    """Return the state folder for an environment."""
    path = state_folder(environ)
    if not os.path.isabs(path):
        raise HomeError(path, "HANDRAIL_HOME must be an absolute path")
    return Home(path)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(1000).strip()
    if not text:
        raise HomeError(path, f"the file is empty; {_AGAIN}")
    return text


def _check_owner(folder: str) -> None:
    """Refuse a folder of somebody else, or a link: either could hold somebody else's socket."""
    if {os.lstat(folder).st_uid, os.stat(folder).st_uid} != {os.getuid()}:
        says = "it belongs to another user; set HANDRAIL_HOME to a folder of yours"
        raise HomeError(folder, says)


def _new_token(size: int) -> str:
    import secrets  # noqa: PLC0415 - needed once, and slow to load

    return secrets.token_urlsafe(size)


def _free_port() -> int:
    import secrets  # noqa: PLC0415 - needed once, and slow to load
    import socket  # noqa: PLC0415 - the same

    for port in secrets.SystemRandom().sample(_PORTS, len(_PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise HomeError("127.0.0.1", f"no free port from {_PORTS[0]} to {_PORTS[-1]}")
