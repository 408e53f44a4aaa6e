"""A run that a task does without asks nobody, and waits for nothing."""

from pathlib import Path

import pytest

from handrail.fleet.engine import events
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.runs_of_tasks import RunsOfTasks
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.model.event import LoopBegun, LoopEnded
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore
from handrail.views.log_feed import LogFeed
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import NEEDS_YOU
from tests.cli.fleet_log import FleetLog
from tests.tui.sample_log import NOON, SampleLog

BLOCKED = AttemptResult(outcome=AttemptOutcome.BLOCKED, says="Which port?")


@pytest.mark.parametrize(
    ("run", "status", "is_past", "asks_nobody"),
    [
        ("now", TaskStatus.BLOCKED, False, False),
        ("now", TaskStatus.PENDING, False, True),
        ("now", TaskStatus.ACTIVE, False, True),
        ("now", TaskStatus.DONE, True, True),
        ("now", TaskStatus.FAILED, True, True),
        ("before", TaskStatus.BLOCKED, True, True),
        ("before", TaskStatus.ACTIVE, True, True),
    ],
)
def test_the_task_decides_about_its_runs(
    run: str, status: TaskStatus, is_past: bool, asks_nobody: bool
) -> None:
    runs = RunsOfTasks([TaskState(Task(id="a", prompt="do a"), status=status, run="now")])
    assert (runs.is_past(run, "a"), runs.asks_nobody(run, "a")) == (is_past, asks_nobody)


def test_nothing_is_said_about_a_task_that_nobody_knows() -> None:
    runs = RunsOfTasks([])
    assert not runs.is_past("now", "a")
    assert not runs.asks_nobody("now", "a")


class Screen:
    """The screen, and a fleet with one task whose agent could not go on."""

    def __init__(self, store: Store) -> None:
        self.fleet = FleetLog(store, NOON)
        self._feed = LogFeed(store, clock=lambda: NOON, lives=lambda pid: False)
        book = SampleLog(store, NOON)
        book.write("run-docs", LoopBegun(NOON, "do docs", 10, mode="issue", issue="docs", driver=9))
        book.write("run-docs", LoopEnded(NOON, "done", "STUCK", says="Which port?"))
        self.fleet.add("docs")
        self.fleet.claim("docs")
        self.fleet.write(events.AttemptFinished(NOON, "docs", 1, BLOCKED))

    def run(self) -> RunOverview:
        while (view := self._feed.poll("")).loading:
            pass
        return next(run for run in view.runs if run.id == "run-docs")


@pytest.fixture
def screen(tmp_path: Path) -> Screen:
    return Screen(SqliteStore(tmp_path / "events.db"))


def test_on_the_screen_a_question_is_open_until_somebody_decides_about_the_task(
    screen: Screen,
) -> None:
    assert screen.run().state(NOON) == NEEDS_YOU
    screen.fleet.write(events.TaskReleased(NOON, "docs", "ada", "8080"))
    run = screen.run()
    assert (run.asks, run.state(NOON)) == ("", "not done")


def test_on_the_screen_the_run_of_a_cancelled_task_is_over(screen: Screen) -> None:
    screen.fleet.write(events.TaskCancelled(NOON, "docs", "ada"))
    run = screen.run()
    assert (run.asks, run.left, run.active) == ("", False, False)
    assert screen.run() is run, "it is drawn once"
