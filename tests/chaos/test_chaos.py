"""Processes of a fleet are killed and stopped at random moments; its work comes out right.

`make chaos` runs it with 20 tasks and 200 faults. CHAOS_SEED repeats a run: the choices are the
same, but the machine decides what the processes are doing at that moment.
"""

import os
import signal
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from handrail.fleet.engine.events import (
    AttemptFinished,
    LeaseExpired,
    TaskAudited,
    TaskClaimed,
    TaskGivenBack,
)
from handrail.fleet.tasks.task import TaskStatus
from tests.chaos import invariants
from tests.chaos.faults import FaultInjector, plan_faults
from tests.chaos.fleet_world import SLOTS, FleetWorld, fleet_world
from tests.claude.supervised import until

SEED = int(os.environ.get("CHAOS_SEED", "145"))
TASKS = int(os.environ.get("CHAOS_TASKS", "5"))
FAULTS = int(os.environ.get("CHAOS_FAULTS", "12"))
MEAN_PAUSE = float(os.environ.get("CHAOS_PAUSE", "1.0"))
LINES = 4
PATIENCE = 600.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="it looks into /proc"),
]


def summary(world: FleetWorld, injector: FaultInjector) -> str:
    """What happened, for a person."""
    log = world.events()
    kinds = Counter(type(event).__name__ for event in log)
    audits = Counter(event.kind for event in log if isinstance(event, TaskAudited))
    shown = (TaskClaimed, LeaseExpired, TaskGivenBack, AttemptFinished)
    return (
        f"{dict(injector.counts)}; schedulers: {world.schedulers}; "
        f"{ {each.__name__: kinds[each.__name__] for each in shown} }; {dict(audits)}"
    )


def say(capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Print for a person who runs `make chaos`; pytest keeps it for a test that fails."""
    with capsys.disabled() if "CHAOS_SEED" in os.environ else nullcontext():
        print(f"\n{text}")  # noqa: T201


@pytest.mark.timeout(1200)
def test_every_task_has_one_result_and_one_merge_after_random_faults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say(capsys, f"CHAOS_SEED={SEED}: {TASKS} tasks, {FAULTS} faults")
    began = time.monotonic()
    with fleet_world() as world:
        names = world.write_tasks(TASKS, lines=LINES, last_fault=FAULTS)
        injector = FaultInjector(world)
        try:
            assert injector.inject(plan_faults(SEED, FAULTS, MEAN_PAUSE), PATIENCE)
            injector.continue_all()
            assert not injector.wait(PATIENCE), invariants.tasks_not_done(world)
        finally:
            say(capsys, f"{time.monotonic() - began:.0f} s; {summary(world, injector)}")
        log = world.events()
        assert invariants.tasks_not_done(world) == []
        assert invariants.attempts_at_odds(log) == []
        assert invariants.slots_at_odds(log, SLOTS) == []
        assert invariants.unexplained_ends(log) == []
        assert invariants.overlapping_agents(world) == []
        until(lambda: not invariants.processes_left(world), "a process of the fleet is left")
        assert invariants.settings_left(world) == []
        assert invariants.late_results_taken(world) == []
        # A merge that a fault broke off is left for a person.
        world.sandbox.handrail("merge", "--all", "--yes")
        assert invariants.merges_at_odds(world, names) == []
        assert invariants.worktrees_left(world) == []
        assert invariants.work_at_odds(world, names, LINES) == []


@pytest.mark.timeout(600)
def test_a_task_whose_drivers_hang_is_blocked_and_leaves_nothing_behind() -> None:
    with fleet_world(max_retries=1) as world:
        world.write_tasks(1, last_fault=1)  # there will be none
        stopped: set[int] = set()

        def stop_drivers() -> bool:
            with world.processes() as found:
                for each in found:
                    if each.kind == "driver" and world.has_driver(each.pid):
                        each.signal(signal.SIGSTOP)
                        stopped.add(each.pid)
            return world.scheduler_ended()

        world.keep_scheduler()
        until(stop_drivers, "the task is not blocked")
        (task,) = world.engine.state().tasks.values()
        assert task.status is TaskStatus.BLOCKED
        assert "2 attempts were lost" in task.says
        assert len(stopped) == 2
        assert invariants.unexplained_ends(world.events()) == []
        until(lambda: not invariants.processes_left(world), "a process of the fleet is left")
