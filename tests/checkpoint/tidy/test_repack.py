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
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow

_LONG_AGO = 1_000_000_000


def noise(bench: CheckpointProject, size: int, name: str = "noise.bin") -> bytes:
    """Write what cannot be compressed."""
    content = os.urandom(size)
    bench.write(name, content)
    return content


def collect(bench: CheckpointProject) -> None:
    private = CheckpointRepository(str(bench.folder), bench.environ)
    with private.open_for_packing(60, wait=5) as git:
        repack.collect(private, git, 10)


def private_git(bench: CheckpointProject, *arguments: str) -> str:
    return bench.git("--git-dir", str(bench.folder / "git"), *arguments)


def objects(bench: CheckpointProject) -> set[str]:
    """Names of all objects, loose or packed."""
    listed = private_git(bench, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


def loose(bench: CheckpointProject) -> list[Path]:
    return list((bench.folder / "git" / "objects").glob("??/*"))


def packs(bench: CheckpointProject) -> list[Path]:
    return list((bench.folder / "git" / "objects" / "pack").glob("*.pack"))


def blob_of(bench: CheckpointProject, path: str) -> str:
    return private_git(bench, "hash-object", "--no-filters", str(bench.tree / path)).strip()


@pytest.mark.usefixtures("by_git")
def test_many_loose_objects_become_one_pack(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repack, "MAX_LOOSE", 20)
    for number in range(30):
        project.write(f"{number}.txt", f"{number}")
        project.save()
    assert len(loose(project)) > 20
    before = objects(project)
    project.checkpoints.tidy()
    assert loose(project) == []
    assert len(packs(project)) == 1
    assert objects(project) == before
    project.write("0.txt", "other")
    project.restore(project.checkpoints.find("c30"))
    assert (project.tree / "0.txt").read_text() == "0"


def test_few_loose_objects_are_left_alone(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    before = loose(project)
    project.checkpoints.tidy()
    assert loose(project) == before


def test_many_small_packs_become_one_and_large_ones_are_not_written_anew(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repack, "MAX_LOOSE", 0)
    noise(project, 500_000)
    project.save()
    project.checkpoints.tidy()
    large = max(packs(project), key=lambda pack: pack.stat().st_size)
    for number in range(4):
        project.write("a.txt", f"{number}")
        project.save()
    monkeypatch.setattr(repack, "MAX_PACKS", 4)
    project.checkpoints.tidy()
    assert large in packs(project)
    assert len(packs(project)) == 2
    assert private_git(project, "fsck", "--full", "--strict") == ""


def test_what_no_checkpoint_needs_is_removed(project: CheckpointProject) -> None:
    noise(project, 100_000)
    project.save()
    blob = blob_of(project, "noise.bin")
    for number in range(3):
        project.write("noise.bin", f"{number}")
        project.save()
    project.of(project.tree, Settings(keep=3)).tidy()
    assert blob in objects(project)  # too little to be worth it
    collect(project)
    assert blob not in objects(project)
    assert private_git(project, "fsck", "--full", "--strict") == ""


def test_what_only_an_index_holds_stays(project: CheckpointProject) -> None:
    """A save that was killed has staged it, and the next one takes it from there."""
    project.write("a.txt", "saved")
    project.save()
    blob = stage_only(project, "b.txt", "staged, but in no checkpoint")
    collect(project)
    assert blob in objects(project)
    saved = project.save().record
    (project.tree / "b.txt").unlink()
    project.restore(saved)
    assert (project.tree / "b.txt").read_text() == "staged, but in no checkpoint"


def stage_only(bench: CheckpointProject, path: str, content: str) -> str:
    bench.write(path, content)
    private = CheckpointRepository(str(bench.folder), bench.environ)
    with private.open(str(bench.tree), 10) as git:
        git.run("update-index", "--add", path)
    return blob_of(bench, path)


def test_what_only_the_index_of_another_work_tree_holds_stays(project: CheckpointProject) -> None:
    linked = project.home / "linked"
    linked.mkdir()
    (linked / "a.txt").write_text("a")
    other = project.of(linked)
    other.save(CheckpointInfo(why="a test"))
    project.write("b.txt", "b")
    project.save()
    blob = stage_only(project, "c.txt", "staged here, while the other work tree is tidied")
    other.tidy()
    collect(project)
    assert blob in objects(project)


def test_an_index_that_needs_a_lost_object_is_made_anew(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    first = project.save().record
    blob = stage_only(project, "b.txt", "b")
    (project.folder / "git" / "objects" / blob[:2] / blob[2:]).unlink()
    collect(project)
    saved = project.save().record
    (project.tree / "b.txt").unlink()
    project.restore(saved)
    assert (project.tree / "b.txt").read_text() == "b"
    project.restore(first)
    assert project.content() == {"a.txt": b"a"}


def test_a_save_beside_it_may_come_to_need_what_was_not_needed(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dangerous moment: the new pack is written without it, the old one still has it."""
    project.write("a.txt", "forgotten, then needed again")
    project.save()
    for number in range(3):
        project.write("a.txt", f"{number}")
        project.save()
    project.of(project.tree, Settings(keep=3)).tidy()
    find_roots = repack.find_roots
    saved: list[CheckpointRecord] = []
    started, done = Event(), Event()

    def find_then_save(private: CheckpointRepository, git: Git) -> repack.ReachableRoots:
        roots = find_roots(private, git)
        started.set()
        return roots

    def save() -> None:
        started.wait(10)
        project.write("a.txt", "forgotten, then needed again")
        saved.append(project.save().record)
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
    collect(project)
    beside.join()
    project.write("a.txt", "other")
    project.restore(saved[0])
    assert (project.tree / "a.txt").read_text() == "forgotten, then needed again"
    assert private_git(project, "fsck", "--full", "--strict") == ""


def test_nobody_waits_while_packs_are_written(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    private = CheckpointRepository(str(project.folder), project.environ)
    with private.open_for_packing(60, wait=5):
        project.write("a.txt", "b")
        assert project.checkpoints.save(CheckpointInfo(why="beside it"), seconds=5).is_new


def test_a_full_disk_is_not_filled_further(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(6):
        noise(project, 300_000)
        project.save()
    before = objects(project)
    monkeypatch.setattr(disk_space, "free_bytes", lambda _: 1_000_000)
    tidied = project.of(project.tree, Settings(quota_mb=1, keep=3)).tidy()
    assert "1,000,000 are free" in tidied.problem
    assert objects(project) == before
    last = project.checkpoints.find("c6")
    noise(project, 10)
    assert project.restore(last).files == ("noise.bin",)


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
def test_what_a_killed_git_left_is_swept_at_the_next_opening(
    project: CheckpointProject, part: str
) -> None:
    project.write("a.txt", "a")
    project.save()
    if part in _ONLY_AFTER_A_KILL:
        (project.folder / "busy").touch()
    left = project.folder / part
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"part")
    project.save()
    assert not left.exists()
    assert not (project.folder / "busy").exists()


def test_what_is_being_packed_is_not_swept(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    with CheckpointRepository(str(project.folder), project.environ).open_for_packing(60, wait=5):
        part = project.folder / "git/objects/pack/tmp_pack_abc"
        part.write_bytes(b"part")
        project.save()
        assert part.exists()
    project.save()
    assert not part.exists()


def test_what_is_saved_takes_hardly_more_room_than_it_is_large(project: CheckpointProject) -> None:
    for number in range(100):
        noise(project, 10_000, f"{number % 7}/{number}.bin")
    project.save()
    before = stored_bytes(project)
    changed = sum(len(noise(project, 10_000, f"{number % 7}/{number}.bin")) for number in range(50))
    project.save()
    assert stored_bytes(project) - before <= 1.2 * changed


def stored_bytes(bench: CheckpointProject) -> int:
    return sum(path.stat().st_size for path in bench.folder.rglob("*") if path.is_file())


def test_a_file_that_changed_in_the_moment_it_was_saved_is_still_looked_at_afterwards(
    project: CheckpointProject,
) -> None:
    file = project.write("a", "one")
    os.utime(file, (_LONG_AGO, _LONG_AGO))
    project.save()
    private = CheckpointRepository(str(project.folder), project.environ)
    (index,) = private.indexes()
    os.utime(index, (_LONG_AGO, _LONG_AGO))  # as if both were written at the same time
    file.write_text("two")
    os.utime(file, (_LONG_AGO, _LONG_AGO))
    with private.open_store(10) as git:
        repack.find_roots(private, git)
    assert project.held(project.save().record) == project.content()
