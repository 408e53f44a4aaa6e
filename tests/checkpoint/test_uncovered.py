"""Which files of an action no checkpoint holds."""

import os
import shutil
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo
from handrail.checkpoint.save.coverage import MAX_UNCOVERED
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def uncovered(bench: CheckpointProject, *paths: str) -> list[str]:
    """Paths of the work tree, as the work tree calls them."""
    found = bench.checkpoints.uncovered([os.path.join(bench.tree, path) for path in paths])
    return [os.path.relpath(path, bench.tree) + "/" * path.endswith("/") for path in found]


def test_what_was_saved_is_covered(project: CheckpointProject) -> None:
    project.write("src/a.py", "a")
    project.save()
    assert uncovered(project, "src", "src/a.py", "", "not there") == []


def test_without_a_checkpoint_nothing_is_covered(project: CheckpointProject) -> None:
    project.write("src/a.py", "a")
    assert uncovered(project, "src", "src/a.py", "not there") == ["src/", "src/a.py"]
    assert not project.folder.exists()


def test_ignored_files_are_not_covered(project: CheckpointProject) -> None:
    project.write(".gitignore", "build/\n*.log\n.env\n")
    project.write("build/deep/out.o", "o")
    project.write("src/x.log", "log")
    project.write("src/a.py", "a")
    project.write(".env", "KEY=1")
    project.save()
    assert uncovered(project, "") == ["build/", "src/x.log"]
    assert uncovered(project, "build/deep/out.o") == ["build/deep/out.o"]
    assert uncovered(project, "src/a.py", ".env") == []


def test_patterns_that_are_not_included_are_not_covered(project: CheckpointProject) -> None:
    project.checkpoints = project.of(project.tree, Settings(include=()))
    project.write(".gitignore", ".env\n")
    project.write(".env", "KEY=1")
    project.save()
    assert uncovered(project, ".env") == [".env"]


def test_what_is_newer_than_the_checkpoint_is_not_covered(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.write("gone.txt", "g")
    project.save()
    project.write("a.txt", "changed")
    project.write("new/b.txt", "b")
    (project.tree / "gone.txt").unlink()
    assert uncovered(project, "") == ["a.txt", "new/"]
    project.save()
    assert uncovered(project, "") == []


def test_what_only_the_index_holds_is_not_covered(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    saved = project.save().record
    project.write("b.txt", "b")
    project.look(saved)
    assert uncovered(project, "b.txt") == ["b.txt"]


def test_what_was_left_out_is_not_covered(project: CheckpointProject) -> None:
    project.checkpoints = project.of(project.tree, Settings(max_file_mb=1))
    project.write("data/huge.bin", bytes(1_000_001))
    project.write("a.txt", "a")
    project.save()
    assert uncovered(project, "data/huge.bin") == ["data/huge.bin"]
    assert uncovered(project, "") == ["data/"]
    assert uncovered(project, "a.txt") == []


def test_what_lies_elsewhere_is_not_covered(project: CheckpointProject, tmp_path: Path) -> None:
    project.write("a.txt", "a")
    (tmp_path / "outside").mkdir()
    (project.tree / "way").symlink_to(tmp_path / "outside")
    (tmp_path / "outside" / "x.txt").write_text("x")
    project.save()
    assert project.checkpoints.uncovered([str(tmp_path / "outside")]) == (f"{tmp_path}/outside/",)
    assert uncovered(project, "way/x.txt") == ["way/x.txt"]
    assert uncovered(project, "way") == []  # the link itself


def test_the_repository_is_not_covered(project: CheckpointProject) -> None:
    project.repository()
    project.save()
    assert uncovered(project, "") == [".git/"]
    assert uncovered(project, ".git/index") == [".git/index"]
    assert uncovered(project, "README.md") == []


def test_a_path_through_a_link_is_answered_as_it_was_asked(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("src/a.py", "a")
    project.save()
    project.write("src/new.py", "n")
    (tmp_path / "link").symlink_to(project.tree)
    asked = str(tmp_path / "link" / "src")
    assert project.checkpoints.uncovered([asked]) == (f"{asked}/new.py",)


def test_names_are_names_and_no_patterns_of_git(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    for name in ("*", ":(top)x", "-rf", "new\nline"):
        project.write(name, "n")
    assert uncovered(project, "\\*") == ["*"]
    assert uncovered(project, ":(top)x", "-rf") == ["-rf", ":(top)x"]
    assert uncovered(project, "new\nline") == ["new\nline"]


def test_only_what_a_glob_may_mean_counts(project: CheckpointProject) -> None:
    project.repository()
    project.write(".gitignore", "build/\n*.log\n")
    project.write("build/deep/out.o", "o")
    project.write("src/x.log", "log")
    project.write("src/a.py", "a")
    project.save()
    assert uncovered(project, "**/*.md") == []
    assert uncovered(project, "**/*.LOG") == ["src/x.log"]
    assert uncovered(project, "**/*.o") == ["build/"]
    assert uncovered(project, "**/deep") == ["build/"]
    assert uncovered(project, "**/HEAD") == [".git/"]


def test_a_glob_without_a_checkpoint_means_what_is_there(project: CheckpointProject) -> None:
    project.write("src/a.py", "a")
    assert uncovered(project, "src/**/*.py", "src/**/*.md") == ["src/"]
    assert uncovered(project, "src/**/*.md") == []


def test_a_match_after_many_others_is_not_overlooked(project: CheckpointProject) -> None:
    project.write(".gitignore", "*.log\n*.zip\n")
    for number in range(MAX_UNCOVERED + 10):
        project.write(f"{number}.log", "n")
    project.write("z.zip", "z")
    project.save()
    assert uncovered(project, "**/*.zip") == ["z.zip"]


def test_the_answer_is_not_long(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    for number in range(MAX_UNCOVERED + 10):
        project.write(f"{number}.txt", "n")
    assert len(uncovered(project, "")) == MAX_UNCOVERED


def test_looking_changes_nothing(project: CheckpointProject) -> None:
    project.repository()
    saved = project.save().record
    index = next(project.folder.glob("index-*"))
    before = index.read_bytes()
    project.write("README.md", "changed")
    project.write("new.txt", "new")
    uncovered(project, "")
    assert index.read_bytes() == before
    assert list(project.checkpoints.newest_first()) == [saved]
    shutil.rmtree(project.tree / ".git")
    assert project.checkpoints.save(CheckpointInfo()).record.files == 2
