"""The clock of the machine is set while runs are under way: their processes stay who they are."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from handrail.server.control.run_processes import agent_of, driver_of
from tests.intervene.process_spawner import is_alive
from tests.server.agent_processes import AgentProcesses

SetClock = Callable[[float], None]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[AgentProcesses]:
    with AgentProcesses(tmp_path) as scene:
        yield scene


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """The system counts from its start, and says when that was by the clock of now."""
    linux = pytest.importorskip("psutil._pslinux")
    before = linux.boot_time()
    return lambda seconds: monkeypatch.setattr(linux, "boot_time", lambda: before + seconds)


@pytest.mark.parametrize("hours", [1, -1])
def test_a_stop_finds_an_agent_that_began_before_the_clock_was_set(
    scene: AgentProcesses, set_clock: SetClock, hours: int
) -> None:
    pid = scene.claude("mkfifo never; read line < never")  # nothing of it is marked
    scene.begins(pid)
    set_clock(hours * 3600)
    assert scene.stop().ok
    assert not is_alive(pid)


@pytest.mark.parametrize("hours", [1, -1])
def test_a_frozen_run_goes_on_although_the_clock_was_set(
    scene: AgentProcesses, set_clock: SetClock, hours: int
) -> None:
    pid = scene.claude()
    scene.begins(pid)
    assert scene.freeze().ok
    set_clock(hours * 3600)
    scene.restarted()
    assert scene.thaw().ok
    assert psutil.Process(pid).status() != psutil.STATUS_STOPPED


@pytest.mark.parametrize("hours", [1, -1])
def test_agent_and_driver_are_known_whatever_the_clock_says(
    scene: AgentProcesses, set_clock: SetClock, hours: int
) -> None:
    driver = scene.zoo.sh("echo ready; exec sleep 60", marked=False)
    agent = scene.claude()
    scene.begins(agent, driver=driver)
    set_clock(hours * 3600)
    found = agent_of(scene.supervisor.state), driver_of(scene.supervisor.state)
    assert [each and each.pid for each in found] == [agent, driver]
