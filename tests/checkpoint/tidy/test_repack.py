"""The private git directory stays small, and nothing that is needed goes."""

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointRecord
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.tidy import disk_space, repack
from handrail.config.checkpoints import Checkpoints as Settings
from tests.checkpoint.conftest import Bench

pytestmark = pytest.mark.slow

_LONG_AGO = 1_000_000_000


def noise(bench: Bench, size: int, name: str = "noise.bin") -> bytes:
    """Write what cannot be compressed."""
    content = os.urandom(size)
    bench.write(name, content)
    return content


def collect(bench: Bench) -> None:
    private = CheckpointRepository(str(bench.folder), bench.environ)
    with private.open_beside(60, wait=5) as git:
        repack.collect(private, git, 10)


def private_git(bench: Bench, *arguments: str) -> str:
    return bench.git("--git-dir", str(bench.folder / "git"), *arguments)


def objects(bench: Bench) -> set[str]:
    """Names of all objects, loose or packed."""
    listed = private_git(bench, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


def loose(bench: Bench) -> list[Path]:
    return list((bench.folder / "git" / "objects").glob("??/*"))


def packs(bench: Bench) -> list[Path]:
    return list((bench.folder / "git" / "objects" / "pack").glob("*.pack"))


def blob_of(bench: Bench, path: str) -> str:
    return private_git(bench, "hash-object", "--no-filters", str(bench.tree / path)).strip()


@pytest.mark.usefixtures("by_git")
def test_many_loose_objects_become_one_pack(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repack, "MAX_LOOSE", 20)
    for number in range(30):
        bench.write(f"{number}.txt", f"{number}")
        bench.save()
    assert len(loose(bench)) > 20
    before = objects(bench)
    bench.checkpoints.tidy()
    assert loose(bench) == []
    assert len(packs(bench)) == 1
    assert objects(bench) == before
    bench.write("0.txt", "other")
    bench.restore(bench.checkpoints.find("c30"))
    assert (bench.tree / "0.txt").read_text() == "0"


def test_few_loose_objects_are_left_alone(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    before = loose(bench)
    bench.checkpoints.tidy()
    assert loose(bench) == before


def test_many_small_packs_become_one_and_large_ones_are_not_written_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repack, "MAX_LOOSE", 0)
    noise(bench, 500_000)
    bench.save()
    bench.checkpoints.tidy()
    large = max(packs(bench), key=lambda pack: pack.stat().st_size)
    for number in range(4):
        bench.write("a.txt", f"{number}")
        bench.save()
    monkeypatch.setattr(repack, "MAX_PACKS", 4)
    bench.checkpoints.tidy()
    assert large in packs(bench)
    assert len(packs(bench)) == 2
    assert private_git(bench, "fsck", "--full", "--strict") == ""


def test_what_no_checkpoint_needs_is_removed(bench: Bench) -> None:
    noise(bench, 100_000)
    bench.save()
    blob = blob_of(bench, "noise.bin")
    for number in range(3):
        bench.write("noise.bin", f"{number}")
        bench.save()
    bench.of(bench.tree, Settings(keep=3)).tidy()
    assert blob in objects(bench)  # too little to be worth it
    collect(bench)
    assert blob not in objects(bench)
    assert private_git(bench, "fsck", "--full", "--strict") == ""


def test_what_only_an_index_holds_stays(bench: Bench) -> None:
    """A save that was killed has staged it, and the next one takes it from there."""
    bench.write("a.txt", "saved")
    bench.save()
    blob = stage_only(bench, "b.txt", "staged, but in no checkpoint")
    collect(bench)
    assert blob in objects(bench)
    saved = bench.save().record
    (bench.tree / "b.txt").unlink()
    bench.restore(saved)
    assert (bench.tree / "b.txt").read_text() == "staged, but in no checkpoint"


def stage_only(bench: Bench, path: str, content: str) -> str:
    bench.write(path, content)
    private = CheckpointRepository(str(bench.folder), bench.environ)
    with private.open(str(bench.tree), 10) as git:
        git.run("update-index", "--add", path)
    return blob_of(bench, path)


def test_what_only_the_index_of_another_work_tree_holds_stays(bench: Bench) -> None:
    linked = bench.home / "linked"
    linked.mkdir()
    (linked / "a.txt").write_text("a")
    other = bench.of(linked)
    other.save(CheckpointInfo(why="a test"))
    bench.write("b.txt", "b")
    bench.save()
    blob = stage_only(bench, "c.txt", "staged here, while the other work tree is tidied")
    other.tidy()
    collect(bench)
    assert blob in objects(bench)


def test_an_index_that_needs_a_lost_object_is_made_anew(bench: Bench) -> None:
    bench.write("a.txt", "a")
    first = bench.save().record
    blob = stage_only(bench, "b.txt", "b")
    (bench.folder / "git" / "objects" / blob[:2] / blob[2:]).unlink()
    collect(bench)
    saved = bench.save().record
    (bench.tree / "b.txt").unlink()
    bench.restore(saved)
    assert (bench.tree / "b.txt").read_text() == "b"
    bench.restore(first)
    assert bench.content() == {"a.txt": b"a"}


def test_a_save_beside_it_may_come_to_need_what_was_not_needed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dangerous moment: the new pack is written without it, the old one still has it."""
    bench.write("a.txt", "forgotten, then needed again")
    bench.save()
    for number in range(3):
        bench.write("a.txt", f"{number}")
        bench.save()
    bench.of(bench.tree, Settings(keep=3)).tidy()
    find_roots = repack.find_roots
    saved: list[CheckpointRecord] = []
    started, done = Event(), Event()

    def find_then_save(private: CheckpointRepository, git: Git) -> repack.ReachableRoots:
        roots = find_roots(private, git)
        started.set()
        return roots

    def save() -> None:
        started.wait(10)
        bench.write("a.txt", "forgotten, then needed again")
        saved.append(bench.save().record)
        done.set()

    pack = repack._pack

    def pack_after_save(git: Git, names: Sequence[str], *options: str) -> set[str]:
        if options:
            done.wait(10)
        return pack(git, names, *options)

    monkeypatch.setattr(repack, "find_roots", find_then_save)
    monkeypatch.setattr(repack, "_pack", pack_after_save)
    beside = Thread(target=save)
    beside.start()
    collect(bench)
    beside.join()
    bench.write("a.txt", "other")
    bench.restore(saved[0])
    assert (bench.tree / "a.txt").read_text() == "forgotten, then needed again"
    assert private_git(bench, "fsck", "--full", "--strict") == ""


def test_nobody_waits_while_packs_are_written(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    private = CheckpointRepository(str(bench.folder), bench.environ)
    with private.open_beside(60, wait=5):
        bench.write("a.txt", "b")
        assert bench.checkpoints.save(CheckpointInfo(why="beside it"), seconds=5).is_new


def test_a_full_disk_is_not_filled_further(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(6):
        noise(bench, 300_000)
        bench.save()
    before = objects(bench)
    monkeypatch.setattr(disk_space, "free_bytes", lambda _: 1_000_000)
    tidied = bench.of(bench.tree, Settings(quota_mb=1, keep=3)).tidy()
    assert "1,000,000 are free" in tidied.problem
    assert objects(bench) == before
    last = bench.checkpoints.find("c6")
    noise(bench, 10)
    assert bench.restore(last).files == ("noise.bin",)


_PARTS = [
    "git/objects/pack/tmp_pack_abc",
    "git/objects/pack/tmp_idx_abc",
    "git/objects/pack/.tmp-123-pack-abc.pack",
    f"git/objects/pack/pack-{'a' * 40}.pack",
    "git/packed-refs.lock",
    "git/packed-refs.new",
    "git/fast_import_crash_123",
    f"git/objects/pack/pack-{'b' * 40}.keep",
]
_ONLY_AFTER_A_KILL = [
    "git/objects/ab/tmp_obj_abc",
    "git/objects/tmp_objdir-bulk-fsync-abc/ab/cd",
    "git/refs/checkpoints/c7.lock",
    "records/c7.json.new",
    "scratch/x/.gitignore",
    "alone/HEAD",
]


@pytest.mark.parametrize("part", [*_PARTS, *_ONLY_AFTER_A_KILL])
def test_what_a_killed_git_left_is_swept_at_the_next_opening(bench: Bench, part: str) -> None:
    bench.write("a.txt", "a")
    bench.save()
    if part in _ONLY_AFTER_A_KILL:
        (bench.folder / "busy").touch()
    left = bench.folder / part
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"part")
    bench.save()
    assert not left.exists()
    assert not (bench.folder / "busy").exists()


def test_what_is_being_packed_is_not_swept(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    with CheckpointRepository(str(bench.folder), bench.environ).open_beside(60, wait=5):
        part = bench.folder / "git/objects/pack/tmp_pack_abc"
        part.write_bytes(b"part")
        bench.save()
        assert part.exists()
    bench.save()
    assert not part.exists()


def test_what_is_saved_takes_hardly_more_room_than_it_is_large(bench: Bench) -> None:
    for number in range(100):
        noise(bench, 10_000, f"{number % 7}/{number}.bin")
    bench.save()
    before = stored_bytes(bench)
    changed = sum(len(noise(bench, 10_000, f"{number % 7}/{number}.bin")) for number in range(50))
    bench.save()
    assert stored_bytes(bench) - before <= 1.2 * changed


def stored_bytes(bench: Bench) -> int:
    return sum(path.stat().st_size for path in bench.folder.rglob("*") if path.is_file())


def test_a_file_that_changed_in_the_moment_it_was_saved_is_still_looked_at_afterwards(
    bench: Bench,
) -> None:
    file = bench.write("a", "one")
    os.utime(file, (_LONG_AGO, _LONG_AGO))
    bench.save()
    private = CheckpointRepository(str(bench.folder), bench.environ)
    (index,) = private.indexes()
    os.utime(index, (_LONG_AGO, _LONG_AGO))  # as if both were written at the same time
    file.write_text("two")
    os.utime(file, (_LONG_AGO, _LONG_AGO))
    with private.open_store(10) as git:
        repack.find_roots(private, git)
    assert bench.held(bench.save().record) == bench.content()
