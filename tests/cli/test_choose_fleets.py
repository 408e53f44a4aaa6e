"""A command for all runs reaches the tasks of a fleet once: through the run of the fleet."""

from tests.control.control_setup import ControlSetup

from handrail.cli.history.runs import KnownRuns
from handrail.cli.requests.sending import choose_all
from handrail.model.control import ControlCommand
from handrail.model.event import LoopBegun


def fleet_beside_a_run() -> ControlSetup:
    setup = ControlSetup()
    setup.loop("solo")
    now = setup.clock.now
    setup.runs.get("grind", "/").record(LoopBegun(now, "all", 3, "grind"))
    for name in ("a", "b"):
        begun = LoopBegun(now, name, 10, "issue", parent="grind", issue=name)
        setup.runs.get(f"run-{name}", "/").record(begun)
    return setup


def chosen(setup: ControlSetup, command: ControlCommand) -> set[str]:
    found = choose_all(KnownRuns(setup.store), setup.store, command, setup.clock.now)
    return {run.id for run in found.runs}


def test_a_fleet_gives_a_pause_on_to_the_runs_of_its_tasks() -> None:
    assert chosen(fleet_beside_a_run(), ControlCommand.PAUSE) == {"solo", "grind"}


def test_a_stop_goes_to_each_agent_because_a_fleet_has_none_of_its_own() -> None:
    assert chosen(fleet_beside_a_run(), ControlCommand.STOP) == {"solo", "run-a", "run-b"}


def test_only_fleets_wait_for_the_end_of_iterations() -> None:
    setup = fleet_beside_a_run()
    pause = ControlCommand.PAUSE
    found = choose_all(KnownRuns(setup.store), setup.store, pause, setup.clock.now)
    assert {run.id for run in found.runs if found.takes("iteration", run, pause)} == {"grind"}
    assert {run.id for run in found.runs if found.takes("action", run, pause)} == {"solo", "grind"}
