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
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow

AllFiles = dict[str, tuple[bytes, int]]


@contextmanager
def private(bench: CheckpointProject) -> Iterator[Git]:
    with CheckpointRepository(str(bench.folder), bench.environ).open(str(bench.tree), 10) as git:
        yield git


def files_of(bench: CheckpointProject, folder: str) -> list[str]:
    with private(bench) as git:
        return sorted(nested_repositories.files_of(git, folder))


def repository(bench: CheckpointProject, folder: str, *tracked: str) -> Path:
    """A repository inside, with files that are in it."""
    inside = bench.tree / folder
    inside.mkdir(parents=True, exist_ok=True)
    bench.git("init", "-q", "-b", "main", at=inside)
    for name in tracked:
        bench.write(f"{folder}/{name}", f"{name} of {folder}")
        bench.git("add", "-f", name, at=inside)
    bench.git("commit", "-q", "--allow-empty", "-m", "start", at=inside)
    return inside


def work(bench: CheckpointProject) -> dict[str, bytes | str]:
    """Every file and link outside of all repositories themselves."""
    found = bench.content()
    return {path: data for path, data in found.items() if ".git" not in path.split("/")}


def own_files(bench: CheckpointProject) -> AllFiles:
    """Everything that belongs to repositories themselves."""
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in bench.tree.rglob("*")
        if ".git" in path.parts and path.is_file()
    }


def test_tracked_changed_and_untracked_files_are_listed(project: CheckpointProject) -> None:
    repository(project, "lib", "x.py", "y.py")
    project.write("lib/x.py", "changed")
    project.write("lib/new/z.py", "new")
    (project.tree / "lib/y.py").unlink()
    assert files_of(project, "lib/") == ["lib/new/z.py", "lib/x.py"]


def test_untracked_work_of_a_nested_repository_comes_back(project: CheckpointProject) -> None:
    project.repository()
    repository(project, "lib/inner", "x.txt")
    project.write("lib/inner/x.txt", "changed and never committed")
    project.write("lib/inner/notes/y.txt", "untracked")
    (project.tree / "lib/inner/link").symlink_to("x.txt")
    before = work(project)
    record = project.save().record
    assert record.coverage == Coverage()
    project.git("reset", "-q", "--hard", at=project.tree / "lib/inner")
    project.git("clean", "-q", "-fdx", at=project.tree / "lib/inner")
    assert work(project) != before
    project.restore(record)
    assert work(project) == before


def test_the_repositories_themselves_stay_as_they_are_byte_for_byte(
    project: CheckpointProject,
) -> None:
    project.repository()
    repository(project, "lib", "x.txt")
    repository(project, "lib/deep", "y.txt")
    before = own_files(project)
    record = project.save().record
    project.write("lib/x.txt", "other")
    project.write("lib/deep/y.txt", "other")
    project.restore(record)
    assert own_files(project) == before


def test_changes_in_a_nested_repository_are_seen_by_the_next_checkpoint(
    project: CheckpointProject,
) -> None:
    project.repository()
    repository(project, "lib", "x.txt")
    first = project.save().record
    project.write("lib/x.txt", "changed")
    project.write("lib/new.txt", "new")
    second = project.save()
    assert second.is_new
    assert second.record.files == 2
    project.restore(first)
    assert not (project.tree / "lib/new.txt").exists()
    assert (project.tree / "lib/x.txt").read_text() == "x.txt of lib"


def test_a_repository_in_a_repository_in_a_repository(project: CheckpointProject) -> None:
    project.repository()
    for folder in ("a", "a/b", "a/b/c", "a/b/c/d"):
        repository(project, folder, "tracked")
        project.write(f"{folder}/untracked", folder)
    before = work(project)
    record = project.save().record
    assert record.coverage == Coverage()
    shutil.rmtree(project.tree / "a/b/c/d")
    for path in ("a/untracked", "a/b/untracked", "a/b/c/tracked"):
        (project.tree / path).unlink()
    project.restore(record)
    assert work(project) == before


def test_a_repository_that_appears_later_is_taken_in(project: CheckpointProject) -> None:
    project.repository()
    project.save()
    repository(project, "cloned", "x.txt")
    project.write("cloned/work.txt", "untracked")
    before = work(project)
    record = project.save().record
    shutil.rmtree(project.tree / "cloned")
    project.restore(record)
    assert work(project) == before


def test_a_folder_that_becomes_a_repository_keeps_its_files(project: CheckpointProject) -> None:
    project.repository()
    project.write("lib/x.txt", "x")
    project.save()
    repository(project, "lib")
    project.write("lib/y.txt", "y")
    before = work(project)
    record = project.save().record
    project.git("clean", "-q", "-fdx", at=project.tree / "lib")
    project.restore(record)
    assert work(project) == before


def test_a_submodule_is_saved_with_its_work(project: CheckpointProject) -> None:
    origin = project.home / "origin"
    origin.mkdir()
    project.git("init", "-q", at=origin)
    (origin / "x.txt").write_text("x")
    project.git("add", ".", at=origin)
    project.git("commit", "-q", "-m", "x", at=origin)
    project.repository()
    allowed = ("-c", "protocol.file.allow=always")
    project.git(*allowed, "submodule", "--quiet", "add", str(origin), "sub")
    project.git("commit", "-q", "-m", "sub")
    assert (project.tree / "sub/.git").is_file()
    project.write("sub/x.txt", "changed")
    project.write("sub/y.txt", "untracked")
    before = work(project)
    own = own_files(project)
    record = project.save().record
    assert record.coverage == Coverage()
    project.git("reset", "-q", "--hard", at=project.tree / "sub")
    project.git("clean", "-q", "-fdx", at=project.tree / "sub")
    project.restore(record)
    assert work(project) == before
    assert own_files(project).keys() >= own.keys()


