"""`handrail status` tells who has a hand on a run, and how far a driven one is."""

import os

import pytest
from rich.cells import cell_len

from handrail.cli.commands.status import report, show_short
from handrail.cli.history.runs import KnownRuns
from handrail.cli.history.status_row import StatusRow, find_rows
from handrail.cli.output.terminal import TerminalOutput
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import (
    ActionHeld,
    ControlAnswered,
    ControlAsked,
    IterationBegun,
    LoopBegun,
    LoopEnded,
    UsageMeasured,
    UsageSampled,
    Verified,
)

from .conftest import HandrailShell
from .logbook import Logbook, RunLog, memory_logbook, open_logbook

MINUTE = 60
HERE = os.getpid()


@pytest.fixture
def book() -> Logbook:
    return memory_logbook()


@pytest.fixture
def shop(book: Logbook) -> RunLog:
    return book.start("3f2a0000", "fix the cart total")


def rows(book: Logbook, *, lives: bool = True) -> list[StatusRow]:
    return find_rows(
        KnownRuns(book.store), book.store, book.now, show_all=False, lives=lambda pid: lives
    )


def shown(
    book: Logbook,
    capsys: pytest.CaptureFixture[str],
    *,
    me: str = "me",
    lives: bool = True,
    width: int = 80,
) -> list[str]:
    """The lines about runs."""
    screen = TerminalOutput(colour=False, width=width)
    report(screen, rows(book, lives=lives), {"ok": True}, trouble="", older=0, me=me)
    return capsys.readouterr().out.splitlines()[1:]


def ask(
    run: RunLog, command: ControlCommand, now: Standing, *, reason: str = "", text: str = ""
) -> None:
    run.note(ControlAsked(run.book.now, "r1", command, now, "ann", reason, text))


def confirm(run: RunLog, command: ControlCommand, then: Standing) -> None:
    run.note(ControlAnswered(run.book.now, "r1", command, then, evidence=("seen",)))


def paused(run: RunLog, reason: str = "") -> None:
    ask(run, ControlCommand.PAUSE, Standing.PAUSING, reason=reason)
    confirm(run, ControlCommand.PAUSE, Standing.PAUSED)


def driven(book: Logbook, run: str = "91bc0000") -> RunLog:
    log = RunLog(book, run, "/w/docs")
    log.note(LoopBegun(book.now, "release 2.3", 10, model="haiku", verify="make", driver=HERE))
    log.note(IterationBegun(book.now, 2))
    log.note(UsageMeasured(book.now, 12_300, 0.42, 60.0, 410.0))
    return log


