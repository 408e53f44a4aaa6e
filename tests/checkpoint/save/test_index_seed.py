"""A first checkpoint takes over what the user's git remembers, and is right all the same."""

import os
from pathlib import Path
from struct import pack

import pytest

from handrail.checkpoint import CheckpointInfo, Coverage
from handrail.checkpoint.git import alternates, index_file
from tests.checkpoint.conftest import CheckpointProject
from tests.checkpoint.odd_repositories import COLD, ODD
from tests.checkpoint.user_repositories import held, private, seed, shop, write, written

pytestmark = pytest.mark.slow


def test_of_an_unchanged_repository_nothing_is_written_but_the_checkpoint(
    project: CheckpointProject,
) -> None:
    shop(project)
    assert seed(project)
    record = project.save().record
    assert held(project, record) == project.content()
    with private(project) as git:
        assert not git.run("diff-files", "--name-only")
    assert written(project) == 1  # the commit


def test_what_is_changed_staged_untracked_or_deleted_is_as_it_is(
    project: CheckpointProject,
) -> None:
    shop(project)
    project.write("a.txt", "changed")
    project.write("src/b.py", "staged")
    project.git("add", "src/b.py")
    project.write("src/b.py", "and changed")
    project.write("new.txt", "new")
    (project.tree / "src/deep/c.py").unlink()
    project.git("rm", "-q", "--cached", "src/deep/d.py")
    assert seed(project)
    assert held(project, project.save().record) == project.content()


@pytest.mark.parametrize("case", ODD)
def test_an_odd_repository_ends_in_a_right_checkpoint(
    project: CheckpointProject, case: str
) -> None:
    shop(project)
    ODD[case](project)
    assert seed(project) == (case not in COLD)
    record = project.save().record
    assert held(project, record) == project.content()
    assert record.coverage == Coverage()


def test_a_program_that_the_repository_names_is_not_run(
    project: CheckpointProject, tmp_path: Path
) -> None:
    shop(project)
    program = project.write("../program", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    project.write(".gitattributes", "* filter=bad\n")
    with (project.tree / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n[include]\n\tpath = {program}\n")
        config.write(f'[filter "bad"]\n\tclean = {program}\n\tprocess = {program}\n')
    seed(project)
    project.save()
    assert not (tmp_path / "ran").exists()


def test_settings_that_are_a_pipe_are_not_waited_for(project: CheckpointProject) -> None:
    shop(project)
    (project.tree / ".git/config").unlink()
    os.mkfifo(project.tree / ".git/config")
    assert seed(project)
    assert held(project, project.save().record) == project.content()


def test_a_work_tree_whose_name_is_two_lines_is_read_anew(project: CheckpointProject) -> None:
    shop(project)
    odd = project.home / "two\nlines"
    project.tree.rename(odd)
    assert not seed(project, odd)
    record = project.of(odd).save(CheckpointInfo(why="a test")).record
    odd.rename(project.tree)
    assert held(project, record) == project.content()


def test_a_process_that_was_killed_before_the_index_was_written_did_no_harm(
    project: CheckpointProject,
) -> None:
    shop(project)
    with private(project) as git:
        alternates.borrow(git, str(project.tree / ".git/objects"))
    project.write("a.txt", "changed")
    assert held(project, project.save().record) == project.content()


def test_a_file_that_changed_while_the_index_was_written_is_read_anew(
    project: CheckpointProject,
) -> None:
    shop(project)
    known = index_file.read(str(project.tree / ".git/index"))
    at = known.names.index(b"a.txt")
    file = write(project, "a.txt", "THIS IS A.TXT\n")
    facts = file.stat()
    times = [part for ns in (facts.st_ctime_ns, facts.st_mtime_ns) for part in divmod(ns, 10**9)]
    known.records[at] = pack(">4I", *times) + known.records[at][16:]
    lying = known._replace(written_ns=facts.st_mtime_ns)
    index_file.write(str(project.tree / ".git/index"), lying)
    assert seed(project)
    assert held(project, project.save().record) == project.content()


def test_a_linked_work_tree_is_seeded_from_its_own_index(project: CheckpointProject) -> None:
    shop(project)
    project.git("checkout", "-q", "-b", "other")
    for number in range(20):
        project.write(f"only/{number}", f"only in the linked one {number}")
    project.git("add", ".")
    project.git("commit", "-q", "-m", "more")
    project.git("checkout", "-q", "main")
    linked = project.home / "linked"
    project.git("worktree", "add", "-q", str(linked), "other")
    assert seed(project, linked)
    with private(project, linked) as git:
        assert len(git.paths("ls-files", "-z")) == 27 + 1
        assert not git.run("diff-files", "--name-only")
        git.run("write-tree")
    assert written(project) == 0
