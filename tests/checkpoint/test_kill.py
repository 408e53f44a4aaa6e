"""Whoever is killed, at whatever moment: nothing that was saved is lost, nothing else touched."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from handrail.checkpoint.tidy import disk_space

from .conftest import CheckpointProject
from .faults import GitFault, RiggedGit, StoreOverQuota, Worker, hash_of

pytestmark = pytest.mark.slow

_KILLS = (GitFault.KILLED_DURING, GitFault.KILLED_AFTER)
_MAX = 200


class Victim:
    """A repository with a good checkpoint, in which processes are killed."""

    def __init__(self, bench: CheckpointProject) -> None:
        self.bench = bench
        bench.repository()
        bench.write("src/staged.py", "staged = 1\n")
        bench.git("add", ".")
        bench.write("README.md", "stashed\n")
        bench.git("stash", "-q")
        bench.write("untracked.txt", "mine\n")
        self.repository = hash_of(bench.tree / ".git")
        self.good = bench.save().record
        self.was = bench.content()

    def change(self, number: int) -> None:
        """What the agent does next."""
        self.bench.write("untracked.txt", f"changed {number}\n")
        self.bench.write(f"new/{number}.txt", f"new {number}\n")
        (self.bench.tree / "README.md").unlink(missing_ok=True)

    def check(self) -> None:
        """Everything works as if nothing had happened."""
        saved = self.bench.save()
        assert self.bench.checkpoints.find(saved.record.id) == saved.record
        self.bench.restore(self.good)
        assert self.bench.content() == self.was
        assert hash_of(self.bench.tree / ".git") == self.repository


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


@pytest.fixture
def victim(project: CheckpointProject) -> Victim:
    return Victim(project)


def moments() -> Iterator[int]:
    """One after the other, until the process lives."""
    for moment in count(1):
        assert moment < _MAX
        yield moment


@pytest.mark.parametrize("fault", _KILLS, ids=lambda fault: fault.name)
def test_a_save_that_is_killed_around_any_git_leaves_the_last_good_one(
    worker: Worker, victim: Victim, tmp_path: Path, fault: GitFault
) -> None:
    for moment in moments():
        victim.change(moment)
        git = RiggedGit(tmp_path / f"bin{moment}", moment, fault)
        if worker.run("save", victim.bench, git=git) != "killed":
            break
        victim.check()
    assert moment > 5


@pytest.mark.parametrize("first", [1, 2, 3])
def test_a_save_that_is_killed_at_any_change_of_its_own_leaves_the_last_good_one(
    worker: Worker, victim: Victim, first: int
) -> None:
    for moment in moments():  # a third of them each, so that they run beside each other
        if moment % 3 != first % 3:
            continue
        victim.change(moment)
        if worker.run("save", victim.bench, at=moment) != "killed":
            break
        victim.check()
    assert moment > 10


def test_a_first_save_that_is_killed_can_be_made_again(
    worker: Worker, project: CheckpointProject, tmp_path: Path
) -> None:
    project.repository()
    repository = hash_of(project.tree / ".git")
    tree = project.save().record.tree
    for moment in moments():
        fresh = CheckpointProject(tmp_path / f"{moment}")
        fresh.tree, fresh.checkpoints = project.tree, fresh.of(project.tree)
        if worker.run("save", fresh, at=moment) != "killed":
            break
        assert fresh.save().record.tree == tree
        assert hash_of(project.tree / ".git") == repository
    assert moment > 10


@pytest.fixture
def full(project: CheckpointProject) -> StoreOverQuota:
    return StoreOverQuota(project)


@pytest.mark.parametrize("fault", _KILLS, ids=lambda fault: fault.name)
def test_tidying_that_is_killed_around_any_git_loses_nothing_that_is_kept(
    worker: Worker, full: StoreOverQuota, tmp_path: Path, fault: GitFault
) -> None:
    for moment in moments():
        full.fill()
        git = RiggedGit(tmp_path / f"bin{moment}", moment, fault)
        killed = worker.run("tidy", full.bench, git=git) == "killed"
        full.check()
        if not killed:
            break
    assert moment > 10


@pytest.mark.parametrize("first", [1, 2, 3])
def test_tidying_that_is_killed_at_any_change_of_its_own_loses_nothing_that_is_kept(
    worker: Worker, full: StoreOverQuota, first: int
) -> None:
    for moment in moments():
        if moment % 3 != first % 3:
            continue
        full.fill()
        killed = worker.run("tidy", full.bench, at=moment) == "killed"
        full.check()
        if not killed:
            break
    assert moment > 20


def test_copying_what_is_borrowed_can_be_killed_around_any_git(
    worker: Worker, project: CheckpointProject, tmp_path: Path
) -> None:
    full = StoreOverQuota(project, borrows=True)
    alternates = project.folder / "git/objects/info/alternates"
    for moment in moments():
        full.fill()
        assert alternates.exists()
        git = RiggedGit(tmp_path / f"bin{moment}", moment, GitFault.KILLED_AFTER)
        assert worker.run("tidy", project, git=git) == "killed"
        full.check()
        if not alternates.exists():
            break


def test_tidying_after_one_that_was_killed_comes_to_the_same_end(
    worker: Worker, full: StoreOverQuota
) -> None:
    full.fill()
    assert worker.run("tidy", full.bench, at=25) == "killed"
    worker.run("tidy", full.bench)
    assert list(full.bench.checkpoints.newest_first()) == full.last
    assert disk_space.used_bytes(str(full.bench.folder)) < 1_200_000
