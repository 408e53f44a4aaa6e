"""Which files of an action no checkpoint holds."""

import os
import shutil
from pathlib import Path

from handrail.checkpoint import CheckpointInfo
from handrail.checkpoint.save.coverage import MAX_UNCOVERED
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import Bench


def uncovered(bench: Bench, *paths: str) -> list[str]:
    """Paths of the work tree, as the work tree calls them."""
    found = bench.checkpoints.uncovered([os.path.join(bench.tree, path) for path in paths])
    return [os.path.relpath(path, bench.tree) + "/" * path.endswith("/") for path in found]


def test_what_was_saved_is_covered(bench: Bench) -> None:
    bench.write("src/a.py", "a")
    bench.save()
    assert uncovered(bench, "src", "src/a.py", "", "not there") == []


def test_without_a_checkpoint_nothing_is_covered(bench: Bench) -> None:
    bench.write("src/a.py", "a")
    assert uncovered(bench, "src", "src/a.py", "not there") == ["src/", "src/a.py"]
    assert not bench.folder.exists()


def test_ignored_files_are_not_covered(bench: Bench) -> None:
    bench.write(".gitignore", "build/\n*.log\n.env\n")
    bench.write("build/deep/out.o", "o")
    bench.write("src/x.log", "log")
    bench.write("src/a.py", "a")
    bench.write(".env", "KEY=1")
    bench.save()
    assert uncovered(bench, "") == ["build/", "src/x.log"]
    assert uncovered(bench, "build/deep/out.o") == ["build/deep/out.o"]
    assert uncovered(bench, "src/a.py", ".env") == []


def test_patterns_that_are_not_included_are_not_covered(bench: Bench) -> None:
    bench.checkpoints = bench.of(bench.tree, Settings(include=()))
    bench.write(".gitignore", ".env\n")
    bench.write(".env", "KEY=1")
    bench.save()
    assert uncovered(bench, ".env") == [".env"]


def test_what_is_newer_than_the_checkpoint_is_not_covered(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.write("gone.txt", "g")
    bench.save()
    bench.write("a.txt", "changed")
    bench.write("new/b.txt", "b")
    (bench.tree / "gone.txt").unlink()
    assert uncovered(bench, "") == ["a.txt", "new/"]
    bench.save()
    assert uncovered(bench, "") == []


def test_what_only_the_index_holds_is_not_covered(bench: Bench) -> None:
    bench.write("a.txt", "a")
    saved = bench.save().record
    bench.write("b.txt", "b")
    bench.look(saved)
    assert uncovered(bench, "b.txt") == ["b.txt"]


def test_what_was_left_out_is_not_covered(bench: Bench) -> None:
    bench.checkpoints = bench.of(bench.tree, Settings(max_file_mb=1))
    bench.write("data/huge.bin", bytes(1_000_001))
    bench.write("a.txt", "a")
    bench.save()
    assert uncovered(bench, "data/huge.bin") == ["data/huge.bin"]
    assert uncovered(bench, "") == ["data/"]
    assert uncovered(bench, "a.txt") == []


def test_what_lies_elsewhere_is_not_covered(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    (tmp_path / "outside").mkdir()
    (bench.tree / "way").symlink_to(tmp_path / "outside")
    (tmp_path / "outside" / "x.txt").write_text("x")
    bench.save()
    assert bench.checkpoints.uncovered([str(tmp_path / "outside")]) == (f"{tmp_path}/outside/",)
    assert uncovered(bench, "way/x.txt") == ["way/x.txt"]
    assert uncovered(bench, "way") == []  # the link itself


def test_the_repository_is_not_covered(bench: Bench) -> None:
    bench.repository()
    bench.save()
    assert uncovered(bench, "") == [".git/"]
    assert uncovered(bench, ".git/index") == [".git/index"]
    assert uncovered(bench, "README.md") == []


def test_a_path_through_a_link_is_answered_as_it_was_asked(bench: Bench, tmp_path: Path) -> None:
    bench.write("src/a.py", "a")
    bench.save()
    bench.write("src/new.py", "n")
    (tmp_path / "link").symlink_to(bench.tree)
    asked = str(tmp_path / "link" / "src")
    assert bench.checkpoints.uncovered([asked]) == (f"{asked}/new.py",)


def test_names_are_names_and_no_patterns_of_git(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    for name in ("*", ":(top)x", "-rf", "new\nline"):
        bench.write(name, "n")
    assert uncovered(bench, "\\*") == ["*"]
    assert uncovered(bench, ":(top)x", "-rf") == ["-rf", ":(top)x"]
    assert uncovered(bench, "new\nline") == ["new\nline"]


def test_only_what_a_glob_may_mean_counts(bench: Bench) -> None:
    bench.repository()
    bench.write(".gitignore", "build/\n*.log\n")
    bench.write("build/deep/out.o", "o")
    bench.write("src/x.log", "log")
    bench.write("src/a.py", "a")
    bench.save()
    assert uncovered(bench, "**/*.md") == []
    assert uncovered(bench, "**/*.LOG") == ["src/x.log"]
    assert uncovered(bench, "**/*.o") == ["build/"]
    assert uncovered(bench, "**/deep") == ["build/"]
    assert uncovered(bench, "**/HEAD") == [".git/"]


def test_a_glob_without_a_checkpoint_means_what_is_there(bench: Bench) -> None:
    bench.write("src/a.py", "a")
    assert uncovered(bench, "src/**/*.py", "src/**/*.md") == ["src/"]
    assert uncovered(bench, "src/**/*.md") == []


def test_a_match_after_many_others_is_not_overlooked(bench: Bench) -> None:
    bench.write(".gitignore", "*.log\n*.zip\n")
    for number in range(MAX_UNCOVERED + 10):
        bench.write(f"{number}.log", "n")
    bench.write("z.zip", "z")
    bench.save()
    assert uncovered(bench, "**/*.zip") == ["z.zip"]


def test_the_answer_is_not_long(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    for number in range(MAX_UNCOVERED + 10):
        bench.write(f"{number}.txt", "n")
    assert len(uncovered(bench, "")) == MAX_UNCOVERED


def test_looking_changes_nothing(bench: Bench) -> None:
    bench.repository()
    saved = bench.save().record
    index = next(bench.folder.glob("index-*"))
    before = index.read_bytes()
    bench.write("README.md", "changed")
    bench.write("new.txt", "new")
    uncovered(bench, "")
    assert index.read_bytes() == before
    assert list(bench.checkpoints.newest_first()) == [saved]
    shutil.rmtree(bench.tree / ".git")
    assert bench.checkpoints.save(CheckpointInfo()).record.files == 2
