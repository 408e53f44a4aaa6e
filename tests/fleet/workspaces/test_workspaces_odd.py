"""Workspaces of odd repositories: submodules, sparse, bare, detached, nested, odd names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.fleet.workspaces.workspace_errors import WorkspaceStorageError
from handrail.fleet.workspaces.workspace_work import commit_work, workspace_status
from tests.checkpoint.faults import GitFault, RiggedGit
from tests.fleet.task_repository import TaskRepository

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> TaskRepository:
    return TaskRepository(tmp_path)


def test_a_submodule_stays_a_link_and_can_be_set_up(shop: TaskRepository) -> None:
    origin = shop.home / "origin"
    origin.mkdir()
    shop.git("init", "-q", at=origin)
    shop.write("lib.py", "lib", at=origin)
    shop.commit("lib", at=origin)
    allowed = ("-c", "protocol.file.allow=always")
    shop.git(*allowed, "submodule", "--quiet", "add", str(origin), "sub")
    shop.commit("with a submodule")
    made = shop.workspaces.create("a")
    assert shop.git("status", "--short", at=made.path) == ""
    shop.git(*allowed, "submodule", "--quiet", "update", "--init", at=made.path)
    assert Path(made.path, "sub/lib.py").exists()
    shop.write("sub/lib.py", "changed inside", at=made.path)
    assert commit_work(made, "nothing of ours", shop.environ) is None
    shop.commit("inside", at=Path(made.path, "sub"))
    assert workspace_status(made, shop.environ).uncommitted == ("sub",)
    assert commit_work(made, "another version", shop.environ)
    shop.workspaces.remove(made, lose=True)
    assert shop.worktrees() == []


def test_a_sparse_checkout_is_sparse_in_the_workspace_too(shop: TaskRepository) -> None:
    shop.write("big/file.bin", "big")
    shop.commit("big")
    shop.git("sparse-checkout", "set", "--cone", "src")
    made = shop.workspaces.create("a")
    assert Path(made.path, "src/till.py").exists()
    assert not Path(made.path, "big").exists()
    shop.write("outside/new.txt", "new", at=made.path)
    shop.write("src/more.py", "more", at=made.path)
    assert commit_work(made, "work", shop.environ)
    assert workspace_status(made, shop.environ).changed == ("outside/new.txt", "src/more.py")
    assert shop.git("show", "handrail/a:big/file.bin", at=made.path) == "big"


def test_a_detached_head_is_a_base_like_any_other(shop: TaskRepository) -> None:
    shop.git("checkout", "-q", "--detach")
    assert shop.workspaces.create("a").base == shop.head()


def test_a_bare_repository_has_workspaces(shop: TaskRepository) -> None:
    bare = shop.home / "bare.git"
    shop.git("clone", "-q", "--bare", str(shop.tree), str(bare))
    there = shop.of(bare)
    made = there.create("a")
    assert Path(made.path, "README.md").exists()
    assert there.reuse("a") == made
    there.remove(made)
    assert not Path(made.path).exists()


def test_a_linked_worktree_and_a_subfolder_lead_to_the_same_repository(
    shop: TaskRepository,
) -> None:
    linked = shop.home / "linked"
    shop.git("worktree", "add", "-q", "-b", "side", str(linked))
    shop.write("side.txt", "side", at=linked)
    side = shop.commit("side", at=linked)
    assert shop.of(linked).create("a").base == side  # HEAD is that of the folder
    assert shop.of(shop.tree / "src").create("b").base == shop.head("main")
    assert (shop.tree / ".git/worktrees/a").is_dir()


@pytest.mark.parametrize("name", ["with space", "ünïcödé ☃", "new\nline", "-dash", "q'uo\"te"])
def test_odd_names_of_folders(tmp_path: Path, name: str) -> None:
    shop = TaskRepository(tmp_path, name)
    shop.trees = tmp_path / name / "workspaces"
    shop.workspaces = shop.of(shop.tree)
    made = shop.workspaces.create("a")
    assert shop.workspaces.reuse("a") == made
    assert commit_work(made, "nothing", shop.environ) is None
    shop.workspaces.remove(made)
    assert shop.worktrees() == []


def test_names_that_are_not_text(tmp_path: Path) -> None:
    shop = TaskRepository(tmp_path, os.fsdecode(b"caf\xe9"))
    shop.trees = tmp_path / os.fsdecode(b"root\xff")
    shop.workspaces = shop.of(shop.tree)
    made = shop.workspaces.create("a")
    shop.write(os.fsdecode(b"na\xefve.txt"), "odd", at=made.path)
    status = workspace_status(made, shop.environ)
    assert status.uncommitted == ("na\\xefve.txt",)
    assert commit_work(made, "odd", shop.environ)
    assert shop.workspaces.reuse("a") == made
    shop.workspaces.remove(made, lose=True)
    assert shop.worktrees() == []


def test_a_repository_around_the_state_folder_is_never_touched(
    shop: TaskRepository, tmp_path: Path
) -> None:
    shop.git("init", "-q", at=tmp_path)
    shop.write("file.txt", "of the repository around", at=tmp_path)
    made = shop.workspaces.create("a")
    Path(made.path, ".git").unlink()
    assert shop.workspaces.reuse("a") is None
    with pytest.raises(Exception, match="not a git repository"):
        commit_work(made, "work", shop.environ)
    assert shop.git("ls-files", at=tmp_path) == ""


_FULL = (GitFault.NO_SPACE, GitFault.NO_SPACE_AFTER)


@pytest.mark.parametrize("fault", _FULL, ids=lambda fault: fault.name)
@pytest.mark.parametrize("moment", [2, 4, 5])
def test_a_full_disk_is_a_clear_error_and_nothing_is_left(
    shop: TaskRepository, tmp_path: Path, moment: int, fault: GitFault
) -> None:
    refs = shop.refs()
    git = RiggedGit(tmp_path / "bin", moment, fault)
    path = shop.environ["PATH"]
    shop.environ["PATH"] = git.path
    with pytest.raises(WorkspaceStorageError, match="No space left on device"):
        shop.workspaces.create("a")
    assert git.was_reached
    assert (shop.refs(), shop.traces()) == (refs, set())
    shop.environ["PATH"] = path
    assert shop.workspaces.create("a").name == "a"


_LIMITED = """
import resource, sys
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.fleet.workspaces.workspace_errors import WorkspaceStorageError

