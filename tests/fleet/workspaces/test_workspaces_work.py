"""Work in a workspace: its status, a commit of all of it, its setup, and what is left over."""

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from handrail.fleet.workspaces.git_settings import GitSetting, safe_settings
from handrail.fleet.workspaces.workspace_environment import workspace_environment
from handrail.fleet.workspaces.workspace_errors import WorkspaceSetupError
from handrail.fleet.workspaces.workspace_orphans import OrphanKind, find_orphans, remove_orphan
from handrail.fleet.workspaces.workspace_records import Workspace
from handrail.fleet.workspaces.workspace_setup import set_up_workspace
from handrail.fleet.workspaces.workspace_work import commit_work, workspace_status
from tests.fleet.task_repository import TaskRepository

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> TaskRepository:
    return TaskRepository(tmp_path)


@pytest.fixture
def made(shop: TaskRepository) -> Workspace:
    return shop.workspaces.create("a")


def test_the_status_names_files_and_commits(shop: TaskRepository, made: Workspace) -> None:
    fresh = workspace_status(made, shop.environ)
    assert (fresh.uncommitted, fresh.commits, fresh.changed) == ((), 0, ())
    assert fresh.last is not None
    assert (fresh.last.hash, fresh.last.subject) == (made.base, "start")
    shop.write("done.txt", "done", at=made.path)
    commit = shop.commit("first step", at=made.path)
    shop.write("README.md", "# Changed\n", at=made.path)
    shop.write("with space/new.txt", "new", at=made.path)
    Path(made.path, "src/till.py").unlink()
    status = workspace_status(made, shop.environ)
    assert set(status.uncommitted) == {"README.md", "with space/new.txt", "src/till.py"}
    assert status.last is not None
    assert (status.last.hash, status.last.subject) == (commit, "first step")
    assert (status.commits, status.changed, status.branch) == (1, ("done.txt",), "handrail/a")


def test_everything_uncommitted_is_committed_as_the_user(
    shop: TaskRepository, made: Workspace
) -> None:
    shop.git("config", "user.name", "Somebody")
    shop.git("config", "user.email", "some@example.invalid")
    shop.git("config", "commit.gpgSign", "true")
    hook = shop.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    shop.write("new.txt", "new", at=made.path)
    Path(made.path, "README.md").unlink()
    commit = commit_work(made, "WIP: stopped by a person\n\n# kept as it is", shop.environ)
    assert commit == shop.head("handrail/a")
    shown = shop.git("log", "-1", "--format=%an <%ae>%n%B", "handrail/a")
    assert shown == "Somebody <some@example.invalid>\nWIP: stopped by a person\n\n# kept as it is"
    assert shop.git("status", "--short", at=made.path) == ""
    assert commit_work(made, "again", shop.environ) is None


def test_without_an_identity_handrail_signs(shop: TaskRepository, made: Workspace) -> None:
    shop.write("new.txt", "new", at=made.path)
    assert commit_work(made, "WIP", shop.environ)
    shown = shop.git("log", "-1", "--format=%an <%ae>", "handrail/a")
    assert shown == "Handrail <handrail@localhost>"


def test_ignored_files_and_repositories_inside_stay_out(
    shop: TaskRepository, made: Workspace
) -> None:
    (shop.home / ".config/git").mkdir(parents=True)
    (shop.home / ".config/git/ignore").write_text(".env\n")
    shop.write(".env", "TOKEN=1", at=made.path)
    shop.write(".gitignore", "*.log\n", at=made.path)
    shop.write("debug.log", "noise", at=made.path)
    for name in ("inner", "in [odd]* place"):
        folder = Path(made.path, name)
        folder.mkdir()
        shop.git("init", "-q", at=folder)
        shop.write("file.txt", "of another repository", at=folder)
    shop.commit("inside", at=Path(made.path, "inner"))
    shop.write("real.txt", "work", at=made.path)
    assert workspace_status(made, shop.environ).uncommitted == (".gitignore", "real.txt")
    assert commit_work(made, "WIP", shop.environ)
    assert workspace_status(made, shop.environ).changed == (".gitignore", "real.txt")


def test_what_cannot_be_read_does_not_hold_up_the_rest(
    shop: TaskRepository, made: Workspace, no_override: None
) -> None:
    secret = shop.write("closed.txt", "closed", at=made.path)
    secret.chmod(0)
    shop.write("open.txt", "open", at=made.path)
    assert commit_work(made, "WIP", shop.environ)
    assert workspace_status(made, shop.environ).changed == ("open.txt",)


def test_locks_of_a_killed_git_do_not_hold_up_the_commit(
    shop: TaskRepository, made: Workspace
) -> None:
    shop.write("new.txt", "new", at=made.path)
    git = shop.tree / ".git"
    locks = ("worktrees/a/index.lock", "worktrees/a/HEAD.lock", "refs/heads/handrail/a.lock")
    for name in locks:
        (git / name).touch()
        os.utime(git / name, (1, 1))
    assert commit_work(made, "WIP", shop.environ) == shop.head("handrail/a")


def test_a_conflict_under_way_is_committed_with_both_parents(
    shop: TaskRepository, made: Workspace
) -> None:
    shop.write("README.md", "# Theirs\n", at=made.path)
    theirs = shop.commit("theirs", at=made.path)
    shop.write("README.md", "# Ours\n")
    ours = shop.commit("ours")
    with pytest.raises(AssertionError):
        shop.git("merge", "-q", "main", at=made.path)
    commit = commit_work(made, "WIP in a merge", shop.environ)
    assert commit is not None
    assert shop.git("log", "-1", "--format=%P", commit) == f"{theirs} {ours}"


