"""A disk without room is said, and what was saved before is still there."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointError, CheckpointInfo, CheckpointStore
from handrail.checkpoint.errors import CheckpointStoreError
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import CheckpointProject
from .faults import GitFault, RiggedGit, StoreOverQuota, hash_of

pytestmark = pytest.mark.slow

_FULL = (GitFault.NO_SPACE, GitFault.NO_SPACE_AFTER)


def rigged(
    bench: CheckpointProject,
    git: RiggedGit,
    settings: Settings = Settings(),  # noqa: B008
) -> CheckpointStore:
    environ = {**bench.environ, "PATH": git.path}
    return CheckpointStore(str(bench.folder), str(bench.tree), settings, environ)


@pytest.mark.parametrize("fault", _FULL, ids=lambda fault: fault.name)
def test_a_save_without_room_says_so_and_the_last_good_one_can_be_used(
    project: CheckpointProject, tmp_path: Path, fault: GitFault
) -> None:
    project.repository()
    repository = hash_of(project.tree / ".git")
    was = project.content()
    good = project.save().record
    said: list[str] = []
    for moment in count(1):
        project.write("a.txt", f"{moment}")
        now = project.content()
        git = RiggedGit(tmp_path / f"bin{moment}", moment, fault)
        try:
            record = rigged(project, git).save(CheckpointInfo(why="a test")).record
        except CheckpointError as error:
            said.append(str(error))
            record = project.save().record
        project.restore(good)
        assert project.content() == was
        project.restore(record)
        assert project.content() == now
        if not git.was_reached:
            break
    assert said
    assert all("No space left on device" in each for each in said)
    assert hash_of(project.tree / ".git") == repository


@pytest.mark.parametrize("fault", _FULL, ids=lambda fault: fault.name)
def test_tidying_without_room_loses_nothing_that_is_kept(
    project: CheckpointProject, tmp_path: Path, fault: GitFault
) -> None:
    full = StoreOverQuota(project)
    said: list[str] = []
    for moment in count(1):
        full.fill()
        git = RiggedGit(tmp_path / f"bin{moment}", moment, fault)
        try:
            said.append(rigged(project, git, Settings(quota_mb=1, keep=3)).tidy().problem)
        except CheckpointError as error:
            said.append(str(error))
        full.check()
        if not git.was_reached:
            break
    *failed, _ = said
    assert failed
    assert all("No space left on device" in each for each in failed)


_LIMITED = """
import resource, sys
from handrail.checkpoint import CheckpointInfo, CheckpointError, CheckpointStore

limit, folder, tree = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
try:
    CheckpointStore(folder, tree).save(CheckpointInfo(why="a test"))
except CheckpointError as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize("limit", [0, 100, 2_000, 20_000])
def test_files_that_can_grow_no_further_cost_nothing_that_was_saved(
    project: CheckpointProject, limit: int
) -> None:
    """What a quota of the disk does: indexes, objects, refs and records end at some byte."""
    for number in range(30):
        project.write(f"src/{number}.txt", f"{number}")
    was = project.content()
    good = project.save().record
    project.write("big.bin", os.urandom(30_000))
    project.write("src/0.txt", "other")
    now = project.content()
    ran = subprocess.run(
        [sys.executable, "-c", _LIMITED, f"{limit}", project.folder, project.tree],
        env={**project.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("CheckpointStoreError\n", "")
    after = project.save().record
    project.restore(good)
    assert project.content() == was
    project.restore(after)
    assert project.content() == now


def test_a_folder_that_cannot_be_written_is_said_with_its_name(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    (project.folder / "busy").mkdir()  # as root may write everywhere, something is in the way
    with pytest.raises(CheckpointStoreError, match="busy"):
        project.save()
    (project.folder / "busy").rmdir()
    assert not project.save().is_new
