"""A monitor over real files, with calls and times that a test decides about."""

import os
from pathlib import Path
from time import time
from types import SimpleNamespace
from typing import Any, cast

from handrail.hosts.claude.host import HOST
from handrail.hosts.claude.settings import HookOptions, add, hook_url
from handrail.hosts.port import HookConnection
from handrail.hosts.settings_file import FileChange, InstallRecord, checksum, save_installs
from handrail.model import event as events
from handrail.model.action import Action, Outcome
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.review import Reviewer
from handrail.server.home import Home
from handrail.server.integrity.calls import CallLog
from handrail.server.integrity.hook_client import HookClients
from handrail.server.integrity.integrity_monitor import IntegrityMonitor
from handrail.server.integrity.notices import Notice, NoticeBoard
from handrail.server.integrity.parts import WatchedPart
from handrail.server.integrity.private_modes import PrivateModes
from handrail.server.integrity.settings_parts import HookEntries, HookSwitches
from handrail.server.integrity.watcher import Watcher
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

INSTALL = "handrail install claude"


class RecordedConsequences:
    """Keeps what would be done."""

    def __init__(self) -> None:
        self.stopped: list[tuple[str, Finding]] = []
        self.told: list[Notice] = []

    def stop(self, run: str, finding: Finding) -> str:
        self.stopped.append((run, finding))
        return f"incident-of-{run}"

    def tell(self, notice: Notice) -> None:
        self.told.append(notice)


class IntegrityBench:
    """A home with Handrail installed for the user; `later` lets time pass."""

    def __init__(self, root: Path, *more: WatchedPart) -> None:
        """`more`: parts beside those that every daemon watches."""
        self.project = root / "shop"
        self.project.mkdir(parents=True)
        self.settings = root / ".claude" / "settings.json"
        self.settings.parent.mkdir()
        self.home = Home(str(root / "state"))
        self.home.client({"PATH": "/usr/bin:/bin", "HOME": str(root)})
        connection = HookConnection(
            self.home.port, self.home.hook_token, self.home.client_path, self.home.installs
        )
        self.options = HookOptions(
            "http", hook_url(self.home.port), self.home.hook_token, self.home.client_path
        )
        self.install()
        environ = {"HOME": str(root), "HANDRAIL_HOME": self.home.path}
        hosts = {"claude": HOST.integrity(connection, environ)}
        self.consequences = RecordedConsequences()
        self.notices = NoticeBoard(self.home)
        self.calls = CallLog()
        self.watcher = Watcher(None)
        self._now = 0.0
        self.monitor = IntegrityMonitor(
            (
                HookEntries(hosts, self.home.installs),
                HookClients(self.home),
                PrivateModes(self.home.private_modes),
                HookSwitches(hosts, self.calls.folders),
                *more,
            ),
            self.watcher,
            self.calls,
            self.notices,
            self.consequences,
            now=lambda: self._now,
        )
        self.monitor.turn()

    def install(self, text: str | None = None, path: Path | None = None) -> str:
        """Put our hooks into a settings file, and into the record of them."""
        path = path or self.settings
        path.parent.mkdir(exist_ok=True)
        after = add(text, self.options)
        path.write_text(after)
        change = FileChange(str(path), None, checksum(after.encode()))
        save_installs(self.home.installs, [InstallRecord("claude", change)])
        return after

    # What happens

    def tell(self, event: events.Event, run: str = "r1", *, attended: bool = False) -> None:
        """An event of a run."""
        started = time() - 3600
        state = RunState(
            run, host="claude", cwd=str(self.project), attended=attended, started=started
        )
        self.monitor.on_event(cast("Supervisor", SimpleNamespace(state=state)), event)

    def start(self, run: str = "r1", *, attended: bool = False) -> None:
        """A session begins, and is looked at."""
        self.tell(events.RunStarted(time(), "claude", str(self.project)), run, attended=attended)
        self.monitor.turn()

    def begin(
        self, step: int = 1, run: str = "r1", command: str = "python3 x.py", **fields: Any
    ) -> None:
        """A call that may do anything begins."""
        action = Action("Bash", {"command": command}, str(self.project), {}, f"t{step}")
        review = Reviewer(environ={}).review(action)
        verdict = Verdict(Decision.ALLOW)
        self.tell(
            events.ActionReviewed(time(), step, "name", action, review, verdict), run, **fields
        )

    def end(self, step: int = 1, run: str = "r1", **fields: Any) -> None:
        """It ends."""
        self.tell(events.ActionEnded(time(), step, Outcome(ok=True)), run, **fields)

    def later(self, seconds: float = 1.5) -> None:
        """Let time pass in steps, with a look after each, as the thread takes them."""
        self.monitor.turn()
        self._now += seconds
        self.monitor.turn()

    # What came of it

    @property
    def stopped(self) -> list[str]:
        return [run for run, _ in self.consequences.stopped]

    @property
    def says(self) -> list[str]:
        return [notice.text for notice in self.consequences.told]

    def is_installed(self) -> bool:
        """Whether the hooks are there."""
        return self.settings.exists() and self.settings.read_text().count("/hooks/claude") > 5


def replace(path: Path, text: str) -> None:
    """Write a file as editors do: beside it, then by a rename."""
    fresh = path.with_name(path.name + ".tmp")
    fresh.write_text(text)
    os.replace(fresh, path)
