"""Ignored files that are saved all the same."""

import pytest

from handrail.checkpoint import CheckpointInfo
from handrail.checkpoint.errors import BadIncludeError
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def held(bench: CheckpointProject, *include: str) -> list[str]:
    """The names that a checkpoint with these patterns holds, without the .gitignore."""
    saved = bench.of(bench.tree, Settings(include=include)).save(CheckpointInfo())
    return sorted(set(bench.held(saved.record)) - {".gitignore"})


@pytest.fixture
def ignoring(project: CheckpointProject) -> CheckpointProject:
    """A project with ignored local settings, databases and builds."""
    project.write(".gitignore", ".env\n*.db\nbuild/\n")
    project.write(".env", "KEY=1")
    project.write("data/local.db", "rows")
    project.write("build/out.o", "o")
    project.write("build/.env", "KEY=2")
    project.write("a.txt", "a")
    return project


def test_local_settings_and_databases_come_back(ignoring: CheckpointProject) -> None:
    saved = ignoring.save().record
    (ignoring.tree / ".env").unlink()
    (ignoring.tree / "data/local.db").write_text("dropped")
    ignoring.restore(saved)
    assert (ignoring.tree / ".env").read_text() == "KEY=1"
    assert (ignoring.tree / "data/local.db").read_text() == "rows"


def test_without_patterns_ignored_files_are_not_held(ignoring: CheckpointProject) -> None:
    assert held(ignoring) == ["a.txt"]


def test_a_pattern_means_what_it_means_in_a_gitignore(ignoring: CheckpointProject) -> None:
    assert held(ignoring, "/.env", "data/*.db") == [".env", "a.txt", "data/local.db"]
    assert held(ignoring, "build/") == ["a.txt", "build/out.o"]


def test_the_repository_itself_is_never_held(project: CheckpointProject) -> None:
    project.repository()
    assert held(project, ".git", "**", ".git/config") == ["README.md"]


def test_a_file_whose_pattern_is_removed_is_held_no_more(ignoring: CheckpointProject) -> None:
    assert held(ignoring, ".env", "*.db") == [".env", "a.txt", "data/local.db"]
    assert held(ignoring, "*.db") == ["a.txt", "data/local.db"]
    assert held(ignoring, ".env") == [".env", "a.txt"]
    assert (ignoring.tree / "data/local.db").read_text() == "rows"


def test_a_held_file_stays_held_while_its_pattern_stays(ignoring: CheckpointProject) -> None:
    assert held(ignoring, ".env") == [".env", "a.txt"]
    ignoring.write(".env", "KEY=3")
    assert held(ignoring, ".env") == [".env", "a.txt"]
    saved = ignoring.of(ignoring.tree, Settings(include=(".env",))).save(CheckpointInfo()).record
    assert ignoring.held(saved)[".env"] == b"KEY=3"


def test_other_patterns_make_another_checkpoint(project: CheckpointProject) -> None:
    """What an earlier one says was not there may be there by now, and not be held."""
    project.write("a.txt", "a")
    first = project.save().record
    second = project.of(project.tree, Settings(include=())).save(CheckpointInfo()).record
    assert (second.tree, second.number) == (first.tree, first.number + 1)


def test_a_file_that_is_not_ignored_stays_whatever_patterns_go(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    assert held(project, "*.txt") == ["a.txt"]
    assert held(project) == ["a.txt"]


@pytest.mark.parametrize(
    "pattern",
    ["", " ", "!", "!.env", "!!.env", "\0", "a\nb", "#", "[", "\\", "x" * 5000, "-x", "--"],
)
def test_patterns_without_a_meaning_do_no_harm(ignoring: CheckpointProject, pattern: str) -> None:
    assert held(ignoring, pattern, ".env") == [".env", "a.txt"]
    assert held(ignoring, ".env") == [".env", "a.txt"]


@pytest.mark.parametrize("pattern", ["a*" * 100 + "c", "**/" * 500 + "x"])
def test_patterns_that_could_take_for_ever_are_refused(
    ignoring: CheckpointProject, pattern: str
) -> None:
    with pytest.raises(BadIncludeError, match="has more than 10 stars"):
        held(ignoring, pattern)


def test_too_many_patterns_are_refused_with_a_reason(ignoring: CheckpointProject) -> None:
    with pytest.raises(BadIncludeError, match=r"checkpoints\.include: more than"):
        held(ignoring, *(f"{number}" * 100 for number in range(2000)))
