"""What an agent does to a repository is taken back by the user's own git."""

from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointRecord, CheckpointTrigger, UndoLevel
from handrail.checkpoint.errors import CheckpointError, NothingToUndoError
from handrail.checkpoint.history.git_plan import GitUndoPlan
from handrail.checkpoint.history.git_undo import GitChangedError
from handrail.checkpoint.history.repository_state import repository_look
from handrail.checkpoint.restore.undo_levels import restore_target
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow

RUN = "shop-1"


class GitProject(CheckpointProject):
    """A repository in which an agent works, a checkpoint before and after each of its actions."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.repository()
        self.write(".gitignore", "*.local\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "ignore")
        self.step = 0
        self.note("before", CheckpointTrigger.PROMPT)

    def note(self, why: str, moment: CheckpointTrigger, *, by: tuple[str, ...] = ()) -> None:
        self.checkpoints.save(CheckpointInfo(moment, why, run=RUN, step=self.step, by=by))

    def act(self, *commands: str) -> None:
        """One action of the agent: calls of git, or `write PATH CONTENT`."""
        self.note(f"before {commands[0]}", CheckpointTrigger.BEFORE_ACTION, by=(RUN,))
        for command in commands:
            words = command.split()
            if words[0] == "write":
                self.write(words[1], " ".join(words[2:]) + "\n")
            else:
                self.git(*words)
        self.step += 1
        self.note(f"after {commands[0]}", CheckpointTrigger.AFTER_ACTION, by=(RUN,))

    def person(self, *command: str) -> None:
        """A person works: the checkpoint of the next prompt has it."""
        self.git(*command)
        self.note("prompt", CheckpointTrigger.PROMPT)

    def undo(self, level: UndoLevel = UndoLevel.ACTION, step: int = 0) -> GitUndoPlan:
        records = list(self.checkpoints.newest_first())
        last = next(each for each in records if each.repository)
        now, repository = last.tree, last.repository
        way = restore_target(records, level, step=step, now=now, repository=repository)
        planned = self.checkpoints.plan_git_undo(way, by=())
        done = self.checkpoints.restore(way, by=())
        self.checkpoints.undo_git(way, planned, done, expects=planned.digest)
        return planned.plan

    def look(self) -> dict[str, str]:  # type: ignore[override]
        """Everything that git tells about the repository, but its logs."""
        asked = {
            "refs": (
                "for-each-ref",
                "--format=%(refname) %(objectname)",
                "refs/heads",
                "refs/tags",
            ),
            "stash": ("stash", "list", "--format=%H %gs"),
            "index": ("ls-files", "-s"),
            "status": ("status", "--porcelain"),
        }
        head = (self.tree / ".git" / "HEAD").read_text()
        return {"head": head, **{name: self.git(*words) for name, words in asked.items()}}


@pytest.fixture
def shop(tmp_path: Path) -> GitProject:
    return GitProject(tmp_path)


ACTIONS = {
    "a commit": ("write a.txt new", "add a.txt", "commit -q -m wip"),
    "a commit of everything": ("write README.md other", "commit -q -a -m wip"),
    "an amended commit": ("write README.md other", "commit -q -a --amend -m other"),
    "a branch": ("branch next",),
    "a branch that is checked out": (
        "switch -q -c next",
        "write b.txt b",
        "add .",
        "commit -q -m b",
    ),
    "a renamed branch": ("branch -m main trunk",),
    "a deleted branch": ("branch -D old",),
    "a tag": ("tag v1",),
    "a tag with a message": ("tag -a -m one v1",),
    "a hard reset": ("reset -q --hard HEAD~1",),
    "a soft reset": ("reset -q --soft HEAD~1",),
    "a mixed reset": ("reset -q HEAD~1",),
    "a detached head": ("checkout -q --detach HEAD~1",),
    "a staged file": ("write README.md staged", "add README.md"),
    "a staged deletion": ("rm -q -f README.md",),
    "a stash": ("write README.md stashed", "stash push -q -m mine"),
    "a stash with untracked files": ("write c.txt c", "stash push -q -u -m mine"),
    "a dropped stash": ("stash drop -q",),
    "a popped stash": ("stash pop -q",),
    "a second stash": ("write README.md again", "stash push -q -m two"),
    "a merge": ("merge -q --no-edit old",),
    "a rebase": ("rebase -q old",),
    "a cherry-pick": ("cherry-pick old",),
    "a revert": ("revert --no-edit HEAD",),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_on_the_repository_is_undone_and_redone(shop: GitProject, action: str) -> None:
    shop.git("switch", "-q", "-c", "old", "HEAD~1")
    shop.write("old.txt", "old\n")
    shop.git("add", "old.txt")
    shop.git("commit", "-q", "-m", "old")
    shop.git("switch", "-q", "main")
    shop.write("README.md", "half done\n")
    if "popped" in action or "dropped" in action:
        shop.git("stash", "push", "-q", "-m", "first")
    elif any(word in action for word in ("merge", "rebase", "cherry", "revert")):
        shop.git("checkout", "-q", "README.md")
    shop.note("prompt", CheckpointTrigger.PROMPT)
    before, files = shop.look(), shop.content()
    logged = shop.git("reflog", "--format=%H %gs")
    shop.act(*ACTIONS[action])
    after, changed = shop.look(), shop.content()
    assert after != before

    plan = shop.undo()
    assert plan.spared == ()
    assert (shop.look(), shop.content()) == (before, files)
    assert shop.git("reflog", "--format=%H %gs").endswith(logged)

    shop.undo(UndoLevel.REDO)
    assert (shop.look(), shop.content()) == (after, changed)


def test_actions_are_undone_one_after_the_other(shop: GitProject) -> None:
    states = [shop.look()]
    for number in range(3):
        shop.act(f"write a.txt {number}", "add a.txt", f"commit -q -m {number}")
        states.append(shop.look())
    for state in states[-2::-1]:
        shop.undo()
        assert shop.look() == state
    with pytest.raises(NothingToUndoError):
        shop.undo()


def test_an_earlier_action_is_undone_by_its_step(shop: GitProject) -> None:
    shop.act("branch one")
    shop.act("branch two")
    shop.act("write a.txt a")
    shop.undo(step=1)
    assert shop.git("branch", "--format=%(refname:short)").split() == ["main", "two"]
    assert (shop.tree / "a.txt").exists()


def test_an_iteration_goes_back_as_a_whole(shop: GitProject) -> None:
    before = shop.look()
    shop.act("write a.txt a", "add .", "commit -q -m a")
    shop.act("tag v1")
    shop.act("write README.md other", "stash -q")
    shop.undo(UndoLevel.ITERATION)
    assert shop.look() == before


def test_what_a_person_did_since_stays(shop: GitProject) -> None:
    shop.act("branch theirs", "write a.txt a", "add .", "commit -q -m agent")
    shop.write("mine.txt", "mine\n")
    shop.git("add", "mine.txt")
    shop.person("commit", "-q", "-m", "person")
    top = shop.git("rev-parse", "HEAD")
    plan = shop.undo()
    assert [each.name for each in plan.spared] == ["refs/heads/main"]
    assert shop.git("rev-parse", "HEAD") == top
    assert shop.git("branch", "--format=%(refname:short)").split() == ["main"]


def test_a_commit_of_a_person_between_two_of_the_agent_stays(shop: GitProject) -> None:
    shop.act("write a.txt a", "add .", "commit -q -m agent")
    shop.person("commit", "-q", "--allow-empty", "-m", "person")
    shop.act("write b.txt b", "add .", "commit -q -m agent")
    top = shop.git("rev-parse", "HEAD")
    plan = shop.undo(UndoLevel.TASK)
    assert "refs/heads/main" in [each.name for each in plan.spared]
    assert shop.git("rev-parse", "HEAD") == top


def test_what_a_person_staged_since_stays(shop: GitProject) -> None:
    shop.act("write a.txt a", "write b.txt b", "add a.txt b.txt")
    shop.write("a.txt", "mine\n")
    shop.person("add", "a.txt")
    staged = shop.git("ls-files", "-s", "a.txt")
    shop.undo()
    assert shop.git("ls-files", "-s", "a.txt", "b.txt") == staged


def test_a_person_who_switched_since_stays_there(shop: GitProject) -> None:
    shop.act("switch -q -c next", "tag v1")
    shop.person("switch", "-q", "-c", "mine")
    shop.undo()
    assert shop.git("symbolic-ref", "--short", "HEAD").strip() == "mine"
    assert shop.git("tag") == ""


def test_a_branch_that_another_work_tree_has_is_left_alone(shop: GitProject) -> None:
    shop.git("worktree", "add", "-q", "-b", "beside", str(shop.home / "beside"))
    shop.note("prompt", CheckpointTrigger.PROMPT)
    shop.act("update-ref refs/heads/beside HEAD~1")
    plan = shop.undo()
    assert [each.why for each in plan.spared] == ["another work tree has it checked out"]


def test_what_is_taken_back_stays_reachable(shop: GitProject) -> None:
    shop.act("switch -q -c next", "write a.txt a", "add .", "commit -q -m a")
    top = shop.git("rev-parse", "HEAD")
    shop.undo()
    kept = shop.git("for-each-ref", "--format=%(objectname)", "refs/handrail").split()
    assert top.strip() in kept


def test_a_merge_that_stopped_is_not_under_way_any_more(shop: GitProject) -> None:
    shop.git("switch", "-q", "-c", "other")
    shop.write("README.md", "theirs\n")
    shop.git("commit", "-q", "-a", "-m", "theirs")
    shop.git("switch", "-q", "main")
    shop.write("README.md", "ours\n")
    shop.git("commit", "-q", "-a", "-m", "ours")
    shop.note("prompt", CheckpointTrigger.PROMPT)
    before, files = shop.look(), shop.content()
    shop.note("before", CheckpointTrigger.BEFORE_ACTION, by=(RUN,))
    with pytest.raises(Exception, match="merge"):
        shop.git("merge", "other")
    shop.step += 1
    shop.note("after", CheckpointTrigger.AFTER_ACTION, by=(RUN,))
    assert (shop.tree / ".git" / "MERGE_HEAD").exists()
    shop.undo()
    assert (shop.look(), shop.content()) == (before, files)
    assert not (shop.tree / ".git" / "MERGE_HEAD").exists()


def test_the_first_commit_of_all_is_undone(tmp_path: Path) -> None:
    bare = CheckpointProject(tmp_path)
    bare.write("a.txt", "a\n")
    bare.git("init", "-q", "-b", "main")
    first = saved(bare, CheckpointTrigger.BEFORE_ACTION, 0)
    bare.git("add", ".")
    bare.git("commit", "-q", "-m", "first")
    saved(bare, CheckpointTrigger.AFTER_ACTION, 1)
    records = list(bare.checkpoints.newest_first())
    way = restore_target(
        records, UndoLevel.ACTION, now=first.tree, repository=records[0].repository
    )
    planned = bare.checkpoints.plan_git_undo(way, by=())
    done = bare.checkpoints.restore(way, by=())
    bare.checkpoints.undo_git(way, planned, done, expects=planned.digest)
    assert bare.git("status", "--porcelain") == "?? a.txt\n"
    assert bare.git("for-each-ref", "refs/heads") == ""


def saved(project: CheckpointProject, moment: CheckpointTrigger, step: int) -> CheckpointRecord:
    about = CheckpointInfo(moment, "x", run=RUN, step=step, by=(RUN,))
    return project.checkpoints.save(about).record


def test_no_hook_of_the_repository_runs(shop: GitProject, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    hook = shop.tree / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    shop.act("branch next")
    hook.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    hook.chmod(0o755)
    shop.undo()
    assert not mark.exists()


def test_what_changed_while_a_person_looked_is_not_touched(shop: GitProject) -> None:
    shop.act("branch next")
    records = list(shop.checkpoints.newest_first())
    now, repository = records[0].tree, records[0].repository
    way = restore_target(records, UndoLevel.ACTION, now=now, repository=repository)
    seen = shop.checkpoints.plan_git_undo(way, by=())
    shop.git("branch", "-f", "next", "HEAD~1")
    again = shop.checkpoints.plan_git_undo(way, by=())
    done = shop.checkpoints.restore(way, by=())
    with pytest.raises(GitChangedError):
        shop.checkpoints.undo_git(way, again, done, expects=seen.digest)
    with pytest.raises(CheckpointError, match="nothing is changed"):
        shop.checkpoints.undo_git(way, seen, done, expects=seen.digest)
    assert "next" in shop.git("branch")


def test_a_late_checkpoint_ends_no_part_that_is_undone(shop: GitProject) -> None:
    """It may lie in the middle of a commit: half of it would go back."""
    before = shop.look()
    shop.note("before", CheckpointTrigger.BEFORE_ACTION, by=(RUN,))
    shop.write("a.txt", "a\n")
    shop.git("add", "a.txt")
    about = CheckpointInfo(CheckpointTrigger.PERIODIC, "late", run=RUN, step=1, by=(RUN,))
    shop.checkpoints.save(about, is_late=lambda: True)
    shop.git("commit", "-q", "-m", "a")
    shop.step = 1
    shop.note("after", CheckpointTrigger.AFTER_ACTION, by=(RUN,))
    shop.undo()
    assert shop.look() == before


def test_a_status_that_only_refreshes_the_index_is_no_change(shop: GitProject) -> None:
    last = next(shop.checkpoints.newest_first())
    (shop.tree / "README.md").touch()
    shop.git("status")
    assert not shop.checkpoints.save(CheckpointInfo(run=RUN)).is_new
    assert next(shop.checkpoints.newest_first()).repository == last.repository


def test_states_without_a_checkpoint_are_tidied_away(shop: GitProject) -> None:
    for number in range(60):
        shop.act(f"tag v{number}")
    shop.checkpoints.tidy()
    kept = {each.repository for each in shop.checkpoints.newest_first()}
    assert {path.stem for path in (shop.folder / "history").iterdir()} == kept


def test_a_folder_without_a_repository_has_nothing_to_take_back(tmp_path: Path) -> None:
    plain = CheckpointProject(tmp_path)
    plain.write("a.txt", "a")
    assert saved(plain, CheckpointTrigger.BEFORE_ACTION, 0).repository == ""
    plain.write("a.txt", "b")
    saved(plain, CheckpointTrigger.AFTER_ACTION, 1)
    records = list(plain.checkpoints.newest_first())
    with pytest.raises(NothingToUndoError, match="recorded a repository"):
        restore_target(records, UndoLevel.ACTION, now=records[0].tree, repository="")


def test_a_repository_that_changed_before_it_was_read_is_not_recorded(shop: GitProject) -> None:
    """The agent has stopped, and a person commits before the checkpoint is taken."""
    look = repository_look(str(shop.tree))
    shop.git("commit", "-q", "--allow-empty", "-m", "person")
    about = CheckpointInfo(CheckpointTrigger.ITERATION_END, "stopped", run=RUN, by=(RUN,))
    assert shop.checkpoints.save(about, look=look).record.repository == ""
    with pytest.raises(NothingToUndoError):
        shop.undo()
