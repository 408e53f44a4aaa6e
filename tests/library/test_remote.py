"""Following the log of a daemon."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.library.remote import RemoteEngine
from handrail.server.home import open_home
from tests.library.conftest import SupervisedProject
from tests.server.daemon_sandbox import DaemonSandbox


@pytest.fixture
def served(sandbox: DaemonSandbox, folder: Path) -> Iterator[SupervisedProject]:
    made = SupervisedProject(sandbox, folder, daemon=True)
    yield made
    made.close()


def test_whoever_waits_for_events_hears_of_a_new_one_in_time(served: SupervisedProject) -> None:
    supervisor = served.supervise()
    environ = served.sandbox.environ
    engine = RemoteEngine(open_home(environ), supervisor.run, str(served.folder), environ)
    is_ready, heard = threading.Event(), threading.Event()

    def follow() -> None:
        last = max(seq for seq, _ in engine.events(0))
        is_ready.set()
        while not engine.events(last):
            engine.wait_for_events(3_600)
        heard.set()

    threading.Thread(target=follow, daemon=True).start()
    assert is_ready.wait(30)
    assert supervisor.before("Bash", {"command": "ls"}).allowed
    assert heard.wait(30)
