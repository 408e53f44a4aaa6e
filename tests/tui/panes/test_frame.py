"""The screen is exactly as large as the terminal, whatever that is and whatever runs say."""

import asyncio
from functools import partial
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.model.checkpoint import Checkpoint
from handrail.model.control import Standing
from handrail.model.event import ActionReviewed, Event
from handrail.model.finding import Finding
from handrail.tui.panes.frame import screen_lines
from handrail.tui.sending.commands import BY_KEY
from handrail.tui.sending.port import SendingStage
from handrail.tui.state.log_view import LogView, TimelineEntry
from handrail.tui.state.run_overview import RunOverview
from handrail.tui.state.screen_state import ScreenState
from handrail.tui.state.timeline import UNSHOWN
from handrail.tui.text import columns, plain
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts
from tests.tui.hostile import NASTY, filled
from tests.tui.sample_log import NOON, SampleLog
from tests.tui.screen_user import ScreenUser, at_screen, standing_at

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


def _watching(keys: str, typed: str = "") -> ScreenState:
    watching = ScreenState(lambda: NOON)
    watching.show_view(LogView(RUNS, RUNS[-1].id, TIMELINE, cut=True, left_out=3))
    watching.chosen = "r0"
    watching.show_view(LogView(RUNS, "r0", TIMELINE, cut=True, problem=NASTY))
    doing = {
        "t": watching.switch,
        "d": watching.toggle_detail,
        "?": watching.toggle_help,
        "u": lambda: watching.move(-1),
        "n": lambda: watching.move(1),
        "b": lambda: watching.page(-1),
        "f": lambda: watching.page(1),
        "g": watching.first,
        "x": lambda: watching.press(BY_KEY["x"]),
        "/": watching.seek,
        "a": watching.answer,
        "e": watching.close,
    }
    for key in keys:
        watching.typed = watching.typed.insert(typed)
        doing[key]()
    return watching


@settings(max_examples=60)
@given(
    st.integers(1, 200),
    st.integers(1, 60),
    st.text("td?unbfgx/ae", max_size=12),
    st.text(max_size=20),
)
def test_a_frame_has_its_size(width: int, height: int, keys: str, typed: str) -> None:
    lines = screen_lines(_watching(keys, typed), width, height)
    assert len(lines) == height
    for line in lines:
        assert columns(plain(line)) == width
        assert plain(line).isprintable()


@pytest.mark.parametrize("at", range(len(TIMELINE)))
def test_details_of_every_event_can_be_looked_at(at: int) -> None:
    watching = _watching("td")
    watching.cursor = TIMELINE[at].seq
    for size in ((60, 20), (80, 24), (200, 50)):
        shown = "\n".join(plain(line) for line in screen_lines(watching, *size))
        assert "\x1b" not in shown


def test_a_log_that_is_not_read_yet_says_so() -> None:
    assert "reading the log …" in plain(screen_lines(ScreenState(lambda: NOON), 80, 24)[1])


def test_without_runs_it_says_what_to_do() -> None:
    watching = ScreenState(lambda: NOON)
    watching.show_view(LogView())
    assert "handrail doctor" in plain(screen_lines(watching, 80, 24)[1])


def test_a_log_that_cannot_be_read_is_not_taken_for_an_empty_one() -> None:
    watching = ScreenState(lambda: NOON)
    watching.show_view(LogView(problem="written by a newer Handrail"))
    lines = [plain(line) for line in screen_lines(watching, 80, 24)]
    assert "written by a newer Handrail" in lines[1]
    assert "handrail doctor" in lines[2]


def test_a_problem_with_the_log_is_shown_and_the_runs_stay() -> None:
    watching = ScreenState(lambda: NOON)
    watching.show_view(LogView(RUNS, problem="the log is damaged"))
    lines = [plain(line) for line in screen_lines(watching, 80, 24)]
    assert "! the log is damaged; still trying" in lines[1]
    assert any("▸" in line for line in lines)


def test_hostile_texts_do_not_get_out_of_their_place_on_the_real_screen(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        stand.app.watching.sent.clear()
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
            assert "[red]" in stand.text
            await stand.press("escape", "left")

    at_screen(book, work)


def test_the_screen_follows_the_size_of_the_terminal(book: SampleLog) -> None:
    async def visit() -> None:
        async with standing_at(book.store) as stand:
            for size in ((60, 20), (200, 50), (20, 5), (1, 1), (80, 24)):
                await stand.pilot.resize_terminal(*size)
                await stand.until(partial(stand.has_lines, size[1]))
            await stand.until_shows("▸■ docs-91bc")

    asyncio.run(visit())


def test_of_several_commands_the_last_is_shown_and_the_others_are_counted() -> None:
    watching = _watching("")
    for _ in range(2):
        watching.press(BY_KEY["p"])
        order = watching.answer()
        assert order is not None
        watching.send(order).stages.append(SendingStage("requested"))
    assert "(+1 under way)" in "".join(plain(line) for line in screen_lines(watching, 5000, 24))
