"""A run that was frozen goes on as it was, whoever is the daemon by then."""

import errno
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from handrail.intervene.processes.freezing import FreezeResult, ThawResult
from handrail.model.control import ControlCommand
from handrail.store.private_files import replace_file
from tests.intervene.process_spawner import is_alive, until
from tests.server.agent_processes import AgentProcesses, is_still, numbers, run_file

pytestmark = pytest.mark.slow

TWO = "sleep 60 & echo $! > child; sleep 61 & echo $! > other; echo > both; wait"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[AgentProcesses]:
    with AgentProcesses(tmp_path) as scene:
        yield scene


class Trio:
    """An agent and two children of it."""

    def __init__(self, scene: AgentProcesses) -> None:
        self.agent = scene.claude(TWO)
        until((scene.zoo.root / "both").exists)
        self.child, self.other = scene.zoo.number("child"), scene.zoo.number("other")
        scene.begins(self.agent)

    def still(self) -> list[bool]:
        return [is_still(pid) for pid in (self.agent, self.child, self.other)]


def kept_in(scene: AgentProcesses) -> str:
    return os.path.join(scene.shop.home.path, "frozen")


def stop(pid: int) -> None:
    """As its user does."""
    os.kill(pid, signal.SIGSTOP)
    until(lambda: is_still(pid))


def break_off(scene: AgentProcesses, trio: Trio) -> None:
    """The daemon ends in the middle of a freeze, which has come as far as one process."""
    assert scene.freeze().ok
    kept = json.loads(run_file(kept_in(scene)).read_bytes())
    run_file(kept_in(scene)).write_text(json.dumps({**kept, "stopped": None}))
    os.kill(trio.agent, signal.SIGCONT)
    scene.restarted()


def test_a_run_is_frozen_and_goes_on(scene: AgentProcesses) -> None:
    trio = Trio(scene)
    came = scene.freeze()
    assert (came.ok, came.says) == (True, "")
    assert numbers(came, "stands still") == {trio.agent, trio.child, trio.other}
    assert trio.still() == [True, True, True]
    came = scene.thaw()
    assert (came.ok, came.says) == (True, "")
    assert numbers(came, "goes on") == {trio.agent, trio.child, trio.other}
    assert trio.still() == [False, False, False]


def test_who_was_stopped_before_stays_so_for_the_next_daemon_too(scene: AgentProcesses) -> None:
    trio = Trio(scene)
    stop(trio.other)
    assert scene.freeze().ok
    scene.restarted()
    assert scene.thaw().ok
    assert trio.still() == [False, False, True]


def test_the_next_daemon_lets_go_those_too_that_it_could_not_find(scene: AgentProcesses) -> None:
    """Its environment is empty, and the agent has died meanwhile."""
    agent = scene.claude("env -i sleep 60 & echo $! > child; wait")
    until(lambda: (scene.zoo.root / "child").exists() and (scene.zoo.root / "child").read_text())
    child = scene.zoo.number("child")
    until(lambda: psutil.Process(child).name() == "sleep")
    scene.begins(agent)
    try:
        assert scene.freeze().ok
        os.kill(agent, signal.SIGKILL)
        until(lambda: not is_alive(agent))
        scene.restarted()
        assert numbers(scene.thaw(), "goes on") == {child}
        assert not is_still(child)
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_freeze_in_which_a_daemon_ended_is_undone_by_the_next(scene: AgentProcesses) -> None:
    trio = Trio(scene)
    stop(trio.other)
    break_off(scene, trio)
    assert numbers(scene.thaw(), "goes on") == {trio.child}
    assert trio.still() == [False, False, True]


def test_a_freeze_in_which_a_daemon_ended_is_finished_by_the_next(scene: AgentProcesses) -> None:
    trio = Trio(scene)
    stop(trio.other)
    break_off(scene, trio)
    assert scene.freeze().ok
    assert scene.thaw().ok
    assert trio.still() == [False, False, True]


