"""Merges: verified on the merged tree, put on the branch as a whole, or left waiting."""

import asyncio
import shlex
import subprocess
from pathlib import Path

import pytest

from handrail.fleet.merges.conflict_resolution import begin_resolution, resolution_prompt
from handrail.fleet.merges.merge_outcome import (
    FastForwarded,
    MergeConflict,
    Merged,
    MergeOutcome,
    MergeWaiting,
    NothingToMerge,
    NotTakenBack,
    TakenBack,
    VerifyFailed,
)
from handrail.fleet.merges.merge_work import WAITING, MergeRequest
from handrail.fleet.workspaces.workspace_errors import UnknownCommitError
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_work import commit_work
from tests.fleet.task_repository import TaskRepository

pytestmark = pytest.mark.slow


class MergeShop(TaskRepository):
    """A repository whose tasks are merged."""

    def work(self, task: str, path: str = "new.txt", content: str = "new\n") -> Workspace:
        """A workspace with one commit."""
        made = self.workspaces.create(task)
        self.write(path, content, at=made.path)
        self.commit(f"work on {task}", at=made.path)
        return made

    def merge(
        self,
        task: str,
        *,
        verify: str = "",
        setup: tuple[str, ...] = (),
        target: str = "main",
        keep_conflict: bool = False,
    ) -> MergeOutcome:
        request = MergeRequest(
            task=task,
            commit=self.head(f"handrail/{task}"),
            target=target,
            verify=verify,
            setup=setup,
            keep_conflict=keep_conflict,
        )
        return asyncio.run(self.merging.merge(request))

    def move_on(self, path: str = "other.txt", content: str = "other\n") -> str:
        """A commit of a person on main."""
        self.write(path, content)
        return self.commit("meanwhile")


@pytest.fixture
def shop(tmp_path: Path) -> MergeShop:
    return MergeShop(tmp_path)


def is_clean(shop: MergeShop) -> bool:
    return shop.git("status", "--short") == "" and len(shop.worktrees()) == 1


def test_a_branch_that_has_not_moved_is_fast_forwarded_with_its_checkout(shop: MergeShop) -> None:
    shop.work("a")
    before = shop.head()
    done = shop.merge("a")
    assert isinstance(done, FastForwarded)
    assert (done.before, done.commit) == (before, shop.head("handrail/a"))
    assert shop.head("main") == done.commit
    assert (shop.tree / "new.txt").read_text() == "new\n"
    assert is_clean(shop)


def test_a_branch_that_has_moved_gets_a_merge_commit(shop: MergeShop) -> None:
    shop.work("a")
    other = shop.move_on()
    done = shop.merge("a")
    assert isinstance(done, Merged)
    parents = shop.git("log", "-1", "--format=%P %s", "main")
    assert parents == f"{other} {shop.head('handrail/a')} Merge task a"
    assert (shop.tree / "new.txt").exists()
    assert (shop.tree / "other.txt").exists()
    assert is_clean(shop)


def test_a_branch_that_nobody_has_checked_out_moves_alone(shop: MergeShop) -> None:
    shop.git("branch", "release")
    shop.work("a")
    done = shop.merge("a", target="release")
    assert isinstance(done, FastForwarded)
    assert shop.head("release") == done.commit
    assert shop.head("main") == done.before
    assert not (shop.tree / "new.txt").exists()


def test_the_verify_command_sees_the_merged_tree(shop: MergeShop) -> None:
    shop.work("a")
    shop.move_on()
    done = shop.merge("a", verify="cat new.txt other.txt && git log -1 --format=%s")
    assert isinstance(done, Merged)
    assert done.verification is not None
    assert done.verification.says == "new\nother\nMerge task a"


def test_setup_runs_before_the_verify_command_with_variables_of_its_own(shop: MergeShop) -> None:
    shop.work("a")
    done = shop.merge(
        "a", setup=("echo $FLEET_TASK $PORT > made", "mktemp >> made"), verify="cat made"
    )
    assert isinstance(done, FastForwarded)
    assert done.verification is not None
    task, temporary = done.verification.says.splitlines()
    assert task == "a 20900"
    assert temporary.startswith(str(shop.trees))
    assert not (shop.tree / "made").exists()


@pytest.mark.parametrize("setup", [(), ("echo no packages; false",)])
def test_a_tree_that_does_not_pass_changes_nothing(shop: MergeShop, setup: tuple[str, ...]) -> None:
    shop.work("a")
    before = shop.head()
    done = shop.merge("a", verify="echo broken; exit 3", setup=setup)
    assert isinstance(done, VerifyFailed)
    assert done.verification.says == ("no packages" if setup else "broken")
    assert shop.head() == before
    assert is_clean(shop)


def test_nothing_to_merge_and_a_merge_told_again(shop: MergeShop) -> None:
    shop.workspaces.create("a")
    assert isinstance(shop.merge("a"), NothingToMerge)
    shop.work("b")
    done = shop.merge("b")
    assert isinstance(done, FastForwarded)
    again = shop.merge("b")
    assert isinstance(again, FastForwarded)
    assert (again.before, again.commit, again.again) == (done.before, done.commit, True)
    assert shop.merging.made("b") == done


