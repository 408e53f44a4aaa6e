"""What an agent's driver hands to the loop."""

import asyncio
from pathlib import Path

import pytest

from handrail.drive import loop_end
from handrail.drive.drive_task import DriveTask
from handrail.drive.loop_end import LoopEnd
from handrail.drive.verify import verify
from handrail.hosts import HOSTS, find_host
from handrail.hosts.driven_agent import MARK
from handrail.server.driving import agent_driver
from handrail.server.driving.agent_driver import AgentDriver, AgentPlan, PreparedAgent
from handrail.server.home import Home


def test_the_verify_command_has_the_variables_of_the_workspace_and_the_mark_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    async def verify_only(task: DriveTask, *_: object, **__: object) -> LoopEnd:
        command = f'echo "$FLEET_SLOT $TMPDIR ${MARK}"; test -n "$PATH"'
        done = await verify(command, task.cwd, environ=task.environ)
        assert done.ok
        said.append(done.says)
        return loop_end.complete(command)

    monkeypatch.setattr(agent_driver, "drive", verify_only)
    agent = PreparedAgent(find_host(next(iter(HOSTS))), "true", "{}")
    plan = AgentPlan("run-a", "do it", cwd=str(tmp_path))
    environ = {"FLEET_SLOT": "2", "TMPDIR": "/of/the/workspace"}
    asyncio.run(AgentDriver(Home(str(tmp_path)), agent, plan, environ=environ).drive())
    assert said == ["2 /of/the/workspace run-a"]
