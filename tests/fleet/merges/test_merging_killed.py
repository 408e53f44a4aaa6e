"""Whoever is killed while it merges: the branch is as before or as after, and its checkout too."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.fleet.merges.checkout_recovery import put_checkout_back
from handrail.fleet.merges.merge_outcome import FastForwarded, Merged
from handrail.fleet.merges.merge_work import MergeRequest
from handrail.fleet.workspaces.repository_git import open_worktree
from tests.checkpoint.faults import GitFault, RiggedGit
from tests.fleet.task_repository import ME, TaskRepository
from tests.fleet.workspace_faults import KILLS, WorkspaceWorker, moments

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkspaceWorker]:
    worker = WorkspaceWorker()
    yield worker
    worker.close()


class Victim(TaskRepository):
    """A repository in whose checkout a merge changes, makes and deletes files."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.write("old.txt", "goes away\n")
        self.commit("more")
        made = self.workspaces.create("a")
        self.write("src/till.py", "total = 1\n", at=made.path)
        self.write("fresh/new.txt", "new\n", at=made.path)
        (Path(made.path) / "old.txt").unlink()
        self.commit("work", at=made.path)
        self.write("meanwhile.txt", "meanwhile\n")
        self.before = self.commit("meanwhile")
        self.made = made
        self.refs_before = self.refs()

    def check(self) -> None:
        """The branch has the merge or not, and the next merge comes to the same end."""
        now = self.head("main")
        assert now == self.before or self.git("log", "-1", "--format=%P").startswith(self.before)
        request = MergeRequest(task="a", commit="handrail/a", target="main")
        done = asyncio.run(self.merging.merge(request))
        assert isinstance(done, Merged)
        assert (done.before, done.commit) == (self.before, self.head("main"))
        if now != self.before:
            assert done.commit == now
        assert self.git("status", "--short") == ""
        assert (self.tree / "src/till.py").read_text() == "total = 1\n"
        assert self.worktrees() == [self.made.path]
        assert os.listdir(self.root / ".merge") == ["done"]
        assert os.listdir(self.trees / ".merging") == []
        self.git("reset", "-q", "--hard", self.before)
        shutil.rmtree(self.root / ".merge/done")
        assert self.refs() == self.refs_before


@pytest.fixture
def victim(tmp_path: Path) -> Victim:
    return Victim(tmp_path)


@pytest.mark.parametrize("fault", KILLS, ids=lambda fault: fault.name)
def test_a_merge_that_is_killed_around_any_git_is_whole_or_not_there(
    worker: WorkspaceWorker, victim: Victim, tmp_path: Path, fault: GitFault
) -> None:
    options: dict[str, object] = {"verify": "test -e fresh/new.txt"}
    for moment in moments():
        git = RiggedGit(tmp_path / f"bin{moment}", moment, fault)
        killed = worker.run("merge", victim, git=git, options=options) == "killed"
        victim.check()
        if not killed:
            break
    assert moment > 10


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_merge_that_is_killed_at_any_change_of_its_own_is_whole_or_not_there(
    worker: WorkspaceWorker, victim: Victim, part: int
) -> None:
    for moment in moments():
        if moment % 3 != part:
            continue
        killed = worker.run("merge", victim, at=moment) == "killed"
        victim.check()
        if not killed:
            break
    assert moment > 15


def test_leftovers_can_be_cleared_without_another_merge(
    worker: WorkspaceWorker, victim: Victim
) -> None:
    for moment in moments():
        killed = worker.run("merge", victim, at=moment) == "killed"
        if victim.worktrees() != [victim.made.path] or victim.git("status", "--short"):
            break
        assert killed
    victim.merging.clear_leftovers()
    assert victim.worktrees() == [victim.made.path]
    assert victim.git("status", "--short") == ""
    victim.check()


FILES = ("a.txt", "b.txt", "folder/c.txt", "d")
Content = st.sampled_from([None, "one\n", "two\nlines\n", "three long lines\nof\ntext\n", "link:a"])
Trees = st.tuples(*(Content for _ in FILES))
Progress = st.tuples(*(st.sampled_from(["old", "new", "begun", "gone", "edited"]) for _ in FILES))


def put(tree: Path, path: str, content: str | None) -> None:
    file = tree / path
    file.unlink(missing_ok=True)
    if content is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    if content.startswith("link:"):
        file.symlink_to(content.removeprefix("link:"))
    else:
        file.write_text(content)


def found(tree: Path, path: str) -> str | None:
    file = tree / path
    if file.is_symlink():
        return f"link:{os.readlink(file)}"
    return file.read_text() if file.exists() else None


