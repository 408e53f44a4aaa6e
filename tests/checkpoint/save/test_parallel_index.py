"""A first index in parts is the index that one git process would have made."""

import os
import subprocess

import pytest

from handrail.checkpoint.errors import GitFailedError
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.save import staging
from handrail.checkpoint.save.size_limits import CandidateFile
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "_BATCH_FILES", 3)


def fill(bench: CheckpointProject) -> None:
    for number in range(20):
        bench.write(f"d{number % 4}/f{number}", f"{number}")
    (bench.tree / "d1" / "link").symlink_to("f1")
    bench.write("tool", "x").chmod(0o755)


def test_all_files_are_held_as_they_are(project: CheckpointProject) -> None:
    fill(project)
    saved = project.save().record
    content = project.content()
    for path in project.tree.rglob("f*"):
        path.unlink()
    project.restore(saved)
    assert project.content() == content
    assert os.access(project.tree / "tool", os.X_OK)
    assert saved.coverage.complete


def test_git_finds_nothing_to_do_in_it(project: CheckpointProject) -> None:
    fill(project)
    saved = project.save()
    assert not project.save().is_new
    [index] = [each for each in project.folder.glob("index-*") if "." not in each.name]
    environ = {**project.environ, "GIT_DIR": f"{project.folder}/git", "GIT_INDEX_FILE": str(index)}
    ran = subprocess.run(["git", "write-tree"], env=environ, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == saved.record.tree


def test_a_name_that_is_not_text_is_one_of_them(project: CheckpointProject) -> None:
    fill(project)
    name = b"\xff.txt"
    path = os.path.join(os.fsencode(project.tree), name)
    with open(path, "wb") as file:
        file.write(b"odd")
    assert project.save().record.files == 23


def test_nothing_is_left_of_the_parts(project: CheckpointProject) -> None:
    fill(project)
    project.save()
    assert not (project.folder / "parts").exists()


def test_a_part_that_git_rejects_is_taken_in_by_itself(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project)
    real = staging._StagingPass._add_batch
    rejected: list[str] = []

    def add(self: staging._StagingPass, git: Git, batch: list[CandidateFile]) -> None:
        if not rejected:
            rejected.append(git.index)
            raise GitFailedError("update-index", "a file vanished")
        real(self, git, batch)

    monkeypatch.setattr(staging._StagingPass, "_add_batch", add)
    saved = project.save().record
    assert "/parts/" in rejected[0]
    assert (saved.files, saved.coverage.complete) == (22, True)
