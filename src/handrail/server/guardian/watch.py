"""Keeps the doors open and a daemon behind them."""

import fcntl
import json
import os
import selectors
import signal
import socket
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from handrail import __version__
from handrail.server.guardian.daemon_process import DaemonProcess, start_daemon
from handrail.server.guardian.link import Link, Message
from handrail.server.guardian.stand_in import Reception, StandIn
from handrail.server.guardian.system_notify import READY, WELL, SystemNotifier
from handrail.server.guardian.waking import wake_on_input
from handrail.server.integrity.package_files import (
    Packages,
    find_changes,
    reinstall_command,
    says_changed,
)

_TICK = 1.0
_DOWN = 5.0
"""Seconds without a daemon after which the guardian answers itself."""
_STEADY = 10.0
"""Seconds that a daemon lives if it is well; one that ended sooner may end again."""
_LONGEST_PAUSE = 30.0
_REPAIR_PAUSE = 2.0
"""Seconds between two looks at packages that somebody has changed."""
_STOP_PATIENCE = 15.0
_LAST_BYTES = 2_000
_OUTPUT, _ERRORS = 1, 2


class Post(NamedTuple):
    """What a guardian was given to guard."""

    command: tuple[str, ...]
    """What starts a daemon."""
    path: str
    """Of the unix socket."""
    log: str
    """What the daemon writes to; its last line says why it has ended."""
    lock_path: str
    socket: int
    port: int
    lock: int
    """Descriptors."""
    link: int = -1
    daemon: int = 0
    """A daemon that runs already: the line to it, and its process."""
    kept: int = 0
    """1: systemd or launchd holds the sockets too, and starts the guardian again."""


DESCRIPTORS = frozenset({"socket", "port", "lock", "link"})
"""The fields of a post that are descriptors."""


