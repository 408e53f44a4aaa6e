"""A first checkpoint takes over what the user's git remembers, and is right all the same."""

import os
from pathlib import Path
from struct import pack

import pytest

from handrail.checkpoint import CheckpointInfo, Coverage
from handrail.checkpoint.git import alternates, index_file
from tests.checkpoint.conftest import Bench
from tests.checkpoint.odd_repositories import COLD, ODD
from tests.checkpoint.seeds import held, private, seed, shop, write, written

pytestmark = pytest.mark.slow


def test_of_an_unchanged_repository_nothing_is_written_but_the_checkpoint(bench: Bench) -> None:
    shop(bench)
    assert seed(bench)
    record = bench.save().record
    assert held(bench, record) == bench.content()
    with private(bench) as git:
        assert not git.run("diff-files", "--name-only")
    assert written(bench) == 1  # the commit


def test_what_is_changed_staged_untracked_or_deleted_is_as_it_is(bench: Bench) -> None:
    shop(bench)
    bench.write("a.txt", "changed")
    bench.write("src/b.py", "staged")
    bench.git("add", "src/b.py")
    bench.write("src/b.py", "and changed")
    bench.write("new.txt", "new")
    (bench.tree / "src/deep/c.py").unlink()
    bench.git("rm", "-q", "--cached", "src/deep/d.py")
    assert seed(bench)
    assert held(bench, bench.save().record) == bench.content()


@pytest.mark.parametrize("case", ODD)
def test_an_odd_repository_ends_in_a_right_checkpoint(bench: Bench, case: str) -> None:
    shop(bench)
    ODD[case](bench)
    assert seed(bench) == (case not in COLD)
    record = bench.save().record
    assert held(bench, record) == bench.content()
    assert record.coverage == Coverage()


def test_a_program_that_the_repository_names_is_not_run(bench: Bench, tmp_path: Path) -> None:
    shop(bench)
    program = bench.write("../program", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    bench.write(".gitattributes", "* filter=bad\n")
    with (bench.tree / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n[include]\n\tpath = {program}\n")
        config.write(f'[filter "bad"]\n\tclean = {program}\n\tprocess = {program}\n')
    seed(bench)
    bench.save()
    assert not (tmp_path / "ran").exists()


def test_settings_that_are_a_pipe_are_not_waited_for(bench: Bench) -> None:
    shop(bench)
    (bench.tree / ".git/config").unlink()
    os.mkfifo(bench.tree / ".git/config")
    assert seed(bench)
    assert held(bench, bench.save().record) == bench.content()


def test_a_work_tree_whose_name_is_two_lines_is_read_anew(bench: Bench) -> None:
    shop(bench)
    odd = bench.home / "two\nlines"
    bench.tree.rename(odd)
    assert not seed(bench, odd)
    record = bench.of(odd).save(CheckpointInfo(why="a test")).record
    odd.rename(bench.tree)
    assert held(bench, record) == bench.content()


def test_a_process_that_was_killed_before_the_index_was_written_did_no_harm(bench: Bench) -> None:
    shop(bench)
    with private(bench) as git:
        alternates.borrow(git, str(bench.tree / ".git/objects"))
    bench.write("a.txt", "changed")
    assert held(bench, bench.save().record) == bench.content()


def test_a_file_that_changed_while_the_index_was_written_is_read_anew(bench: Bench) -> None:
    shop(bench)
    known = index_file.read(str(bench.tree / ".git/index"))
    at = known.names.index(b"a.txt")
    file = write(bench, "a.txt", "THIS IS A.TXT\n")
    facts = file.stat()
    times = [part for ns in (facts.st_ctime_ns, facts.st_mtime_ns) for part in divmod(ns, 10**9)]
    known.records[at] = pack(">4I", *times) + known.records[at][16:]
    lying = known._replace(written_ns=facts.st_mtime_ns)
    index_file.write(str(bench.tree / ".git/index"), lying)
    assert seed(bench)
    assert held(bench, bench.save().record) == bench.content()


def test_a_linked_work_tree_is_seeded_from_its_own_index(bench: Bench) -> None:
    shop(bench)
    bench.git("checkout", "-q", "-b", "other")
    for number in range(20):
        bench.write(f"only/{number}", f"only in the linked one {number}")
    bench.git("add", ".")
    bench.git("commit", "-q", "-m", "more")
    bench.git("checkout", "-q", "main")
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", str(linked), "other")
    assert seed(bench, linked)
    with private(bench, linked) as git:
        assert len(git.paths("ls-files", "-z")) == 27 + 1
        assert not git.run("diff-files", "--name-only")
        git.run("write-tree")
    assert written(bench) == 0
