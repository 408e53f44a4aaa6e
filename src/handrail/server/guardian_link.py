"""The daemon's link to its guardian: signs of life, and a new guardian if the old one dies."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import closing, suppress

from handrail import __version__
from handrail.server.guardian.link import Link, Message, make_link
from handrail.server.guardian.pulse import sample
from handrail.server.home import Home
from handrail.server.integrity.package_files import Packages
from handrail.server.launcher import start_guardian
from handrail.server.listening_sockets import Identity, ListeningSockets
from handrail.server.lock import AlreadyRunningError, HeldLock
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError

_EVERY = 1.0
_PATIENCE = 2.0

Refused = list[dict[str, object]]


class GuardianLink:
    """Sends signs of life to the guardian, and hears what it refused while no daemon ran."""

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        sockets: ListeningSockets,
        supervision: SupervisionThread,
        *,
        answers: Mapping[str, object],
        packages: Packages | None = None,
        refused: Callable[[Refused], None],
        stopped: Callable[[], None] = lambda: None,
    ) -> None:
        """`answers`: the guardian's answers without a daemon; `refused`: hears of the calls.

        `packages`: the guardian compares them before it starts the next daemon; `stopped`: hears
        that this daemon was stopped for a while.
        """
        self._home = home
        self._environ = environ
        self._sockets = sockets
        self._supervision = supervision
        self._answers = answers
        self._packages = packages
        self._refused = refused
        self._stopped = stopped
        self._link: Link | None = None
        self._guardian = 0
        self._is_kept: bool | None = None
        """Whether a service manager keeps the guardian; None: the guardian has not said so yet."""
        """Whether a service manager starts the guardian again."""
        self._alone = asyncio.Event()
        self.identity: Identity | None = None
        """The identity of the socket's file, as the guardian or this daemon bound it."""

    async def keep(self) -> None:
        """Send signs of life until cancelled."""
        assert self._sockets.link is not None, "only a guardian starts a daemon"
        self._open(Link(self._sockets.link))
        while True:
            await self._say_alive()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._alone.wait(), _EVERY)
            if self._is_guarded:
                continue
            # A service manager starts both anew, else the next hook does: a daemon that was never
            # welcomed must not put a guardian of its own beside the service manager's.
            if self._is_kept is not False:
                os.kill(os.getpid(), signal.SIGTERM)
                return
            await self._replace_guardian()

    @property
    def _is_guarded(self) -> bool:
        return self._link is not None

    def hand_over(self, path: socket.socket, found: Identity) -> None:
        """Send the guardian a newly bound unix socket."""
        self._sockets = self._sockets._replace(path=path)
        self.identity = found
        if self._link is not None:
            self._link.send("socket", path.fileno(), socket=found)

    def _open(self, link: Link) -> None:
        self._link = link
        asyncio.get_running_loop().add_reader(link.fileno(), self._hear)
        link.send(
            "hello",
            version=__version__,
            token=self._home.hook_token,
            thread=self._supervision.thread_id,
            socket=self.identity,
            answers=self._answers,
            packages=self._packages,
        )

    async def _say_alive(self) -> None:
        if self._link is not None:
            self._link.send("loop")
        with suppress(SupervisionTimeoutError):
            await self._supervision.call(_answer, _PATIENCE)
            if self._link is not None:
                self._link.send("supervision")
        if self._link is not None and self._guardian:
            seen = sample(self._guardian, self._guardian, 0.0)
            if seen is not None and seen.state == "T":
                os.kill(self._guardian, signal.SIGCONT)

    def _hear(self) -> None:
        link = self._link
        assert link is not None
        messages = link.receive()
        if messages is None:
            asyncio.get_running_loop().remove_reader(link.fileno())
            link.close()
            self._link, self._guardian = None, 0
            self._alone.set()
            return
        for message in messages:
            _HEARD.get(message["is"], GuardianLink._ignore)(self, message)

    def _welcomed(self, message: Message) -> None:
        self._guardian, self._is_kept = int(message["pid"]), bool(message.get("kept"))
        if message.get("version") != __version__:  # one that was started before an upgrade
            os.kill(self._guardian, signal.SIGKILL)
        if self.identity is None and message["socket"]:
            device, inode = message["socket"]
            self.identity = device, inode

    def _told_refused(self, message: Message) -> None:
        self._refused(message["calls"])

    def _told_stopped(self, message: Message) -> None:
        self._stopped()

    def _ignore(self, message: Message) -> None:
        """Ignore the message: another version may send more kinds."""

    async def _replace_guardian(self) -> None:
        self._alone.clear()
        ours, theirs = make_link()
        with theirs:
            try:
                await asyncio.to_thread(self._start, theirs)
            except (AlreadyRunningError, OSError):  # tried again in a second
                ours.close()
                return
        self._open(Link(ours))

    def _start(self, link: socket.socket) -> None:
        with closing(HeldLock(self._home.guardian_lock)) as lock:
            start_guardian(self._home, self._environ, self._sockets, lock, link)


_HEARD: Mapping[str, Callable[[GuardianLink, Message], None]] = {
    "welcome": GuardianLink._welcomed,
    "refused": GuardianLink._told_refused,
    "stopped": GuardianLink._told_stopped,
}


def _answer() -> None:
    """Do nothing: the supervision thread shows by this call that it works."""