class Guardian:
    """Starts a daemon whenever there is none, and speaks for it as long as there is none."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._doors = (socket.socket(fileno=post.socket), socket.socket(fileno=post.port))
        for door in self._doors:
            wake_on_input(door.fileno(), -os.getpgrp())
        self._lock = post.lock
        self._system = SystemNotifier(os.environ)
        self._identity = _identity(post.path)
        self._selector = selectors.DefaultSelector()
        self._reception = Reception(self._selector)
        self._stand_in: StandIn | None = None
        self._daemon: DaemonProcess | None = None
        self._packages: Packages | None = None
        """What a daemon is made of, as one has said that was well."""
        self._down = time.monotonic()
        self._next = 0.0
        """When to start a daemon, if there is none."""
        self._failures = 0
        self._ever_well = bool(post.daemon)
        self._code = 0
        self._is_hopeless = False
        """No daemon ever worked, and the last one ended by itself: the next one would, too."""
        self._cause = "the daemon is being started"
        self._ending = 0.0
        """When a signal came that ends both; 0.0: none did."""
        self._told = False
        """Whether the daemon was told so."""

    def run(self) -> int:
        """Guard until a signal ends it; its exit code."""
        self._name_lock()
        self._listen_to_signals()
        self._system.send(READY)
        if self._post.daemon:
            link = Link(socket.socket(fileno=self._post.link))
            self._attend(DaemonProcess(self._post.daemon, link, is_child=False))
        while True:
            if self._daemon is None:
                if self._ending:
                    return self._leave(0)
                if self._is_hopeless and not self._post.kept:
                    return self._leave(self._code)
                if time.monotonic() >= self._next:
                    self._start()
            for key, _ in self._selector.select(self._pause()):
                react: Callable[[object], None] = key.data
                react(key.fileobj)
            self._tick()

    def _pause(self) -> float:
        if self._daemon is None:
            return max(0.0, min(_TICK, self._next - time.monotonic()))
        return _TICK

    # The daemon

    def _start(self) -> None:
        self._keep_log()
        if self._packages is not None and (changes := find_changes(self._packages)):
            fix = reinstall_command(self._packages.python)
            self._cause = f"{says_changed(changes)}. Put them back: {fix}"
            self._next = time.monotonic() + _REPAIR_PAUSE
            return
        try:
            self._attend(start_daemon(self._post.command, self._doors))
        except OSError as error:  # too many processes or descriptors
            self._failures += 1
            self._next = time.monotonic() + pause_before(self._failures)
            self._cause = f"the daemon cannot be started: {error.strerror}"

    def _attend(self, daemon: DaemonProcess) -> None:
        self._daemon = daemon
        daemon.link.send(
            "welcome",
            pid=os.getpid(),
            version=__version__,
            socket=self._identity,
            kept=bool(self._post.kept),
        )
        self._selector.register(daemon.link, selectors.EVENT_READ, self._hear)

    def _hear(self, _: object) -> None:
        daemon = self._daemon
        assert daemon is not None
        messages = daemon.link.receive()
        if messages is None:
            self._lost(daemon)
            return
        for message in messages:
            daemon.hear(message)
            if message["is"] == "hello":
                self._well(daemon, message)
            elif message["is"] == "socket":
                self._take_socket(daemon, message)

    def _well(self, daemon: DaemonProcess, hello: Message) -> None:
        """It answers: leave the callers to it, and tell it whom it has missed."""
        self._reception.close()
        self._ever_well = True
        if self._stand_in is not None and self._stand_in.refused:
            daemon.link.send("refused", calls=self._stand_in.refused)
        self._packages = Packages(*told) if (told := hello.get("packages")) else None
        self._stand_in = StandIn(hello["answers"], hello["token"], lambda: self._cause)
        self._identity = tuple(hello["socket"]) if hello["socket"] else self._identity

    def _take_socket(self, daemon: DaemonProcess, message: Message) -> None:
        """The socket's file was lost, and the daemon has made another one."""
        fresh = daemon.link.take_descriptor()
        if fresh is not None:
            self._doors[0].close()
            self._doors = (socket.socket(fileno=fresh), self._doors[1])
            wake_on_input(fresh, -os.getpgrp())
            self._identity = tuple(message["socket"])

    def _lost(self, daemon: DaemonProcess) -> None:
        now = time.monotonic()
        self._selector.unregister(daemon.link)
        how = daemon.ended()
        self._daemon, self._code = None, daemon.code
        self._is_hopeless = not self._ever_well and not daemon.was_killed
        was_steady = daemon.hello is not None and now - daemon.began > _STEADY
        if was_steady or (daemon.hello is not None and daemon.was_told_to_end):
            self._failures = 0
        else:
            self._failures += 1
        self._next = now + pause_before(self._failures)
        if daemon.hello is not None:
            self._down = now
        self._cause = f"the daemon is down: {how}{self._last_words(daemon)}"

    def _last_words(self, daemon: DaemonProcess) -> str:
        """The end of its log, if it has failed by itself."""
        if daemon.hello is not None and daemon.was_told_to_end:
            return ""
        with suppress(OSError), open(self._post.log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
            return f". Its log ends with: {lines[-1]}" if lines else ""
        return ""

    # What goes on beside it

    def _tick(self) -> None:
        now = time.monotonic()
        self._system.send(WELL)
        self._reception.drop_slow()
        daemon = self._daemon
        if self._ending:
            if daemon is not None:
                self._end(daemon)
            return
        self._keep_lock()
        if daemon is not None and daemon.take_stop():
            daemon.link.send("stopped")
        if daemon is not None and (problem := daemon.check()):
            self._cause = f"the daemon does not answer: {problem}"
            daemon.signal(signal.SIGKILL)
        is_down = daemon is None or daemon.hello is None
        if is_down and now - self._down > _DOWN:
            self._speak()

    def _speak(self) -> None:
        """Answer callers here: as a daemon has said, or only with the cause if none ever worked."""
        if self._stand_in is None and self._failures:
            self._stand_in = StandIn({}, "", lambda: self._cause)
        if self._stand_in is not None and not self._reception.is_open:
            self._reception.open(self._doors, self._stand_in)

    def _keep_lock(self) -> None:
        """Hold the lock by its name too: somebody may have removed the file."""
        if _identity(self._post.lock_path) == _identity(self._lock):
            return
        with suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            fresh = os.open(self._post.lock_path, flags, 0o600)
            fcntl.flock(fresh, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(self._lock)
            self._lock = fresh
            self._name_lock()

    def _keep_log(self) -> None:
        """Write to the log by its name again, if somebody has removed the file."""
        with suppress(OSError):
            is_file = stat.S_ISREG(os.fstat(_ERRORS).st_mode)
            if not is_file or _identity(self._post.log) == _identity(_ERRORS):
                return  # a terminal, or all is well
            fresh = os.open(self._post.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.dup2(fresh, _ERRORS)
            os.dup2(fresh, _OUTPUT)
            os.close(fresh)

    def _name_lock(self) -> None:
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, json.dumps({"pid": os.getpid()}).encode(), 0)

    # Its end

    def _listen_to_signals(self) -> None:
        woken, wakes = socket.socketpair()
        for end in (woken, wakes):
            end.setblocking(False)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # its terminal may close
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._note_end)
        signal.set_wakeup_fd(wakes.fileno())
        self._wakes = wakes
        self._selector.register(woken, selectors.EVENT_READ, lambda _: woken.recv(64))

    def _note_end(self, *_: object) -> None:
        self._ending = self._ending or time.monotonic()

    def _end(self, daemon: DaemonProcess) -> None:
        """End the daemon, which may have been stopped; after a while the hard way."""
        if time.monotonic() - self._ending > _STOP_PATIENCE:
            daemon.signal(signal.SIGKILL)
        elif not self._told:  # a second time it would be cut off in the middle of its end
            self._told = True
            daemon.signal(signal.SIGTERM)
            daemon.signal(signal.SIGCONT)

    def _leave(self, code: int) -> int:
        if not self._post.kept and _identity(self._post.path) == self._identity:
            with suppress(OSError):
                os.unlink(self._post.path)
        return code


def pause_before(failures: int) -> float:
    """Seconds until the next start, after so many daemons in a row that did not last."""
    return min(2.0 ** (failures - 1), _LONGEST_PAUSE) if failures else 0.0


def _identity(path: str | int) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
