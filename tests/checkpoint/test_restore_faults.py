"""All or nothing: whatever fails, the files are as they were, or it is said how they will be."""

import os
import stat
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.checkpoint.errors import NotRestoredError
from handrail.checkpoint.restore.safe_work_tree import SafeWorkTree

from .conftest import CheckpointProject
from .git_calls import GitCalls
from .restore_faults import SCENES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scene", SCENES)
def test_a_restore_that_fails_or_is_killed(tmp_path: Path, scene: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.checkpoint.restore_faults", scene, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_without_a_restore_none_was_interrupted(project: CheckpointProject) -> None:
    assert project.checkpoints.interrupted() is None
    project.save()
    assert project.checkpoints.interrupted() is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-5],
        lambda data: zlib.compress(zlib.decompress(data).replace(b"1", b"2")),
        lambda data: zlib.compress(zlib.decompress(data).replace(b"blob 50", b"blob 49")),
    ],
)
def test_a_saved_file_that_is_damaged_changes_nothing(
    project: CheckpointProject, spoil: Callable[[bytes], bytes]
) -> None:
    project.write("a", "1" * 50)
    start = project.save().record
    blob = bench_git(project, "rev-parse", f"{start.tree}:a")
    project.write("a", "changed")
    project.write("b", "new")
    now = project.content()
    place = project.folder / "git" / "objects" / blob[:2] / blob[2:]
    data = place.read_bytes()
    place.chmod(0o644)
    place.write_bytes(spoil(data))
    with pytest.raises(NotRestoredError, match="nothing is changed"):
        project.restore(start)
    assert project.content() == now
    place.write_bytes(data)
    project.restore(start)
    assert project.content() == {"a": b"1" * 50}


def test_a_secret_comes_back_as_private_as_it_was(project: CheckpointProject) -> None:
    project.write("key.pem", "secret").chmod(0o600)
    start = project.save().record
    (project.tree / "key.pem").unlink()
    project.restore(start)
    assert stat.S_IMODE((project.tree / "key.pem").stat().st_mode) == 0o600


def test_a_secret_is_never_readable_while_it_is_written(tmp_path: Path) -> None:
    seen: list[int] = []

    def fill(write: Callable[[bytes], object]) -> None:
        write(b"secret")
        seen.append(stat.S_IMODE((tmp_path / "fresh").stat().st_mode))

    SafeWorkTree(str(tmp_path)).write("fresh", "100644", fill, 0o640)
    assert seen == [0o600]
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


def test_a_large_file_is_not_held_in_memory(project: CheckpointProject) -> None:
    project.write("big", os.urandom(20_000_000))
    start = project.save().record
    (project.tree / "big").unlink()
    tracemalloc.start()
    project.restore(start)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (project.tree / "big").stat().st_size == 20_000_000
    assert peak < 8_000_000


def test_more_files_need_no_more_processes(project: CheckpointProject, tmp_path: Path) -> None:
    project.write("a", "1")
    none = project.save().record
    _write_many(project, 600)
    some = project.save().record
    _write_many(project, 2000)
    many = project.save().record
    counted = GitCalls(project, tmp_path)
    project.restore(some)
    asked = len(counted.commands())
    project.restore(none)
    assert len(counted.commands()) <= asked
    project.restore(many)
    assert len(counted.commands()) <= asked
    assert len(project.content()) == 2001


def test_few_files_need_fewer_processes(project: CheckpointProject, tmp_path: Path) -> None:
    none = project.save().record
    _write_many(project, 600)
    project.save()
    counted = GitCalls(project, tmp_path)
    some = project.restore(none).undo
    asked = len(counted.commands())
    project.restore(some)
    counted.commands()
    (project.tree / "d1/1").unlink()
    project.write("d2/2", "changed")
    project.restore(some)
    commands = counted.commands()
    assert len(commands) < asked
    assert sum("diff-files" in each for each in commands) == 1  # all are looked at only once
    assert len(project.content()) == 600


def _write_many(bench: CheckpointProject, files: int) -> None:
    for number in range(files):
        bench.write(f"d{number % 50}/{number}", f"{number}")


def bench_git(bench: CheckpointProject, *args: str) -> str:
    """Of Handrail's own repository."""
    return bench.git("--git-dir", str(bench.folder / "git"), *args).strip()
