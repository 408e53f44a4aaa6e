"""A run is called the same, and looks the same, on the screen and in `handrail status`."""

from contextlib import closing

import pytest

from handrail.cli.runs import Runs
from handrail.cli.status_row import MARKS, find_rows
from handrail.model.control import Command, Standing
from handrail.model.event import ControlAnswered, ControlAsked, LoopEnded
from handrail.store.sqlite import SqliteStore
from handrail.tui.feed import Feed
from handrail.tui.overview import NEEDS_YOU, NOT_DONE
from handrail.tui.runs_pane import LOOKS
from tests.tui.sample import NOON, SHOP, Book

_SAME = {NEEDS_YOU: "stopped", NOT_DONE: "done"}
"""Words that the screen has of its own."""


def _on_the_screen(book: Book) -> dict[str, str]:
    assert isinstance(book.store, SqliteStore)
    with closing(SqliteStore(book.store.path, read_only=True)) as store:
        runs = Feed(store, clock=lambda: NOON).poll("").runs
        return {run.name: run.state(NOON) for run in runs}


def _in_status(book: Book) -> dict[str, str]:
    rows = find_rows(Runs(book.store), book.store, NOON, show_all=True)
    return {row.run.name: row.state for row in rows}


def _agree(book: Book) -> None:
    shown = {name: _SAME.get(state, state) for name, state in _on_the_screen(book).items()}
    assert shown == _in_status(book)


def test_states_are_called_the_same(book: Book) -> None:
    _agree(book)


@pytest.mark.parametrize("standing", Standing)
def test_they_are_called_the_same_however_a_run_stands(book: Book, standing: Standing) -> None:
    book.write(SHOP, ControlAsked(NOON, "q", Command.PAUSE, standing, "ada"))
    book.write(SHOP, ControlAnswered(NOON, "q", Command.PAUSE, standing))
    _agree(book)


def test_a_loop_that_gave_up_is_not_called_done(book: Book) -> None:
    book.write(SHOP, LoopEnded(NOON, "done", "MAX_ITERATIONS"))
    assert _on_the_screen(book)["shop-3f2a"] == NOT_DONE
    _agree(book)


def test_signs_and_colours_are_the_same() -> None:
    mine = {state: (look.mark, look.style) for state, look in LOOKS.items() if state in MARKS}
    assert mine == MARKS
