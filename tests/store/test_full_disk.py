"""A disk without room: said at once, nothing half-written, and over when there is room again."""

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.conftest import bodies, connected, fault, is_sound, opened

from handrail.store.connection import open_for_writing
from handrail.store.errors import DiskFullError
from handrail.store.port import NewEntry, Receipt
from handrail.store.writer import WriterThread


class SmallDisk:
    """A writer whose file may have only so many pages."""

    def __init__(self, path: Path, pages: int) -> None:
        self.path = path
        self.pages = pages
        self.connections: list[sqlite3.Connection] = []
        self.writer = WriterThread(str(path), self.open, lambda: 0.0)

    def open(self) -> sqlite3.Connection:
        connection = open_for_writing(str(self.path), 30)
        self.connections.append(connection)
        self.limit(self.pages)
        return connection

    def limit(self, pages: int) -> None:
        self.connections[-1].execute(f"PRAGMA max_page_count = {pages}").fetchone()

    def append(self, size: int) -> Receipt:
        entries = [NewEntry("run/1", bytes(size))]
        return self.writer.submit(lambda write: write.append(entries))


@pytest.fixture
def small_disk(path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(path, pages=50)
    with contextlib.closing(disk.writer):
        yield disk


def sizes(path: Path) -> list[int]:
    with opened(path, read_only=True) as store:
        return [len(body) for body in bodies(store)]


def test_a_full_disk_is_said_and_nothing_is_half_written(small_disk: SmallDisk) -> None:
    small_disk.append(10).result()
    assert isinstance(fault(small_disk.append(1_000_000)), DiskFullError)
    assert sizes(small_disk.path) == [10]


def test_what_still_fits_is_written_on_a_full_disk(small_disk: SmallDisk) -> None:
    with connected(small_disk.path) as other:
        other.execute("BEGIN IMMEDIATE")  # so that all of them wait together
        receipts = [small_disk.append(size) for size in (0, 10, 1_000_000, 20)]
        other.execute("COMMIT")
    assert [receipt.exception(timeout=60) for receipt in receipts[:2]] == [None, None]
    assert isinstance(fault(receipts[2]), DiskFullError)
    assert receipts[3].result() == 3
    assert sizes(small_disk.path) == [0, 10, 20]


def test_when_there_is_room_again_the_next_call_works(small_disk: SmallDisk) -> None:
    fault(small_disk.append(1_000_000))
    small_disk.limit(10_000)
    assert small_disk.append(1_000_000).result() == 1
    assert len(small_disk.connections) == 1
    assert is_sound(small_disk.path)


LIMITED = """
import resource, sys
from handrail.store.errors import StoreError
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def write(count):
    failed = 0
    for number in range(count):
        receipt = store.append([NewEntry("run/1", bytes(5_000))] * 2)
        failed += isinstance(receipt.exception(timeout=60), StoreError)
    return failed

store = SqliteStore(sys.argv[1])
print(write(10))
limit(200_000)
failed = write(50)
print(0 < failed < 50)
limit(resource.RLIM_INFINITY)
print(write(10))
print(len(store.read("run/1", limit=1000)) == 2 * (10 + 50 - failed + 10))
store.close()
"""


def test_files_that_may_not_grow_are_a_fault_that_passes(path: Path) -> None:
    """Real errors of real writes, in a process whose files may only have a certain size."""
    command = [sys.executable, "-c", LIMITED, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert said.split() == ["0", "True", "0", "True"]
    assert is_sound(path)


FULL = """
import os, sys
from handrail.store.errors import DiskFullError
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore

folder = sys.argv[1]
store = SqliteStore(folder + "/state/log.db")
store.append([NewEntry("run/1", b"first")]).result()
with open(folder + "/other", "wb", buffering=0) as other:
    try:
        while True:
            other.write(bytes(4096))
    except OSError:
        pass
errors = [store.append([NewEntry("run/1", bytes(100_000))]).exception() for _ in range(3)]
print(all(isinstance(error, DiskFullError) for error in errors), errors)
print([len(one.body) for one in store.read("run/1")])
os.unlink(folder + "/other")
print(store.append([NewEntry("run/1", b"last")]).result())
store.close()
"""


def test_a_disk_that_is_really_full_is_a_fault_that_passes(tmp_path: Path) -> None:
    """On a small file system of its own, where the system lets us make one."""
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    script = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3" "$1"'
    shell: list[str | Path] = ["unshare", "-rm", "sh", "-ec", script, "sh"]
    try:
        subprocess.run([*shell, mounted, "true", ""], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no mount namespaces here")
    command = [*shell, mounted, sys.executable, FULL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    all_full, read, last = done.stdout.splitlines()
    assert all_full.startswith("True"), all_full
    assert read == "[5]"
    assert last == "2"
