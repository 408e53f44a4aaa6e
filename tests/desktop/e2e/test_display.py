"""No display, one that is lost, and one that comes back."""

import os
import subprocess
from pathlib import Path

import pytest

from handrail.desktop import CheckOutcome
from tests.desktop.desktop_bed import DesktopBed
from tests.desktop.e2e.conftest import EAGER, WatchedDesktop
from tests.intervene.process_spawner import until
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", ["look", "watch", "replay SESSION"])
def test_without_a_display_there_is_one_line_and_exit_code_2(
    watched: WatchedDesktop, command: str
) -> None:
    session = watched.file("session.json", '{"files": [{"path": "a.py", "operations": []}]}')
    del watched.environ["DISPLAY"]
    ran = watched.handrail("desktop", *command.replace("SESSION", str(session)).split())
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "handrail: there is no display: DISPLAY is not set\n"


def test_a_display_that_is_lost_is_reported_until_it_is_back(tmp_path: Path) -> None:
    with DaemonSandbox() as sandbox, DesktopBed(tmp_path, manager=False) as bed:
        watched = WatchedDesktop(bed, sandbox)
        with watched.watch(settings=EAGER) as watch:
            until(lambda: bool(watch.events()))
            assert watch.events()[0].outcome is not CheckOutcome.FAILED
            bed.lose_display()
            until(lambda: watch.events()[-1].outcome is CheckOutcome.FAILED)
            assert bed.name in watch.events()[-1].why
            reading, writing = os.pipe()
            command = ["Xvfb", bed.name, "-displayfd", str(writing), "-nolisten", "tcp"]
            with subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL) as back:
                try:
                    os.close(writing)
                    with open(reading, encoding="ascii") as told:
                        assert told.readline().strip() == bed.name.removeprefix(":")
                    until(lambda: watch.events()[-1].outcome is not CheckOutcome.FAILED)
                    assert not watch.is_over
                finally:
                    watch.stop()
                    back.kill()
