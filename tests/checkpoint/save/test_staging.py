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
from handrail.checkpoint.save.work_tree_memory import MAX_ODD, OddFiles
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow


def rig(bench: CheckpointProject, folder: Path, *lines: str) -> Path:
    """A program `git` that does something before it is the real one; "$*" is its command."""
    real = bench.environ["PATH"]
    program = folder / "git"
    folder.mkdir()
    program.write_text("\n".join(["#!/bin/sh", *lines, f'PATH={real} exec git "$@"', ""]))
    program.chmod(0o755)
    bench.environ["PATH"] = f"{folder}:{real}"
    bench.checkpoints = bench.of(bench.tree)
    return program


def test_a_folder_that_is_no_repository_is_held_the_same(project: CheckpointProject) -> None:
    project.write("a/b.txt", "b")
    assert project.held(project.save().record) == project.content()
    assert not (project.tree / ".git").exists()


def test_odd_names_and_empty_files_are_held(project: CheckpointProject) -> None:
    names = ["-rf", "--", "new\nline", "tab\t", ":(top)x", "*", '"q"', "back\\slash", " ", "ü", "e"]
    for name in (*names, "x" * 255, "d\n/-e", os.fsdecode(b"\xff\xfe"), os.fsdecode(b"d/\xe9")):
        project.write(name, name.encode(errors="surrogateescape") if name != "e" else "")
    record = project.save().record
    assert record.coverage.complete
    assert project.held(record) == project.content()
    (project.tree / "new\nline").unlink()
    project.write('"q"', "changed")
    assert project.held(project.save().record) == project.content()


