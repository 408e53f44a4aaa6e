"""Starting and stopping the daemon from outside."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

from handrail.server.client import DaemonError, health
from handrail.server.home import Home
from handrail.server.lock import holder

_PATIENCE = 15.0
_STEP = 0.02
_PASSED_ON = ("HOME", "PATH", "LANG", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ")
_PASSED_ON_PREFIXES = ("LC_", "XDG_", "HANDRAIL_")


def ensure_daemon(home: Home, environ: Mapping[str, str] = os.environ) -> bool:
    """Start the daemon unless it runs; tells whether it was started. Raises DaemonError."""
    if health(home) is not None:
        return False
    home.prepare()
    with open(os.open(home.daemon_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as log:
        child = subprocess.Popen(
            [sys.executable, "-EP", "-m", "handrail", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={**_environment(environ), "HANDRAIL_HOME": home.path},
            start_new_session=True,
        )
    _wait_for_start(home, child)
    return True


def stop_daemon(home: Home) -> bool:
    """End the daemon and wait until it is gone; tells whether there was one."""
    pid = holder(home)
    if pid is None:
        return False
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + _PATIENCE
    while holder(home) is not None:
        if time.monotonic() > until:
            raise DaemonError(f"the daemon (process {pid}) does not end; see {home.daemon_log}")
        time.sleep(_STEP)
    return True


def _wait_for_start(home: Home, child: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _PATIENCE
    while health(home) is None:
        # Another one that was quicker makes this one end; then the other one answers soon.
        if child.poll() not in (None, 0) and holder(home) is None:
            raise DaemonError(f"the daemon did not start: {_last_line(home.daemon_log)}")
        if time.monotonic() > until:
            raise DaemonError(
                f"the daemon did not answer in {_PATIENCE:g} s; see {home.daemon_log}"
            )
        time.sleep(_STEP)


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Only what a daemon needs: it may be started by an agent's hook, and outlives it."""
    return {
        name: value
        for name, value in environ.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }


def _last_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read()[-2000:].strip().splitlines()
    except OSError as error:
        return str(error)
    return lines[-1] if lines else f"see {path}"
