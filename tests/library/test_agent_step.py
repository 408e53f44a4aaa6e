"""An agent as a step: after an emergency stop the step ends, because nobody may be there."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from handrail.drive.daemon_client import IterationPermission
from handrail.drive.loop_end import LoopEnd, complete
from handrail.fleet.pipeline.runner import StepInterruptedError
from handrail.library.pipelines.agent_step import DrivenStep
from handrail.library.pipelines.step_context import StepContext
from handrail.model.control import Standing
from handrail.server.driving.agent_driver import AgentDriver, AgentPlan
from handrail.server.driving.driver_client import PermissionListener
from handrail.server.home import Home


class Driver:
    """Asks for leave once, and then works for ever or is done."""

    def __init__(self, go: IterationPermission | None = None, *, known: bool = True) -> None:
        self.begun = asyncio.Event()
        if known:
            self.begun.set()
        self.on_permission: PermissionListener = lambda go: None
        self.is_over = False
        self._go = go

    async def drive(self) -> LoopEnd:
        try:
            if self._go is None:
                return complete("")
            self.on_permission(self._go)
            await asyncio.Event().wait()
            raise AssertionError
        finally:
            self.is_over = True


def drive(tmp_path: Path, driver: Driver, *, leave: bool = False) -> LoopEnd:
    home = Home(str(tmp_path / "state"))
    at = StepContext(home, str(tmp_path), {"HANDRAIL_HOME": home.path}, "sh")

    async def whole() -> LoopEnd:
        step = DrivenStep(at, AgentPlan("r1", "work"))
        driver.on_permission = step.on_permission
        task = asyncio.ensure_future(step.drive(cast("AgentDriver", driver)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if leave:
            task.cancel()
        return await task

    return asyncio.run(whole())


def test_its_end_is_that_of_the_loop(tmp_path: Path) -> None:
    assert drive(tmp_path, Driver()).reason == "COMPLETE"


def test_an_emergency_stop_ends_it(tmp_path: Path) -> None:
    driver = Driver(IterationPermission(standing=Standing.STOPPED, incident="i-7"))
    end = drive(tmp_path, driver)
    assert (end.reason, end.says) == ("STUCK", "Handrail stopped it: handrail incident show i-7")
    assert driver.is_over


def test_whoever_leaves_before_the_daemon_knows_it_stops_nothing(tmp_path: Path) -> None:
    driver = Driver(IterationPermission(standing=Standing.RUNNING), known=False)
    with pytest.raises(asyncio.CancelledError) as left:
        drive(tmp_path, driver, leave=True)
    assert not isinstance(left.value, StepInterruptedError)
    assert driver.is_over
