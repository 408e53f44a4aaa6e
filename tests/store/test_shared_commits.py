"""Work that can wait: it shares a commit with other work, and is never left waiting."""

import contextlib
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from tests.store.conftest import opened

from handrail.store.connection import open_for_writing
from handrail.store.port import NewEntry, Receipt
from handrail.store.writer import WriterThread

LONG = 3600.0
PATIENCE = 60.0


def begin(path: Path, share: float) -> WriterThread:
    """A writer whose clock counts the transactions."""
    numbers = count(1)
    connect = partial(open_for_writing, str(path), 30)
    return WriterThread(str(path), connect, lambda: float(next(numbers)), share=share)


def append(writer: WriterThread, body: bytes, *, can_wait: bool = False) -> Receipt:
    return writer.submit(lambda write: write.append([NewEntry("run/1", body)]), can_wait=can_wait)


def commits(path: Path) -> dict[bytes, float]:
    """The number of the transaction that wrote each body."""
    with opened(path, read_only=True) as store:
        return {entry.body: entry.at for entry in store.read("run/1")}


@pytest.fixture
def hour(path: Path) -> Iterator[WriterThread]:
    with contextlib.closing(begin(path, LONG)) as writer:
        append(writer, b"first").result(PATIENCE)
        yield writer


def test_work_that_can_wait_shares_the_commit_of_work_that_cannot(
    path: Path, hour: WriterThread
) -> None:
    waiting = [append(hour, body, can_wait=True) for body in (b"second", b"third")]
    assert append(hour, b"fourth").result(PATIENCE) == 4
    assert [receipt.result(PATIENCE) for receipt in waiting] == [2, 3]
    assert commits(path) == {b"first": 1.0, b"second": 2.0, b"third": 2.0, b"fourth": 2.0}


def test_closing_writes_what_still_waits_at_once(path: Path, hour: WriterThread) -> None:
    waiting = append(hour, b"second", can_wait=True)
    hour.close()
    assert waiting.result(0) == 2
    assert commits(path) == {b"first": 1.0, b"second": 2.0}


def test_nothing_waits_for_company_that_does_not_come(path: Path) -> None:
    with contextlib.closing(begin(path, 0.001)) as writer:
        append(writer, b"first").result(PATIENCE)
        assert append(writer, b"second", can_wait=True).result(PATIENCE) == 2


def test_nothing_waits_if_the_last_commit_is_long_ago(path: Path) -> None:
    with contextlib.closing(begin(path, LONG)) as writer:  # there was none yet
        assert append(writer, b"first", can_wait=True).result(PATIENCE) == 1
