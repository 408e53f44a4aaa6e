"""Starting and stopping the daemon from outside."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Self

from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, health
from handrail.server.lock import holder
from handrail.store.private_files import open_private

PATIENCE = 15.0
_STEP = 0.02
_TRIES = 2
"""One that found another one in its place ends at once, and that other one may end too."""
_MAX_LOG_BYTES = 1_000_000
_ENV = "/usr/bin/env"
_DAEMON = (sys.executable, "-EP", "-m", "handrail", "serve")
# A child of nobody who could take it along: hosts end what their hooks have started, and go by
# the parent of a process for that.
_DETACH = 'log=$1; shift; "$@" >>"$log" 2>&1 </dev/null & echo "$!"'


def ensure_daemon(
    home: Home, environ: Mapping[str, str] = os.environ, *, patience: float = PATIENCE
) -> bool:
    """Start the daemon unless it runs; tells whether it was started. Raises DaemonError."""
    if health(home) is not None:
        return False
    home.prepare()
    until = time.monotonic() + patience
    with contextlib.ExitStack() as exits:
        spawned: list[_SpawnedDaemon] = []
        while (told := health(home)) is None:
            if holder(home) is None and not any(each.lives for each in spawned):
                if len(spawned) == _TRIES:
                    raise DaemonError(f"the daemon did not start: {_last_line(home.daemon_log)}")
                spawned.append(exits.enter_context(_SpawnedDaemon(home, environ)))
            if time.monotonic() > until:
                raise DaemonError(
                    f"the daemon does not answer after {patience:g} s; see {home.daemon_log}, "
                    "and try `handrail serve --restart`"
                )
            time.sleep(_STEP)
        others = [each for each in spawned if each.pid != told.get("pid")]
        for each in others:
            # Another one was quicker. Ours must not wait for a chance: nobody would expect it.
            each.end()
        return len(others) < len(spawned)


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


class _SpawnedDaemon:
    """A daemon that was started, while somebody looks after it."""

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        log = home.daemon_log
        with contextlib.suppress(FileNotFoundError):
            if os.path.getsize(log) > _MAX_LOG_BYTES:
                os.replace(log, f"{log}.old")
        os.close(open_private(log, os.O_WRONLY))
        # It holds the other end as long as it lives.
        self._life, held = os.pipe()
        try:
            given = [f"{name}={value}" for name, value in home.environment(environ).items()]
            started = subprocess.run(
                # A shell adds variables of its own, which env takes out again.
                ["/bin/sh", "-c", _DETACH, "sh", log, _ENV, "-i", *given, *_DAEMON],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                cwd="/",
                env={},
                start_new_session=True,
                pass_fds=(held,),
                check=True,
            )
        except BaseException:
            os.close(self._life)
            raise
        finally:
            os.close(held)
        self.pid = int(started.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._life)

    @property
    def lives(self) -> bool:
        """Whether it has not ended yet."""
        return not select.select([self._life], [], [], 0)[0]

    def end(self) -> None:
        """Ask it to end, unless it has ended: its number may be somebody else's then."""
        if self.lives:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)


def _last_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read()[-2000:].strip().splitlines()
    except OSError as error:
        return str(error)
    return lines[-1] if lines else f"see {path}"
