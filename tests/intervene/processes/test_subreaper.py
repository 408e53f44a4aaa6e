"""Processes that shed parent, session and environment stay below the process that adopts them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.intervene.processes.process_tree import ProcessFamily, end_processes, identity_of
from handrail.intervene.processes.subreaper import become_subreaper
from tests.intervene.process_spawner import is_alive

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="only Linux lets a process adopt orphans"
    ),
]

DRIVER = """
import subprocess, sys
from handrail.intervene.processes.subreaper import become_subreaper
assert become_subreaper()
hide = "setsid env -i sh -c 'echo $$ > hidden; exec sleep 600' > /dev/null & wait"
subprocess.run(["sh", "-c", f"({hide}) & until [ -s hidden ]; do :; done"], check=True)
print("ready", flush=True)
sys.stdin.read()
"""
REAPS = """
import os, subprocess
import psutil
from handrail.intervene.processes.subreaper import OrphanReaper, become_subreaper
assert become_subreaper()
own = subprocess.Popen(["sleep", "600"])
orphan = int(subprocess.check_output(["sh", "-c", "sleep 0 > /dev/null & echo $!"]))
while psutil.Process(orphan).status() != "zombie":
    pass
reaper = OrphanReaper()
print(reaper.look(), reaper.look() == [orphan], psutil.pid_exists(orphan), own.poll())
own.kill()
own.wait()
"""


@pytest.fixture
def driver(tmp_path: Path) -> "Iterator[subprocess.Popen[bytes]]":
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def test_a_process_that_hides_from_a_search_is_found_below_its_reaper(
    driver: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    hidden = int((tmp_path / "hidden").read_text())
    blind = ProcessFamily({"HANDRAIL_TEST_SESSION": str(tmp_path)})
    assert (blind.is_complete, [each.pid for each in blind.look()]) == (False, [])
    family = ProcessFamily({}, reaper=identity_of(driver.pid))
    assert family.is_complete
    assert hidden in [each.pid for each in family.look()]
    assert end_processes(family).left == ()
    assert not is_alive(hidden)
    assert driver.poll() is None


def test_spared_processes_below_the_reaper_stay(
    driver: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    hidden = int((tmp_path / "hidden").read_text())
    family = ProcessFamily({}, reaper=identity_of(driver.pid), spared=(hidden,))
    assert hidden not in [each.pid for each in family.look()]
    end_processes(ProcessFamily({}, reaper=identity_of(driver.pid)))


def test_a_reaper_that_is_gone_makes_no_promise(driver: "subprocess.Popen[bytes]") -> None:
    reaper = identity_of(driver.pid)
    end_processes(ProcessFamily({}, reaper=reaper))
    driver.kill()
    driver.wait()
    assert not ProcessFamily({}, reaper=reaper).is_complete


def test_adopted_processes_are_reaped_and_others_left_to_those_who_wait() -> None:
    said = subprocess.check_output([sys.executable, "-c", REAPS], text=True)
    assert said.split() == ["[]", "True", "False", "None"]


def test_it_is_possible_here() -> None:
    """In a child: a test process must not adopt the orphans of other tests."""
    code = f"from {become_subreaper.__module__} import become_subreaper as b; print(b())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True\n"
