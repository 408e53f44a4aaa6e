"""`handrail checkpoint`: the files are saved, and it is said how much of them."""

from collections.abc import Iterator

import msgspec
import pytest
from tests.cli.checkpoint_endpoints import CheckpointEndpoints
from tests.cli.checkpoint_records import record
from tests.cli.conftest import HandrailShell

from handrail.checkpoint import Coverage, LeftOut
from handrail.cli.commands.checkpoint import show_saved
from handrail.cli.output.terminal import TerminalOutput
from handrail.server.files.restore_messages import SaveReply


@pytest.fixture
def counter(shell: HandrailShell) -> Iterator[CheckpointEndpoints]:
    with CheckpointEndpoints(shell).open() as counter:
        yield counter


def test_the_files_are_saved(shell: HandrailShell, counter: CheckpointEndpoints) -> None:
    (shell.project / "cart.py").write_text("total = 0\n")
    ran = shell.run("checkpoint")
    assert (ran.code, ran.err) == (0, "")
    first, hint = ran.out.splitlines()
    assert first.startswith(" ✓ c1  1 file changed, ")
    assert first.endswith("; complete")
    assert hint == "   Go back to it: handrail rollback c1"


def test_what_is_unchanged_is_not_saved_again(
    shell: HandrailShell, counter: CheckpointEndpoints
) -> None:
    (shell.project / "cart.py").write_text("total = 0\n")
    shell.run("checkpoint")
    assert shell.run("checkpoint").out.startswith(" Nothing changed since c1 ")
    told = shell.run("checkpoint", "--json").json
    assert (told["id"], told["isNew"]) == ("c1", False)


def test_a_name_makes_a_checkpoint_of_its_own(
    shell: HandrailShell, counter: CheckpointEndpoints
) -> None:
    shell.run("checkpoint")
    told = shell.run("checkpoint", "before-refactor", "--json").json
    assert (told["id"], told["name"], told["isNew"]) == ("c2", "before-refactor", True)
    assert told["coverage"] == {"says": "complete", "leftOut": [], "unfinished": False}


def test_of_a_name_that_is_used_twice_the_newest_is_meant(
    shell: HandrailShell, counter: CheckpointEndpoints
) -> None:
    shell.run("checkpoint", "here")
    out = shell.run("checkpoint", "here").out
    assert "c1 had this name before. From now on it means c2." in out


@pytest.mark.parametrize("name", ["before refactor", "c12", "a/b", "", "é", "-", ".x", "0a1b2c3d"])
def test_a_name_that_could_mean_something_else_is_refused(shell: HandrailShell, name: str) -> None:
    ran = shell.run("checkpoint", "--", name or " ")
    assert (ran.code, ran.out) == (2, "")
    assert "a checkpoint cannot be called" in ran.err
    assert not (shell.state / "daemon.lock").exists()


def test_a_home_folder_is_not_saved(shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.home)
    ran = shell.run("checkpoint")
    assert (ran.code, ran.out) == (2, "")
    assert "your home folder is in it" in ran.err


def test_what_was_left_out_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    left = (LeftOut("data/big.bin", "larger than 50 MB"), LeftOut("cache/", "too many files"))
    kept = SaveReply(record(12, coverage=Coverage(left, unfinished=True)), is_new=True)
    show_saved(TerminalOutput(colour=False), kept, [])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("; partial")
    text = " ".join(line.strip() for line in lines[1:-1])
    assert text == (
        "partial: 1 file and 1 folder left out: data/big.bin (larger than 50 MB), "
        "cache/ (too many files); there was not enough time; the next checkpoint continues "
        "from there"
    )
    assert max(map(len, lines)) <= 80


def test_of_much_that_was_left_out_a_few_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    left = tuple(LeftOut(f"data/{number}.bin", "too large") for number in range(1200))
    kept = SaveReply(record(12, coverage=Coverage(left)), is_new=False)
    show_saved(TerminalOutput(colour=False), kept, [])
    out = capsys.readouterr().out
    assert "1,200 files left out" in out
    assert "and 1,197 more" in out
    assert msgspec.json.decode(msgspec.json.encode(kept), type=SaveReply) == kept
