"""`handrail log` of a fleet's run and `handrail task show --log`: what became of the tasks."""

import json
from collections.abc import Iterator

import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.fleet_log import FleetLog
from tests.cli.fleet_shell import FleetShell
from tests.cli.logbook import Logbook, open_logbook, utc

from handrail.cli.commands.log import LogPrinter
from handrail.cli.history.event_filter import EventFilter
from handrail.cli.history.fleet_story import LoggedTask
from handrail.cli.output.terminal import TerminalOutput
from handrail.fleet.engine import events
from handrail.fleet.engine.events import AttemptOutcome
from handrail.model.event import LoopBegun

RUN = "3f2a9c1e-77aa-4b1c-9d2e-1c7a3f6e0001"
OTHER = "91bc0000-0000-4000-8000-000000000002"


@pytest.fixture
def book(shell: HandrailShell) -> Iterator[Logbook]:
    with utc(), open_logbook(shell) as book:
        yield book


def begin(book: Logbook, fleet: FleetLog, run: str) -> None:
    """A scheduler begins to work for the fleet."""
    log = book.start(run, "")
    log.note(LoopBegun(book.now, "2 tasks: docs, cart", 2, mode="grind"))
    fleet.write(events.FleetBegun(book.now, run, str(book.folder), 3))


def night(book: Logbook, name: str = "shop-1a2b3c4d") -> FleetLog:
    """Two tasks: one fails three times and needs a person, one is done and merged."""
    fleet = FleetLog(book.store, book.now, name)
    fleet.add("docs", "cart")
    begin(book, fleet, RUN)
    fleet.claim("docs", 1)
    fleet.claim("cart", 2)
    fleet.iterate("cart", 1)
    fleet.finish("docs", AttemptOutcome.BLOCKED, "The agent failed 3 times in a row: no model")
    fleet.finish("cart", AttemptOutcome.DONE)
    fleet.write(
        events.MergeChanged(fleet.now, "cart", "merged", "main", "f00"),
        events.DispatchClosed(fleet.now, "ada", "lunch"),
        events.QuestionAnswered(fleet.now, "docs", 1, "Blue.", "ada"),
    )
    return fleet


def test_the_run_of_a_fleet_tells_what_became_of_its_tasks(
    shell: HandrailShell, book: Logbook
) -> None:
    night(book)
    ran = shell.run("log", RUN)
    assert ran.code == 0, ran.err
    for says in (
        "docs was added by ada",
        "attempt 1 at cart began in slot 2",
        "cart: iteration 1, changed cart.py, 3 of 4 tests passed",
        "docs needs you, attempt 1: The agent failed 3 times in a row: no model",
        "→ handrail task retry docs",
        "cart is done, attempt 1",
        "merged into main",
        "ada paused the fleet: lunch",
        "ada answered question 1 of docs: Blue.",
    ):
        assert says in " ".join(ran.out.split())
    assert ran.out.index("docs was added") < ran.out.index("session began")
    assert ran.out.index("session began") < ran.out.index("cart is done")


def test_a_later_run_of_the_fleet_tells_its_own_part(shell: HandrailShell, book: Logbook) -> None:
    fleet = night(book)
    begin(book, fleet, OTHER)
    fleet.add("search")
    later, earlier = shell.run("log", OTHER).out, shell.run("log", RUN).out
    assert "search was added" in later
    assert "cart" not in later.replace("2 tasks: docs, cart", "")
    assert "search was added" not in earlier


def test_filters_apply_to_the_story_and_json_has_the_events_as_they_are(
    shell: HandrailShell, book: Logbook
) -> None:
    night(book)
    assert "merged into main" in shell.run("log", RUN, "--grep", "merged").out
    assert "is done" not in shell.run("log", RUN, "--grep", "merged").out
    assert "merged" not in shell.run("log", RUN, "--findings").out
    lines = [json.loads(line) for line in shell.run("log", RUN, "--json").out.splitlines()]
    assert [each["position"] for each in lines] == sorted(each["position"] for each in lines)
    (merged,) = [each for each in lines if each["event"] == "merge_changed"]
    assert (merged["fleet"], merged["task"], merged["target"]) == ("shop-1a2b3c4d", "cart", "main")


def test_an_entry_that_cannot_be_read_is_named_and_hides_nothing(
    shell: HandrailShell, book: Logbook
) -> None:
    fleet = night(book)
    fleet.write_raw(b'{"event": "from_the_future", "at": 1}')
    fleet.add("search")
    shown = shell.run("log", RUN).out
    assert "an entry of the fleet cannot be read" in shown
    assert "search was added" in shown


def test_one_task_tells_its_own_story(fleet: FleetShell, book: Logbook) -> None:
    fleet.add("docs", "cart")
    night(book, fleet.opened.repository.fleet)
    shown = fleet.run("task", "show", "docs", "--log")
    assert shown.code == 0, shown.err
    assert "docs needs you" in shown.out
    assert "cart" not in shown.out
    lines = fleet.run("task", "show", "docs", "--log", "--json").out.splitlines()
    assert [json.loads(line)["event"] for line in lines] == [
        "task_submitted", "task_claimed", "workspace_ready", "driver_started",
        "attempt_finished", "question_answered",
    ]  # fmt: skip
    refused = fleet.run("task", "show", "docs", "--follow")
    assert (refused.code, "--follow needs --log" in refused.err) == (2, True)


def test_the_story_of_a_task_is_followed(book: Logbook, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = night(book)
    steps = iter([lambda: fleet.finish("docs", AttemptOutcome.DONE, attempt=2)])

    def wait() -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    log = LogPrinter(book.store, EventFilter(), TerminalOutput(colour=False), as_json=False)
    log.follow(LoggedTask(fleet.fleet, "docs"), 1, wait)
    said = capsys.readouterr().out
    assert "answered question 1 of docs" in said
    assert "docs is done, attempt 2" in said
    assert "docs was added" not in said
