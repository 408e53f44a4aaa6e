"""There is one way to open the log, for reading and for writing."""

from contextlib import closing
from pathlib import Path

from tests.store.conftest import bodies, fault, write

from handrail.store.opening import open_log
from handrail.store.port import NewEntry


def test_what_was_written_is_read(path: Path) -> None:
    with closing(open_log(str(path), "write")) as store:
        write(store, b"1", b"2")
    with closing(open_log(str(path), "read")) as store:
        assert bodies(store) == [b"1", b"2"]


def test_reading_creates_no_log(path: Path) -> None:
    with closing(open_log(str(path), "read")) as store:
        assert store.topics() == []
        assert store.size() == 0
    assert not path.parent.exists()


def test_a_log_that_is_read_cannot_be_written(path: Path) -> None:
    with closing(open_log(str(path), "read")) as store:
        assert "reading only" in str(fault(store.append([NewEntry("run/1", b"1")])))


def test_a_log_for_writing_says_why_it_cannot_be_used(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    with closing(open_log(str(path), "write")) as store:
        assert "damaged" in store.problem
    with closing(open_log(str(path), "read")) as store:
        assert store.set_aside().startswith(f"{path}.damaged-")
    assert not path.exists()
