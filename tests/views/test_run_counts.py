"""What happened in runs is counted once, and goes on from there."""

from time import time

import pytest

from handrail.model import event as events
from handrail.model.desktop import CheckOutcome, DesktopCheck, ScreenStatus
from handrail.redact import Redactor
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, StoredEntry
from handrail.supervise.log.topics import topic_of
from handrail.views.run_counts import RunCounter, count_run


class CountingStore(MemoryStore):
    """Notes what was read."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now
        super().__init__(clock=lambda: self.now)
        self.read_after: list[int] = []

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        self.read_after.append(after)
        return super().read(topic, after, limit)


def record(store: MemoryStore, run: str, *happened: events.Event) -> None:
    for event in happened:
        Journal(store).append(topic_of(run), event, Redactor())


def used(at: float, tokens: int, cost: float) -> events.UsageSampled:
    return events.UsageSampled(at, tokens=tokens, cost_usd=cost)


def test_only_new_events_are_read_again() -> None:
    store, counter = CountingStore(), RunCounter()
    record(store, "a", events.RunStarted(1.0, "claude", "/w/shop"), used(2.0, 10, 0.5))
    assert counter.read_on(store, 0.0, 60.0)
    record(store, "a", used(3.0, 30, 0.75))
    store.read_after.clear()
    assert counter.read_on(store, 0.0, 60.0)
    assert store.read_after == [2]
    (found,) = counter.counts(store, 0.0)
    assert (found.cwd, found.tokens, found.cost_usd) == ("/w/shop", 30, 0.75)


def test_runs_without_events_since_a_time_are_not_read() -> None:
    store, counter = CountingStore(), RunCounter()
    record(store, "old", used(2.0, 10, 0.5))
    store.now = 500.0
    record(store, "new", used(3.0, 20, 0.5))
    assert counter.read_on(store, 400.0, 60.0)
    assert [each.run for each in counter.counts(store, 400.0)] == ["new"]
    assert len(store.read_after) == 1


def test_without_time_nothing_is_counted_and_more_is_to_come() -> None:
    store, counter = CountingStore(), RunCounter()
    record(store, "a", used(2.0, 10, 0.5))
    assert not counter.read_on(store, 0.0, 0.0)
    assert counter.read_on(store, 0.0, 60.0)


def test_a_run_in_a_new_log_is_counted_anew() -> None:
    counter, old, new = RunCounter(), CountingStore(100.0), CountingStore(200.0)
    record(old, "a", used(2.0, 10, 0.5))
    record(new, "a", used(2.0, 7, 0.5))
    assert counter.read_on(old, 0.0, 60.0)
    assert counter.read_on(new, 0.0, 60.0)
    assert [each.tokens for each in counter.counts(new, 0.0)] == [7]


def test_cost_belongs_to_the_day_on_which_it_grew() -> None:
    store, now = MemoryStore(), time()
    day = 86_400.0
    record(store, "a", used(now - day, 1, 1.0), used(now, 2, 1.0), used(now, 3, 1.5))
    assert list(count_run(store, topic_of("a")).cost_by_day.values()) == [1.0, 0.5]


@pytest.mark.parametrize("body", [b"", b"{", b'{"event":"run_started"}', b"\xff", b"[" * 5_000])
def test_an_entry_that_cannot_be_read_does_not_count(body: bytes) -> None:
    store = MemoryStore()
    store.append([NewEntry(topic_of("a"), body)])
    counts = count_run(store, topic_of("a"))
    assert (counts.seq, counts.actions) == (1, 0)


def test_what_a_desktop_watch_paid_for_a_model_is_added_up() -> None:
    store, counter = CountingStore(), RunCounter()
    look = DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, cost_usd=0.25)
    record(store, "a", events.DesktopChecked(1.0, 1, look), events.DesktopChecked(2.0, 2, look))
    assert counter.read_on(store, 0.0, 60.0)
    (found,) = counter.counts(store, 0.0)
    assert found.cost_usd == 0.5
