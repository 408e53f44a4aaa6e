"""Several processes on one log, and processes that end without saying so."""

import signal
from pathlib import Path
from random import Random

import pytest
from tests.store.conftest import is_sound, opened, run_child, start_child, write

pytestmark = pytest.mark.slow


def test_two_stores_on_one_file_know_of_each_other(path: Path) -> None:
    with opened(path) as one, opened(path) as two:
        assert write(one, b"1") == 1
        assert write(two, b"2", b"3") == 3
        assert write(one, b"4") == 4
        assert two.forget("run/1").result() == 4
        assert write(one, b"5") == 5
        assert [(found.seq, found.body) for found in two.read("run/1")] == [(1, b"5")]


def test_several_processes_leave_no_gaps_and_no_mixture(path: Path) -> None:
    """They also make the log all at once, in a folder that is not there yet."""
    names = ["a", "b", "c"]
    children = [start_child(path, "write(store, 100, sys.argv[2])", name) for name in names]
    for child in children:
        with child:
            assert child.wait(timeout=120) == 0
    with opened(path) as store:
        found = store.read("shared", limit=10_000)
    assert [one.seq for one in found] == list(range(1, 601))
    assert [one.position for one in found] == list(range(1, 601))
    assert all(one.body == two.body for one, two in zip(found[::2], found[1::2], strict=True))
    for name in names:
        own = [one.body for one in found[::2] if one.body.startswith(name.encode())]
        assert own == [f"{name} {number}".encode() for number in range(100)]
    assert is_sound(path)


def test_what_a_crash_left_in_the_wal_can_be_read_without_a_writer(path: Path) -> None:
    run_child(path, "write(store, 1); os._exit(0)")
    assert path.with_name("log.db-wal").stat().st_size > 0
    with opened(path, read_only=True) as store:
        assert len(store.read_all()) == 2


def test_nothing_confirmed_is_lost_by_a_process_that_does_not_close(path: Path) -> None:
    run_child(path, "write(store, 20); store.append([NewEntry('shared', b'maybe')])")
    with opened(path) as store:
        assert len(store.read("shared")) in {40, 41}
    assert is_sound(path)


KILLED = """
print("opened", flush=True)
call = 0
while True:
    call += 1
    body = f"{sys.argv[2]}.{call}".encode()
    topics = ["shared", f"topic/{call % 3}", "shared"]
    entries = [NewEntry(topic, body) for topic in topics]
    if call % 5 == 0:
        entries.append(NewEntry("large", bytes(200_000)))
    position = store.append([*entries, NewEntry("shared", body)]).result()
    print(position, body.decode(), flush=True)
"""


@pytest.mark.parametrize("seed", range(3))
def test_nothing_confirmed_is_lost_by_a_process_that_is_killed(path: Path, seed: int) -> None:
    random = Random(seed)
    confirmed: list[str] = []
    for life in range(5):
        with start_child(path, KILLED, str(life)) as child:
            assert child.stdout is not None
            seen = random.choice([0, 1, 2, 3, 20, 60])
            confirmed += [child.stdout.readline() for _ in range(seen)]
            child.send_signal(signal.SIGKILL)
            confirmed += child.stdout.readlines()
        assert child.returncode == -signal.SIGKILL  # it did not fail by itself
    with opened(path) as store:
        everything = {one.position: one.body.decode() for one in store.read_all(limit=10**6)}
        shared = store.read("shared", limit=10**6)
    for line in confirmed:
        if line.endswith("\n") and line[0].isdigit():  # the last one may be cut off
            position, body = line.split()
            assert everything[int(position)] == body
    assert [one.seq for one in shared] == list(range(1, len(shared) + 1))
    written = [one.body for one in shared]
    assert written[::3] == written[1::3] == written[2::3]  # all of a call, or nothing
    assert is_sound(path)
