"""A stop works although the log takes nothing; whatever else is asked for does not."""

from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from handrail.control.client import make_request
from handrail.control.message import encode
from handrail.model.control import ControlCommand
from tests.control.stores import WatchedStore
from tests.hosts.claude.desk import SESSION
from tests.intervene.process_spawner import until
from tests.server.agent_processes import AgentProcesses, are_alive
from tests.server.asgi import AsgiResponse, ask
from tests.server.in_process_api import InProcessApi, message


def _asked_on_a_full_disk(
    command: ControlCommand, run: str = SESSION
) -> tuple[AsgiResponse, list[str]]:
    store = WatchedStore(time)

    async def story() -> AsgiResponse:
        await office.hook(message("UserPromptSubmit", prompt="go"))
        store.takes = False
        given = {"text": "tests first"} if command == ControlCommand.STEER else {}
        body = encode(make_request(command, run, by="ann", at=time(), **given))
        return await ask(office.app, "POST", "/control?wait=1", body)

    with InProcessApi(store=store) as office:
        return office.run(story), office.ended


@pytest.mark.parametrize("command", [ControlCommand.STOP, ControlCommand.CANCEL])
def test_a_run_is_ended_although_nothing_can_be_written_down(command: ControlCommand) -> None:
    answer, ended = _asked_on_a_full_disk(command)
    assert ended == [SESSION]
    assert answer.status == 507
    assert "the disk is full" in answer.json["error"]
    assert answer.json["error"].endswith(". It has ended.")


@pytest.mark.parametrize(
    "command", [ControlCommand.PAUSE, ControlCommand.STEER, ControlCommand.FREEZE]
)
def test_nothing_else_is_done_that_cannot_be_written_down(command: ControlCommand) -> None:
    answer, ended = _asked_on_a_full_disk(command)
    assert (answer.status, ended) == (503, [])


def test_nobody_is_ended_whom_nobody_knows() -> None:
    answer, ended = _asked_on_a_full_disk(ControlCommand.STOP, "another")
    assert (answer.status, ended) == (503, [])


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[AgentProcesses]:
    with AgentProcesses(tmp_path) as scene:
        yield scene


def test_no_process_is_left_and_nothing_is_saved(scene: AgentProcesses) -> None:
    agent = scene.claude()
    child = scene.zoo.root / "child"
    until(lambda: child.exists() and child.read_text())
    scene.begins(agent)
    says = scene.processes.end_unwritten(scene.supervisor.state)()
    assert says == "All the same, no process of the run is left. That is not in the log."
    assert are_alive(agent, scene.zoo.number("child")) == [False, False]
    assert scene.told == []


def test_the_one_that_drives_it_ends_too(scene: AgentProcesses) -> None:
    program = scene.zoo.root / "drives"
    program.write_text("sleep 60 & echo $! > driven; echo ready; wait\n")
    driver = scene.zoo.sh(f"exec sh {program}", marked=False)
    driven = scene.zoo.root / "driven"
    until(lambda: driven.exists() and driven.read_text())
    scene.begins(0, driver=driver)
    scene.processes.end_unwritten(scene.supervisor.state)()
    assert are_alive(driver, scene.zoo.number("driven")) == [False, False]