def test_variables_keep_workspaces_apart(shop: TaskRepository, made: Workspace) -> None:
    other = shop.workspaces.create("b")
    one, two = workspace_environment(0, made), workspace_environment(1, other)
    assert not [name for name in one if name.startswith("HANDRAIL_")]
    assert all(one[name] != two[name] for name in one)
    assert int(two["FLEET_PORT"]) - int(one["FLEET_PORT"]) == 100


def test_setup_commands_run_once_with_the_variables(shop: TaskRepository, made: Workspace) -> None:
    commands = ("echo $FLEET_TASK in $FLEET_SLOT >> setup.txt", "mktemp >> setup.txt")
    environment = workspace_environment(2, made)

    async def both() -> Workspace:
        ready = await set_up_workspace(shop.workspaces, made, commands, environment)
        return await set_up_workspace(shop.workspaces, ready, commands, environment)

    ready = asyncio.run(both())
    assert ready.is_set_up
    assert shop.workspaces.reuse("a") == ready
    first, second = Path(made.path, "setup.txt").read_text().splitlines()
    assert first == "a in 2"
    assert second.startswith(made.temporary)


def test_a_setup_command_that_fails_says_how_and_the_workspace_is_kept(
    shop: TaskRepository, made: Workspace
) -> None:
    setup = set_up_workspace(
        shop.workspaces, made, ("echo fine", "echo no network; exit 7", "touch not-reached"), {}
    )
    with pytest.raises(WorkspaceSetupError, match="no network") as caught:
        asyncio.run(setup)
    assert caught.value.how == "exit code 7"
    again = shop.workspaces.reuse("a")
    assert again is not None
    assert not again.is_set_up
    assert not Path(made.path, "not-reached").exists()


def test_setup_leaves_no_process_behind(shop: TaskRepository, made: Workspace) -> None:
    commands = ("setsid sleep 600 & echo $! > pid; sleep 600 & echo $! >> pid",)
    asyncio.run(set_up_workspace(shop.workspaces, made, commands, workspace_environment(0, made)))
    for pid in map(int, Path(made.path, "pid").read_text().split()):
        assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_setup_that_hangs_comes_to_an_end(shop: TaskRepository, made: Workspace) -> None:
    setup = set_up_workspace(shop.workspaces, made, ("sleep 600",), {}, seconds=0.05)
    with pytest.raises(WorkspaceSetupError, match="no end after"):
        asyncio.run(setup)


def test_leftovers_are_found_with_what_they_hold(shop: TaskRepository, made: Workspace) -> None:
    assert find_orphans(shop.workspaces, {"a"}) == []
    shop.write("new.txt", "new", at=made.path)
    shop.commit("work", at=made.path)
    shop.write("more.txt", "more", at=made.path)
    gone = shop.workspaces.create("gone")
    os.rename(gone.path, shop.home / "elsewhere")
    lost = shop.workspaces.create("lost")
    (shop.root / ".records/lost.json").unlink()
    kept = shop.workspaces.create("kept")
    shop.workspaces.remove(kept, keep_branch=True)
    found = {each.name: each for each in find_orphans(shop.workspaces, {"gone"})}
    assert {name: each.kind for name, each in found.items()} == {
        "a": OrphanKind.NO_TASK,
        "gone": OrphanKind.UNUSABLE,
        "lost": OrphanKind.NO_RECORD,
        "kept": OrphanKind.BRANCH,
    }
    assert found["a"].loss.files == ("more.txt",)
    assert [each.subject for each in found["a"].loss.commits] == ["work"]
    assert found["gone"].path == ""
    assert found["lost"].path == lost.path
    for each in found.values():
        remove_orphan(shop.workspaces, each)
    assert find_orphans(shop.workspaces, ()) == []
    assert shop.worktrees() == []
    assert [ref for ref in shop.refs() if "handrail" in ref] == []


def test_a_persons_worktrees_are_no_leftovers(shop: TaskRepository) -> None:
    for number, path in enumerate((shop.home / "mine", shop.trees / "mine")):
        shop.git("worktree", "add", "-q", "-b", f"mine{number}", str(path))
        shop.git("worktree", "lock", "--reason", "my own", str(path))
    assert find_orphans(shop.workspaces, ()) == []


def test_only_programs_that_the_user_names_run() -> None:
    found = safe_settings(
        [
            GitSetting("global", "filter.lfs.clean", "git-lfs clean"),
            GitSetting("local", "filter.lfs.clean", "evil"),
            GitSetting("local", "filter.a.b.smudge", "evil"),
            GitSetting("worktree", "merge.x.driver", "evil"),
            GitSetting("local", "core.sshcommand", "evil"),
            GitSetting("local", "core.hookspath", "evil"),
            GitSetting("local", "user.name", "Me"),
        ]
    )
    assert "evil" not in found.values()
    assert found["filter.lfs.clean"] == "git-lfs clean"
    assert (found["filter.a.b.smudge"], found["filter.a.b.required"]) == ("", "false")
    assert "user.name" not in found
    assert found["user.email"] == "handrail@localhost"
