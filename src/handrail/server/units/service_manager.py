"""systemd and launchd: where their unit files lie, and which commands load, start and stop them."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from handrail.server.launchd_sockets import launchd_label
from handrail.server.units.unit_texts import GuardedService, launchd_plist, systemd_units

_PATIENCE = 30.0


class ServiceManager(NamedTuple):
    """One kind of service manager; its commands have gaps for `{name}`, `{uid}` and the like."""

    name: str
    folder: str
    """The folder of the unit files."""
    texts: Callable[[GuardedService], dict[str, bytes]]
    answers: str
    """The command that succeeds if this manager runs for this user."""
    load: tuple[str, ...]
    """Make the manager read the units, and start them at every login."""
    start: tuple[str, ...]
    """Commands that start the guardian; the first that succeeds is enough."""
    stop: str
    is_active: str
    """The command that succeeds while the manager holds the sockets."""
    unload: tuple[str, ...]
    """Do not start the units at login any more."""
    links: tuple[str, ...]
    """Links that `load` makes; Handrail removes them if the manager is gone."""
    forget: tuple[str, ...]
    """Let the manager notice that the files are gone."""

    def unit_folder(self, environ: Mapping[str, str]) -> str:
        """Return the folder of this user's units."""
        home = environ.get("HOME", "")
        config = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
        return self.folder.format(config=config, home=home)


SYSTEMD = ServiceManager(
    name="systemd",
    folder="{config}/systemd/user",
    texts=systemd_units,
    answers="systemctl --user show --property=Version",
    load=("systemctl --user daemon-reload", "systemctl --user enable --quiet {name}.socket"),
    start=("systemctl --user start {name}.service",),
    stop="systemctl --user stop {name}.socket {name}.service",
    is_active="systemctl --user is-active --quiet {name}.socket",
    unload=("systemctl --user disable --quiet {name}.socket",),
    links=("sockets.target.wants/{name}.socket",),
    forget=("systemctl --user daemon-reload",),
)
LAUNCHD = ServiceManager(
    name="launchd",
    folder="{home}/Library/LaunchAgents",
    texts=launchd_plist,
    answers="launchctl print gui/{uid}",
    load=(),
    start=("launchctl kickstart gui/{uid}/{label}", "launchctl bootstrap gui/{uid} {file}"),
    stop="launchctl bootout gui/{uid}/{label}",
    is_active="launchctl print gui/{uid}/{label}",
    unload=(),
    links=(),
    forget=(),
)
MANAGERS = {manager.name: manager for manager in (SYSTEMD, LAUNCHD)}


def find_manager(environ: Mapping[str, str]) -> ServiceManager | None:
    """Return the manager that runs for this user, or None."""
    if sys.platform == "darwin":
        return LAUNCHD if run_manager_command(LAUNCHD.answers, environ) == "" else None
    # Its socket: without it there is nothing to ask, and nothing to wait for.
    folder = environ.get("XDG_RUNTIME_DIR", "")
    if not folder or not os.path.exists(f"{folder}/systemd/private"):
        return None
    return SYSTEMD if run_manager_command(SYSTEMD.answers, environ) == "" else None


def run_manager_command(
    command: str, environ: Mapping[str, str], name: str = "", file: str = ""
) -> str:
    """Run a command of a manager; return its error message, or "" if it succeeded."""
    values = {"name": name, "label": launchd_label(name), "uid": os.getuid(), "file": file}
    words = [word.format(**values) for word in command.split()]
    # A login without a session, such as by `su`, does not know it.
    folder = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    try:
        ran = subprocess.run(
            words,
            env={**environ, "XDG_RUNTIME_DIR": folder},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = (ran.stderr.strip() or ran.stdout.strip()).splitlines()
    return "" if ran.returncode == 0 else (said[0] if said else f"exit code {ran.returncode}")
