"""The daemon as its guardian sees it: started with the sockets, heard over a line, signalled."""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from handrail.server.guardian.link import Link, Message, make_link
from handrail.server.guardian.pulse import SilentThread, sample

_FIRST = 3
"""Where a process looks for descriptors that it was given (sd_listen_fds)."""
_QUIET = 1.5
"""Seconds without a sign of life after which a daemon is looked at."""
_FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT})


class DaemonProcess:
    """One daemon, from its start to its end."""

    def __init__(
        self,
        pid: int,
        link: Link,
        *,
        is_child: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.pid = pid
        self.link = link
        self._clock = clock
        self.began = clock()
        self.hello: Message | None = None
        """What it has said of itself when it began to answer."""
        self.code = 0
        """Its exit code, if it was a child and has ended."""
        self._is_child = is_child
        self._alive = {"loop": self.began, "supervision": self.began}
        self._silent = SilentThread()
        self._was_woken = False

    def hear(self, message: Message) -> None:
        """Take note of a sign of life."""
        now = self._clock()
        if message["is"] == "hello":
            self.hello = message
            self._alive = dict.fromkeys(self._alive, now)
        elif message["is"] in self._alive:
            self._alive[message["is"]] = now

    def check(self) -> str:
        """Wake it up if it was stopped; return why it has to be ended, or ""."""
        now = self._clock()
        late = [name for name, at in self._alive.items() if now - at > _QUIET]
        if not late:
            self._silent.clear()
            return ""
        main = sample(self.pid, self.pid, now)
        if main is not None and main.state == "T":
            self.signal(signal.SIGCONT)
            self._was_woken = True
            self._silent.clear()
        if self.hello is None or main is None:
            return ""
        thread = self.pid if "loop" in late else int(self.hello["thread"])
        if (seen := sample(self.pid, thread, now)) is not None:
            self._silent.add(seen)
        return self._silent.problem()

    def take_stop(self) -> bool:
        """Whether it was stopped and goes on again, since the last time."""
        if self._is_child and sys.platform == "linux":
            with suppress(ChildProcessError):  # it has ended
                return os.waitid(os.P_PID, self.pid, os.WCONTINUED | os.WNOHANG) is not None
            return False
        was_woken, self._was_woken = self._was_woken, False
        return was_woken

    def signal(self, number: int) -> None:
        """Send a signal; as long as its end of the line is open, the number is its own."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def ended(self) -> str:
        """How it has ended, for people; called when it has hung up."""
        self.link.close()
        if not self._is_child:
            return "it was killed or has ended"
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        if self.code < 0:
            return f"it was ended by {signal.Signals(-self.code).name}"
        return f"it ended with exit code {self.code}"

    @property
    def was_killed(self) -> bool:
        """Whether a signal ended it that somebody else has sent."""
        return -self.code in _FROM_OUTSIDE

    @property
    def was_told_to_end(self) -> bool:
        """Whether somebody else ended it: it did not fail by itself."""
        return self.code == 0 or self.was_killed


def start_daemon(command: Sequence[str], doors: Sequence[socket.socket]) -> DaemonProcess:
    """Start a daemon that has the sockets, and a line to here."""
    ours, theirs = make_link()
    pid = os.fork()  # there is one thread
    if pid == 0:
        try:
            _become_daemon(command, [door.fileno() for door in doors], theirs.fileno())
        finally:
            os._exit(127)
    theirs.close()
    return DaemonProcess(pid, Link(ours), is_child=True)


def _become_daemon(command: Sequence[str], doors: list[int], link: int) -> None:
    given = [*doors, link]
    # Above all places that they are to have, so that none is overwritten.
    moved = [os.dup2(each, _FIRST + len(given) + 100 + at) for at, each in enumerate(given)]
    for at, each in enumerate(moved):
        os.dup2(each, _FIRST + at)  # which makes it inheritable
        os.set_inheritable(each, False)
    environ = {
        **os.environ,
        "LISTEN_FDS": str(len(given)),
        "LISTEN_PID": str(os.getpid()),
        "LISTEN_FDNAMES": "socket:port:link",
    }
    os.execve(command[0], list(command), environ)
