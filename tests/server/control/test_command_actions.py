"""What the daemon does for requests, where its log fails."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.control.message import Request
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered, ControlAsked
from handrail.server.control.command_actions import DaemonCommandActions
from tests.server.agent_processes import AgentProcesses


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[AgentProcesses]:
    with AgentProcesses(tmp_path) as scene:
        yield scene


def test_a_freeze_is_ended_in_time_also_where_the_log_fails_just_then(
    scene: AgentProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.server.control.command_actions._GUARD_AGAIN", 0.0)
    asked: list[Request] = []
    taken = asyncio.Event()

    def ask(request: Request, failed: Callable[[], None]) -> None:
        asked.append(request)
        if len(asked) < 3:
            failed()
        else:
            taken.set()

    async def story() -> None:
        actions = DaemonCommandActions(None, None, None, None, _nobody, ask)  # type: ignore[arg-type]
        actions.loop = asyncio.get_running_loop()
        actions.guard(scene.supervisor)
        async with asyncio.timeout(10):
            await taken.wait()

    scene.supervisor.record(ControlAsked(1.0, "r1", ControlCommand.FREEZE, Standing.FREEZING))
    scene.supervisor.record(ControlAnswered(1.0, "r1", ControlCommand.FREEZE, Standing.FROZEN))
    asyncio.run(story())
    assert {each.command for each in asked} == {"pause"}
    assert len({each.request_id for each in asked}) == 3


def _nobody(*_: object) -> None:
    pass
