"""The records that people's commands write are put back if anybody else writes them."""

from pathlib import Path

import pytest

from handrail.hosts.settings_file import load_installs, save_installs
from handrail.server.home import Home
from handrail.server.integrity.sealed_records import SealedRecords
from handrail.store.seals import is_sealed, write_sealed
from tests.server.integrity.bench import IntegrityBench


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(str(tmp_path / "home" / "state"))
    assert home.control_token
    return home


@pytest.fixture
def trust(home: Home) -> Path:
    write_sealed(home.trust, b'{"repositories": {}}')
    return Path(home.trust)


@pytest.fixture
def bench(tmp_path: Path, home: Home, trust: Path) -> IntegrityBench:
    fixes = {home.trust: "handrail config trust", home.installs: "handrail install"}
    return IntegrityBench(tmp_path / "home", SealedRecords(fixes))


@pytest.mark.parametrize("text", ['{"repositories": {"/shop": []}}', "", None])
def test_a_record_that_a_call_has_written_is_put_back_and_the_run_stopped(
    bench: IntegrityBench, trust: Path, text: str | None
) -> None:
    was = trust.read_text()
    bench.start()
    bench.begin(4)
    if text is None:
        trust.unlink()
    else:
        trust.write_text(text)
    bench.end(4)
    bench.later()
    assert trust.read_text() == was
    assert bench.stopped == ["r1"]
    assert str(trust) in bench.notices.unseen()[0].says


def test_a_record_that_was_not_there_is_taken_away(tmp_path: Path, home: Home) -> None:
    bench = IntegrityBench(tmp_path / "home", SealedRecords({home.trust: "handrail config trust"}))
    bench.start()
    bench.begin()
    Path(home.trust).write_text("{}")
    bench.end()
    bench.later()
    assert not Path(home.trust).exists()


def test_what_a_persons_command_writes_during_a_call_counts(
    bench: IntegrityBench, home: Home, trust: Path
) -> None:
    bench.start()
    bench.begin()
    write_sealed(home.trust, b'{"repositories": {"/shop": []}}')
    save_installs(home.installs, [])
    bench.end()
    bench.later()
    assert trust.read_text() == '{"repositories": {"/shop": []}}'
    assert load_installs(home.installs) == []
    assert (bench.stopped, bench.says) == ([], [])


def test_hooks_and_their_record_taken_away_together_both_come_back(
    bench: IntegrityBench, home: Home
) -> None:
    bench.start()
    bench.begin()
    Path(home.installs).write_text("[]")
    bench.settings.write_text("{}")
    bench.end()
    bench.later()
    bench.later()
    assert len(load_installs(home.installs)) == 1
    assert bench.is_installed()


def test_a_seal_fits_one_content_and_one_key(home: Home, trust: Path) -> None:
    data = trust.read_bytes()
    assert is_sealed(home.trust, data)
    assert not is_sealed(home.trust, data + b" ")
    Path(home.path, "control-token").write_text("another")
    assert not is_sealed(home.trust, data)
    Path(f"{home.trust}.seal").unlink()
    assert not is_sealed(home.trust, data)


def test_without_a_key_nothing_is_sealed(tmp_path: Path) -> None:
    """Nobody may take an empty seal for a fitting one."""
    path = str(tmp_path / "installs.json")
    write_sealed(path, b"[]")
    assert not is_sealed(path, b"[]")
