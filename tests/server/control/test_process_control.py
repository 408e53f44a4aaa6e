"""A stop that a person asked for leaves a checkpoint and no process, and says what it saw."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from handrail.control.command_actions import CommandOutcome
from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.driven_agent import MARK
from handrail.intervene.processes.control_group import make_group, remove_group
from handrail.intervene.processes.process_tree import EndedProcesses, start_time_of_pid
from handrail.model.control import ControlCommand
from handrail.model.event import CheckpointTaken, RunEnded, RunStarted
from tests.intervene.process_spawner import is_alive, until
from tests.server.agent_processes import AgentProcesses, are_alive, is_still, numbers

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[AgentProcesses]:
    with AgentProcesses(tmp_path) as scene:
        yield scene


def begun(scene: AgentProcesses, *, attended: bool = False) -> tuple[int, int]:
    """An agent and a child of it."""
    pid = scene.claude()
    until(lambda: (scene.zoo.root / "child").exists() and (scene.zoo.root / "child").read_text())
    scene.begins(pid, attended=attended)
    return pid, scene.zoo.number("child")


def test_the_agent_ends_with_all_that_it_has_started(scene: AgentProcesses) -> None:
    agent, child = begun(scene)
    came = scene.stop()
    assert (came.ok, came.says, came.payload) == (True, "", {})
    assert numbers(came, "ended") == {agent, child}
    assert are_alive(agent, child) == [False, False]


def test_a_process_that_emptied_its_environment_ends_with_a_driver_that_adopts_it(
    scene: AgentProcesses,
) -> None:
    """The answer says how it was verified; without such a driver, it claims less."""
    driver = scene.zoo.driver("env -i setsid sh -c 'echo $$ > hidden; exec sleep 600' & wait")
    until(lambda: (scene.zoo.root / "hidden").exists() and (scene.zoo.root / "hidden").read_text())
    hidden = scene.zoo.number("hidden")
    scene.begins(driver, driver=driver, adopts=True)
    came = scene.stop()
    assert came.ok
    assert came.evidence[-1] == "verified below its driver, which adopts orphans"
    assert hidden in numbers(came, "ended")
    assert are_alive(driver, hidden) == [True, False]


def test_a_process_in_the_control_group_ends_although_its_driver_was_killed(
    scene: AgentProcesses,
) -> None:
    """Nobody adopts it, and nothing marks it."""
    group = make_group(scene.run, os.environ)
    if group is None:
        pytest.skip("no control group (version 2) can be written here, so none can be tried")
    hide = "(env -i setsid sh -c 'echo $$ > hidden; exec sleep 600' &) & wait"
    driver = scene.zoo.sh("echo ready; exec sleep 600", marked=False)
    subprocess.run([*group.start, "/bin/sh", "-c", hide], cwd=scene.zoo.root, check=True)
    until(lambda: (scene.zoo.root / "hidden").exists() and (scene.zoo.root / "hidden").read_text())
    hidden = scene.zoo.number("hidden")
    scene.begins(hidden, driver=driver, adopts=True, group=group.path)
    psutil.Process(driver).kill()
    until(lambda: not is_alive(driver))
    came = scene.stop()
    assert came.ok
    assert came.evidence[-1] == "verified in its control group, which holds all that it started"
    assert hidden in numbers(came, "ended")
    assert are_alive(hidden) == [False]
    assert not os.path.exists(group.path)


DAEMON = """
import subprocess, sys
from handrail.server.home import Home
from handrail.server.lock import daemon_lock
with daemon_lock(Home(sys.argv[1])):
    git = subprocess.Popen(["sleep", "600"])
    print("ready", flush=True)
    git.wait()
