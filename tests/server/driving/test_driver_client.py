"""The driver's way to the daemon: calls are made again until the daemon answers."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.supervised_sessions import (
    PATIENCE,
    SHOP,
    SupervisedSessions,
    meanwhile,
    supervised,
    wait_for,
)

from handrail.drive.daemon_client import DriverReport, IterationPermission, LoopProgress, LoopStart
from handrail.model.control import ControlCommand, Standing
from handrail.server.driving.driver_client import SocketDaemonClient
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, RefusedError
from handrail.server.launcher import stop_daemon

pytestmark = pytest.mark.slow

T = TypeVar("T")


@pytest.fixture
def world(shell: HandrailShell) -> Iterator[SupervisedSessions]:
    with supervised(shell) as world:
        yield world


def loop(world: SupervisedSessions, **more: object) -> LoopStart:
    given = {"goal": "fix it", "cwd": str(world.shell.project), "max": 3, "driver": os.getpid()}
    return LoopStart(**{**given, **more})  # type: ignore[arg-type]


def story(tell: Callable[[], Awaitable[T]]) -> T:
    async def whole() -> T:
        return await asyncio.wait_for(tell(), PATIENCE)

    return asyncio.run(whole())


def ask(world: SupervisedSessions, command: ControlCommand) -> None:
    assert world.run(command.value, SHOP, "--wait").code == 0


def test_a_loop_begins_and_may_go_on(world: SupervisedSessions) -> None:
    async def tell() -> tuple[LoopProgress, IterationPermission]:
        office = SocketDaemonClient(world.home, SHOP)
        begun = await office.begin(loop(world))
        await office.report(DriverReport(kind="usage", tokens=7))
        return begun, await office.may_begin(1)

    begun, go = story(tell)
    assert begun == LoopProgress()
    assert (go.standing, go.goal) == (Standing.RUNNING, "fix it")
    row = world.row()
    assert row.facts.loop is not None
    assert (row.facts.loop.iteration, row.facts.loop.tokens) == (1, 7)
    assert row.run.name == "shop-3f2a"


def test_a_held_loop_waits_and_its_driver_hears_why(world: SupervisedSessions) -> None:
    heard: list[Standing] = []

    async def tell() -> IterationPermission:
        office = SocketDaemonClient(
            world.home, SHOP, on_permission=lambda go: heard.append(go.standing)
        )
        await office.begin(loop(world))
        await asyncio.to_thread(ask, world, ControlCommand.PAUSE)
        waiting = asyncio.ensure_future(office.may_begin(1))
        await asyncio.to_thread(ask, world, ControlCommand.RESUME)
        return await waiting

    assert story(tell).standing is Standing.RUNNING
    assert heard[-1] is Standing.RUNNING


def test_orders_come_once_each_although_the_daemon_is_started_anew(
    world: SupervisedSessions,
) -> None:
    async def tell() -> list[str]:
        office = SocketDaemonClient(world.home, SHOP)
        await office.begin(loop(world))
        found = []
        orders = office.orders()
        for model in ("opus", "haiku"):
            asked = meanwhile(
                lambda model=model: world.shell.spawn("escalate", SHOP, "--model", model, "--wait")
            )
            order = await anext(orders)
            found.append(order.model)
            report = DriverReport(kind="order", request=order.request, model=order.model)
            await office.report(report)
            assert (await asyncio.wrap_future(asked)).returncode == 0
            await asyncio.to_thread(stop_daemon, world.home)
        return found

    assert story(tell) == ["opus", "haiku"]


def test_a_driver_hears_at_once_that_its_run_is_held_and_goes_on(world: SupervisedSessions) -> None:
    async def tell() -> None:
        office = SocketDaemonClient(world.home, SHOP)
        await office.begin(loop(world))
        hearing = asyncio.ensure_future(anext(office.orders()))
        for command, held in ((ControlCommand.PAUSE, True), (ControlCommand.RESUME, False)):
            await asyncio.to_thread(ask, world, command)
            while office.held is not held:
                await asyncio.sleep(0)
        hearing.cancel()

    story(tell)


def test_there_are_no_more_orders_when_the_run_is_over(world: SupervisedSessions) -> None:
    async def tell() -> list[object]:
        office = SocketDaemonClient(world.home, SHOP)
        await office.begin(loop(world))
        await office.report(DriverReport(kind="done", reason="COMPLETE"))
        return [order async for order in office.orders()]

    assert story(tell) == []


def test_a_call_that_the_daemon_refuses_is_not_made_again(world: SupervisedSessions) -> None:
    async def tell() -> None:
        await SocketDaemonClient(world.home, SHOP).begin(loop(world))
        await SocketDaemonClient(world.home, SHOP).begin(loop(world, driver=1))

    with pytest.raises(RefusedError, match="is driven by process"):
        story(tell)


def test_a_daemon_that_cannot_be_started_is_an_error(shell: HandrailShell) -> None:
    """Its state folder is a file."""
    shell.state.write_text("")

    async def tell() -> None:
        await SocketDaemonClient(Home(str(shell.state)), SHOP, patience=0).may_begin(1)

    with pytest.raises((DaemonError, OSError)):
        story(tell)


def test_a_daemon_that_dies_while_it_is_waited_for_is_started_again(
    world: SupervisedSessions,
) -> None:
    async def tell() -> IterationPermission:
        office = SocketDaemonClient(world.home, SHOP)
        await office.begin(loop(world))
        await asyncio.to_thread(ask, world, ControlCommand.PAUSE)
        waiting = asyncio.ensure_future(office.may_begin(1))
        await asyncio.to_thread(stop_daemon, world.home)
        await asyncio.to_thread(
            wait_for, lambda: world.run("resume", SHOP, "--wait").code == 0, "it stays paused"
        )
        return await waiting

    assert story(tell).standing is Standing.RUNNING