def test_a_freeze_of_which_nobody_can_know_is_undone(
    scene: AgentProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full by the time that everybody stands still."""
    trio = Trio(scene)
    stop(trio.other)
    stood: list[list[bool]] = []

    def write(path: str, data: bytes, mode: int) -> None:
        if trio.still() == [True, True, True]:
            stood.append(trio.still())
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace_file(path, data, mode)

    monkeypatch.setattr("handrail.server.control.freezer.replace_file", write)
    came = scene.freeze()
    assert not came.ok
    assert "No space left" in came.says
    assert stood
    assert trio.still() == [False, False, True]


def test_a_run_that_is_frozen_twice_goes_on_at_once(scene: AgentProcesses) -> None:
    """What would have let it go in between was overtaken."""
    trio = Trio(scene)
    stop(trio.other)
    assert [scene.freeze().ok, scene.freeze().ok] == [True, True]
    assert numbers(scene.thaw(), "goes on") == {trio.agent, trio.child}
    assert trio.still() == [False, False, True]


@pytest.mark.parametrize("content", [b"", b'{"before": 3}'])
def test_where_it_cannot_be_read_what_was_kept_all_of_the_run_go_on(
    scene: AgentProcesses, content: bytes
) -> None:
    trio = Trio(scene)
    scene.freeze()
    run_file(kept_in(scene)).write_bytes(content)
    assert scene.thaw().ok
    assert trio.still() == [False, False, False]


def test_in_a_run_that_was_never_frozen_nobody_is_let_go(scene: AgentProcesses) -> None:
    """A freeze may be overtaken before it has begun."""
    trio = Trio(scene)
    stop(trio.child)
    assert scene.thaw().evidence == ("no process stood still",)
    assert trio.still() == [False, True, False]


def test_a_freeze_that_was_overtaken_is_undone_by_whoever_hears_of_it(
    scene: AgentProcesses,
) -> None:
    """That is asked for with its own request, while it is just about to end."""
    trio = Trio(scene)
    asked = scene.asked(ControlCommand.FREEZE)
    scene.heard = lambda: scene.begin(scene.processes.thaw, asked)
    scene.begin(scene.processes.freeze, asked)
    until(lambda: len(scene.told) == 2)
    assert trio.still() == [False, False, False]


def test_who_is_stopped_after_a_thaw_is_not_let_go_by_another(scene: AgentProcesses) -> None:
    trio = Trio(scene)
    scene.freeze()
    scene.thaw()
    stop(trio.child)
    assert scene.thaw().evidence == ("no process stood still",)
    assert trio.still() == [False, True, False]


def test_a_run_that_is_let_go_while_it_is_being_frozen_goes_on(scene: AgentProcesses) -> None:
    trio = Trio(scene)
    for _ in range(3):
        scene.begin(scene.processes.freeze, scene.asked(ControlCommand.FREEZE))
        scene.begin(scene.processes.thaw, scene.asked(ControlCommand.RESUME))
    scene.processes.settle()
    assert all(came.ok for _, came in scene.told)
    assert trio.still() == [False, False, False]


def test_whoever_drives_the_agent_is_not_frozen(scene: AgentProcesses) -> None:
    driver = scene.zoo.sh("echo ready; exec sleep 60", marked=False)
    agent = scene.claude()
    scene.begins(agent, driver=driver)
    assert scene.freeze().ok
    assert (is_still(agent), is_still(driver)) == (True, False)


def test_where_it_is_not_known_which_process_the_agent_is_nothing_is_frozen(
    scene: AgentProcesses,
) -> None:
    trio = Trio(scene)
    scene.supervisor.state.pid = 0
    came = scene.freeze()
    assert not came.ok
    assert "is not known" in came.says
    assert trio.still() == [False, False, False]


def test_a_driven_run_without_processes_cannot_be_frozen(scene: AgentProcesses) -> None:
    scene.begins(0, driver=os.getpid())
    came = scene.freeze()
    assert (came.ok, came.says) == (False, "No process of the run was found")


def test_it_is_said_who_could_not_be_frozen(
    scene: AgentProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    Trio(scene)
    loose = FreezeResult(loose=("4711 sleep 8",))
    monkeypatch.setattr("handrail.server.control.freezer.freeze_processes", lambda *_: loose)
    came = scene.freeze()
    assert (came.ok, came.says) == (False, "Not frozen, these could not be: 4711 sleep 8")


def test_a_run_that_stands_still_again_has_not_gone_on(
    scene: AgentProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    Trio(scene)
    assert scene.freeze().ok
    still = ThawResult(still=("4711 claude",))
    with monkeypatch.context() as patch:
        patch.setattr("handrail.server.control.freezer.thaw_processes", lambda *_: still)
        came = scene.thaw()
    assert not came.ok
    assert came.says.startswith("Stands still again: 4711 claude; ")
    assert scene.thaw().ok