"""


def test_a_daemon_that_a_hook_started_in_the_control_group_outlives_the_run(
    scene: AgentProcesses,
) -> None:
    group = make_group(scene.run, os.environ)
    if group is None:
        pytest.skip("no control group (version 2) can be written here, so none can be tried")
    (scene.zoo.root / "daemon.py").write_text(DAEMON)
    start = shlex.join([*group.start, sys.executable, "daemon.py", scene.shop.home.path])
    daemon = scene.zoo.sh(f"exec {start}", marked=False)
    [git] = [each.pid for each in psutil.Process(daemon).children()]
    driver = scene.zoo.sh("echo ready; exec sleep 600", marked=False)
    agent = scene.zoo.sh(f"exec {shlex.join(group.start)} sh -c 'echo ready; sleep 600'")
    scene.begins(agent, driver=driver, group=group.path)
    came = scene.stop()
    assert came.ok
    assert agent in numbers(came, "ended")
    assert are_alive(daemon, git, driver, agent) == [True, True, True, False]
    scene.zoo.__exit__()
    remove_group(group.path)
    assert not os.path.exists(group.path)


def test_a_folder_that_is_no_control_group_proves_nothing(
    scene: AgentProcesses, tmp_path: Path
) -> None:
    agent, _ = begun(scene)
    driver = scene.zoo.sh("echo ready; exec sleep 600", marked=False)
    scene.begins(agent, driver=driver, group=str(tmp_path))
    assert scene.stop().evidence[-1] == "verified by a search for its children and its mark"


def test_a_search_does_not_claim_more_than_it_did(scene: AgentProcesses) -> None:
    begun(scene)
    assert scene.stop().evidence[-1] == "verified by a search for its children and its mark"


def test_the_files_are_saved_first(scene: AgentProcesses) -> None:
    begun(scene)
    came = scene.stop()
    scene.shop.settle()
    [taken] = scene.shop.all(CheckpointTaken)
    assert isinstance(taken, CheckpointTaken)
    assert came.evidence[0] == f"checkpoint {taken.checkpoint.id}"


def test_an_agent_at_which_somebody_sits_is_ended_too(scene: AgentProcesses) -> None:
    agent, child = begun(scene, attended=True)
    assert scene.stop().ok
    assert are_alive(agent, child) == [False, False]


def test_a_run_whose_processes_are_gone_is_stopped(scene: AgentProcesses) -> None:
    scene.begins(scene.zoo.sh("echo ready", marked=False))
    came = scene.stop()
    assert came.ok
    assert came.evidence[1] == "no process was left"


def test_a_run_is_stopped_although_the_files_cannot_be_saved(scene: AgentProcesses) -> None:
    agent, _ = begun(scene)
    scene.shop.tree.rename(scene.shop.tree.with_name("gone"))
    came = scene.stop()
    assert came.ok
    assert came.says.startswith("No process of the run is left; the files were not saved: ")
    assert came.evidence[0].startswith("no checkpoint: ")
    assert are_alive(agent) == [False]


def test_where_checkpoints_are_switched_off_none_is_taken(tmp_path: Path) -> None:
    with AgentProcesses(tmp_path, "checkpoints: {enabled: false}\n") as scene:
        begun(scene)
        came = scene.stop()
    assert came.ok
    assert came.evidence[0] == "no checkpoint: checkpoints are switched off"


def test_a_run_of_which_something_is_left_is_not_stopped(
    scene: AgentProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(scene)
    left = EndedProcesses(("4711 sleep 8",), ("4712 sleep 9",))
    monkeypatch.setattr(
        "handrail.server.control.process_control.end_processes", lambda *_, **__: left
    )
    came = scene.stop()
    assert not came.ok
    assert came.says == "Could not be ended: 4712 sleep 9"
    assert {"ended: 4711 sleep 8", "left: 4712 sleep 9"} <= set(came.evidence)


def test_whatever_goes_wrong_is_told(
    scene: AgentProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> EndedProcesses:
        raise ValueError("no such luck")

    monkeypatch.setattr("handrail.server.control.process_control.end_processes", fail)
    scene.begins(1)
    came = scene.stop()
    assert not came.ok
    assert "no such luck" in came.says


def test_a_frozen_run_is_stopped(scene: AgentProcesses) -> None:
    agent, child = begun(scene)
    assert scene.freeze().ok
    assert is_still(agent)
    came = scene.stop()
    assert came.ok
    assert numbers(came, "ended") == {agent, child}
    assert os.listdir(os.path.join(scene.shop.home.path, "frozen")) == []


def test_the_same_request_twice_at_once_is_answered_once(scene: AgentProcesses) -> None:
    begun(scene)
    asked = scene.asked(ControlCommand.STOP)
    scene.begin(scene.processes.stop, asked)
    scene.begin(scene.processes.stop, asked)
    scene.processes.settle()
    assert [came.ok for _, came in scene.told] == [True]


def test_of_two_requests_at_once_the_second_finds_nobody(scene: AgentProcesses) -> None:
    agent, _ = begun(scene)
    for command in (ControlCommand.STOP, ControlCommand.CANCEL):
        scene.begin(scene.processes.stop, scene.asked(command))
    scene.processes.settle()
    [first, second] = [came for _, came in scene.told]
    assert (first.ok, second.ok) == (True, True)
    assert agent in numbers(first, "ended")
    assert second.evidence[1] == "no process was left"


def test_the_next_daemon_finishes_a_stop(scene: AgentProcesses) -> None:
    agent, child = begun(scene)
    os.kill(child, 9)  # as far as the first one came
    asked = scene.asked(ControlCommand.STOP)
    for _ in range(2):
        scene.begin(scene.restarted().stop, asked)
        scene.processes.settle()
    assert [came.ok for _, came in scene.told] == [True, True]
    assert are_alive(agent) == [False]


def driven(scene: AgentProcesses, env: str = "") -> tuple[int, int]:
    """Who drives an agent, and that agent."""
    claude = scene.zoo.root / "claude"
    claude.write_text("echo $$ > agent\nwhile :; do sleep 60; done\n")
    start = f"env {env} sh {claude} >/dev/null"
    driver = scene.zoo.sh(f"{start} & echo ready; wait; exec sleep 60", marked=False)
    until(lambda: (scene.zoo.root / "agent").exists() and (scene.zoo.root / "agent").read_text())
    return driver, scene.zoo.number("agent")


def test_whoever_drives_the_agent_stays(scene: AgentProcesses) -> None:
    driver, agent = driven(scene)
    scene.begins(agent, driver=driver)
    came = scene.stop()
    assert came.ok
    assert agent in numbers(came, "ended")
    assert are_alive(driver, agent) == [True, False]


def test_a_driver_with_the_mark_of_the_run_stays(scene: AgentProcesses) -> None:
    """It was started by an agent of its own."""
    program = f"exec env {MARK}={scene.run} sh -c 'echo ready; exec sleep 60'"
    driver = scene.zoo.sh(program, marked=False)
    scene.begins(0, driver=driver)
    assert scene.stop().ok
    assert are_alive(driver) == [True]


def test_a_driven_agent_that_has_not_said_yet_which_process_it_is_is_ended(
    scene: AgentProcesses,
) -> None:
    driver, agent = driven(scene, f"{MARK}={scene.run}")
    scene.begins(0, driver=driver)
    came = scene.stop()
    assert came.ok
    assert agent in numbers(came, "ended")
    assert are_alive(driver, agent) == [True, False]


def test_who_has_got_the_number_of_the_driver_since_is_ended(scene: AgentProcesses) -> None:
    agent, _ = begun(scene)
    began = start_time_of_pid(agent)
    until(lambda: time.clock_gettime(time.CLOCK_BOOTTIME) > began + 0.1)
    mark = f"env {PROFILE.session_variable}={scene.run}"
    other = scene.zoo.sh(f"exec {mark} sh -c 'echo ready; exec sleep 60'", marked=False)
    scene.begins(agent, driver=other)
    came = scene.stop()
    assert came.ok
    assert other in numbers(came, "ended")


def test_where_it_is_not_known_which_process_the_agent_is_nobody_says_that_it_has_ended(
    scene: AgentProcesses,
) -> None:
    scene.claude()
    scene.begins(0)
    until(lambda: (scene.zoo.root / "child").exists() and (scene.zoo.root / "child").read_text())
    came = scene.stop()
    assert not came.ok
    assert "end the agent in its window" in came.says
    assert scene.zoo.number("child") in numbers(came, "ended")


def test_an_agent_inside_a_program_of_the_user_is_refused_and_not_ended(
    scene: AgentProcesses,
) -> None:
    scene.supervisor.record(RunStarted(1.0, "python", str(scene.shop.tree)))
    came = scene.stop()
    assert came.ok
    assert came.says.startswith("The agent is a part of your own program, which goes on")
    frozen = scene.freeze()
    assert not frozen.ok
    assert "use pause" in frozen.says


def test_an_agent_that_has_said_that_it_ends_need_not_be_known(scene: AgentProcesses) -> None:
    scene.begins(0)
    scene.supervisor.record(RunEnded(1.0, "exit"))
    assert scene.stop().ok


def test_secrets_in_command_lines_are_not_told(scene: AgentProcesses) -> None:
    secret = "ghp_" + "a1B2" * 9
    wait = "import time; time.sleep(60)"
    pid = scene.claude(f"{sys.executable} -c '{wait}' {secret} & echo $! > child; wait")
    until(lambda: (scene.zoo.root / "child").exists() and (scene.zoo.root / "child").read_text())
    scene.begins(pid)
    came: CommandOutcome = scene.stop()
    assert scene.zoo.number("child") in numbers(came, "ended")
    assert secret not in " ".join(came.evidence)
