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

from .conftest import Bench
from .counting import Counted
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


def test_without_a_restore_none_was_interrupted(bench: Bench) -> None:
    assert bench.checkpoints.interrupted() is None
    bench.save()
    assert bench.checkpoints.interrupted() is None


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
    bench: Bench, spoil: Callable[[bytes], bytes]
) -> None:
    bench.write("a", "1" * 50)
    start = bench.save().record
    blob = bench_git(bench, "rev-parse", f"{start.tree}:a")
    bench.write("a", "changed")
    bench.write("b", "new")
    now = bench.content()
    place = bench.folder / "git" / "objects" / blob[:2] / blob[2:]
    data = place.read_bytes()
    place.chmod(0o644)
    place.write_bytes(spoil(data))
    with pytest.raises(NotRestoredError, match="nothing is changed"):
        bench.restore(start)
    assert bench.content() == now
    place.write_bytes(data)
    bench.restore(start)
    assert bench.content() == {"a": b"1" * 50}


@pytest.mark.usefixtures("no_override")
def test_a_folder_that_cannot_be_written_changes_nothing(bench: Bench) -> None:
    bench.write("open/a", "1")
    bench.write("shut/a", "1")
    start = bench.save().record
    bench.write("open/a", "2")
    bench.write("shut/a", "2")
    (bench.tree / "shut").chmod(0o555)
    with pytest.raises(NotRestoredError, match="nothing is changed"):
        bench.restore(start)
    (bench.tree / "shut").chmod(0o755)
    assert bench.content() == {"open/a": b"2", "shut/a": b"2"}


def test_a_secret_comes_back_as_private_as_it_was(bench: Bench) -> None:
    bench.write("key.pem", "secret").chmod(0o600)
    start = bench.save().record
    (bench.tree / "key.pem").unlink()
    bench.restore(start)
    assert stat.S_IMODE((bench.tree / "key.pem").stat().st_mode) == 0o600


def test_a_secret_is_never_readable_while_it_is_written(tmp_path: Path) -> None:
    seen: list[int] = []

    def fill(write: Callable[[bytes], object]) -> None:
        write(b"secret")
        seen.append(stat.S_IMODE((tmp_path / "fresh").stat().st_mode))

    SafeWorkTree(str(tmp_path)).write("fresh", "100644", fill, 0o640)
    assert seen == [0o600]
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


def test_bits_that_give_the_rights_of_somebody_else_do_not_come_back(bench: Bench) -> None:
    bench.write("tool", "1").chmod(0o4755)
    start = bench.save().record
    (bench.tree / "tool").unlink()
    bench.restore(start)
    assert stat.S_IMODE((bench.tree / "tool").stat().st_mode) == 0o755


def test_a_large_file_is_not_held_in_memory(bench: Bench) -> None:
    bench.write("big", os.urandom(20_000_000))
    start = bench.save().record
    (bench.tree / "big").unlink()
    tracemalloc.start()
    bench.restore(start)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (bench.tree / "big").stat().st_size == 20_000_000
    assert peak < 8_000_000


def test_more_files_need_no_more_processes(bench: Bench, tmp_path: Path) -> None:
    bench.write("a", "1")
    none = bench.save().record
    _write_many(bench, 600)
    some = bench.save().record
    _write_many(bench, 2000)
    many = bench.save().record
    counted = Counted(bench, tmp_path)
    bench.restore(some)
    asked = len(counted.commands())
    bench.restore(none)
    assert len(counted.commands()) <= asked
    bench.restore(many)
    assert len(counted.commands()) <= asked
    assert len(bench.content()) == 2001


def test_few_files_need_fewer_processes(bench: Bench, tmp_path: Path) -> None:
    none = bench.save().record
    _write_many(bench, 600)
    bench.save()
    counted = Counted(bench, tmp_path)
    some = bench.restore(none).undo
    asked = len(counted.commands())
    bench.restore(some)
    counted.commands()
    (bench.tree / "d1/1").unlink()
    bench.write("d2/2", "changed")
    bench.restore(some)
    commands = counted.commands()
    assert len(commands) < asked
    assert sum("diff-files" in each for each in commands) == 1  # all are looked at only once
    assert len(bench.content()) == 600


def _write_many(bench: Bench, files: int) -> None:
    for number in range(files):
        bench.write(f"d{number % 50}/{number}", f"{number}")


def bench_git(bench: Bench, *args: str) -> str:
    """Of Handrail's own repository."""
    return bench.git("--git-dir", str(bench.folder / "git"), *args).strip()
