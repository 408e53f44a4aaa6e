"""What a look at the log sends: progress now and then, everything else at once."""

from collections.abc import Iterator
from contextlib import closing

import msgspec
import pytest

from handrail.api.messages.runs import RunRow
from handrail.api.messages.stream import StreamFrame
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAsked
from handrail.server.api.frames import FrameMaker
from handrail.views.log_feed import LogFeed
from tests.tui.sample_log import SHOP, STOPPED, SampleLog


class Looks:
    """Looks at the sample from time to time."""

    def __init__(self, book: SampleLog) -> None:
        self._book = book
        self._maker = FrameMaker()
        self.feed = LogFeed(book.store, clock=lambda: book.now)

    def rows(self, after: float = 0.0) -> list[RunRow]:
        """Return the rows that a look sends, so many seconds later."""
        self._book.now += after
        frames = self._maker.look(self._book.store, self.feed, (), self._book.now)
        texts = [frame.data.decode().partition("data: ")[2] for frame in frames]
        return [row for text in texts for row in msgspec.json.decode(text, type=StreamFrame).runs]

    def last_actions(self, after: float = 0.0) -> list[str]:
        return [row.last_action for row in self.rows(after)]


@pytest.fixture
def looks(book: SampleLog) -> Iterator[Looks]:
    looks = Looks(book)
    with closing(looks.feed):
        assert SHOP in [row.id for row in looks.rows()]
        yield looks


def test_a_run_that_goes_on_is_sent_once_a_second_with_its_latest_action(
    looks: Looks, book: SampleLog
) -> None:
    for number in range(5):
        book.ask(SHOP, "Bash", f"echo {number}", after=0.1)
        assert looks.rows() == []
    assert looks.last_actions(after=0.6) == ["Bash echo 4"]
    assert looks.rows(after=2.0) == []


def test_a_run_that_went_on_after_a_pause_is_sent_at_once(looks: Looks, book: SampleLog) -> None:
    book.ask(SHOP, "Bash", "make", after=3.0)
    assert looks.last_actions() == ["Bash make"]


def test_what_a_person_has_to_know_is_sent_at_once(looks: Looks, book: SampleLog) -> None:
    book.ask(SHOP, "Bash", "rm -rf /srv", STOPPED, after=0.1)
    (row,) = looks.rows()
    assert row.stopped_actions == 2
    pause = ControlCommand.PAUSE
    book.note(SHOP, lambda at: ControlAsked(at, "q1", pause, Standing.PAUSING, "ada", ""), 0.1)
    (row,) = looks.rows()
    assert row.state == "pausing"


def test_hooks_may_go_first_after_each_run_that_changed(book: SampleLog) -> None:
    rests: list[float] = []
    feed = LogFeed(book.store, clock=lambda: book.now, rest=lambda: rests.append(book.now))
    maker = FrameMaker(rest=lambda: rests.append(book.now))
    with closing(feed):
        maker.look(book.store, feed, (), book.now)
        rests.clear()
        maker.look(book.store, feed, (), book.now)
        idle = len(rests)
        book.ask(SHOP, "Bash", "make", after=3.0)
        maker.look(book.store, feed, (), book.now)
        assert len(rests) == 2 * idle + 2  # once for the events of the run, and once for its row


def test_a_clock_that_is_set_back_holds_no_row_back(looks: Looks, book: SampleLog) -> None:
    book.ask(SHOP, "Bash", "make", after=-3600.0)
    assert looks.last_actions() == ["Bash make"]
