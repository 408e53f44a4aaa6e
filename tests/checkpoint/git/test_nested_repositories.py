"""Repositories inside of a work tree are saved and restored like all other folders."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.checkpoint import Coverage
from handrail.checkpoint.git import nested_repositories
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git
from tests.checkpoint.conftest import Bench

pytestmark = pytest.mark.slow

AllFiles = dict[str, tuple[bytes, int]]


@contextmanager
def private(bench: Bench) -> Iterator[Git]:
    with CheckpointRepository(str(bench.folder), bench.environ).open(str(bench.tree), 10) as git:
        yield git


def files_of(bench: Bench, folder: str) -> list[str]:
    with private(bench) as git:
        return sorted(nested_repositories.files_of(git, folder))


def repository(bench: Bench, folder: str, *tracked: str) -> Path:
    """A repository inside, with files that are in it."""
    inside = bench.tree / folder
    inside.mkdir(parents=True, exist_ok=True)
    bench.git("init", "-q", "-b", "main", at=inside)
    for name in tracked:
        bench.write(f"{folder}/{name}", f"{name} of {folder}")
        bench.git("add", "-f", name, at=inside)
    bench.git("commit", "-q", "--allow-empty", "-m", "start", at=inside)
    return inside


def work(bench: Bench) -> dict[str, bytes | str]:
    """Every file and link outside of all repositories themselves."""
    found = bench.content()
    return {path: data for path, data in found.items() if ".git" not in path.split("/")}


def own_files(bench: Bench) -> AllFiles:
    """Everything that belongs to repositories themselves."""
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in bench.tree.rglob("*")
        if ".git" in path.parts and path.is_file()
    }


def test_tracked_changed_and_untracked_files_are_listed(bench: Bench) -> None:
    repository(bench, "lib", "x.py", "y.py")
    bench.write("lib/x.py", "changed")
    bench.write("lib/new/z.py", "new")
    (bench.tree / "lib/y.py").unlink()
    assert files_of(bench, "lib/") == ["lib/new/z.py", "lib/x.py"]


def test_untracked_work_of_a_nested_repository_comes_back(bench: Bench) -> None:
    bench.repository()
    repository(bench, "lib/inner", "x.txt")
    bench.write("lib/inner/x.txt", "changed and never committed")
    bench.write("lib/inner/notes/y.txt", "untracked")
    (bench.tree / "lib/inner/link").symlink_to("x.txt")
    before = work(bench)
    record = bench.save().record
    assert record.coverage == Coverage()
    bench.git("reset", "-q", "--hard", at=bench.tree / "lib/inner")
    bench.git("clean", "-q", "-fdx", at=bench.tree / "lib/inner")
    assert work(bench) != before
    bench.restore(record)
    assert work(bench) == before


def test_the_repositories_themselves_stay_as_they_are_byte_for_byte(bench: Bench) -> None:
    bench.repository()
    repository(bench, "lib", "x.txt")
    repository(bench, "lib/deep", "y.txt")
    before = own_files(bench)
    record = bench.save().record
    bench.write("lib/x.txt", "other")
    bench.write("lib/deep/y.txt", "other")
    bench.restore(record)
    assert own_files(bench) == before


def test_changes_in_a_nested_repository_are_seen_by_the_next_checkpoint(bench: Bench) -> None:
    bench.repository()
    repository(bench, "lib", "x.txt")
    first = bench.save().record
    bench.write("lib/x.txt", "changed")
    bench.write("lib/new.txt", "new")
    second = bench.save()
    assert second.is_new
    assert second.record.files == 2
    bench.restore(first)
    assert not (bench.tree / "lib/new.txt").exists()
    assert (bench.tree / "lib/x.txt").read_text() == "x.txt of lib"


def test_a_repository_in_a_repository_in_a_repository(bench: Bench) -> None:
    bench.repository()
    for folder in ("a", "a/b", "a/b/c", "a/b/c/d"):
        repository(bench, folder, "tracked")
        bench.write(f"{folder}/untracked", folder)
    before = work(bench)
    record = bench.save().record
    assert record.coverage == Coverage()
    shutil.rmtree(bench.tree / "a/b/c/d")
    for path in ("a/untracked", "a/b/untracked", "a/b/c/tracked"):
        (bench.tree / path).unlink()
    bench.restore(record)
    assert work(bench) == before


def test_a_repository_that_appears_later_is_taken_in(bench: Bench) -> None:
    bench.repository()
    bench.save()
    repository(bench, "cloned", "x.txt")
    bench.write("cloned/work.txt", "untracked")
    before = work(bench)
    record = bench.save().record
    shutil.rmtree(bench.tree / "cloned")
    bench.restore(record)
    assert work(bench) == before


def test_a_folder_that_becomes_a_repository_keeps_its_files(bench: Bench) -> None:
    bench.repository()
    bench.write("lib/x.txt", "x")
    bench.save()
    repository(bench, "lib")
    bench.write("lib/y.txt", "y")
    before = work(bench)
    record = bench.save().record
    bench.git("clean", "-q", "-fdx", at=bench.tree / "lib")
    bench.restore(record)
    assert work(bench) == before


def test_a_submodule_is_saved_with_its_work(bench: Bench) -> None:
    origin = bench.home / "origin"
    origin.mkdir()
    bench.git("init", "-q", at=origin)
    (origin / "x.txt").write_text("x")
    bench.git("add", ".", at=origin)
    bench.git("commit", "-q", "-m", "x", at=origin)
    bench.repository()
    allowed = ("-c", "protocol.file.allow=always")
    bench.git(*allowed, "submodule", "--quiet", "add", str(origin), "sub")
    bench.git("commit", "-q", "-m", "sub")
    assert (bench.tree / "sub/.git").is_file()
    bench.write("sub/x.txt", "changed")
    bench.write("sub/y.txt", "untracked")
    before = work(bench)
    own = own_files(bench)
    record = bench.save().record
    assert record.coverage == Coverage()
    bench.git("reset", "-q", "--hard", at=bench.tree / "sub")
    bench.git("clean", "-q", "-fdx", at=bench.tree / "sub")
    bench.restore(record)
    assert work(bench) == before
    assert own_files(bench).keys() >= own.keys()


def test_a_linked_work_tree_inside_is_saved_too(bench: Bench) -> None:
    bench.repository()
    bench.git("worktree", "add", "-q", str(bench.tree / ".worktrees/x"))
    bench.write(".worktrees/x/README.md", "changed there")
    bench.write(".worktrees/x/new.txt", "new there")
    before = work(bench)
    record = bench.save().record
    assert record.coverage == Coverage()
    bench.git("worktree", "remove", "--force", ".worktrees/x")
    bench.restore(record)
    assert work(bench) == before


def test_an_ignored_linked_work_tree_is_not_saved(bench: Bench) -> None:
    bench.repository()
    bench.write(".gitignore", ".worktrees/\n")
    bench.git("worktree", "add", "-q", str(bench.tree / ".worktrees/x"))
    assert bench.save().record.files == 2
    bench.write(".worktrees/x/new.txt", "new there")
    assert not bench.save().is_new


def test_a_repository_in_an_ignored_folder_is_not_saved(bench: Bench) -> None:
    bench.repository()
    bench.write(".gitignore", "vendor/\n")
    repository(bench, "vendor/lib", "x.txt")
    record = bench.save().record
    assert record.coverage == Coverage()
    bench.write("vendor/lib/new.txt", "new")
    assert not bench.save().is_new


def test_an_empty_repository_is_nothing_to_save(bench: Bench) -> None:
    bench.repository()
    repository(bench, "empty")
    record = bench.save().record
    assert record.coverage == Coverage()
    assert files_of(bench, "empty/") == []
    bench.write("empty/first.txt", "first")
    assert bench.save().record.files == 1


def test_a_folder_whose_pointer_leads_nowhere_is_a_folder(bench: Bench) -> None:
    bench.repository()
    bench.write("lost/.git", "gitdir: /nowhere\n")
    bench.write("lost/x.txt", "x")
    before = work(bench)
    record = bench.save().record
    (bench.tree / "lost/x.txt").unlink()
    bench.restore(record)
    assert work(bench) == before


def test_files_that_it_ignores_are_not_listed_unless_it_tracks_them(bench: Bench) -> None:
    repository(bench, "lib", "kept.log")
    bench.write("lib/.gitignore", "*.log\n")
    bench.write("lib/other.log", "ignored")
    assert files_of(bench, "lib/") == ["lib/.gitignore", "lib/kept.log"]


def test_patterns_of_the_caller_count_inside_too(bench: Bench) -> None:
    repository(bench, "lib", "x.txt")
    bench.write("lib/.gitignore", ".env\n")
    bench.write("lib/.env", "SECRET=1")
    with private(bench) as git:
        found = nested_repositories.files_of(git, "lib/", ("-x", "!.env"))
    assert sorted(found) == ["lib/.env", "lib/.gitignore", "lib/x.txt"]


def test_nothing_is_left_behind_but_the_list_of_repositories(bench: Bench) -> None:
    repository(bench, "lib", "x.txt")
    files_of(bench, "lib/")
    (there,) = (path for path in bench.folder.iterdir() if path.name.startswith("index-"))
    assert there.name.endswith(".nested")


@pytest.mark.parametrize("folder", ["a b", "ünd", "[x]*?", "back\\slash", "#a!", ":(top)x", " "])
def test_odd_names_of_folders(bench: Bench, folder: str) -> None:
    repository(bench, folder, "x.txt")
    bench.write(f"{folder}/.git/info/exclude", "*.log\n/top.txt\n")
    for name in ("new.txt", "a.log", "deep/a.log", "top.txt", "deep/top.txt"):
        bench.write(f"{folder}/{name}", name)
    names = ("deep/top.txt", "new.txt", "x.txt")
    assert files_of(bench, f"{folder}/") == [f"{folder}/{name}" for name in names]


PATTERNS = [
    "*.log",
    "/a.log",
    "deep/",
    "deep",
    "deep/a.log",
    "deep/er/",
    "**/er",
    "**/a.log",
    "deep/**",
    "/*",
    "*",
    "*\n!a.log",
    "*.log\n!/a.log",
    "# *.log",
    "\\#a.log",
    "\\!a.log",
    "/",
    "!",
    "*.log  ",
    "*.log\r",
    "a\\ b",
    "[ab].log",
    "",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_its_own_list_means_the_same_first_and_later(bench: Bench, pattern: str) -> None:
    inside = repository(bench, "lib", "tracked.txt")
    bench.write("lib/.git/info/exclude", pattern + "\n")
    for name in ("a.log", "b.log", "#a.log", "!a.log", "a b", "er"):
        bench.write(f"lib/{name}", name)
    for name in ("a.log", "er/a.log", "er/x.txt", "x.txt"):
        bench.write(f"lib/deep/{name}", name)
    asked = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = bench.git(*asked, at=inside).split("\0")
    expected = sorted(f"lib/{name}" for name in names if name)
    assert files_of(bench, "lib/") == expected
    with private(bench) as git:
        git.run("update-index", "--add", "lib/tracked.txt")
        lines = bench.folder / "git/info/exclude"
        lines.write_text(nested_repositories.excluded_lines(git))
        later = git.paths("ls-files", "-o", "-z", "--exclude-standard")
    assert sorted(later) == [path for path in expected if path != "lib/tracked.txt"]


def test_a_list_of_a_repository_that_is_gone_says_nothing(bench: Bench) -> None:
    repository(bench, "lib", "x.txt")
    bench.write("lib/.git/info/exclude", "*.log\n")
    files_of(bench, "lib/")
    shutil.rmtree(bench.tree / "lib/.git")
    with private(bench) as git:
        assert nested_repositories.excluded_lines(git) == ""


def test_a_repository_behind_a_link_is_only_a_link(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    bench.git("init", "-q", at=outside)
    (outside / "x.txt").write_text("not in the work tree")
    bench.repository()
    os.symlink(outside, bench.tree / "link")
    record = bench.save().record
    assert record.files == 2
    assert (outside / "x.txt").read_text() == "not in the work tree"
