"""The screen stays whole, whatever its size is and whatever runs say."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.checkpoint import Checkpoint
from handrail.model.control import Standing
from handrail.model.event import ActionReviewed, Event
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.tui.app import WatchApp
from handrail.tui.panes.entry_detail import entry_detail
from handrail.tui.panes.needs_you import question_lines
from handrail.tui.panes.run_detail import run_detail
from handrail.tui.panes.timeline import entry_lines
from handrail.tui.text import as_text, clean, clip_name, columns
from handrail.views.log_view import LogView, TimelineEntry
from handrail.views.run_overview import RunOverview
from handrail.views.timeline import UNSHOWN
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts
from tests.tui.hostile import NASTY, filled
from tests.tui.sample_log import NOON, SHOP, SampleLog
from tests.tui.screen_user import (
    FakeControls,
    FakeDecisions,
    FakeTasks,
    ScreenUser,
    at_screen,
    standing_at,
)

pytestmark = pytest.mark.slow

EVENTS = [filled(kind) for kind in get_args(Event)]
TIMELINE = tuple(
    TimelineEntry(
        at,
        event,
        None if isinstance(event, ActionReviewed) else event_sentence(event, RunFacts()),
        "/home/ada",
    )
    for at, event in enumerate(EVENTS)
    if not isinstance(event, UNSHOWN)
)


def _nasty(run: str, standing: Standing) -> RunOverview:
    return RunOverview(
        run,
        f"{NASTY}-{run}",
        standing,
        "working",
        True,
        True,
        NASTY,
        NASTY,
        NASTY,
        3,
        10,
        NASTY,
        NASTY,
        1234.5,
        99,
        7,
        {"allow": 7},
        NOON - 60,
        NOON,
        NASTY,
        NASTY,
        NOON,
        (NASTY,),
        (NASTY,),
        checkpoint=filled(Checkpoint),
        trouble=filled(Finding),
    )


RUNS = (
    *(_nasty(f"r{at}", standing) for at, standing in enumerate(Standing)),
    RunOverview("broken", NASTY, problem=NASTY),
    RunOverview("stopped", NASTY, incident=NASTY),
    RunOverview("asks", NASTY, wants=NASTY),
)


SIZES = ((60, 20), (80, 24), (140, 45), (200, 50))


class _Source:
    """Always the same view."""

    def __init__(self, view: LogView) -> None:
        self._view = view

    def poll(self, chosen: str) -> LogView:
        return msgspec.structs.replace(self._view, run=chosen)

    def close(self) -> None:
        pass


def _at(view: LogView, work: Callable[[ScreenUser], Awaitable[None]]) -> None:
    """Do something at a screen that shows a view."""
    controls, decisions, tasks = FakeControls(), FakeDecisions(), FakeTasks()
    app = WatchApp(
        lambda: _Source(view),
        controls,
        lambda: decisions,
        lambda: tasks,
        clock=lambda: NOON,
        pause=3600.0,
    )

    async def visit() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            stand = ScreenUser(app, pilot, controls, decisions, tasks)
            await stand.until(lambda: app.watching.view.run == app.watching.chosen)
            await pilot.pause()
            await work(stand)
        assert app.return_value is None, f"it ended by itself: {app.return_value!r}"

    asyncio.run(visit())


def test_hostile_runs_and_events_stay_in_their_places() -> None:
    async def work(stand: ScreenUser) -> None:
        for size in SIZES:
            await stand.pilot.resize_terminal(*size)
            await stand.until(partial(stand.has_lines, size[1]))
            for keys in (("G",), ("g", "enter"), ("right", "home"), ("end",), ("enter", "left")):
                await stand.press(*keys)
                assert all(columns(line) <= size[0] for line in stand.lines)
                assert all(line.isprintable() for line in stand.lines)

    _at(LogView(RUNS, "", TIMELINE, cut=True, left_out=3, problem=NASTY), work)


@given(st.sampled_from(TIMELINE), st.integers(1, 200))
def test_details_of_every_event_fit_any_width(entry: TimelineEntry, width: int) -> None:
    for line in (*entry_lines(entry, width), *entry_detail(entry, TIMELINE, "name", width)):
        assert as_text([line]).plain.isprintable()


@given(st.sampled_from(RUNS), st.integers(1, 200))
def test_details_of_every_run_fit_any_width(run: RunOverview, width: int) -> None:
    lines = (*run_detail(run, NOON, width), *question_lines(run, TIMELINE, width))
    assert all(as_text([line]).plain.isprintable() for line in lines)


@given(st.text(), st.text(min_size=1), st.integers(14, 60))
def test_a_name_is_cut_in_the_middle_so_that_its_end_stays(
    head: str, tail: str, width: int
) -> None:
    name = clean(f"{head}-{tail.replace('-', '')[:8]}")
    shown = clip_name(name, width)
    assert columns(shown) <= width
    assert columns(name) > width or shown == name


def test_two_runs_of_a_project_with_a_long_name_can_be_told_apart() -> None:
    names = ("the-customer-portal-of-the-shop-3f2a", "the-customer-portal-of-the-shop-77d0")
    runs = tuple(
        RunOverview(name, name, phase="working", active=True, started=NOON, changed=NOON)
        for name in names
    )

    async def work(stand: ScreenUser) -> None:
        shown = stand.shown_in("runs")
        assert "…-3f2a" in shown
        assert "…-77d0" in shown

    _at(LogView(runs), work)


def test_without_runs_it_says_what_to_do() -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.until_shows("handrail doctor")
        assert "No runs yet" in stand.text

    _at(LogView(), work)


def test_a_log_that_cannot_be_read_is_not_taken_for_an_empty_one() -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.until_shows("written by a newer Handrail; still trying")
        await stand.until_shows("handrail doctor says what to do about it")

    _at(LogView(problem="written by a newer Handrail"), work)


def test_a_problem_with_the_log_is_shown_and_the_runs_stay() -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.until_shows("! the log is damaged; still trying")
        assert "Runs" in stand.text

    _at(LogView(RUNS, problem="the log is damaged"), work)


def test_a_dead_daemon_is_said_at_once() -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.until_shows("! The daemon is not running, so agents can only read.")

    _at(LogView(RUNS, daemon_is_down=True), work)


def test_the_question_of_a_blocked_agent_is_shown_in_full() -> None:
    question = "Which database may I use? " + " ".join(f"word{number}" for number in range(40))
    blocked = RunOverview("b", "shop-b", Standing.DONE, asks=question, ending="STUCK", changed=NOON)

    async def work(stand: ScreenUser) -> None:
        assert "shop-b needs you" in stand.text
        shown = " ".join(stand.shown_in("needs").replace("│", " ").split())
        assert question in shown
        assert 'handrail run --resume shop-b "your answer"' in shown

    _at(LogView((blocked,)), work)


def test_the_agent_of_a_task_is_answered_by_trying_the_task_again() -> None:
    blocked = RunOverview(
        "b", "docs-b", Standing.DONE, asks="Which port?", ending="STUCK", task="docs", changed=NOON
    )

    async def work(stand: ScreenUser) -> None:
        shown = " ".join(stand.shown_in("needs").replace("│", " ").split())
        assert 'handrail task retry docs --message "your answer"' in shown

    _at(LogView((blocked,)), work)


def test_an_action_that_the_host_asks_about_is_shown_uncut(book: SampleLog) -> None:
    command = "npm publish --access public " + " ".join(f"--flag-{at}" for at in range(30))

    async def work(stand: ScreenUser) -> None:
        book.end(SHOP)
        book.ask(SHOP, "Bash", command, Verdict(Decision.BLOCK, "It cannot be undone."), asked=True)
        await stand.until_shows("asks you: Bash npm publish")
        await stand.choose("shop")
        await stand.until(lambda: "--flag-29" in stand.shown_in("needs"))
        assert "It cannot be undone." in stand.shown_in("needs")

    at_screen(book, work)


def test_hostile_texts_do_not_get_out_of_their_place_on_the_real_screen(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        book.start("ffff0001", "/w/x\x1b[2J[red]y", f"{NASTY} [bold]{NASTY}")
        book.ask("ffff0001", f"[red]{NASTY}", NASTY)
        await stand.until(lambda: len(stand.app.watching.view.runs) == 6)
        await stand.choose("x")
        for size in ((80, 24), (60, 20), (200, 50)):
            await stand.pilot.resize_terminal(*size)
            await stand.pilot.pause()
            await stand.press("enter", "right")
            assert len(stand.lines) == size[1]
            assert all(columns(line) <= size[0] for line in stand.lines)
            assert "\x1b" not in stand.text
            await stand.until(lambda: "[red]" in stand.shown_in("runs"))
            await stand.press("escape", "left")

    at_screen(book, work)


def test_the_screen_follows_the_size_of_the_terminal(book: SampleLog) -> None:
    async def visit() -> None:
        async with standing_at(book.store) as stand:
            for size in ((60, 20), (200, 50), (20, 5), (1, 1), (80, 24)):
                await stand.pilot.resize_terminal(*size)
                await stand.until(partial(stand.has_lines, size[1]))
            await stand.until_shows("▲ docs-91bc")

    asyncio.run(visit())


def test_of_several_commands_the_last_is_shown_and_the_others_are_counted(
    book: SampleLog,
) -> None:
    controls = FakeControls()

    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        controls.go_on.clear()
        await stand.press("c", "enter")
        await stand.press("p", "enter")
        await stand.until(lambda: "(+1 under way)" in stand.last)

    at_screen(book, work, controls=controls)


@pytest.mark.parametrize("size", [(80, 24), (140, 45)])
def test_fifty_runs_with_wide_names_are_grouped_and_all_can_be_reached(
    size: tuple[int, int],
) -> None:
    runs = tuple(
        RunOverview(
            f"{number:04x}-run",
            f"顧客ポータルの在庫管理-{number:04x}",
            phase="working",
            active=True,
            started=NOON,
            changed=NOON - number,
            goal="在庫の合計を直す" * 9,
            incident="2026-11-15-x" if number == 49 else "",
        )
        for number in range(50)
    )

    async def work(stand: ScreenUser) -> None:
        await stand.pilot.resize_terminal(*size)
        await stand.until_shows("needs you 1")
        assert stand.app.watching.chosen == runs[49].id, "the one that needs a person comes first"
        assert all(columns(line) <= size[0] for line in stand.lines)
        chosen = {stand.app.watching.chosen}
        for _ in range(60):
            await stand.press("down")
            chosen.add(stand.app.watching.chosen)
        assert len(chosen) == 50
        assert stand.app.watching.chosen[:4] in stand.shown_in("runs"), "the end of its name"

    _at(LogView(runs), work)