def test_a_linked_work_tree_inside_is_saved_too(project: CheckpointProject) -> None:
    project.repository()
    project.git("worktree", "add", "-q", str(project.tree / ".worktrees/x"))
    project.write(".worktrees/x/README.md", "changed there")
    project.write(".worktrees/x/new.txt", "new there")
    before = work(project)
    record = project.save().record
    assert record.coverage == Coverage()
    project.git("worktree", "remove", "--force", ".worktrees/x")
    project.restore(record)
    assert work(project) == before


def test_an_ignored_linked_work_tree_is_not_saved(project: CheckpointProject) -> None:
    project.repository()
    project.write(".gitignore", ".worktrees/\n")
    project.git("worktree", "add", "-q", str(project.tree / ".worktrees/x"))
    assert project.save().record.files == 2
    project.write(".worktrees/x/new.txt", "new there")
    assert not project.save().is_new


def test_a_repository_in_an_ignored_folder_is_not_saved(project: CheckpointProject) -> None:
    project.repository()
    project.write(".gitignore", "vendor/\n")
    repository(project, "vendor/lib", "x.txt")
    record = project.save().record
    assert record.coverage == Coverage()
    project.write("vendor/lib/new.txt", "new")
    assert not project.save().is_new


def test_an_empty_repository_is_nothing_to_save(project: CheckpointProject) -> None:
    project.repository()
    repository(project, "empty")
    record = project.save().record
    assert record.coverage == Coverage()
    assert files_of(project, "empty/") == []
    project.write("empty/first.txt", "first")
    assert project.save().record.files == 1


def test_a_folder_whose_pointer_leads_nowhere_is_a_folder(project: CheckpointProject) -> None:
    project.repository()
    project.write("lost/.git", "gitdir: /nowhere\n")
    project.write("lost/x.txt", "x")
    before = work(project)
    record = project.save().record
    (project.tree / "lost/x.txt").unlink()
    project.restore(record)
    assert work(project) == before


def test_files_that_it_ignores_are_not_listed_unless_it_tracks_them(
    project: CheckpointProject,
) -> None:
    repository(project, "lib", "kept.log")
    project.write("lib/.gitignore", "*.log\n")
    project.write("lib/other.log", "ignored")
    assert files_of(project, "lib/") == ["lib/.gitignore", "lib/kept.log"]


def test_patterns_of_the_caller_count_inside_too(project: CheckpointProject) -> None:
    repository(project, "lib", "x.txt")
    project.write("lib/.gitignore", ".env\n")
    project.write("lib/.env", "SECRET=1")
    with private(project) as git:
        found = nested_repositories.files_of(git, "lib/", ("-x", "!.env"))
    assert sorted(found) == ["lib/.env", "lib/.gitignore", "lib/x.txt"]


def test_nothing_is_left_behind_but_the_list_of_repositories(project: CheckpointProject) -> None:
    repository(project, "lib", "x.txt")
    files_of(project, "lib/")
    (there,) = (path for path in project.folder.iterdir() if path.name.startswith("index-"))
    assert there.name.endswith(".nested")


@pytest.mark.parametrize("folder", ["a b", "ünd", "[x]*?", "back\\slash", "#a!", ":(top)x", " "])
def test_odd_names_of_folders(project: CheckpointProject, folder: str) -> None:
    repository(project, folder, "x.txt")
    project.write(f"{folder}/.git/info/exclude", "*.log\n/top.txt\n")
    for name in ("new.txt", "a.log", "deep/a.log", "top.txt", "deep/top.txt"):
        project.write(f"{folder}/{name}", name)
    names = ("deep/top.txt", "new.txt", "x.txt")
    assert files_of(project, f"{folder}/") == [f"{folder}/{name}" for name in names]


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
def test_its_own_list_means_the_same_first_and_later(
    project: CheckpointProject, pattern: str
) -> None:
    inside = repository(project, "lib", "tracked.txt")
    project.write("lib/.git/info/exclude", pattern + "\n")
    for name in ("a.log", "b.log", "#a.log", "!a.log", "a b", "er"):
        project.write(f"lib/{name}", name)
    for name in ("a.log", "er/a.log", "er/x.txt", "x.txt"):
        project.write(f"lib/deep/{name}", name)
    asked = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = project.git(*asked, at=inside).split("\0")
    expected = sorted(f"lib/{name}" for name in names if name)
    assert files_of(project, "lib/") == expected
    with private(project) as git:
        git.run("update-index", "--add", "lib/tracked.txt")
        lines = project.folder / "git/info/exclude"
        lines.write_text(nested_repositories.excluded_lines(git))
        later = git.paths("ls-files", "-o", "-z", "--exclude-standard")
    assert sorted(later) == [path for path in expected if path != "lib/tracked.txt"]


def test_a_list_of_a_repository_that_is_gone_says_nothing(project: CheckpointProject) -> None:
    repository(project, "lib", "x.txt")
    project.write("lib/.git/info/exclude", "*.log\n")
    files_of(project, "lib/")
    shutil.rmtree(project.tree / "lib/.git")
    with private(project) as git:
        assert nested_repositories.excluded_lines(git) == ""


def test_a_repository_behind_a_link_is_only_a_link(
    project: CheckpointProject, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    project.git("init", "-q", at=outside)
    (outside / "x.txt").write_text("not in the work tree")
    project.repository()
    os.symlink(outside, project.tree / "link")
    record = project.save().record
    assert record.files == 2
    assert (outside / "x.txt").read_text() == "not in the work tree"