@settings(max_examples=20)
@given(old=Trees, new=Trees, progress=Progress, index_is_new=st.booleans())
def test_a_half_updated_checkout_goes_back_and_edits_since_stay(
    tmp_path_factory: pytest.TempPathFactory,
    old: tuple[str | None, ...],
    new: tuple[str | None, ...],
    progress: tuple[str, ...],
    index_is_new: bool,
) -> None:
    tree = tmp_path_factory.mktemp("checkout")
    environ = {"HOME": str(tree.parent), "PATH": os.environ["PATH"]}

    def git(*args: str) -> str:
        ran = subprocess.run(
            ["git", *ME, *args], cwd=tree, env=environ, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip("\n")

    git("init", "-q")
    commits = []
    for contents in (old, new):
        for path, content in zip(FILES, contents, strict=True):
            put(tree, path, content)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "x")
        commits.append(git("rev-parse", "HEAD"))
    git("reset", "-q", "--soft" if index_is_new else "--mixed", commits[0])
    edited = {}
    for path, before, after, state in zip(FILES, old, new, progress, strict=True):
        if before == after:
            put(tree, path, before)
            continue
        is_link = (after or "").startswith("link:")
        begun = after[:3] if after and not is_link else after
        put(tree, path, {"old": before, "new": after, "begun": begun}.get(state))
        if state == "edited":
            edited[path] = "a person's\n"
            put(tree, path, edited[path])
    (tree / ".git/index.lock").touch()
    os.utime(tree / ".git/index.lock", (1, 1))
    put_checkout_back(open_worktree(str(tree), environ), *commits)
    for path, before in zip(FILES, old, strict=True):
        assert found(tree, path) == edited.get(path, before)
    changed = {line[3:] for line in git("status", "--short", "-uall").splitlines()}
    assert changed <= edited.keys() | {line.split(" -> ")[-1] for line in changed if "->" in line}


def test_files_with_conversions_go_back_too(tmp_path: Path) -> None:
    shop = TaskRepository(tmp_path)
    shop.git("config", "core.autocrlf", "true")
    shop.write("lines.txt", "one\r\ntwo\r\n")
    before = shop.commit("before")
    shop.write("lines.txt", "one\r\ntwo\r\nthree\r\n")
    after = shop.commit("after")
    shop.git("reset", "-q", "--mixed", before)
    shop.write("lines.txt", "one\r\ntwo\r\nthr")
    put_checkout_back(open_worktree(str(shop.tree), shop.environ), before, after)
    assert (shop.tree / "lines.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert shop.git("status", "--short") == ""


def test_a_full_disk_in_the_middle_of_a_checkout_leaves_the_old_files(
    worker: WorkspaceWorker, victim: Victim, tmp_path: Path
) -> None:
    said = set()
    for moment in moments():
        git = RiggedGit(tmp_path / f"bin{moment}", moment, GitFault.NO_SPACE_AFTER)
        said.add(worker.run("merge", victim, git=git).split(":")[0].strip())
        assert victim.git("status", "--short") == ""
        victim.check()
        if not git.was_reached:
            break
    assert "WorkspaceStorageError" in said
    assert "Merged" in said


def test_two_processes_merge_one_after_the_other(tmp_path: Path) -> None:
    shop = TaskRepository(tmp_path)
    for task in ("a", "b", "c"):
        made = shop.workspaces.create(task)
        shop.write(f"{task}.txt", task, at=made.path)
        shop.commit(f"work on {task}", at=made.path)

    async def both() -> list[object]:
        merges = [shop.merging for _ in range(3)]
        requests = (
            MergeRequest(task=task, commit=f"handrail/{task}", target="main", verify="true")
            for task in ("a", "b", "c")
        )
        pairs = zip(merges, requests, strict=True)
        return list(await asyncio.gather(*(each.merge(request) for each, request in pairs)))

    done = asyncio.run(both())
    assert all(isinstance(each, FastForwarded | Merged) for each in done)
    assert {path.name for path in shop.tree.glob("?.txt")} == {"a.txt", "b.txt", "c.txt"}
    assert shop.git("status", "--short") == ""
    assert len(shop.worktrees()) == 3


def test_a_merge_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    victim = Victim(tmp_path)
    merging = victim.merging
    started = tmp_path / "started"
    request = MergeRequest(
        task="a", commit="handrail/a", target="main", verify=f"touch {started}; sleep 600"
    )

    async def cancel() -> None:
        running = asyncio.ensure_future(merging.merge(request))
        while not started.exists():
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert victim.head("main") == victim.before
    victim.check()