def test_a_conflict_changes_nothing_and_names_the_files(shop: MergeShop) -> None:
    shop.work("a", "README.md", "# Theirs\n")
    before = shop.move_on("README.md", "# Ours\n")
    done = shop.merge("a")
    assert isinstance(done, MergeConflict)
    assert done.files == ("README.md",)
    assert (shop.head(), is_clean(shop)) == (before, True)
    shown = subprocess.run(shlex.split(done.look), capture_output=True, text=True, check=True)
    assert "+# Theirs" in shown.stdout


def test_the_worktree_with_a_conflict_is_kept_if_asked_until_the_next_merge(
    shop: MergeShop,
) -> None:
    shop.work("a", "README.md", "# Theirs\n")
    shop.move_on("README.md", "# Ours\n")
    done = shop.merge("a", keep_conflict=True)
    assert isinstance(done, MergeConflict)
    assert "<<<<<<<" in Path(done.scratch, "README.md").read_text()
    assert isinstance(shop.merge("a"), MergeConflict)
    assert is_clean(shop)


def test_a_conflict_can_be_given_back_to_the_agent(shop: MergeShop) -> None:
    made = shop.work("a", "README.md", "# Theirs\n")
    shop.move_on("README.md", "# Ours\n")
    shop.write("more.txt", "uncommitted", at=made.path)
    files = begin_resolution(made, "main", shop.environ)
    assert files == ("README.md",)
    assert begin_resolution(made, "main", shop.environ) == files  # after a crash
    prompt = resolution_prompt("a", "main", files)
    assert "README.md" in prompt
    assert "git merge main" in prompt
    shop.write("README.md", "# Both\n", at=made.path)
    assert commit_work(made, "resolved", shop.environ) == shop.head("handrail/a")
    done = shop.merge("a")
    assert isinstance(done, FastForwarded)
    assert (shop.tree / "README.md").read_text() == "# Both\n"
    assert (shop.tree / "more.txt").exists()


def test_a_resolution_without_conflicts_is_committed_at_once(shop: MergeShop) -> None:
    made = shop.work("a")
    shop.move_on()
    assert begin_resolution(made, "main", shop.environ) == ()
    assert shop.git("status", "--short", at=made.path) == ""
    assert isinstance(shop.merge("a"), FastForwarded)


def waits(shop: MergeShop, task: str = "a") -> str:
    """A merge must wait: main and its checkout are as before. Returns why."""
    before, status = shop.head("main"), shop.git("status", "--short")
    done = shop.merge(task)
    assert isinstance(done, MergeWaiting)
    assert done.ref == f"{WAITING}{task}"
    assert shop.refs()[done.ref] == done.commit
    assert shop.merging.waiting() == {task: done.commit}
    assert (shop.head("main"), shop.git("status", "--short")) == (before, status)
    return done.why


def test_a_checkout_with_changes_makes_the_merge_wait(shop: MergeShop) -> None:
    shop.work("a")
    shop.write("README.md", "# Mine\n")
    assert "uncommitted changes: README.md" in waits(shop)
    shop.git("add", ".")
    assert "uncommitted changes: README.md" in waits(shop)
    shop.git("commit", "-q", "-m", "mine")
    assert isinstance(shop.merge("a"), Merged)
    assert shop.merging.waiting() == {}


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("path", ["new.txt", "folder/inner.txt"])
def test_untracked_files_in_the_way_are_never_overwritten(
    shop: MergeShop, path: str, ignored: bool
) -> None:
    shop.work("a", path)
    if ignored:
        (shop.tree / ".git/info/exclude").write_text("*.txt\nfolder\n")
    mine = shop.write(path.split("/", maxsplit=1)[0], "mine\n")
    assert mine.name in waits(shop)
    assert mine.read_text() == "mine\n"
    mine.unlink()
    assert isinstance(shop.merge("a"), FastForwarded)


def test_an_ignored_folder_in_the_place_of_a_new_file_is_kept(shop: MergeShop) -> None:
    shop.work("a", "build", "a file\n")
    (shop.tree / ".git/info/exclude").write_text("build/\n")
    mine = shop.write("build/mine.o", "mine")
    assert "build" in waits(shop)
    assert mine.read_text() == "mine"


def test_untracked_files_elsewhere_do_not_matter(shop: MergeShop) -> None:
    shop.work("a")
    shop.write("notes.txt", "mine")
    assert isinstance(shop.merge("a"), FastForwarded)
    assert shop.git("status", "--short") == "?? notes.txt"


