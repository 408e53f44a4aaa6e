"""A look at the log's files notices damage, and costs the daemon none of its locks."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from handrail.store.header_check import HeaderCheck
from handrail.store.opening import open_log
from handrail.store.port import NewEntry

APPEND = """
import sys
from handrail.store.opening import open_log
from handrail.store.port import NewEntry
store = open_log(sys.argv[1], "write")
store.append([NewEntry("elsewhere", b"{}")]).result()
store.close()
"""


@pytest.fixture
def log(tmp_path: Path) -> str:
    return str(tmp_path / "events.db")


def test_the_log_keeps_its_locks_while_another_process_writes_and_leaves(log: str) -> None:
    with closing(open_log(log, "write")) as store:
        store.append([NewEntry("here", b"1")]).result()
        check = HeaderCheck(log)
        assert check.is_whole()
        assert check.is_whole()
        subprocess.run([sys.executable, "-c", APPEND, log], check=True)
        store.append([NewEntry("here", b"2")]).result()
        assert [entry.body for entry in store.read("here")] == [b"1", b"2"]
        assert len(store.read("elsewhere")) == 1
        assert check.is_whole()


@pytest.mark.parametrize("name", ["", "-wal"])
def test_an_overwritten_file_is_noticed(log: str, name: str) -> None:
    with closing(open_log(log, "write")) as store:
        store.append([NewEntry("here", b"1")]).result()
        check = HeaderCheck(log)
        assert check.is_whole()
        Path(log + name).write_bytes(b"not a log any more")
        assert not check.is_whole()


def test_a_file_in_its_place_is_looked_at(log: str, tmp_path: Path) -> None:
    with closing(open_log(log, "write")) as store:
        store.append([NewEntry("here", b"1")]).result()
        check = HeaderCheck(log)
        assert check.is_whole()
        (tmp_path / "other").write_bytes(b"something else")
        (tmp_path / "other").replace(log)
        assert not check.is_whole()


def test_a_log_that_is_gone_is_not_damaged(log: str) -> None:
    assert HeaderCheck(log).is_whole()
