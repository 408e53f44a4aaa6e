"""The time for reading a command does not run while garbage is collected."""

import gc
from time import thread_time

import pytest

from handrail.shell import read
from handrail.shell.reading_clock import reading_time

pytestmark = pytest.mark.slow


@pytest.fixture
def large_heap() -> list[list[int]]:
    """Enough objects that a full collection takes a while."""
    return [[] for _ in range(300_000)]


def test_a_full_collection_takes_no_reading_time(large_heap: list[list[int]]) -> None:
    worked, read_for = thread_time(), reading_time()
    gc.collect()
    worked, read_for = thread_time() - worked, reading_time() - read_for
    assert worked > 2 * read_for


def test_work_takes_reading_time() -> None:
    started, worked = reading_time(), thread_time()
    while thread_time() - worked < 0.02:
        sum(range(1_000))
    assert reading_time() - started >= 0.01


def test_a_command_is_read_though_a_collection_took_longer_than_its_deadline(
    large_heap: list[list[int]],
) -> None:
    deadline = reading_time() + 0.1
    for _ in range(20):
        gc.collect()
    text = "".join(f"x{n}=$(echo a); " for n in range(20)) + "rm $x1"
    assert read(text, cwd="/w", deadline=deadline).effects
