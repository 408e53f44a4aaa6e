"""The screen has the words of the command line: for how a run is, and for what happens in it."""

from contextlib import closing

import pytest

from handrail.cli.history.joined_events import EventJoiner, JoinedEntry
from handrail.cli.history.runs import KnownRuns
from handrail.cli.history.status_row import find_rows
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import (
    ActionReviewed,
    CheckpointTaken,
    ControlAnswered,
    ControlAsked,
    LoopEnded,
    UsageMeasured,
)
from handrail.store.decoding import decode
from handrail.store.sqlite import SqliteStore
from handrail.supervise.log.topics import topic_of
from handrail.views.log_feed import LogFeed
from handrail.views.timeline import Timeline
from handrail.words.action_status import MARKS
from handrail.words.event_sentences import event_sentence
from handrail.words.run_signs import NEEDS_YOU, NOT_DONE, RUN_SIGNS
from tests.tui.sample_log import API, DOCS, NOON, NOTES, OLD, SHOP, SampleLog

pytestmark = pytest.mark.slow

_SAME = {NEEDS_YOU: "stopped", NOT_DONE: "done"}
"""Words that the screen has of its own."""


def _on_the_screen(book: SampleLog) -> dict[str, str]:
    assert isinstance(book.store, SqliteStore)
    with closing(SqliteStore(book.store.path, read_only=True)) as store:
        runs = LogFeed(store, clock=lambda: NOON).poll("").runs
        return {run.name: run.state(NOON) for run in runs}


def _in_status(book: SampleLog) -> dict[str, str]:
    rows = find_rows(KnownRuns(book.store), book.store, NOON, show_all=True)
    return {row.run.name: row.state for row in rows}


def _agree(book: SampleLog) -> None:
    shown = {name: _SAME.get(state, state) for name, state in _on_the_screen(book).items()}
    assert shown == _in_status(book)


def test_states_are_called_the_same(book: SampleLog) -> None:
    _agree(book)


@pytest.mark.parametrize("standing", Standing)
def test_they_are_called_the_same_however_a_run_stands(book: SampleLog, standing: Standing) -> None:
    book.write(SHOP, ControlAsked(NOON, "q", ControlCommand.PAUSE, standing, "ada"))
    book.write(SHOP, ControlAnswered(NOON, "q", ControlCommand.PAUSE, standing))
    _agree(book)


def test_a_loop_that_gave_up_is_not_called_done(book: SampleLog) -> None:
    book.write(SHOP, LoopEnded(NOON, "done", "MAX_ITERATIONS"))
    assert _on_the_screen(book)["shop-3f2a"] == NOT_DONE
    _agree(book)


def test_one_sign_has_one_meaning() -> None:
    of_runs = {sign.mark: sign.style for sign in RUN_SIGNS.values()}
    of_actions = {mark for mark, _, _ in MARKS.values()}
    of_events = {"◆", "↳", "▪", "❯", "▸", "…", "–"}
    assert len(set(RUN_SIGNS.values())) == len(of_runs), "a sign in two colours"
    assert not of_runs.keys() & (of_actions | of_events)
    assert not of_actions & of_events


def test_an_event_is_said_in_the_same_words_as_in_the_log(book: SampleLog) -> None:
    for run in (SHOP, DOCS, API, NOTES, OLD):
        stored = book.store.read(topic_of(run))
        timeline, joiner = Timeline(run), EventJoiner()
        timeline.add(stored)
        for each in stored:
            joiner.add(run, decode(each))
        in_log = [
            event_sentence(entry.event, entry.facts) for entry in joiner.rest() if _is_shown(entry)
        ]
        said = [entry.said for entry in timeline.entries if entry.said]
        assert said == in_log


def _is_shown(entry: JoinedEntry) -> bool:
    return not isinstance(entry.event, ActionReviewed | UsageMeasured | CheckpointTaken)


def test_of_a_run_that_is_known_in_part_nothing_is_counted(book: SampleLog) -> None:
    stored = book.store.read(topic_of(OLD))
    timeline = Timeline(OLD)
    timeline.skip(stored[-2].seq, stored[:1])
    timeline.add(stored[-1:])
    [end] = timeline.entries
    assert end.said is not None
    assert end.said.text == "session ended · 8 s"


def test_a_blocked_agent_needs_somebody_here_and_in_status(book: SampleLog) -> None:
    question = "The agent cannot go on: which database may I use?"
    book.write(SHOP, LoopEnded(NOON, "done", "STUCK", question))
    assert _on_the_screen(book)["shop-3f2a"] == NEEDS_YOU
    [row] = [
        row
        for row in find_rows(KnownRuns(book.store), book.store, NOON, show_all=False)
        if row.run.id == SHOP
    ]
    assert (row.needs_you, row.question, row.sign) == (True, question, RUN_SIGNS[NEEDS_YOU])
