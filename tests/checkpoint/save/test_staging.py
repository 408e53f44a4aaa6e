"""Every kind of file, whatever happens to it, and whatever the store is like."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointStore, LeftOut
from handrail.checkpoint.errors import CheckpointError, CheckpointStoreError, GitError
from handrail.checkpoint.save.changed_paths import UNREADABLE
from handrail.checkpoint.save.work_tree_memory import MAX_MODES, FileModes
from tests.checkpoint.conftest import Bench

pytestmark = pytest.mark.slow


def rig(bench: Bench, folder: Path, *lines: str) -> Path:
    """A program `git` that does something before it is the real one; "$*" is its command."""
    real = bench.environ["PATH"]
    program = folder / "git"
    folder.mkdir()
    program.write_text("\n".join(["#!/bin/sh", *lines, f'PATH={real} exec git "$@"', ""]))
    program.chmod(0o755)
    bench.environ["PATH"] = f"{folder}:{real}"
    bench.checkpoints = bench.of(bench.tree)
    return program


def test_a_folder_that_is_no_repository_is_held_the_same(bench: Bench) -> None:
    bench.write("a/b.txt", "b")
    assert bench.held(bench.save().record) == bench.content()
    assert not (bench.tree / ".git").exists()


def test_odd_names_and_empty_files_are_held(bench: Bench) -> None:
    names = ["-rf", "--", "new\nline", "tab\t", ":(top)x", "*", '"q"', "back\\slash", " ", "ü", "e"]
    for name in (*names, "x" * 255, "d\n/-e", os.fsdecode(b"\xff\xfe"), os.fsdecode(b"d/\xe9")):
        bench.write(name, name.encode(errors="surrogateescape") if name != "e" else "")
    record = bench.save().record
    assert record.coverage.complete
    assert bench.held(record) == bench.content()
    (bench.tree / "new\nline").unlink()
    bench.write('"q"', "changed")
    assert bench.held(bench.save().record) == bench.content()


def test_links_are_held_as_links(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("not yours")
    bench.write("folder/a.txt", "a")
    for name, target in {
        "dangling": "/nowhere/at all",
        "to-folder": "folder",
        "outside": str(tmp_path / "outside"),
        "loop": "loop",
        "above": "..",
    }.items():
        (bench.tree / name).symlink_to(target)
    record = bench.save().record
    assert record.coverage.complete
    assert bench.held(record)["outside"] == f"-> {tmp_path}/outside"
    assert len(bench.held(record)) == 6


def test_a_change_of_mode_alone_is_a_change(bench: Bench) -> None:
    script = bench.write("run.sh", "#!/bin/sh\n")
    first = bench.save().record
    script.chmod(0o755)
    second = bench.save().record
    assert second.tree != first.tree
    script.chmod(0o700)
    os.utime(script, (1, 1))  # git looks at the second only, and all of this happens in one
    third = bench.save().record
    assert (third.tree, third.modes) == (second.tree, {"run.sh": 0o700})
    assert not bench.save().is_new


def test_a_name_that_changes_only_its_case_is_another_name(bench: Bench) -> None:
    bench.write("readme.md", "r")
    bench.save()
    (bench.tree / "readme.md").rename(bench.tree / "README.md")
    assert set(bench.held(bench.save().record)) == {"README.md"}


def test_a_file_becomes_a_folder_and_a_folder_a_file(bench: Bench) -> None:
    bench.write("file", "f")
    bench.write("folder/deep/x", "x")
    bench.save()
    (bench.tree / "file").unlink()
    bench.write("file/inner", "i")
    shutil.rmtree(bench.tree / "folder")
    bench.write("folder", "now a file")
    assert bench.held(bench.save().record) == bench.content()


def test_a_folder_becomes_a_link_that_leads_out(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("not yours")
    bench.write("src/a.txt", "mine")
    bench.save()
    shutil.rmtree(bench.tree / "src")
    (bench.tree / "src").symlink_to(tmp_path / "outside")
    assert bench.held(bench.save().record) == {"src": f"-> {tmp_path}/outside"}


def test_a_file_that_vanishes_while_it_is_read_costs_only_itself(
    bench: Bench, tmp_path: Path
) -> None:
    bench.write("a.txt", "a")
    bench.write("brief.txt", "b")
    gone = bench.tree / "brief.txt"
    rig(bench, tmp_path / "bin", f'case "$*" in *update-index*) rm -f {gone};; esac')
    record = bench.save().record
    assert bench.held(record) == {"a.txt": b"a"}
    assert record.coverage.complete


def test_a_file_that_becomes_a_pipe_while_it_is_read_costs_only_itself(
    bench: Bench, tmp_path: Path
) -> None:
    for number in range(20):
        bench.write(f"{number}.txt", f"{number}")
    pipe = bench.tree / "13.txt"
    swap = f'case "$*" in *update-index*) [ -p {pipe} ] || {{ rm {pipe}; mkfifo {pipe}; }};; esac'
    rig(bench, tmp_path / "bin", swap)
    record = bench.save().record
    assert set(bench.held(record)) == {f"{number}.txt" for number in range(20)} - {"13.txt"}


def test_a_file_that_git_rejects_is_left_out_and_named(bench: Bench, tmp_path: Path) -> None:
    """However it looks: every batch with it fails, until it is alone."""
    for number in range(25):
        bench.write(f"{number}.txt", f"{number}")
    given = tmp_path / "given"
    fake = tmp_path / "bin" / "git"
    real = bench.environ["PATH"]
    rig(bench, tmp_path / "bin")
    fake.write_text(
        f'#!/bin/sh\nPATH={real}\ncase "$*" in *"update-index --add"*)\n cat > {given}\n'
        f' if tr "\\0" "\\n" < {given} | grep -qx 13.txt; then\n'
        '  echo "fatal: Unable to process path" >&2; exit 128; fi\n'
        f' exec git "$@" < {given};;\nesac\nexec git "$@"\n'
    )
    record = bench.save().record
    assert record.coverage.left_out == (LeftOut("13.txt", UNREADABLE),)
    assert not record.coverage.unfinished
    assert len(bench.held(record)) == 24


@pytest.mark.usefixtures("no_override")
def test_what_cannot_be_read_is_left_out_and_named(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.write("secret.txt", "s").chmod(0)
    bench.write("closed/x.txt", "x")
    (bench.tree / "closed").chmod(0)
    try:
        record = bench.save().record
    finally:
        (bench.tree / "closed").chmod(0o755)
    left_out = [LeftOut("closed/", UNREADABLE), LeftOut("secret.txt", UNREADABLE)]
    assert list(record.coverage.left_out) == left_out


def test_a_folder_that_git_could_not_look_into_is_named(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    said = "warning: could not open directory 'closed/deep/': Permission denied"
    rig(bench, tmp_path / "bin", f'case "$*" in *"ls-files -o"*) echo "{said}" >&2;; esac')
    record = bench.save().record
    assert record.coverage.left_out == (LeftOut("closed/deep/", UNREADABLE),)


def test_git_that_takes_in_nothing_is_not_a_checkpoint(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    rig(bench, tmp_path / "bin", 'case "$*" in *update-index*) cat >/dev/null; exit 0;; esac')
    with pytest.raises(CheckpointError, match="git took nothing in"):
        bench.save()
    assert list(bench.checkpoints.newest_first()) == []


def test_a_work_tree_that_cannot_be_written_is_held(bench: Bench) -> None:
    bench.write("src/a.txt", "a").chmod(0o444)
    (bench.tree / "src").chmod(0o555)
    bench.tree.chmod(0o555)
    try:
        record = bench.save().record
        assert bench.held(record) == {"src/a.txt": b"a"}
        assert record.modes == {"src/a.txt": 0o444}
    finally:
        bench.tree.chmod(0o755)
        (bench.tree / "src").chmod(0o755)


def test_a_store_that_cannot_be_written_is_said_so(bench: Bench) -> None:
    bench.write("a.txt", "a")
    first = bench.save().record
    shutil.rmtree(bench.folder / "git" / "objects" / "pack")
    (bench.folder / "git" / "objects" / "pack").write_text("in the way")
    bench.write("a.txt", "b")
    with pytest.raises(CheckpointError):
        bench.save()
    assert list(bench.checkpoints.newest_first()) == [first]


@pytest.mark.usefixtures("no_override")
def test_a_store_of_somebody_else_is_said_so(bench: Bench) -> None:
    bench.write("a.txt", "a")
    bench.save()
    bench.write("a.txt", "b")
    objects = bench.folder / "git" / "objects"
    modes = {path: path.stat().st_mode for path in (objects, *objects.iterdir())}
    for path in modes:
        path.chmod(0o500)
    try:
        with pytest.raises(CheckpointStoreError):
            bench.save()
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert bench.save().is_new


def _no_space(bench: Bench, folder: Path) -> Callable[[], None]:
    said = "error: unable to write file x: No space left on device"
    refuse = f'case "$*" in *update-index*) echo "{said}" >&2; exit 128;; esac'
    return rig(bench, folder, refuse).unlink


@pytest.mark.usefixtures("by_git")
def test_a_full_disk_costs_no_checkpoint_and_no_index(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    first = bench.save().record
    index = next(bench.folder.glob("index-*"))
    before = index.read_bytes()
    bench.write("a.txt", "b")
    make_room = _no_space(bench, tmp_path / "bin")
    with pytest.raises(CheckpointStoreError, match="checkpoints cannot be written"):
        bench.save()
    assert index.read_bytes() == before
    assert list(bench.checkpoints.newest_first()) == [first]
    make_room()
    assert bench.held(bench.save().record) == {"a.txt": b"b"}


_LIMITED = """
import resource, sys
from handrail.checkpoint import CheckpointInfo, CheckpointStore
from handrail.checkpoint.errors import CheckpointError
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    CheckpointStore(sys.argv[1], sys.argv[2]).save(CheckpointInfo())
except CheckpointError as error:
    print(type(error).__name__)
