"""Many entries in one statement: the same numbers and the same order as one by one."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.conftest import bodies, connected, fault, opened, write

from handrail.store import transaction
from handrail.store.connection import open_for_writing
from handrail.store.errors import NewerSchemaError
from handrail.store.port import NewEntry, Receipt
from handrail.store.sqlite import SqliteStore
from handrail.store.transaction import Transactions

MOST = transaction._MOST_ROWS


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Meanwhile the writer waits, and what is appended is committed together."""
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("COMMIT")


@pytest.mark.parametrize("count", [1, 2, MOST - 1, MOST, MOST + 1, 3 * MOST, 1_000])
def test_any_number_of_entries_keeps_its_order(path: Path, count: int) -> None:
    entries = [NewEntry(f"run/{n % 3}", b"%d" % n) for n in range(count)]
    with opened(path) as store:
        assert store.append(entries).result() == count
        found = store.read_all(limit=10_000)
        assert [one.position for one in found] == list(range(1, count + 1))
        assert [one.body for one in found] == [entry.body for entry in entries]
        assert [one.seq for one in found] == [n // 3 + 1 for n in range(count)]
        assert {topic.name: topic.seq for topic in store.topics()} == {
            f"run/{n}": len(range(n, count, 3)) for n in range(min(count, 3))
        }


def test_large_bodies_are_written_beside_small_ones(path: Path) -> None:
    sizes = [10, 3_000_000, 20, 600_000, 600_000, 0]
    with opened(path) as store:
        assert write(store, *map(bytes, sizes)) == len(sizes)
        assert [len(body) for body in bodies(store)] == sizes


def test_forgetting_and_trimming_keep_their_place_among_appends(path: Path) -> None:
    with opened(path) as store:
        write(store, b"old")
        with held(path):
            receipts: list[Receipt] = [
                store.append([NewEntry("run/1", b"gone")]),
                store.append([NewEntry("run/2", b"kept")]),
                store.forget("run/1"),
                store.append([NewEntry("run/1", b"new")]),
                store.trim("run/1", 2e9),
            ]
        assert [receipt.result() for receipt in receipts] == [2, 3, 2, 4, 0]
        assert [(one.position, one.seq, one.body) for one in store.read_all()] == [
            (3, 1, b"kept"),
            (4, 1, b"new"),
        ]


def test_a_bad_body_among_many_harms_only_its_own_call(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
        bad = memoryview(b"0123")[::2]  # not contiguous
        with held(path):
            first = store.append([NewEntry("run/1", b"2")])
            refused = store.append([NewEntry("run/1", b"no"), NewEntry("run/1", bad)])  # type: ignore[arg-type]
            last = store.append([NewEntry("run/1", b"3")])
        fault(refused)
        assert (first.result(), last.result()) == (2, 3)
        assert bodies(store) == [b"1", b"2", b"3"]
        assert write(store, b"4") == 4


def test_positions_go_on_after_all_that_another_process_did(path: Path) -> None:
    with opened(path) as one, opened(path) as two:
        write(one, b"1", b"2")
        assert write(two, b"3", topic="run/2") == 3
        assert two.forget("run/2").result() == 1
        assert write(one, b"4") == 4
        assert two.forget("run/1").result() == 3
        assert write(one, b"5") == 5
        assert [(found.seq, found.body) for found in one.read_all()] == [(1, b"5")]


def test_a_newer_handrail_is_noticed_between_two_batches(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1")
        with connected(path) as other:
            other.execute("ALTER TABLE entries RENAME COLUMN body TO content")
            other.execute("PRAGMA user_version = 99")
        assert isinstance(fault(store.append([NewEntry("run/1", b"2")])), NewerSchemaError)


def test_a_transaction_that_was_undone_leaves_no_gap(path: Path) -> None:
    with contextlib.closing(open_for_writing(str(path), 30)) as connection:
        write = Transactions(connection, str(path))
        for undone in (True, False):
            write.begin(0.0)
            assert write.append([NewEntry("run/1", b"")] * (MOST + 1)) == MOST + 1
            (write.roll_back if undone else write.commit)()
        (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        assert count == MOST + 1


CALLS = st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=30)


@settings(max_examples=30, deadline=None)
@given(calls=CALLS)
def test_calls_committed_together_get_the_numbers_of_calls_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, calls: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("logs")

    def entries(call: list[str]) -> list[NewEntry]:
        return [NewEntry(name, name.encode()) for name in call]

    results = []
    for name, size in (("together", len(calls) or 1), ("alone", 1)):
        path = str(folder / name)
        with contextlib.closing(open_for_writing(path, 30)) as connection:
            write = Transactions(connection, path)
            receipts = []
            for first in range(0, len(calls), size):
                write.begin(0.0)
                receipts += [write.append(entries(call)) for call in calls[first : first + size]]
                write.commit()
            rows = connection.execute("SELECT * FROM log").fetchall()
            topics = connection.execute("SELECT * FROM topics ORDER BY id").fetchall()
            results.append((receipts, rows, topics))
    assert results[0] == results[1]


def test_a_log_without_a_sequence_goes_on_after_its_last_entry(path: Path) -> None:
    with opened(path) as store:
        write(store, b"1", b"2")
    with connected(path) as other:
        other.execute("DELETE FROM sqlite_sequence")
    with contextlib.closing(SqliteStore(path, patience=30)) as store:
        assert write(store, b"3") == 3
