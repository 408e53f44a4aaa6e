"""A damaged log is put aside as a whole, and a good one is left alone."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from handrail.cli.diagnosis.repair import move_damaged_log
from handrail.model.event import PromptGiven
from handrail.server.home import Home
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore

PROMPT = msgspec.json.encode(PromptGiven(1.0, "fix it"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(str(tmp_path / "state"))
    home.prepare()
    return home


def write(home: Home, *bodies: bytes) -> None:
    with closing(SqliteStore(home.log)) as store:
        store.append([NewEntry("run:3f2a", body) for body in bodies]).result(5)


def test_where_there_is_no_log_nothing_is_put_aside(home: Home) -> None:
    assert move_damaged_log(home) == ""


def test_a_log_that_can_be_read_stays(home: Home) -> None:
    write(home, PROMPT)
    assert move_damaged_log(home) == ""
    assert Path(home.log).exists()


def test_a_file_that_is_no_log_is_put_aside(home: Home) -> None:
    Path(home.log).write_bytes(b"no database" * 100)
    aside = move_damaged_log(home)
    assert Path(aside).read_bytes().startswith(b"no database")
    assert not Path(home.log).exists()


@pytest.mark.parametrize("body", [b'{"event":"of_another_make","at":1.0}', b"\xff", b"{}"])
def test_a_log_with_an_event_that_nobody_can_read_is_put_aside(home: Home, body: bytes) -> None:
    """The supervisor refuses to go on with such a run, and says that this helps."""
    write(home, PROMPT, body)
    assert move_damaged_log(home)
    assert not Path(home.log).exists()
