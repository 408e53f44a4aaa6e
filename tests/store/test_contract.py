"""What every store does, whatever it is made of."""

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.conftest import Clock, bodies, write

from handrail.store.errors import ClosedError, StoreError
from handrail.store.limits import MAX_BODY_BYTES, MAX_TOPIC_BYTES
from handrail.store.port import NewEntry, Snapshot, Store, StoredEntry, Topic

REFUSED = {
    "empty": "",
    "NUL": "run\0one",
    "half of a surrogate pair": "run/\ud83d",
    "too long": "r" * (MAX_TOPIC_BYTES + 1),
    "too long in UTF-8": "ü" * (MAX_TOPIC_BYTES // 2 + 1),
}

TAKEN = [
    "run/1",
    "läuft",
    "実行/一",
    "🛠",
    "e\u0301",
    "\u00e9",
    "a b",
    "%_*?[",
    "'; --",
    "\U0010ffff",
    "\n",
]


def test_a_new_log_is_empty(store: Store) -> None:
    assert store.read_all() == []
    assert store.read("run/1") == []
    assert store.topics() == []
    assert store.load_snapshot("run/1") is None


def test_an_entry_is_read_back_with_its_place_and_time(store: Store, clock: Clock) -> None:
    clock.now = 12.5
    assert write(store, b'{"a": 1}') == 1
    assert store.read("run/1") == [StoredEntry(1, "run/1", 1, 12.5, b'{"a": 1}')]


def test_entries_of_one_call_keep_their_order(store: Store) -> None:
    write(store, b"1", b"2", b"3")
    assert bodies(store) == [b"1", b"2", b"3"]


def test_the_receipt_has_the_position_of_the_last_entry(store: Store) -> None:
    write(store, b"1")
    assert write(store, b"2", b"3", topic="run/2") == 3


def test_calls_are_written_in_their_order(store: Store) -> None:
    receipts = [store.append([NewEntry("run/1", b"%d" % n)]) for n in range(50)]
    assert [receipt.result() for receipt in receipts] == list(range(1, 51))
    assert bodies(store) == [b"%d" % n for n in range(50)]


def test_one_call_may_write_to_several_topics(store: Store) -> None:
    store.append([NewEntry("a", b"1"), NewEntry("b", b"2"), NewEntry("a", b"3")]).result()
    assert [(one.topic, one.seq) for one in store.read_all()] == [("a", 1), ("b", 1), ("a", 2)]


def test_a_call_without_entries_writes_nothing(store: Store) -> None:
    assert store.append([]).result() == 0
    assert store.read_all() == []


def test_later_changes_to_the_list_do_not_matter(store: Store) -> None:
    entries = [NewEntry("run/1", b"1")]
    receipt = store.append(entries)
    entries.append(NewEntry("run/1", b"2"))
    receipt.result()
    assert bodies(store) == [b"1"]


def test_reading_goes_on_after_a_sequence_number(store: Store) -> None:
    write(store, b"1", b"2", b"3", b"4")
    assert [one.seq for one in store.read("run/1", after=2)] == [3, 4]
    assert [one.seq for one in store.read("run/1", after=1, limit=2)] == [2, 3]
    assert store.read("run/1", after=4) == []


def test_reading_all_goes_on_after_a_position(store: Store) -> None:
    write(store, b"1", topic="a")
    write(store, b"2", b"3", topic="b")
    write(store, b"4", topic="a")
    assert [one.body for one in store.read_all(after=1)] == [b"2", b"3", b"4"]
    assert [one.body for one in store.read_all(after=1, limit=2)] == [b"2", b"3"]


@pytest.mark.parametrize("asked", [-(2**70), -1, 0, 1, 2, 3, 2**31, 2**63 - 1, 2**63, 2**70])
def test_any_number_may_be_asked_for(store: Store, asked: int) -> None:
    write(store, b"1", b"2")
    expected = [one for one in (1, 2) if one > asked]
    assert [one.seq for one in store.read("run/1", after=asked)] == expected
    assert [one.position for one in store.read_all(after=asked)] == expected
    assert len(store.read("run/1", limit=asked)) == min(max(asked, 0), 2)
    assert len(store.read_all(limit=asked)) == min(max(asked, 0), 2)


def test_a_topic_tells_how_far_it_goes(store: Store, clock: Clock) -> None:
    clock.now = 1.0
    write(store, b"1")
    clock.now = 2.0
    write(store, b"2", b"3")
    assert store.topics() == [Topic("run/1", 3, began=1.0, changed=2.0)]


def test_the_topic_that_changed_last_comes_first(store: Store, clock: Clock) -> None:
    for name in ("a", "b", "c", "a"):
        write(store, b"", topic=name)
        clock.now -= 1.0  # clocks are set back sometimes; the order is that of the log
    assert [topic.name for topic in store.topics()] == ["a", "c", "b"]


def test_topics_are_found_by_prefix(store: Store) -> None:
    for name in TAKEN:
        write(store, b"", topic=name)
    for prefix in [
        "",
        "r",
        "run/",
        "run/1",
        "run/12",
        "e",
        "é",
        "%",
        "'",
        "\U0010ffff",
        "\0",
        "\ud83d",
    ]:
        found = {topic.name for topic in store.topics(prefix)}
        assert found == {name for name in TAKEN if name.startswith(prefix)}, prefix


@pytest.mark.parametrize("topic", TAKEN)
def test_a_topic_is_any_text(store: Store, topic: str) -> None:
    write(store, b"1", topic=topic)
    assert [one.topic for one in store.read(topic)] == [topic]
    assert [one.topic for one in store.read_all()] == [topic]


@pytest.mark.parametrize("topic", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_a_topic_is_refused(store: Store, topic: str) -> None:
    for receipt in (
        store.append([NewEntry("run/1", b"1"), NewEntry(topic, b"2")]),
        store.save_snapshot(topic, Snapshot(1, b"")),
    ):
        with pytest.raises(StoreError, match="not a name for a topic"):
            receipt.result()
    assert store.read_all() == []
    assert store.read(topic) == []
    assert store.load_snapshot(topic) is None
    assert store.forget(topic).result() == 0


def test_a_topic_may_be_as_long_as_is_said(store: Store) -> None:
    topic = "r" * MAX_TOPIC_BYTES
    write(store, b"1", topic=topic)
    assert bodies(store, topic) == [b"1"]


@pytest.mark.parametrize(
    "body",
    [b"", b"\0", b"a\0b", b"\xff\xfe", b"\xed\xa0\xbd", bytes(range(256)), b"x" * 5_000_000],
    ids=["empty", "NUL", "NUL inside", "not UTF-8", "surrogate", "every byte", "5 MB"],
)
def test_a_body_is_any_bytes(store: Store, body: bytes) -> None:
    write(store, body)
    store.save_snapshot("run/1", Snapshot(1, body)).result()
    assert bodies(store) == [body]
    assert store.load_snapshot("run/1") == Snapshot(1, body)


def test_a_body_that_is_too_large_is_refused_and_nothing_else(store: Store) -> None:
    before = store.append([NewEntry("run/1", b"1")])
    large = store.append([NewEntry("run/1", b"2"), NewEntry("run/1", bytes(MAX_BODY_BYTES + 1))])
    after = store.append([NewEntry("run/1", b"3")])
    with pytest.raises(StoreError, match="too large"):
        large.result()
    assert (before.result(), after.result()) == (1, 2)
    assert bodies(store) == [b"1", b"3"]


def test_a_callback_that_fails_harms_nobody(store: Store) -> None:
    def fail(receipt: object) -> None:
        raise RuntimeError

    store.append([NewEntry("run/1", b"1")]).add_done_callback(fail)
    assert write(store, b"2") == 2


def test_a_snapshot_takes_the_place_of_the_older_one(store: Store) -> None:
    assert store.save_snapshot("run/1", Snapshot(5, b"five")).result() == 5
    assert store.save_snapshot("run/1", Snapshot(9, b"nine")).result() == 9
    store.save_snapshot("run/2", Snapshot(1, b"other")).result()
    assert store.load_snapshot("run/1") == Snapshot(9, b"nine")


def test_a_snapshot_alone_makes_no_topic(store: Store) -> None:
    store.save_snapshot("run/1", Snapshot(0, b"")).result()
    assert store.topics() == []


def test_a_forgotten_topic_is_gone_with_all_that_belongs_to_it(store: Store) -> None:
    write(store, b"1", b"2")
    write(store, b"3", topic="run/2")
    store.save_snapshot("run/1", Snapshot(2, b"")).result()
    assert store.forget("run/1").result() == 2
    assert store.read("run/1") == []
    assert store.load_snapshot("run/1") is None
    assert [topic.name for topic in store.topics()] == ["run/2"]
    assert [one.body for one in store.read_all()] == [b"3"]


def test_a_topic_that_never_was_can_be_forgotten(store: Store) -> None:
    assert store.forget("run/1").result() == 0


def test_a_forgotten_topic_begins_anew_but_positions_go_on(store: Store, clock: Clock) -> None:
    write(store, b"1", b"2")
    store.forget("run/1").result()
    clock.now = 7.0
    assert write(store, b"3") == 3
    assert store.read("run/1") == [StoredEntry(3, "run/1", 1, 7.0, b"3")]
    assert store.topics() == [Topic("run/1", 1, began=7.0, changed=7.0)]


def test_a_trimmed_topic_has_what_was_written_since_and_its_numbers_go_on(
    store: Store, clock: Clock
) -> None:
    for now, body in ((1.0, b"1"), (2.0, b"2"), (3.0, b"3")):
        clock.now = now
        write(store, body)
    write(store, b"other", topic="run/2")
    assert store.trim("run/1", 3.0).result() == 2
    assert [(one.seq, one.body) for one in store.read("run/1")] == [(3, b"3")]
    assert store.read("run/1", 3) == []
    write(store, b"4")
    assert [(one.seq, one.body) for one in store.read("run/1", 2)] == [(3, b"3"), (4, b"4")]
    assert [one.body for one in store.read("run/1", 3, 1)] == [b"4"]
    assert [one.body for one in store.read_all()] == [b"3", b"other", b"4"]
    assert {topic.name: topic.seq for topic in store.topics()} == {"run/1": 4, "run/2": 1}
    assert next(topic for topic in store.topics() if topic.name == "run/1").began == 1.0


def test_the_last_entry_of_a_topic_is_never_trimmed(store: Store, clock: Clock) -> None:
    write(store, b"1", b"2")
    assert store.trim("run/1", clock.now + 100).result() == 1
    assert [one.body for one in store.read("run/1")] == [b"2"]


def test_what_was_written_by_a_clock_that_was_set_back_is_kept(store: Store, clock: Clock) -> None:
    for now in (5.0, 1.0, 6.0):
        clock.now = now
        write(store, str(now).encode())
    assert store.trim("run/1", 4.0).result() == 0
    assert store.trim("run/1", 5.5).result() == 2


def test_a_topic_that_never_was_can_be_trimmed(store: Store) -> None:
    assert store.trim("run/1", 9.0).result() == 0


def test_work_that_is_handed_over_together_is_done_in_order(store: Store) -> None:
    store.append([NewEntry("run/1", b"1")])
    store.save_snapshot("run/1", Snapshot(1, b"old"))
    store.forget("run/1")
    store.append([NewEntry("run/1", b"2")])
    store.save_snapshot("run/1", Snapshot(1, b"new")).result()
    assert [(one.position, one.seq, one.body) for one in store.read("run/1")] == [(2, 1, b"2")]
    assert store.load_snapshot("run/1") == Snapshot(1, b"new")


def test_after_closing_everything_says_so(store: Store) -> None:
    receipt = store.append([NewEntry("run/1", b"1")])
    store.close()
    store.close()
    assert receipt.result(timeout=0) == 1
    for late in (
        store.append([NewEntry("run/1", b"2")]),
        store.save_snapshot("run/1", Snapshot(1, b"")),
        store.forget("run/1"),
    ):
        with pytest.raises(ClosedError):
            late.result()
    for read in (
        store.read_all,
        store.topics,
        lambda: store.read("a"),
        lambda: store.load_snapshot("a"),
    ):
        with pytest.raises(ClosedError):
            read()


def test_many_threads_leave_no_gaps_and_no_mixture(store: Store) -> None:
    threads, calls = 8, 40
    barrier = threading.Barrier(threads)

    def work(thread: int) -> list[int]:
        barrier.wait()
        receipts = []
        for call in range(calls):
            body = b"%d %d" % (thread, call)
            pair = [
                NewEntry("shared", body),
                NewEntry(f"own/{thread}", body),
                NewEntry("shared", body),
            ]
            receipts.append(store.append(pair))
            if call % 7 == 0:
                seen = [one.seq for one in store.read("shared")]
                assert seen == list(range(1, len(seen) + 1))
                assert len(seen) % 2 == 0  # never a part of a call
        return [receipt.result() for receipt in receipts]

    with ThreadPoolExecutor(threads) as pool:
        positions = list(pool.map(work, range(threads)))

    assert all(found == sorted(found) for found in positions)
    shared = store.read("shared", limit=10_000)
    assert [one.seq for one in shared] == list(range(1, 2 * threads * calls + 1))
    assert all(one.body == two.body for one, two in zip(shared[::2], shared[1::2], strict=True))
    for thread in range(threads):
        own = store.read(f"own/{thread}")
        assert [one.body for one in own] == [b"%d %d" % (thread, call) for call in range(calls)]
    everything = [one.position for one in store.read_all(limit=10_000)]
    assert everything == list(range(1, 3 * threads * calls + 1))


_NAMES = st.sampled_from(["a", "b", "c"])
_CALLS = st.lists(st.lists(st.tuples(_NAMES, st.binary(max_size=8)), max_size=4), max_size=12)


@given(calls=_CALLS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_follow_from_the_order_of_the_calls(
    store: Store, calls: list[list[tuple[str, bytes]]]
) -> None:
    for name in "abc":
        store.forget(name).result()
    start = store.append([NewEntry("z", b"")]).result()
    receipts = [store.append([NewEntry(*pair) for pair in call]) for call in calls]
    ends: defaultdict[str, int] = defaultdict(int)
    expected = []
    for position, (name, body) in enumerate((p for call in calls for p in call), start + 1):
        ends[name] += 1
        expected.append((position, name, ends[name], body))
    results = [receipt.result() for receipt in receipts]
    assert max(results, default=0) == (expected[-1][0] if expected else 0)
    found = store.read_all(after=start)
    assert [(one.position, one.topic, one.seq, one.body) for one in found] == expected


def test_a_log_takes_up_more_as_it_grows(store: Store) -> None:
    write(store, b"1")
    before = store.size()
    for _ in range(20):
        write(store, b"2" * 10_000)
    assert store.size() >= before > 0


def test_a_log_has_no_problem(store: Store) -> None:
    write(store, b"1")
    assert store.problem == ""


def test_a_log_that_was_set_aside_is_closed(store: Store) -> None:
    write(store, b"1")
    assert store.set_aside()
    with pytest.raises(ClosedError):
        store.read("run/1")
