"""What is read from the user's store becomes the private store's own, and outlives the user's."""

import os
import shutil
import subprocess

import pytest

from handrail.checkpoint.git import alternates
from tests.checkpoint.conftest import CheckpointProject
from tests.checkpoint.odd_repositories import Change, with_a_damaged_blob, without_a_blob
from tests.checkpoint.user_repositories import held, own_git, private, seed, settle, shop

pytestmark = pytest.mark.slow


def test_what_was_borrowed_is_copied_and_survives_the_users_repository(
    project: CheckpointProject,
) -> None:
    shop(project)
    seed(project)
    record = project.save().record
    before = project.content()
    assert settle(project)
    with private(project) as git:
        assert not alternates.is_borrowing(git)
    shutil.rmtree(project.tree / ".git")
    assert held(project, record) == before
    for name in before:
        (project.tree / name).unlink()
    project.restore(record)
    assert project.content() == before


def test_what_was_borrowed_survives_a_branch_that_is_deleted(project: CheckpointProject) -> None:
    shop(project)
    project.git("checkout", "-q", "-b", "feature")
    project.write("feature.txt", "only here")
    project.git("add", ".")
    project.git("commit", "-q", "-m", "feature")
    project.git("gc", "-q")
    seed(project)
    record = project.save().record
    before = project.content()
    assert settle(project)
    project.git("checkout", "-q", "main")
    project.git("branch", "-q", "-D", "feature")
    project.git("reflog", "expire", "--expire=now", "--all")
    project.git("gc", "-q", "--prune=now")
    assert held(project, record) == before
    project.restore(record)
    assert project.content() == before


def test_the_users_repository_stays_as_it_is_byte_for_byte(project: CheckpointProject) -> None:
    shop(project)
    project.write("a.txt", "as it is in no commit, but in the store")
    project.git("add", "a.txt")
    project.git("reset", "-q")
    before = repository_files(project)
    project.save()
    project.write("src/b.py", "this is a.txt\n")  # what another file has
    project.save()
    assert settle(project)
    assert repository_files(project) == before


def repository_files(bench: CheckpointProject) -> dict[str, bytes]:
    found = (path for path in (bench.tree / ".git").rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


def test_only_what_is_needed_is_copied(project: CheckpointProject) -> None:
    shop(project)
    project.write("a.txt", "in the history only")
    project.git("commit", "-q", "-a", "-m", "more")
    past = project.git("rev-parse", ":a.txt").strip()
    project.write("a.txt", "now")
    project.git("commit", "-q", "-a", "-m", "more")
    seed(project)
    project.save()
    assert settle(project)
    with pytest.raises(subprocess.CalledProcessError):
        own_git(project, "cat-file", "-e", past)


def test_a_second_settling_has_nothing_to_do(project: CheckpointProject) -> None:
    shop(project)
    seed(project)
    project.save()
    assert settle(project)
    packs = sorted((project.folder / "git/objects/pack").iterdir())
    assert settle(project)
    assert sorted((project.folder / "git/objects/pack").iterdir()) == packs


def test_settling_that_was_killed_half_way_can_be_done_again(project: CheckpointProject) -> None:
    shop(project)
    seed(project)
    record = project.save().record
    with private(project) as git:
        assert alternates.copy_borrowed(git) == []  # and here it was killed
        assert alternates.is_borrowing(git)
    (project.folder / "alone/objects").mkdir(parents=True)
    assert held(project, record) == project.content()
    assert settle(project)
    before = project.content()
    shutil.rmtree(project.tree / ".git")
    assert held(project, record) == before


def test_the_index_of_another_work_tree_is_copied_too(project: CheckpointProject) -> None:
    shop(project)
    linked = project.home / "linked"
    project.git("worktree", "add", "-q", str(linked))
    (linked / "own.txt").write_text("only here")
    project.git("add", ".", at=linked)
    seed(project)
    project.save()
    assert seed(project, linked)  # and it was killed before there was a checkpoint
    assert settle(project)
    with private(project, linked) as git:
        assert git.text("write-tree")


@pytest.mark.parametrize("lost", ["the repository", "a blob"])
def test_a_store_that_has_lost_something_is_noticed(project: CheckpointProject, lost: str) -> None:
    shop(project)
    project.write("src/b.py", "changed")
    project.save()
    project.save()  # it has looked at the store once
    if lost == "a blob":
        without_a_blob(project)
    else:
        shutil.rmtree(project.tree / ".git")
    record = project.save("after the loss").record
    assert held(project, record) == project.content()


@pytest.mark.parametrize("more", [(), ("at_the_top.txt",)])
def test_an_unchanged_tree_whose_folders_the_user_has_thrown_away_is_whole_again(
    project: CheckpointProject, more: tuple[str, ...]
) -> None:
    project.write("d/e/f.txt", "as it stays")
    project.repository()
    project.save()
    for name in more:
        project.write(name)
    project.save()
    project.git("mv", "d", "elsewhere")
    project.git("commit", "-q", "--amend", "-m", "the same files in other folders")
    (project.tree / "elsewhere").rename(project.tree / "d")
    project.git("reset", "-q")
    project.git("reflog", "expire", "--expire=now", "--all")
    project.git("gc", "-q", "--prune=now")
    assert project.held(project.save().record) == project.content()


def test_an_index_whose_objects_are_there_is_kept(project: CheckpointProject) -> None:
    shop(project)
    seed(project)
    project.save()
    project.git("gc", "-q", "--prune=now")
    with private(project) as git:
        facts = os.stat(git.index)
    assert not seed(project)
    with private(project) as git:
        assert os.stat(git.index).st_ino == facts.st_ino


def test_settling_waits_for_a_store_that_is_not_there(project: CheckpointProject) -> None:
    shop(project)
    seed(project)
    record = project.save().record
    (project.tree / ".git").rename(project.home / "unmounted")
    assert not settle(project)
    (project.home / "unmounted").rename(project.tree / ".git")
    assert settle(project)
    assert held(project, record) == project.content()


@pytest.mark.parametrize("lose", [without_a_blob, with_a_damaged_blob])
def test_settling_gives_up_what_nobody_has_and_the_next_checkpoint_is_whole(
    project: CheckpointProject, lose: Change
) -> None:
    shop(project)
    seed(project)
    project.save()
    lose(project)
    assert settle(project)
    shutil.rmtree(project.tree / ".git")
    project.write("src/b.py", "changed")
    assert held(project, project.save("after the loss").record) == project.content()


def test_dropping_leaves_what_checkpoints_need(project: CheckpointProject) -> None:
    shop(project)
    seed(project)
    with private(project) as git:
        alternates.stop_borrowing(git)
        assert not alternates.is_borrowing(git)
        os.unlink(git.index)
    seed(project)
    project.save()
    with private(project) as git:
        alternates.stop_borrowing(git)
        assert alternates.is_borrowing(git)
