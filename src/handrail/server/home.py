"""The state folder, and where each thing in it is."""

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

CLIENT = "hook_client.sh"
"""In the package of a host that cannot call a URL for everything."""
_PORTS = range(47100, 47900)
"""Below the ports that systems hand out by themselves, and used by nothing well known."""
_MAX_SOCKET_PATH = 100
"""A unix socket's path may have 104 bytes on macOS and 108 on Linux."""
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
    """The state folder of one user: log, socket, tokens, the hook client.

    Port and tokens are made once and kept: the settings of hosts refer to them.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.log = self._file("events.db")
        self.lock = self._file("daemon.lock")
        """The file that the daemon holds locked as long as it lives."""
        self.guardian_lock = self._file("guardian.lock")
        """The file that the guardian holds locked as long as it lives."""
        self.daemon_log = self._file("daemon.log")
        """Where a daemon in the background writes what it would say on a terminal."""
        self.installs = self._file("installs.json")
        """The record of settings files that were changed."""
        self.trust = self._file("trust.json")
        """The record of settings that a person has confirmed."""
        self.incidents = self._file("incidents")
        """The folder with one folder for each emergency stop."""
        self.notices = self._file("notices.jsonl")
        """What was noticed about Handrail's own parts, one line each."""
        self.notices_seen = self._file("notices-seen.json")
        """The numbers of those that a person has seen."""
        self.client_path = os.path.join(path, "bin", "handrail-hook")
        """The hook client, which `client()` writes."""

    def secrets(self) -> dict[str, str]:
        """Passwords and keys for messages and second opinions: `NAME=value` lines of a file.

        The daemon is started with hardly any environment, and settings are committed.
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
        """The daemon's unix socket: in the state folder, unless its path is too long for one."""
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
        """Whether a port was chosen already; asking for it chooses one."""
        return os.path.exists(self._file("port"))

    @property
    def hook_token(self) -> str:
        """Opens the hook endpoint and nothing else; it stands in the settings of hosts."""
        return self._kept("hook-token", lambda: _new_token(24))

    @property
    def control_token(self) -> str:
        """Opens everything on the port; only people's programs read it."""
        return self._kept("control-token", lambda: _new_token(32))

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """What a daemon needs of an environment: it outlives whoever has started it."""
        needed = {
            name: value
            for name, value in environ.items()
            if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
        }
        return {**needed, "HANDRAIL_HOME": self.path}

    def client(self, environ: Mapping[str, str] = os.environ) -> str:
        """The path of the hook client; every host's is written as this version wants it.

        A daemon that it starts gets the environment of now: that of a hook is partly made by
        the project in which the agent works.
        """
        from importlib.resources import files  # noqa: PLC0415 - rarely needed, and slow to load
        from shutil import which  # noqa: PLC0415

        passed_on = [f"{name}={value}" for name, value in self.environment(environ).items()]
        start = [sys.executable, "-EP", "-m", "handrail", "serve", "--background"]
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
        """What hosts need to reach the daemon, and `uninstall` to find their settings."""
        clients = [host.client for host in known_hosts() if host.client]
        return (*self.fixed_files(), self.installs, *map(self.client_of, clients))

    def fixed_files(self) -> tuple[str, ...]:
        """What is made once and kept, because the settings of hosts refer to it."""
        return tuple(map(self._file, ("port", "hook-token", "control-token")))

    @property
    def private_modes(self) -> dict[str, int]:
        """What nobody else may open, and the mode that each has at most."""
        tokens = (self._file(name) for name in ("hook-token", "control-token", "secrets.env"))
        return dict.fromkeys(tokens, 0o600)

    def client_of(self, name: str) -> str:
        """The path of a host's hook client."""
        return os.path.join(os.path.dirname(self.client_path), name)

    def prepare(self) -> None:
        """Make the folders, for this user alone."""
        for folder in dict.fromkeys((self.path, os.path.dirname(self.socket))):
            make_folder(folder)
            _check_owner(folder)
            if stat.S_IMODE(os.stat(folder).st_mode) != 0o700:
                os.chmod(folder, 0o700)

    def check_socket(self) -> None:
        """Raises where somebody else may have put the socket there."""
        _check_owner(os.path.dirname(self.socket))

    def _file(self, name: str) -> str:
        return os.path.join(self.path, name)

    def _kept(self, name: str, make: Callable[[], str]) -> str:
        """The content of a small file that is made once, whoever comes first."""
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
    """The state folder that an environment means."""
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
    """Somebody else's folder could hold somebody else's socket, and so could the end of a link."""
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
