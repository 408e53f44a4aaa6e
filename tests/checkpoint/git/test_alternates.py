"""What is read from the user's store becomes the private store's own, and outlives the user's."""

import os
import shutil
import subprocess

import pytest

from handrail.checkpoint.git import alternates
from tests.checkpoint.conftest import Bench
from tests.checkpoint.odd_repositories import Change, with_a_damaged_blob, without_a_blob
from tests.checkpoint.seeds import held, own_git, private, seed, settle, shop

pytestmark = pytest.mark.slow


def test_what_was_borrowed_is_copied_and_survives_the_users_repository(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    record = bench.save().record
    before = bench.content()
    assert settle(bench)
    with private(bench) as git:
        assert not alternates.borrowed(git)
    shutil.rmtree(bench.tree / ".git")
    assert held(bench, record) == before
    for name in before:
        (bench.tree / name).unlink()
    bench.restore(record)
    assert bench.content() == before


def test_what_was_borrowed_survives_a_branch_that_is_deleted(bench: Bench) -> None:
    shop(bench)
    bench.git("checkout", "-q", "-b", "feature")
    bench.write("feature.txt", "only here")
    bench.git("add", ".")
    bench.git("commit", "-q", "-m", "feature")
    bench.git("gc", "-q")
    seed(bench)
    record = bench.save().record
    before = bench.content()
    assert settle(bench)
    bench.git("checkout", "-q", "main")
    bench.git("branch", "-q", "-D", "feature")
    bench.git("reflog", "expire", "--expire=now", "--all")
    bench.git("gc", "-q", "--prune=now")
    assert held(bench, record) == before
    bench.restore(record)
    assert bench.content() == before


def test_the_users_repository_stays_as_it_is_byte_for_byte(bench: Bench) -> None:
    shop(bench)
    bench.write("a.txt", "as it is in no commit, but in the store")
    bench.git("add", "a.txt")
    bench.git("reset", "-q")
    before = repository_files(bench)
    bench.save()
    bench.write("src/b.py", "this is a.txt\n")  # what another file has
    bench.save()
    assert settle(bench)
    assert repository_files(bench) == before


def repository_files(bench: Bench) -> dict[str, bytes]:
    found = (path for path in (bench.tree / ".git").rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


def test_only_what_is_needed_is_copied(bench: Bench) -> None:
    shop(bench)
    bench.write("a.txt", "in the history only")
    bench.git("commit", "-q", "-a", "-m", "more")
    past = bench.git("rev-parse", ":a.txt").strip()
    bench.write("a.txt", "now")
    bench.git("commit", "-q", "-a", "-m", "more")
    seed(bench)
    bench.save()
    assert settle(bench)
    with pytest.raises(subprocess.CalledProcessError):
        own_git(bench, "cat-file", "-e", past)


def test_a_second_settling_has_nothing_to_do(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    bench.save()
    assert settle(bench)
    packs = sorted((bench.folder / "git/objects/pack").iterdir())
    assert settle(bench)
    assert sorted((bench.folder / "git/objects/pack").iterdir()) == packs


def test_settling_that_was_killed_half_way_can_be_done_again(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    record = bench.save().record
    with private(bench) as git:
        assert alternates.copy(git) == []  # and here it was killed
        assert alternates.borrowed(git)
    (bench.folder / "alone/objects").mkdir(parents=True)
    assert held(bench, record) == bench.content()
    assert settle(bench)
    before = bench.content()
    shutil.rmtree(bench.tree / ".git")
    assert held(bench, record) == before


def test_the_index_of_another_work_tree_is_copied_too(bench: Bench) -> None:
    shop(bench)
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", str(linked))
    (linked / "own.txt").write_text("only here")
    bench.git("add", ".", at=linked)
    seed(bench)
    bench.save()
    assert seed(bench, linked)  # and it was killed before there was a checkpoint
    assert settle(bench)
    with private(bench, linked) as git:
        assert git.text("write-tree")


@pytest.mark.parametrize("lost", ["the repository", "a blob"])
def test_a_store_that_has_lost_something_is_noticed(bench: Bench, lost: str) -> None:
    shop(bench)
    bench.write("src/b.py", "changed")
    bench.save()
    bench.save()  # it has looked at the store once
    if lost == "a blob":
        without_a_blob(bench)
    else:
        shutil.rmtree(bench.tree / ".git")
    record = bench.save("after the loss").record
    assert held(bench, record) == bench.content()


@pytest.mark.parametrize("more", [(), ("at_the_top.txt",)])
def test_an_unchanged_tree_whose_folders_the_user_has_thrown_away_is_whole_again(
    bench: Bench, more: tuple[str, ...]
) -> None:
    bench.write("d/e/f.txt", "as it stays")
    bench.repository()
    bench.save()
    for name in more:
        bench.write(name)
    bench.save()
    bench.git("mv", "d", "elsewhere")
    bench.git("commit", "-q", "--amend", "-m", "the same files in other folders")
    (bench.tree / "elsewhere").rename(bench.tree / "d")
    bench.git("reset", "-q")
    bench.git("reflog", "expire", "--expire=now", "--all")
    bench.git("gc", "-q", "--prune=now")
    assert bench.held(bench.save().record) == bench.content()


def test_an_index_whose_objects_are_there_is_kept(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    bench.save()
    bench.git("gc", "-q", "--prune=now")
    with private(bench) as git:
        facts = os.stat(git.index)
    assert not seed(bench)
    with private(bench) as git:
        assert os.stat(git.index).st_ino == facts.st_ino


def test_settling_waits_for_a_store_that_is_not_there(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    record = bench.save().record
    (bench.tree / ".git").rename(bench.home / "unmounted")
    assert not settle(bench)
    (bench.home / "unmounted").rename(bench.tree / ".git")
    assert settle(bench)
    assert held(bench, record) == bench.content()


@pytest.mark.parametrize("lose", [without_a_blob, with_a_damaged_blob])
def test_settling_gives_up_what_nobody_has_and_the_next_checkpoint_is_whole(
    bench: Bench, lose: Change
) -> None:
    shop(bench)
    seed(bench)
    bench.save()
    lose(bench)
    assert settle(bench)
    shutil.rmtree(bench.tree / ".git")
    bench.write("src/b.py", "changed")
    assert held(bench, bench.save("after the loss").record) == bench.content()


def test_dropping_leaves_what_checkpoints_need(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    with private(bench) as git:
        alternates.drop(git)
        assert not alternates.borrowed(git)
        os.unlink(git.index)
    seed(bench)
    bench.save()
    with private(bench) as git:
        alternates.drop(git)
        assert alternates.borrowed(git)