def test_a_rebase_or_merge_under_way_makes_the_merge_wait(shop: MergeShop) -> None:
    shop.work("a")
    shop.git("checkout", "-q", "-b", "side", "HEAD")
    shop.write("README.md", "# Side\n")
    shop.commit("side")
    shop.git("checkout", "-q", "main")
    shop.move_on("README.md", "# Ours\n")
    with pytest.raises(AssertionError):
        shop.git("rebase", "-q", "side")
    assert "a rebase is under way" in waits(shop)
    shop.git("rebase", "--abort")
    with pytest.raises(AssertionError):
        shop.git("merge", "-q", "side")
    assert "a merge is under way" in waits(shop)
    shop.git("merge", "--abort")
    assert isinstance(shop.merge("a"), Merged)


def test_two_checkouts_of_the_branch_make_the_merge_wait(shop: MergeShop) -> None:
    shop.git("worktree", "add", "-q", "-f", str(shop.home / "second"), "main")
    shop.work("a")
    assert "several places" in waits(shop)


def test_a_checkout_in_a_linked_worktree_is_updated_too(shop: MergeShop) -> None:
    shop.git("worktree", "add", "-q", "-b", "release", str(shop.home / "second"))
    shop.work("a")
    assert isinstance(shop.merge("a", target="release"), FastForwarded)
    assert (shop.home / "second/new.txt").exists()
    assert shop.git("status", "--short", at=shop.home / "second") == ""


def test_unknown_targets_and_commits_are_named(shop: MergeShop) -> None:
    shop.work("a")
    with pytest.raises(UnknownCommitError, match="nowhere"):
        shop.merge("a", target="nowhere")
    request = MergeRequest(task="a", commit="0" * 40, target="main")
    with pytest.raises(UnknownCommitError, match="000"):
        asyncio.run(shop.merging.merge(request))


def test_hooks_and_programs_of_the_repository_do_not_run(shop: MergeShop, tmp_path: Path) -> None:
    for name in ("pre-merge-commit", "post-merge", "commit-msg", "post-checkout", "pre-commit"):
        hook = shop.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
        hook.chmod(0o755)
    for key in ("filter.x.clean", "filter.x.smudge", "merge.x.driver", "core.fsmonitor"):
        shop.git("config", key, f"touch {tmp_path}/ran; cat")
    made = shop.workspaces.create("a")
    shop.write(".git/info/attributes", "* filter=x merge=x\n")
    shop.write("src/till.py", "total = 1\n", at=made.path)
    assert commit_work(made, "work", shop.environ)
    shop.write(".git/info/attributes", "")
    for hook in (shop.tree / ".git/hooks").iterdir():
        hook.rename(hook.with_suffix(".off"))
    shop.git("config", "core.fsmonitor", "false")
    shop.move_on()
    (tmp_path / "ran").unlink(missing_ok=True)
    shop.git("config", "core.fsmonitor", f"touch {tmp_path}/ran; cat")
    for hook in (shop.tree / ".git/hooks").iterdir():
        hook.rename(hook.with_suffix(""))
    shop.write(".git/info/attributes", "* filter=x merge=x\n")
    assert isinstance(shop.merge("a"), Merged)
    assert not (tmp_path / "ran").exists()


def test_a_merge_is_taken_back_and_made_again(shop: MergeShop) -> None:
    shop.work("a")
    before = shop.move_on()
    done = shop.merge("a")
    assert isinstance(done, Merged)
    back = shop.merging.take_back(done)
    assert isinstance(back, TakenBack)
    assert (shop.head("main"), is_clean(shop)) == (before, True)
    assert not (shop.tree / "new.txt").exists()
    assert shop.merging.waiting() == {"a": done.commit}
    assert isinstance(shop.merge("a"), Merged)
    assert shop.merging.waiting() == {}


def test_a_merge_with_later_commits_stays_and_says_which(shop: MergeShop) -> None:
    shop.work("a")
    done = shop.merge("a")
    assert isinstance(done, FastForwarded)
    shop.move_on()
    back = shop.merging.take_back(done)
    assert isinstance(back, NotTakenBack)
    assert [each.subject for each in back.since] == ["meanwhile"]
    shop.git("reset", "-q", "--hard", done.before)
    gone = shop.merging.take_back(done)
    assert isinstance(gone, NotTakenBack)
    assert "does not hold the merge" in gone.why
    assert shop.merging.waiting() == {}


def test_a_merge_is_not_taken_back_over_changes_in_the_checkout(shop: MergeShop) -> None:
    shop.work("a")
    done = shop.merge("a")
    assert isinstance(done, FastForwarded)
    shop.write("new.txt", "changed since\n")
    back = shop.merging.take_back(done)
    assert isinstance(back, NotTakenBack)
    assert "uncommitted changes: new.txt" in back.why
    assert (shop.tree / "new.txt").read_text() == "changed since\n"
    assert shop.head("main") == done.commit
    assert shop.merging.waiting() == {}


def test_the_default_target_is_the_branch_of_the_repositorys_folder(shop: MergeShop) -> None:
    assert shop.merging.default_target() == "main"
    shop.git("checkout", "-q", "--detach")
    assert shop.merging.default_target() == ""
