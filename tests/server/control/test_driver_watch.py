"""An agent whose driver was killed waits, and ends if no other driver comes."""

import subprocess
from collections.abc import Iterator

import pytest

from handrail.control.command_actions import CommandOutcome
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import LoopBegun, LoopEnded
from handrail.model.ordinal import Decision
from handrail.server.control.driver_watch import DriverWatch
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.decision.decision_progress import Held
from handrail.supervise.state.control_state import ControlState
from tests.control.control_setup import ControlSetup

RUN = "run-1"
HOLD = 540


class WatchedDriver:
    """A run, the process that drives it, and the watch."""

    def __init__(self) -> None:
        self.setup = ControlSetup()
        self.driver = subprocess.Popen(["sleep", "600"])
        self.setup.loop(RUN)
        self.drive(self.driver.pid)
        self.supervision = SupervisionThread()
        self.restart()

    def drive(self, pid: int, issue: str = "", run: str = RUN) -> None:
        self.setup.runs.get(run, "/").record(
            LoopBegun(self.setup.clock.now, "do it", 10, driver=pid, issue=issue)
        )

    def restart(self) -> None:
        setup = self.setup
        self.watch = DriverWatch(self.supervision, setup.runs, setup.desk.submit, setup.clock)

    def kill(self) -> None:
        self.driver.kill()
        self.driver.wait()

    def look(self) -> ControlState:
        self.watch.look()
        self.setup.go_on()
        return self.setup.hand(RUN)

    def close(self) -> None:
        self.kill()
        self.supervision.close()


@pytest.fixture
def world() -> Iterator[WatchedDriver]:
    world = WatchedDriver()
    yield world
    world.close()


def test_a_run_with_its_driver_goes_on(world: WatchedDriver) -> None:
    assert world.look().standing == Standing.RUNNING


def test_without_its_driver_its_next_call_is_held(world: WatchedDriver) -> None:
    world.kill()
    hand = world.look()
    assert (hand.standing, hand.by) == (Standing.PAUSED, "handrail")
    assert hand.reason == (
        f"the process that drove it is gone ({world.driver.pid}): handrail run --resume {RUN}"
    )
    call = world.setup.begin_action("a")
    assert isinstance(call, Held)
    assert call.seconds() == HOLD


def test_after_the_longest_hold_its_processes_are_ended_once(world: WatchedDriver) -> None:
    world.kill()
    world.look()
    world.setup.clock.now += HOLD - 1
    assert world.look().standing == Standing.PAUSED
    world.setup.clock.now += 1
    assert world.look().standing == Standing.STOPPING
    world.look()
    [(what, run, request)] = world.setup.actions.begun
    assert (what, run) == ("stop", RUN)
    world.setup.came(RUN, request, CommandOutcome(evidence=("ended: 7 claude",)))
    hand = world.look()
    assert (hand.standing, hand.by) == (Standing.STOPPED, "handrail")
    assert "handrail run --resume" in hand.reason
    assert world.setup.act("b").decision is Decision.BLOCK


def test_a_run_that_a_person_has_paused_ends_too(world: WatchedDriver) -> None:
    world.setup.do(ControlCommand.PAUSE, by="ann")
    world.kill()
    assert world.look().by == "ann"
    world.setup.clock.now += HOLD
    assert world.look().standing == Standing.STOPPING


def test_another_driver_takes_over(world: WatchedDriver) -> None:
    world.kill()
    world.look()
    with subprocess.Popen(["sleep", "600"]) as other:
        world.drive(other.pid)
        world.setup.clock.now += HOLD
        assert world.look().standing == Standing.PAUSED
        other.kill()


def test_a_loop_that_has_ended_needs_no_driver(world: WatchedDriver) -> None:
    world.setup.runs.get(RUN, "/").record(LoopEnded(world.setup.clock.now, "done", "COMPLETE"))
    world.kill()
    assert world.look().standing == Standing.DONE


def test_the_next_daemon_finds_runs_without_a_driver(world: WatchedDriver) -> None:
    world.kill()
    world.setup = ControlSetup(world.setup.store, world.setup.clock)
    world.restart()
    assert world.look().standing == Standing.RUNNING
    world.watch.open(world.setup.clock.now - 10)
    assert world.look().standing == Standing.PAUSED


def test_a_run_of_a_fleet_goes_on_when_a_new_driver_has_taken_it_over(world: WatchedDriver) -> None:
    world.drive(world.driver.pid, issue="a")
    world.kill()
    assert world.look().standing == Standing.PAUSED
    with subprocess.Popen(["sleep", "600"]) as other:
        world.drive(other.pid, issue="a")
        assert world.look().standing == Standing.RUNNING
        other.kill()


def test_all_runs_of_a_fleet_go_on_when_all_have_new_drivers(world: WatchedDriver) -> None:
    runs = (RUN, "run-2", "run-3")
    for run in runs[1:]:
        world.setup.loop(run)
    for run in runs:
        world.drive(world.driver.pid, issue=run, run=run)
    world.kill()
    world.look()
    assert {world.setup.hand(run).standing for run in runs} == {Standing.PAUSED}
    with subprocess.Popen(["sleep", "600"]) as other:
        for run in runs:
            world.drive(other.pid, issue=run, run=run)
        world.look()
        assert {world.setup.hand(run).standing for run in runs} == {Standing.RUNNING}
        other.kill()


def test_a_run_of_a_fleet_that_a_person_has_paused_waits_for_the_person(
    world: WatchedDriver,
) -> None:
    world.drive(world.driver.pid, issue="a")
    world.setup.do(ControlCommand.PAUSE, by="ann")
    world.kill()
    world.look()
    with subprocess.Popen(["sleep", "600"]) as other:
        world.drive(other.pid, issue="a")
        hand = world.look()
        assert (hand.standing, hand.by) == (Standing.PAUSED, "ann")
        other.kill()


def test_a_run_of_a_fleet_whose_agent_was_killed_in_the_middle_of_an_action_goes_on(
    world: WatchedDriver,
) -> None:
    world.drive(world.driver.pid, issue="a")
    assert not isinstance(world.setup.begin_action("a"), Held)
    world.kill()
    assert world.look().standing is Standing.PAUSING, "the action never ends"
    with subprocess.Popen(["sleep", "600"]) as other:
        world.drive(other.pid, issue="a")
        assert world.look().standing is Standing.RUNNING
        other.kill()
