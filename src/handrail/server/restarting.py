"""Replace the daemon while its sockets stay open, so that calls wait instead of failing."""

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from handrail.server.home import Home
from handrail.server.http.socket_client import daemon_health
from handrail.server.launcher import PATIENCE, ensure_daemon, stop_daemon
from handrail.server.lock import daemon_pid, guardian_pid

_STEP = 0.02


def restart_daemon(
    home: Home, environ: Mapping[str, str] = os.environ, *, patience: float = PATIENCE
) -> bool:
    """Start another daemon; tells whether there was one before. Raises DaemonError."""
    if _let_guardian_replace(home, patience):
        return True
    stopped = stop_daemon(home, patience=patience)
    ensure_daemon(home, environ, patience=patience)
    return stopped


def _let_guardian_replace(home: Home, patience: float) -> bool:
    """End the daemon alone: its guardian starts the next one, which replaces an old guardian.

    False: there is no guardian that would do so with this Python, or it did not do so in time.
    """
    daemon, known = daemon_pid(home), daemon_health(home)
    if not daemon or not guardian_pid(home) or known is None:
        return False
    if known.get("python") != sys.executable:
        return False
    with suppress(ProcessLookupError):
        os.kill(daemon, signal.SIGTERM)
    until = time.monotonic() + patience
    while daemon_pid(home) in (None, 0, daemon) or daemon_health(home) is None:
        if time.monotonic() > until:
            return False
        time.sleep(_STEP)
    return True
