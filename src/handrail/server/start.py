"""Starting and stopping the daemon from outside."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping

from handrail.server.client import DaemonError, health
from handrail.server.home import Home, open_private
from handrail.server.lock import holder

PATIENCE = 15.0
_STEP = 0.02
_MAX_LOG_BYTES = 1_000_000


def ensure_daemon(
    home: Home, environ: Mapping[str, str] = os.environ, *, patience: float = PATIENCE
) -> bool:
    """Start the daemon unless it runs; tells whether it was started. Raises DaemonError."""
    if health(home) is not None:
        return False
    home.prepare()
    until = time.monotonic() + patience
    child: subprocess.Popen[bytes] | None = None
    while (told := health(home)) is None:
        running = holder(home)
        # One that found another one in its place has ended with 0: that other one may end too.
        if running is None and (child is None or child.poll() == 0):
            child = _spawn(home, environ)
        elif running is None and child is not None and child.poll() is not None:
            raise DaemonError(f"the daemon did not start: {_last_line(home.daemon_log)}")
        if time.monotonic() > until:
            raise DaemonError(
                f"the daemon does not answer after {patience:g} s; see {home.daemon_log}, "
                "and try `handrail serve --restart`"
            )
        time.sleep(_STEP)
    if child is None or told.get("pid") == child.pid:
        return child is not None
    # Another one was quicker. Ours must not wait for a chance: nobody would expect it then.
    child.terminate()
    return False


def stop_daemon(home: Home, *, patience: float = PATIENCE) -> bool:
    """End the daemon and wait until it is gone; tells whether there was one."""
    if holder(home) is None:
        return False
    # A daemon that does not listen is ended the hard way: what was confirmed is on the disk.
    for number in (signal.SIGTERM, signal.SIGKILL):
        if _end(home, number, patience):
            return True
    raise DaemonError(f"the daemon does not end; see {home.daemon_log}")


def _end(home: Home, number: signal.Signals, patience: float) -> bool:
    until = time.monotonic() + patience
    told = 0
    while (pid := holder(home)) is not None:
        if pid and pid != told:  # it may take a moment until it has said who it is
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            told = pid
        if time.monotonic() > until:
            return False
        time.sleep(_STEP)
    return True


def _spawn(home: Home, environ: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    log = home.daemon_log
    with contextlib.suppress(FileNotFoundError):
        if os.path.getsize(log) > _MAX_LOG_BYTES:
            os.replace(log, f"{log}.old")
    with open(open_private(log, os.O_WRONLY | os.O_APPEND), "a") as file:
        child = subprocess.Popen(
            [sys.executable, "-EP", "-m", "handrail", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            cwd="/",
            env=home.environment(environ),
            start_new_session=True,
        )
    # Should it end before this process does, somebody has to take note of it.
    threading.Thread(target=child.wait, daemon=True).start()
    return child


def _last_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read()[-2000:].strip().splitlines()
    except OSError as error:
        return str(error)
    return lines[-1] if lines else f"see {path}"