def test_links_are_held_as_links(project: CheckpointProject, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("not yours")
    project.write("folder/a.txt", "a")
    for name, target in {
        "dangling": "/nowhere/at all",
        "to-folder": "folder",
        "outside": str(tmp_path / "outside"),
        "loop": "loop",
        "above": "..",
    }.items():
        (project.tree / name).symlink_to(target)
    record = project.save().record
    assert record.coverage.complete
    assert project.held(record)["outside"] == f"-> {tmp_path}/outside"
    assert len(project.held(record)) == 6


def test_a_change_of_mode_alone_is_a_change(project: CheckpointProject) -> None:
    script = project.write("run.sh", "#!/bin/sh\n")
    first = project.save().record
    script.chmod(0o755)
    second = project.save().record
    assert second.tree != first.tree
    script.chmod(0o700)
    os.utime(script, (1, 1))  # git looks at the second only, and all of this happens in one
    third = project.save().record
    assert (third.tree, third.modes) == (second.tree, {"run.sh": 0o700})
    assert not project.save().is_new


def test_a_name_that_changes_only_its_case_is_another_name(project: CheckpointProject) -> None:
    project.write("readme.md", "r")
    project.save()
    (project.tree / "readme.md").rename(project.tree / "README.md")
    assert set(project.held(project.save().record)) == {"README.md"}


def test_a_file_becomes_a_folder_and_a_folder_a_file(project: CheckpointProject) -> None:
    project.write("file", "f")
    project.write("folder/deep/x", "x")
    project.save()
    (project.tree / "file").unlink()
    project.write("file/inner", "i")
    shutil.rmtree(project.tree / "folder")
    project.write("folder", "now a file")
    assert project.held(project.save().record) == project.content()


def test_a_folder_becomes_a_link_that_leads_out(project: CheckpointProject, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("not yours")
    project.write("src/a.txt", "mine")
    project.save()
    shutil.rmtree(project.tree / "src")
    (project.tree / "src").symlink_to(tmp_path / "outside")
    assert project.held(project.save().record) == {"src": f"-> {tmp_path}/outside"}


def test_a_file_that_vanishes_while_it_is_read_costs_only_itself(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("a.txt", "a")
    project.write("brief.txt", "b")
    gone = project.tree / "brief.txt"
    rig(project, tmp_path / "bin", f'case "$*" in *update-index*) rm -f {gone};; esac')
    record = project.save().record
    assert project.held(record) == {"a.txt": b"a"}
    assert record.coverage.complete


def test_a_file_that_becomes_a_pipe_while_it_is_read_costs_only_itself(
    project: CheckpointProject, tmp_path: Path
) -> None:
    for number in range(20):
        project.write(f"{number}.txt", f"{number}")
    pipe = project.tree / "13.txt"
    swap = f'case "$*" in *update-index*) [ -p {pipe} ] || {{ rm {pipe}; mkfifo {pipe}; }};; esac'
    rig(project, tmp_path / "bin", swap)
    record = project.save().record
    assert set(project.held(record)) == {f"{number}.txt" for number in range(20)} - {"13.txt"}


def test_a_file_that_git_rejects_is_left_out_and_named(
    project: CheckpointProject, tmp_path: Path
) -> None:
    """However it looks: every batch with it fails, until it is alone."""
    for number in range(25):
        project.write(f"{number}.txt", f"{number}")
    given = tmp_path / "given"
    fake = tmp_path / "bin" / "git"
    real = project.environ["PATH"]
    rig(project, tmp_path / "bin")
    fake.write_text(
        f'#!/bin/sh\nPATH={real}\ncase "$*" in *"update-index --add"*)\n cat > {given}\n'
        f' if tr "\\0" "\\n" < {given} | grep -qx 13.txt; then\n'
        '  echo "fatal: Unable to process path" >&2; exit 128; fi\n'
        f' exec git "$@" < {given};;\nesac\nexec git "$@"\n'
    )
    record = project.save().record
    assert record.coverage.left_out == (LeftOut("13.txt", UNREADABLE),)
    assert not record.coverage.unfinished
    assert len(project.held(record)) == 24


@pytest.mark.usefixtures("no_override")
def test_what_cannot_be_read_is_left_out_and_named(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.write("secret.txt", "s").chmod(0)
    project.write("closed/x.txt", "x")
    (project.tree / "closed").chmod(0)
    try:
        record = project.save().record
    finally:
        (project.tree / "closed").chmod(0o755)
    left_out = [LeftOut("closed/", UNREADABLE), LeftOut("secret.txt", UNREADABLE)]
    assert list(record.coverage.left_out) == left_out


def test_a_folder_that_git_could_not_look_into_is_named(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("a.txt", "a")
    said = "warning: could not open directory 'closed/deep/': Permission denied"
    rig(project, tmp_path / "bin", f'case "$*" in *"ls-files -o"*) echo "{said}" >&2;; esac')
    record = project.save().record
    assert record.coverage.left_out == (LeftOut("closed/deep/", UNREADABLE),)


def test_git_that_takes_in_nothing_is_not_a_checkpoint(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("a.txt", "a")
    rig(project, tmp_path / "bin", 'case "$*" in *update-index*) cat >/dev/null; exit 0;; esac')
    with pytest.raises(CheckpointError, match="git took nothing in"):
        project.save()
    assert list(project.checkpoints.newest_first()) == []


def test_a_work_tree_that_cannot_be_written_is_held(project: CheckpointProject) -> None:
    project.write("src/a.txt", "a").chmod(0o444)
    (project.tree / "src").chmod(0o555)
    project.tree.chmod(0o555)
    try:
        record = project.save().record
        assert project.held(record) == {"src/a.txt": b"a"}
        assert record.modes == {"src/a.txt": 0o444}
    finally:
        project.tree.chmod(0o755)
        (project.tree / "src").chmod(0o755)


def test_a_store_that_cannot_be_written_is_said_so(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    first = project.save().record
    shutil.rmtree(project.folder / "git" / "objects" / "pack")
    (project.folder / "git" / "objects" / "pack").write_text("in the way")
    project.write("a.txt", "b")
    with pytest.raises(CheckpointError):
        project.save()
    assert list(project.checkpoints.newest_first()) == [first]


@pytest.mark.usefixtures("no_override")
def test_a_store_of_somebody_else_is_said_so(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    project.save()
    project.write("a.txt", "b")
    objects = project.folder / "git" / "objects"
    modes = {path: path.stat().st_mode for path in (objects, *objects.iterdir())}
    for path in modes:
        path.chmod(0o500)
    try:
        with pytest.raises(CheckpointStoreError):
            project.save()
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert project.save().is_new


def _no_space(bench: CheckpointProject, folder: Path) -> Callable[[], None]:
    said = "error: unable to write file x: No space left on device"
    refuse = f'case "$*" in *update-index*) echo "{said}" >&2; exit 128;; esac'
    return rig(bench, folder, refuse).unlink


@pytest.mark.usefixtures("by_git")
def test_a_full_disk_costs_no_checkpoint_and_no_index(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("a.txt", "a")
    first = project.save().record
    index = next(project.folder.glob("index-*"))
    before = index.read_bytes()
    project.write("a.txt", "b")
    make_room = _no_space(project, tmp_path / "bin")
    with pytest.raises(CheckpointStoreError, match="checkpoints cannot be written"):
        project.save()
    assert index.read_bytes() == before
    assert list(project.checkpoints.newest_first()) == [first]
    make_room()
    assert project.held(project.save().record) == {"a.txt": b"b"}


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


def test_a_disk_that_fills_up_while_it_is_written_is_said_so(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    first = project.save().record
    project.write("noise.bin", os.urandom(300_000))
    arguments = [sys.executable, "-c", _LIMITED, str(project.folder), str(project.tree)]
    ran = subprocess.run(
        arguments, env=project.environ, capture_output=True, text=True, check=True, cwd=project.home
    )
    assert ran.stdout == "CheckpointStoreError\n"
    assert list(project.checkpoints.newest_first()) == [first]
    assert project.save().record.coverage.complete


def test_a_clock_that_is_set_back_changes_no_order(project: CheckpointProject) -> None:
    times = iter([2_000_000_000.0, 1_000_000_000.0])
    checkpoints = CheckpointStore(
        str(project.folder), str(project.tree), environ=project.environ, clock=lambda: next(times)
    )
    project.write("a.txt", "1")
    first = checkpoints.save(CheckpointInfo()).record
    project.write("a.txt", "2")
    second = checkpoints.save(CheckpointInfo()).record
    assert second.created_at < first.created_at
    assert [each.number for each in checkpoints.newest_first()] == [2, 1]


def test_permissions_that_git_cannot_hold_are_in_every_record(project: CheckpointProject) -> None:
    project.write("key.pem", "k").chmod(0o600)
    project.write("open.txt", "o")
    assert project.save().record.modes == {"key.pem": 0o600}
    project.write("open.txt", "changed")
    assert project.save().record.modes == {"key.pem": 0o600}
    (project.tree / "key.pem").unlink()
    assert project.save().record.modes == {}


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("{")])
def test_permissions_that_were_forgotten_are_looked_at_again(
    project: CheckpointProject, damage: Callable[[Path], object]
) -> None:
    project.write("key.pem", "k").chmod(0o600)
    project.save()
    damage(next(project.folder.glob("memory-*")))
    project.write("a.txt", "a")
    assert project.save().record.modes == {"key.pem": 0o600}


def test_permissions_are_not_remembered_without_end() -> None:
    modes = OddFiles({})
    for number in range(MAX_ODD + 1):
        modes.note(f"{number:05}", 0o100600)
    assert len(modes.modes) == MAX_ODD


@pytest.mark.parametrize(("version", "packs"), [("2.34.1", 1), ("2.37.0", 2), ("nonsense", 1)])
def test_many_new_files_are_one_pack_where_git_can_do_that(
    project: CheckpointProject, tmp_path: Path, version: str, packs: int
) -> None:
    for number in range(20):
        project.write(f"{number}.txt", f"content {number}")
    say = f'case "$*" in *" version") echo "git version {version}"; exit;; esac'
    rig(project, tmp_path / "bin", say)
    assert project.held(project.save().record) == project.content()
    found = (project.folder / "git" / "objects" / "pack").glob("*.pack")
    assert len(list(found)) == packs  # that of the commit, and that of the files


class TestHead:
    """Where the user's own repository was."""

    def test_on_a_branch(self, project: CheckpointProject) -> None:
        project.repository()
        assert project.save().record.head == project.git("rev-parse", "HEAD").strip()

    def test_without_a_repository(self, project: CheckpointProject) -> None:
        assert project.save().record.head == ""

    def test_before_the_first_commit(self, project: CheckpointProject) -> None:
        project.git("init", "-q")
        assert project.save().record.head == ""

    def test_on_no_branch(self, project: CheckpointProject) -> None:
        project.repository()
        project.git("checkout", "-q", "--detach")
        assert project.save().record.head == project.git("rev-parse", "HEAD").strip()

    def test_on_a_packed_branch(self, project: CheckpointProject) -> None:
        project.repository()
        project.git("pack-refs", "--all")
        assert project.save().record.head == project.git("rev-parse", "HEAD").strip()

    def test_in_a_linked_work_tree(self, project: CheckpointProject) -> None:
        project.repository()
        linked = project.home / "linked"
        project.git("worktree", "add", "-q", "-b", "side", str(linked))
        project.git("commit", "-q", "--allow-empty", "-m", "more", at=linked)
        project.git("pack-refs", "--all")
        record = project.of(linked).save(CheckpointInfo()).record
        assert record.head == project.git("rev-parse", "HEAD", at=linked).strip()

    @pytest.mark.parametrize(
        "says", ["ref: HEAD", "ref: refs/../../secret", "nonsense", "", "ref: refs/heads/a\nb"]
    )
    def test_that_cannot_be_read(self, project: CheckpointProject, says: str) -> None:
        project.repository()
        project.write(".git/HEAD", says)
        assert project.save().record.head == ""

    def test_that_is_a_pipe_is_not_waited_for(self, project: CheckpointProject) -> None:
        project.repository()
        (project.tree / ".git/HEAD").unlink()
        os.mkfifo(project.tree / ".git/HEAD")
        assert project.save().record.head == ""


def test_git_processes_beside_each_other_end_together(
    project: CheckpointProject, tmp_path: Path
) -> None:
    project.write("a.txt", "a")
    project.save()
    slow = 'case "$*" in *diff-files*) exit 1;; *"ls-files -o"*) exec sleep 600;; esac'
    rig(project, tmp_path / "bin", slow)
    with pytest.raises(GitError, match="diff-files"):
        project.checkpoints.save(CheckpointInfo(), seconds=60)
