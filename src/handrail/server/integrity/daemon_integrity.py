"""The parts of the daemon that watch over Handrail's own files, put together."""

from collections.abc import Mapping
from time import time

from handrail.config import load_settings
from handrail.config.notify import Notify
from handrail.hosts.port import HookConnection, HostAdapter
from handrail.intervene.notify import Notifier
from handrail.server.home import Home
from handrail.server.integrity import wording
from handrail.server.integrity.announcements import Announcements
from handrail.server.integrity.calls import CallLog
from handrail.server.integrity.consequences import DaemonConsequences
from handrail.server.integrity.hook_client import HookClients
from handrail.server.integrity.inotify import Inotify, NoNotificationsError
from handrail.server.integrity.integrity_monitor import IntegrityMonitor
from handrail.server.integrity.notices import Notice, NoticeBoard
from handrail.server.integrity.package_files import Packages
from handrail.server.integrity.packages import OwnPackages, own_packages
from handrail.server.integrity.private_modes import PrivateModes
from handrail.server.integrity.sealed_records import SealedRecords
from handrail.server.integrity.settings_parts import HookEntries, HookSwitches
from handrail.server.integrity.watcher import Watcher
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.run_registry import RunRegistry

_RECENT = 1800.0
"""Seconds: runs that were heard since then may still be alive when a daemon starts."""
_INSTALL = "handrail install writes it again"
_TRUST = "handrail config trust confirms settings again"


class DaemonIntegrity:
    """Builds them, and starts and ends them with the daemon."""

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        hosts: Mapping[str, HostAdapter],
        connection: HookConnection,
        supervision: SupervisionThread,
        runs: RunRegistry,
        notifier: Notifier,
    ) -> None:
        watched = {name: host.integrity(connection, environ) for name, host in hosts.items()}
        kept = {name: each for name, each in watched.items() if each is not None}
        self._notices = notices = NoticeBoard(home)
        self._home = home
        self._runs = runs
        self._calls = CallLog()

        found = own_packages()
        self._packages = None if found is None else OwnPackages(found)

        def notify() -> Notify:
            return load_settings(environ.get("HOME") or "/", environ=environ).config.notify

        self._consequences = DaemonConsequences(supervision, runs, notifier, notify)
        self.monitor = IntegrityMonitor(
            (
                *((self._packages,) if self._packages else ()),
                SealedRecords({home.installs: _INSTALL, home.trust: _TRUST}),
                HookEntries(kept, home.installs),
                HookClients(home),
                PrivateModes(home.private_modes),
                HookSwitches(kept, self._calls.folders),
            ),
            Watcher(_notifications()),
            self._calls,
            notices,
            self._consequences,
            trees=self._packages.folders if self._packages else tuple,
        )
        if self._packages is not None:
            runs.own_problem = self._packages.find_problem
        runs.announce = Announcements(notices, kept).announce
        runs.bus.subscribe(self.monitor.on_event)

    @property
    def packages(self) -> Packages | None:
        """Where Handrail's packages are, if an installer has written down what is in them."""
        return self._packages.packages.as_of(time()) if self._packages else None

    def open(self, killed: int = 0) -> None:
        """Take note of the runs that go on from before, and begin; in the supervision thread.

        `killed`: the process of the last daemon, if it did not come to its own end.
        """
        for state in self._runs.since(time() - _RECENT):
            self._calls.know(state)
        self.monitor.start()
        if killed:
            self.report(wording.killed(killed))

    def report(self, says: str) -> None:
        """Tell people what happened to the daemon itself, if an agent may have done it."""
        open_runs = [run.title for run in self._calls.alive(time()) if run.pid]
        if not open_runs:
            return
        says = f"{says} Nothing tells who did that. Open then: {', '.join(open_runs)}."
        kept = self._notices.add(Notice(0, time(), "daemon", self._home.lock, says))
        if kept is not None:
            self._consequences.tell(kept)

    def close(self) -> None:
        """End with the daemon."""
        self.monitor.close()


def _notifications() -> Inotify | None:
    try:
        return Inotify()
    except NoNotificationsError:
        return None