limit, tree, root, home = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
import os
try:
    Workspaces(tree, root, {"HOME": home, "PATH": os.environ["PATH"]}).create("a")
except WorkspaceStorageError as error:
    print("no room")
"""


@pytest.mark.parametrize("limit", [1_000, 20_000])
def test_a_quota_that_ends_in_the_middle_of_a_file_leaves_nothing(
    shop: TaskRepository, limit: int
) -> None:
    shop.write("big.bin", "x" * 50_000)
    shop.commit("big")
    refs = shop.refs()
    ran = subprocess.run(
        [sys.executable, "-c", _LIMITED, f"{limit}", shop.tree, shop.root, shop.home],
        env={**shop.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("no room\n", "")
    assert (shop.refs(), shop.traces()) == (refs, set())


_CREATES = """
import os, sys
from handrail.fleet.workspaces.workspaces import Workspaces

tree, root, trees, *tasks = sys.argv[1:]
workspaces = Workspaces(tree, root, trees=trees)
for task in tasks:
    print(workspaces.create(task).name)
"""


def test_two_processes_make_workspaces_at_once(shop: TaskRepository) -> None:
    tasks = [f"t{number}" for number in range(6)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _CREATES, shop.tree, shop.root, shop.trees, *tasks],
            env={**shop.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    names = [name for each in processes for name in each.communicate()[0].split()]
    assert sorted(names) == sorted([*tasks, *(f"{task}-2" for task in tasks)])
    assert len(shop.worktrees()) == 12
    for each in shop.workspaces.all():
        assert shop.workspaces.fault_of(each) == ""