"""


def test_a_disk_that_fills_up_while_it_is_written_is_said_so(bench: Bench) -> None:
    bench.write("a.txt", "a")
    first = bench.save().record
    bench.write("noise.bin", os.urandom(300_000))
    arguments = [sys.executable, "-c", _LIMITED, str(bench.folder), str(bench.tree)]
    ran = subprocess.run(
        arguments, env=bench.environ, capture_output=True, text=True, check=True, cwd=bench.home
    )
    assert ran.stdout == "CheckpointStoreError\n"
    assert list(bench.checkpoints.newest_first()) == [first]
    assert bench.save().record.coverage.complete


def test_a_clock_that_is_set_back_changes_no_order(bench: Bench) -> None:
    times = iter([2_000_000_000.0, 1_000_000_000.0])
    checkpoints = CheckpointStore(
        str(bench.folder), str(bench.tree), environ=bench.environ, clock=lambda: next(times)
    )
    bench.write("a.txt", "1")
    first = checkpoints.save(CheckpointInfo()).record
    bench.write("a.txt", "2")
    second = checkpoints.save(CheckpointInfo()).record
    assert second.created_at < first.created_at
    assert [each.number for each in checkpoints.newest_first()] == [2, 1]


def test_permissions_that_git_cannot_hold_are_in_every_record(bench: Bench) -> None:
    bench.write("key.pem", "k").chmod(0o600)
    bench.write("open.txt", "o")
    assert bench.save().record.modes == {"key.pem": 0o600}
    bench.write("open.txt", "changed")
    assert bench.save().record.modes == {"key.pem": 0o600}
    (bench.tree / "key.pem").unlink()
    assert bench.save().record.modes == {}


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("{")])
def test_permissions_that_were_forgotten_are_looked_at_again(
    bench: Bench, damage: Callable[[Path], object]
) -> None:
    bench.write("key.pem", "k").chmod(0o600)
    bench.save()
    damage(next(bench.folder.glob("memory-*")))
    bench.write("a.txt", "a")
    assert bench.save().record.modes == {"key.pem": 0o600}


def test_permissions_are_not_remembered_without_end() -> None:
    modes = FileModes({})
    for number in range(MAX_MODES + 1):
        modes.see(f"{number:05}", 0o100600)
    assert len(modes.all) == MAX_MODES


@pytest.mark.parametrize(("version", "packs"), [("2.34.1", 1), ("2.37.0", 2), ("nonsense", 1)])
def test_many_new_files_are_one_pack_where_git_can_do_that(
    bench: Bench, tmp_path: Path, version: str, packs: int
) -> None:
    for number in range(20):
        bench.write(f"{number}.txt", f"content {number}")
    say = f'case "$*" in *" version") echo "git version {version}"; exit;; esac'
    rig(bench, tmp_path / "bin", say)
    assert bench.held(bench.save().record) == bench.content()
    found = (bench.folder / "git" / "objects" / "pack").glob("*.pack")
    assert len(list(found)) == packs  # that of the commit, and that of the files


class TestHead:
    """Where the user's own repository was."""

    def test_on_a_branch(self, bench: Bench) -> None:
        bench.repository()
        assert bench.save().record.head == bench.git("rev-parse", "HEAD").strip()

    def test_without_a_repository(self, bench: Bench) -> None:
        assert bench.save().record.head == ""

    def test_before_the_first_commit(self, bench: Bench) -> None:
        bench.git("init", "-q")
        assert bench.save().record.head == ""

    def test_on_no_branch(self, bench: Bench) -> None:
        bench.repository()
        bench.git("checkout", "-q", "--detach")
        assert bench.save().record.head == bench.git("rev-parse", "HEAD").strip()

    def test_on_a_packed_branch(self, bench: Bench) -> None:
        bench.repository()
        bench.git("pack-refs", "--all")
        assert bench.save().record.head == bench.git("rev-parse", "HEAD").strip()

    def test_in_a_linked_work_tree(self, bench: Bench) -> None:
        bench.repository()
        linked = bench.home / "linked"
        bench.git("worktree", "add", "-q", "-b", "side", str(linked))
        bench.git("commit", "-q", "--allow-empty", "-m", "more", at=linked)
        bench.git("pack-refs", "--all")
        record = bench.of(linked).save(CheckpointInfo()).record
        assert record.head == bench.git("rev-parse", "HEAD", at=linked).strip()

    @pytest.mark.parametrize(
        "says", ["ref: HEAD", "ref: refs/../../secret", "nonsense", "", "ref: refs/heads/a\nb"]
    )
    def test_that_cannot_be_read(self, bench: Bench, says: str) -> None:
        bench.repository()
        bench.write(".git/HEAD", says)
        assert bench.save().record.head == ""

    def test_that_is_a_pipe_is_not_waited_for(self, bench: Bench) -> None:
        bench.repository()
        (bench.tree / ".git/HEAD").unlink()
        os.mkfifo(bench.tree / ".git/HEAD")
        assert bench.save().record.head == ""


def test_git_processes_beside_each_other_end_together(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.txt", "a")
    bench.save()
    slow = 'case "$*" in *diff-files*) exit 1;; *"ls-files -o"*) exec sleep 600;; esac'
    rig(bench, tmp_path / "bin", slow)
    with pytest.raises(GitError, match="diff-files"):
        bench.checkpoints.save(CheckpointInfo(), seconds=60)
