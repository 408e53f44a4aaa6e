"""Ignored files that are saved all the same."""

import pytest

from handrail.checkpoint import CheckpointInfo
from handrail.checkpoint.errors import BadIncludeError
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import Bench


def held(bench: Bench, *include: str) -> list[str]:
    """The names that a checkpoint with these patterns holds, without the .gitignore."""
    saved = bench.of(bench.tree, Settings(include=include)).save(CheckpointInfo())
    return sorted(set(bench.held(saved.record)) - {".gitignore"})


@pytest.fixture
def ignoring(bench: Bench) -> Bench:
    """A project with ignored local settings, databases and builds."""
    bench.write(".gitignore", ".env\n*.db\nbuild/\n")
    bench.write(".env", "KEY=1")
    bench.write("data/local.db", "rows")
    bench.write("build/out.o", "o")
    bench.write("build/.env", "KEY=2")
    bench.write("a.txt", "a")
    return bench


def test_local_settings_and_databases_come_back(ignoring: Bench) -> None:
    saved = ignoring.save().record
    (ignoring.tree / ".env").unlink()
    (ignoring.tree / "data/local.db").write_text("dropped")
    ignoring.restore(saved)
    assert (ignoring.tree / ".env").read_text() == "KEY=1"
    assert (ignoring.tree / "data/local.db").read_text() == "rows"


def test_without_patterns_ignored_files_are_not_held(ignoring: Bench) -> None:
    assert held(ignoring) == ["a.txt"]


def test_a_pattern_means_what_it_means_in_a_gitignore(ignoring: Bench) -> None:
    assert held(ignoring, "/.env", "data/*.db") == [".env", "a.txt", "data/local.db"]
    assert held(ignoring, "build/") == ["a.txt", "build/out.o"]


def test_the_repository_itself_is_never_held(bench: Bench) -> None:
    bench.repository()
    assert held(bench, ".git", "**", ".git/config") == ["README.md"]


def test_a_file_whose_pattern_is_removed_is_held_no_more(ignoring: Bench) -> None:
    assert held(ignoring, ".env", "*.db") == [".env", "a.txt", "data/local.db"]
    assert held(ignoring, "*.db") == ["a.txt", "data/local.db"]
    assert held(ignoring, ".env") == [".env", "a.txt"]
    assert (ignoring.tree / "data/local.db").read_text() == "rows"


def test_a_held_file_stays_held_while_its_pattern_stays(ignoring: Bench) -> None:
    assert held(ignoring, ".env") == [".env", "a.txt"]
    ignoring.write(".env", "KEY=3")
    assert held(ignoring, ".env") == [".env", "a.txt"]
    saved = ignoring.of(ignoring.tree, Settings(include=(".env",))).save(CheckpointInfo()).record
    assert ignoring.held(saved)[".env"] == b"KEY=3"


def test_other_patterns_make_another_checkpoint(bench: Bench) -> None:
    """What an earlier one says was not there may be there by now, and not be held."""
    bench.write("a.txt", "a")
    first = bench.save().record
    second = bench.of(bench.tree, Settings(include=())).save(CheckpointInfo()).record
    assert (second.tree, second.number) == (first.tree, first.number + 1)


def test_a_file_that_is_not_ignored_stays_whatever_patterns_go(bench: Bench) -> None:
    bench.write("a.txt", "a")
    assert held(bench, "*.txt") == ["a.txt"]
    assert held(bench) == ["a.txt"]


@pytest.mark.parametrize(
    "pattern",
    ["", " ", "!", "!.env", "!!.env", "\0", "a\nb", "#", "[", "\\", "x" * 5000, "-x", "--"],
)
def test_patterns_without_a_meaning_do_no_harm(ignoring: Bench, pattern: str) -> None:
    assert held(ignoring, pattern, ".env") == [".env", "a.txt"]
    assert held(ignoring, ".env") == [".env", "a.txt"]


@pytest.mark.parametrize("pattern", ["a*" * 100 + "c", "**/" * 500 + "x"])
def test_patterns_that_could_take_for_ever_are_refused(ignoring: Bench, pattern: str) -> None:
    with pytest.raises(BadIncludeError, match="has more than 10 stars"):
        held(ignoring, pattern)


def test_too_many_patterns_are_refused_with_a_reason(ignoring: Bench) -> None:
    with pytest.raises(BadIncludeError, match=r"checkpoints\.include: more than"):
        held(ignoring, *(f"{number}" * 100 for number in range(2000)))
