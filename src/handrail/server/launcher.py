"""Starts and stops the daemon from outside."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping

from handrail.server.home import SERVE, Home, HomeError
from handrail.server.http.socket_client import DaemonError, daemon_health, why_down
from handrail.server.listening_sockets import (
    ListeningSockets,
    ensure_reachable,
    open_listening_sockets,
)
from handrail.server.lock import AlreadyRunningError, HeldLock, daemon_pid, guardian_pid, is_running
from handrail.server.units.unit_installation import start_units, stop_units
from handrail.store.private_files import open_private

PATIENCE = 15.0
_STEP = 0.02
_TRIES = 2
"""How often to start one: it ends if it finds another in its place, and that may end too."""
_GUARDIAN_SECONDS = 5.0
_MAX_LOG_BYTES = 1_000_000
_ENV = "/usr/bin/env"
_GUARDIAN = (sys.executable, "-EP", "-m", "handrail.server.guardian")
# A child of nobody who could take it along: hosts end what their hooks have started, and go by
# the parent of a process for that.
_DETACH = 'log=$1; shift; "$@" >>"$log" 2>&1 </dev/null &'


def ensure_daemon(
    home: Home, environ: Mapping[str, str] = os.environ, *, patience: float = PATIENCE
) -> bool:
    """Start the daemon unless it runs; return whether it was started. Raises DaemonError."""
    if daemon_health(home) is not None:
        return False
    home.prepare()
    until = time.monotonic() + patience
    tries = 0
    while daemon_health(home) is None:
        if not is_running(home):
            if tries == _TRIES:
                raise DaemonError(f"the daemon did not start: {_last_line(home.daemon_log)}")
            tries += _start(home, environ)
        if time.monotonic() > until:
            raise DaemonError(
                why_down(home)
                or f"the daemon does not answer after {patience:g} s; see {home.daemon_log}, "
                "and try `handrail serve --restart`"
            )
        time.sleep(_STEP)
    return tries > 0


def _start(home: Home, environ: Mapping[str, str]) -> bool:
    """Start a guardian, which starts the daemon; return False if another process was quicker."""
    if start_units(home, environ):
        _wait_for_guardian(home)
        return True
    try:
        lock, sockets = _take_post(home)
    except AlreadyRunningError:
        return False
    except HomeError as error:
        raise DaemonError(f"the daemon did not start: {error}") from None
    with contextlib.closing(lock), sockets.path, sockets.port:
        start_guardian(home, environ, sockets, lock)
    return True


def _wait_for_guardian(home: Home) -> None:
    """Wait until the guardian holds its lock; the service manager may return before that."""
    until = time.monotonic() + _GUARDIAN_SECONDS
    while not is_running(home) and time.monotonic() < until:
        time.sleep(_STEP)


def become_guardian(home: Home, passed_on: ListeningSockets | None) -> None:
    """Replace this process by a guardian, which starts the daemon.

    `passed_on`: the sockets that a service manager holds. Raises AlreadyRunningError or HomeError.
    """
    home.prepare()
    lock, sockets = _take_post(home, passed_on)
    given = (sockets.path.fileno(), sockets.port.fileno(), lock.file)
    for descriptor in given:
        os.set_inheritable(descriptor, True)
    post = _post(home, *given)
    if passed_on is not None:
        post.append("kept=1")
        _write_to_log(home)
    command = [*_GUARDIAN, *post, "--", sys.executable, *sys.orig_argv[1:]]
    os.execve(command[0], command, {**os.environ, "HANDRAIL_HOME": home.path})


def _write_to_log(home: Home) -> None:
    """Send output to the daemon's log, where a guardian looks for its last words."""
    with open(_fresh_log(home), "ab") as file:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(file.fileno(), stream.fileno())


def _fresh_log(home: Home) -> str:
    """Return the path of the daemon's log; create it for this user alone, put a large one aside."""
    log = home.daemon_log
    with contextlib.suppress(FileNotFoundError):
        if os.path.getsize(log) > _MAX_LOG_BYTES:
            os.replace(log, f"{log}.old")
    os.close(open_private(log, os.O_WRONLY))
    return log


def start_guardian(
    home: Home,
    environ: Mapping[str, str],
    sockets: ListeningSockets,
    lock: HeldLock,
    link: socket.socket | None = None,
) -> None:
    """Start a guardian with the sockets; `link`: if this daemon starts it, their connection."""
    log = _fresh_log(home)
    given = [sockets.path.fileno(), sockets.port.fileno(), lock.file]
    post = _post(home, *given)
    if link is not None:
        post += [f"link={link.fileno()}", f"daemon={os.getpid()}"]
        given.append(link.fileno())
    daemon = SERVE if link is None else (sys.executable, *sys.orig_argv[1:])
    command = [*_GUARDIAN, *post, "--", *daemon]
    passed_on = [f"{name}={value}" for name, value in home.environment(environ).items()]
    subprocess.run(
        # A shell adds variables of its own, which env takes out again.
        ["/bin/sh", "-c", _DETACH, "sh", log, _ENV, "-i", *passed_on, *command],
        stdin=subprocess.DEVNULL,
        cwd="/",
        env={},
        start_new_session=True,
        pass_fds=given,
        check=True,
    )


def _take_post(
    home: Home, passed_on: ListeningSockets | None = None
) -> tuple[HeldLock, ListeningSockets]:
    """Take the guardian's lock and the sockets. Raises AlreadyRunningError."""
    try:
        lock = HeldLock(home.guardian_lock)
    except AlreadyRunningError as error:
        raise AlreadyRunningError(daemon_pid(home) or error.pid) from None
    try:
        if (pid := daemon_pid(home)) is not None:  # without a guardian, or nearly at its end
            raise AlreadyRunningError(pid)
        if passed_on is None:
            return lock, open_listening_sockets(home)
        return lock, ensure_reachable(passed_on, home.socket)
    except BaseException:
        lock.close()
        raise


def _post(home: Home, path: int, port: int, lock: int) -> list[str]:
    return [
        f"path={home.socket}",
        f"log={home.daemon_log}",
        f"lock_path={home.guardian_lock}",
        f"socket={path}",
        f"port={port}",
        f"lock={lock}",
    ]


def stop_daemon(home: Home, *, patience: float = PATIENCE) -> bool:
    """Stop guardian and daemon, and wait for both; return whether one was running."""
    was_running = is_running(home)
    stop_units(home, os.environ)
    if not is_running(home):
        return was_running
    # A daemon that does not listen is ended the hard way: what was confirmed is on the disk.
    for number in (signal.SIGTERM, signal.SIGKILL):
        if _end(home, number, patience):
            return True
    raise DaemonError(f"the daemon does not end; see {home.daemon_log}")


def _end(home: Home, number: signal.Signals, patience: float) -> bool:
    until = time.monotonic() + patience
    told: set[int] = set()
    while is_running(home):
        guardian, daemon = guardian_pid(home), daemon_pid(home)
        # It may take a moment until they have said who they are.
        pids = [pid for pid in (guardian, daemon) if pid and pid not in told]
        if number == signal.SIGKILL:
            _signal(pids, signal.SIGSTOP)  # so that neither starts the other again
        elif guardian is not None:
            pids = [pid for pid in pids if pid == guardian]  # which ends the daemon
        _signal(pids, number)
        told.update(pids)
        if time.monotonic() > until:
            return False
        time.sleep(_STEP)
    return True


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _last_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read()[-2000:].strip().splitlines()
    except OSError as error:
        return str(error)
    return lines[-1] if lines else f"see {path}"