def test_a_paused_run_says_by_whom_since_when_and_why(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    paused(shop, "fixing the fixture first")
    shop.note(ActionHeld(book.now, "t1", "Bash pytest -q"))
    book.wait(12 * MINUTE)
    run, hand, held = shown(book, capsys)
    assert run.startswith(" ‖ shop-3f2a  paused  fix the cart total ")
    assert hand == "   by ann, 12 min ago: fixing the fixture first"
    assert held == "   held before: Bash pytest -q"


def test_your_own_hand_is_called_yours(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    paused(shop)
    assert shown(book, capsys, me="ann")[1] == "   by you, 0 s ago"


def test_what_is_not_confirmed_yet_is_told_apart(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(shop, ControlCommand.PAUSE, Standing.PAUSING)
    assert shown(book, capsys)[0].startswith(" ‖ shop-3f2a  pausing  ")


def test_a_message_that_the_agent_has_not_got_yet_is_told(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(shop, ControlCommand.STEER, Standing.RUNNING, text="use pytest")
    run, waiting = shown(book, capsys)
    assert run.startswith(" ● shop-3f2a  working ")
    assert waiting == "   not confirmed yet: steer"


def test_a_stopped_run_stays_in_the_list_although_its_session_has_ended(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(shop, ControlCommand.STOP, Standing.STOPPING, reason="lunch")
    shop.finish()
    confirm(shop, ControlCommand.STOP, Standing.STOPPED)
    book.wait(90 * MINUTE)
    run, hand = shown(book, capsys)
    assert run.startswith(" ■ shop-3f2a  stopped  fix the cart total ")
    assert hand == "   by ann, 90 min ago: lunch"


def test_a_cancelled_run_is_over(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(shop, ControlCommand.CANCEL, Standing.CANCELLING, reason="wrong branch")
    confirm(shop, ControlCommand.CANCEL, Standing.CANCELLED)
    run, hand = shown(book, capsys)
    assert run.startswith(" ○ shop-3f2a  cancelled  fix the cart total ")
    assert hand == "   by ann, 0 s ago: wrong branch"
    book.wait(61 * MINUTE)
    assert rows(book) == []


def test_a_paused_session_that_was_closed_has_ended(book: Logbook, shop: RunLog) -> None:
    paused(shop)
    shop.finish()
    assert [row.state for row in rows(book)] == ["ended"]


def test_a_driven_run_shows_its_iteration_model_and_cost(
    book: Logbook, capsys: pytest.CaptureFixture[str]
) -> None:
    driven(book)
    run, loop = shown(book, capsys)
    assert "working  release 2.3 " in run
    assert loop == "   it 2/10 · haiku · $0.42 · 12,300 tokens"


def test_the_run_of_a_fleet_counts_tasks(book: Logbook, capsys: pytest.CaptureFixture[str]) -> None:
    log = RunLog(book, "f1ee0000", "/w/shop")
    log.note(LoopBegun(book.now, "8 tasks: a, b", 8, mode="grind", driver=HERE))
    log.note(IterationBegun(book.now, 3))
    assert shown(book, capsys)[1] == "   3/8 tasks"


@pytest.mark.parametrize(
    ("cost", "unpriced", "said"), [(0.0, ("opus",), "cost unknown"), (0.42, (), "$0.42")]
)
def test_a_session_shows_its_measured_use_and_an_unknown_cost_as_unknown(
    book: Logbook,
    shop: RunLog,
    capsys: pytest.CaptureFixture[str],
    cost: float,
    unpriced: tuple[str, ...],
    said: str,
) -> None:
    shop.note(UsageSampled(book.now, 12_300, cost, unpriced, memory_mb=410.2))
    assert shown(book, capsys)[1] == f"   {said} · 12,300 tokens · 410 MB"


def test_a_driven_run_whose_driver_is_gone_says_how_it_goes_on(
    book: Logbook, capsys: pytest.CaptureFixture[str]
) -> None:
    driven(book)
    run, _, left = shown(book, capsys, lives=False)
    assert " interrupted " in run
    assert left.startswith("   its driver is gone → handrail run --resume ")
    assert left.endswith("-91bc")


def test_a_cancelled_run_needs_no_driver(book: Logbook, capsys: pytest.CaptureFixture[str]) -> None:
    confirm(driven(book), ControlCommand.CANCEL, Standing.CANCELLED)
    assert "handrail run --resume" not in "".join(shown(book, capsys, lives=False))


@pytest.mark.parametrize(
    ("reason", "state", "says"),
    [("COMPLETE", " done ", ""), ("STUCK", " not done ", " · the agent is stuck")],
)
def test_a_loop_that_has_ended_says_whether_it_is_done(
    book: Logbook, capsys: pytest.CaptureFixture[str], reason: str, state: str, says: str
) -> None:
    log = driven(book)
    log.note(Verified(book.now, 2, "make", True))
    log.note(LoopEnded(book.now, "done", reason))
    run, loop = shown(book, capsys)
    assert run.startswith(" ○ ")
    assert state in run
    assert loop == f"   it 2/10{says} · haiku · $0.42 · 12,300 tokens · verified"


@pytest.mark.parametrize("width", [40, 64, 80])
def test_no_line_is_wider_than_the_screen(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    paused(shop, "\x1b[2J" + "漢字" * 200)
    shop.note(ActionHeld(book.now, "t1", "Bash " + "x" * 300))
    driven(book)
    for line in shown(book, capsys, width=width):
        assert cell_len(line) <= width
        assert line.isprintable()


def test_the_prompt_counts_held_and_stopped_runs(
    book: Logbook, shop: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    paused(shop)
    other = book.start("77aa0000")
    confirm(other, ControlCommand.STOP, Standing.STOPPED)
    show_short(TerminalOutput(colour=False), rows(book), running=True)
    assert capsys.readouterr().out == "‖ 1 paused  ■ 1 stopped\n"


def test_json_says_the_same(shell: HandrailShell) -> None:
    import time

    with open_logbook(shell, time.time() - MINUTE) as book:
        shop = book.start("3f2a0000", "fix it")
        paused(shop, "lunch")
        shop.note(ActionHeld(book.now, "t1", "Bash pytest -q"))
        ask(shop, ControlCommand.STEER, Standing.PAUSED, text="use pytest")
        driven(book)
        runs = {run["run"]: run for run in shell.run("status", "--json").json["runs"]}
    control = runs["3f2a0000"]["control"]
    assert (control["standing"], control["by"], control["reason"]) == ("paused", "ann", "lunch")
    assert control["held"] == ["Bash pytest -q"]
    assert [asked["command"] for asked in control["asked"]] == ["steer"]
    assert runs["3f2a0000"]["loop"] is None
    loop = runs["91bc0000"]["loop"]
    assert (loop["iteration"], loop["max"], loop["cost_usd"]) == (2, 10, 0.42)
    assert runs["91bc0000"]["model"] == "haiku"
