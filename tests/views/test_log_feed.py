"""The feed tells what is in the log, whatever becomes of the log."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from handrail.cli.history.runs import KnownRuns as NamedRuns
from handrail.model.action import Outcome
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import (
    ControlAnswered,
    ControlAsked,
    LoopBegun,
    PromptGiven,
    RunEnded,
    RunStarted,
    SettingsChanged,
)
from handrail.store.port import NewEntry as Row
from handrail.store.sqlite import SqliteStore
from handrail.supervise.log.topics import topic_of
from handrail.views.log_feed import LogFeed
from handrail.views.log_view import LogView
from handrail.views.run_overview import RunOverview
from handrail.views.timeline import MAX_ENTRIES
from tests.tui.sample_log import API, DOCS, NOON, NOTES, OLD, SHOP, SampleLog, sample_log

pytestmark = pytest.mark.slow

DAY = 24 * 3600


class Reader:
    """Reads a log as the screen does."""

    def __init__(self, path: Path) -> None:
        self.now = NOON
        self.open: set[str] = {"2026-11-15-docs"}
        store = SqliteStore(path, read_only=True)
        self._feed = LogFeed(store, clock=lambda: self.now, is_open=self.open.__contains__)

    def look(self, chosen: str = "") -> LogView:
        """Poll until all was read."""
        while (view := self._feed.poll(chosen)).loading:
            pass
        return view

    def runs(self, chosen: str = "") -> dict[str, RunOverview]:
        return {run.id: run for run in self.look(chosen).runs}

    def close(self) -> None:
        self._feed.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


@pytest.fixture
def reader(log: Path) -> Iterator[Reader]:
    with closing(Reader(log)) as reader:
        yield reader


def test_the_sample_is_read(book: SampleLog, reader: Reader) -> None:
    runs = reader.runs()
    states = {run.name: run.state(NOON) for run in runs.values()}
    assert states == {
        "shop-3f2a": "working",
        "docs-91bc": "needs you",
        "api-77d0": "paused",
        "notes-a001": "waiting",
        "old-0b5e": "ended",
    }
    shop = runs[SHOP]
    assert (shop.goal, shop.iteration, shop.iterations) == ("fix the cart total", 2, 10)
    assert (shop.cost, shop.step, shop.driven) == (0.42, 8, True)
    assert shop.checkpoint is not None
    assert runs[API].held == ("Bash pytest -q",)
    assert runs[NOTES].goal == "tidy up the notes of last week"


def test_names_are_those_of_every_other_command(book: SampleLog, reader: Reader) -> None:
    for number in range(5):  # ids that begin alike
        book.start(f"3f2a9c1{number}-more", "/home/ada/shop")
    named = {run.id: run.name for run in NamedRuns(book.store)}
    assert {run.id: run.name for run in reader.runs().values()} == named


def test_a_log_that_does_not_exist_yet_is_empty_until_it_does(log: Path, reader: Reader) -> None:
    assert reader.look() == LogView()
    with sample_log(log.parent):
        assert len(reader.look().runs) == 5


def test_what_is_new_is_seen(book: SampleLog, reader: Reader) -> None:
    reader.look(SHOP)
    book.end(SHOP)
    book.do(SHOP, "Bash", "ls")
    view = reader.look(SHOP)
    assert {run.id: run.step for run in view.runs}[SHOP] == 9
    assert view.timeline[-1].end is not None
    book.note(SHOP, RunEnded)
    assert reader.runs()[SHOP].phase == "ended"
    book.start(SHOP, "/home/ada/shop", "go on")
    assert reader.runs()[SHOP].phase == "working"


def test_a_new_run_is_seen(book: SampleLog, reader: Reader) -> None:
    reader.look()
    book.start("feed0001", "/home/ada/new", "something new")
    assert reader.runs()["feed0001"].name == "new-feed"


def test_the_fold_is_the_same_bit_by_bit_and_at_once(
    book: SampleLog, log: Path, reader: Reader
) -> None:
    reader.look()
    asked = ControlAsked(NOON, "q7", ControlCommand.PAUSE, Standing.PAUSING, "eve", "wait")
    answered = ControlAnswered(NOON, "q7", ControlCommand.PAUSE, Standing.PAUSED)
    for event in (asked, answered):
        book.write(SHOP, event)
        reader.look()
    with closing(Reader(log)) as fresh:
        assert fresh.runs()[SHOP] == reader.runs()[SHOP]
        assert fresh.look(SHOP).timeline == reader.look(SHOP).timeline


def test_a_cancelled_run_needs_no_driver(book: SampleLog, log: Path) -> None:
    book.write(SHOP, LoopBegun(NOON, "fix it", 10, driver=2**22 + 1))
    with closing(Reader(log)) as reader:
        assert reader.runs()[SHOP].left
        book.write(SHOP, ControlAnswered(NOON, "q8", ControlCommand.CANCEL, Standing.CANCELLED))
        assert not reader.runs()[SHOP].left


def test_ten_thousand_entries_at_once_are_taken_in(book: SampleLog, reader: Reader) -> None:
    reader.look(SHOP)
    bodies = [
        msgspec.json.encode(PromptGiven(NOON + number, f"prompt {number}"))
        for number in range(10_000)
    ]
    book.store.append([Row(topic_of(SHOP), body) for body in bodies]).result(60)
    view = reader.look(SHOP)
    assert len(view.timeline) == MAX_ENTRIES
    assert view.cut
    last = view.timeline[-1].event
    assert isinstance(last, PromptGiven)
    assert last.text == "prompt 9999"
    assert {run.id: run.changed for run in view.runs}[SHOP] == NOON + 9999


def test_of_a_long_run_its_folder_is_known_all_the_same(book: SampleLog, reader: Reader) -> None:
    body = msgspec.json.encode(SettingsChanged(NOON, "/home/ada/shop/CLAUDE.md"))
    book.store.append([Row(topic_of(SHOP), body)] * (2 * MAX_ENTRIES)).result(60)
    view = reader.look(SHOP)
    assert view.cut
    said = view.timeline[-1].said
    assert said is not None
    assert said.text == "settings changed: CLAUDE.md"


def test_many_runs_at_once_are_read_bit_by_bit_and_not_all_kept(book: SampleLog, log: Path) -> None:
    body = msgspec.json.encode(RunStarted(NOON + 1, "claude", "/w/many", "startup"))
    rows = [Row(topic_of(f"{number:08x}"), body) for number in range(500)]
    book.store.append(rows).result(60)
    with closing(Reader(log)) as reader:
        first = reader._feed.poll("")
        assert first.loading > 0
        assert 0 < len(first.runs) < 100
        view = reader.look()
        assert len(view.runs) == 200
        assert view.left_out > 200
        # Those that somebody holds, or that need somebody, are never left out.
        assert {API, DOCS} <= {run.id for run in view.runs}


def test_a_damaged_log_is_told_and_read_again_when_it_is_whole(book: SampleLog, log: Path) -> None:
    whole = log.with_name("whole.db")
    book.store.close()
    shutil.copy(log, whole)
    with closing(Reader(log)) as reader:
        before = reader.look().runs
        log.write_bytes(b"this is no database" * 1000)
        broken = reader.look()
        assert "damaged" in broken.problem
        assert broken.runs == before
        whole.replace(log)
        again = reader.look()
        assert (again.problem, len(again.runs)) == ("", 5)


def test_a_log_that_was_replaced_is_read_from_the_start(
    book: SampleLog, log: Path, reader: Reader, tmp_path: Path
) -> None:
    reader.look(SHOP)
    book.store.close()
    other = tmp_path / "other"
    other.mkdir()
    with closing(SqliteStore(other / "events.db")) as store:
        SampleLog(store, NOON).start("0ther", "/w/other", "another log")
    for name in ("events.db-wal", "events.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    (other / "events.db").replace(log)
    view = reader.look(SHOP)
    assert [run.id for run in view.runs] == ["0ther"]
    assert view.timeline == ()


def test_a_log_that_was_removed_is_empty(book: SampleLog, log: Path, reader: Reader) -> None:
    reader.look()
    book.store.close()
    for path in log.parent.glob("events.db*"):
        path.unlink()
    assert reader.look().runs == ()


def test_a_run_that_cannot_be_read_is_shown_as_such(book: SampleLog, reader: Reader) -> None:
    reader.look()
    book.store.append([Row(topic_of(NOTES), b'{"event":"from_the_future","at":1}')]).result(5)
    view = reader.look(NOTES)
    [notes] = [run for run in view.runs if run.id == NOTES]
    assert notes.state(NOON) == "unreadable"
    assert notes.name == "notes-a001"
    assert len(view.runs) == 5
    assert len(view.timeline) > 3


def test_after_a_day_only_those_are_shown_that_somebody_has_a_hand_on(
    book: SampleLog, log: Path, reader: Reader
) -> None:
    reader.look()
    reader.now = NOON + 2 * DAY
    assert set(reader.runs()) == {SHOP, DOCS, API}
    with closing(Reader(log)) as fresh:
        fresh.now = reader.now
        assert set(fresh.runs()) == {SHOP, DOCS, API}


def test_an_incident_that_somebody_decided_about_needs_nobody(
    book: SampleLog, reader: Reader
) -> None:
    reader.look()
    reader.open.clear()
    # It is still stopped, so the decision was to abort.
    assert reader.runs()[DOCS].state(NOON) == "cancelled"


def test_what_the_host_asks_a_person_for_needs_somebody(book: SampleLog, reader: Reader) -> None:
    from tests.tui.sample_log import STOPPED

    book.note(NOTES, lambda at: PromptGiven(at, "publish it"))
    book.ask(NOTES, "Bash", "npm publish", STOPPED, asked=True)
    assert reader.runs()[NOTES].wants == "Bash npm publish"
    book.end(NOTES, Outcome(True))
    assert reader.runs()[NOTES].state(NOON) == "working"


def test_a_timeline_is_that_of_the_run_that_was_chosen(book: SampleLog, reader: Reader) -> None:
    assert reader.look(OLD).run == OLD
    assert len(reader.look(OLD).timeline) == 4
    assert reader.look("").timeline == ()
    assert reader.look("nobody").timeline == ()


def _count_reads(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    rows: list[int] = []
    real = store.read_all

    def read_all(after: int = 0, limit: int = 1000) -> list[object]:
        found = real(after, limit)
        rows.append(len(found))
        return list(found)

    monkeypatch.setattr(store, "read_all", read_all)
    return lambda: sum(rows)


def test_the_past_of_a_long_log_is_not_read(
    book: SampleLog, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = msgspec.json.encode(PromptGiven(NOON, "x"))
    book.store.append([Row(topic_of("long"), body)] * 5000).result(60)
    with closing(SqliteStore(log, read_only=True)) as store:
        count = _count_reads(store, monkeypatch)
        feed = LogFeed(store, clock=lambda: NOON)
        feed.poll("")
        feed.poll("")
        assert count() < 50
