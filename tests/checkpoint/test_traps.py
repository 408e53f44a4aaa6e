"""What broke in other tools, and the rules that follow: one test each.

The numbers are rows of a table of failures ("4.2") and of a list of rules ("4.3") about snapshots
in coding agents.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointTrigger, RestoreTarget, UndoLevel
from handrail.checkpoint.comparison import Comparison
from handrail.checkpoint.errors import FolderRefusedError, NothingSavedError
from handrail.checkpoint.git.runner import _SETTINGS
from handrail.checkpoint.save import size_limits, staging
from handrail.checkpoint.save.size_limits import DISK_FULL
from handrail.checkpoint.tidy import disk_space
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.model import Action, Decision
from handrail.model.checkpoint import StateSnapshot
from handrail.model.event import AgentEnded, AgentStarted, Compacted, IterationEnded
from handrail.review import Reviewer
from handrail.supervise.decision.decision_progress import CheckpointNeeded
from tests.checkpoint.git.test_nested_repositories import repository
from tests.checkpoint.save.test_staging import rig
from tests.server.checkpoint_setup import RUN, CheckpointSetup, prompt
from tests.server.files.test_checkpoint_scheduler import NeverEnds, bash, records, save, waits
from tests.server.files.test_restore_endpoint import RestoreSetup

from .conftest import CheckpointProject
from .test_budget import slow_after
from .test_conflicts import saved, spared
from .test_redo import acted, go
from .test_save import repository_files
from .user_repositories import own_git, shop, written

pytestmark = pytest.mark.slow


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[CheckpointSetup]:
    with_run = CheckpointSetup(tmp_path)
    yield with_run
    with_run.close()


# 4.2: what broke


def test_disk(project: CheckpointProject) -> None:
    """4.2 Disk: however often a file changes, the quota holds."""
    checkpoints = project.of(project.tree, Settings(quota_mb=4))
    for _ in range(2):
        for _ in range(12):
            project.write("data.bin", os.urandom(MEGABYTE // 2))
            checkpoints.save(CheckpointInfo())
        assert checkpoints.tidy().problem == ""
        assert disk_space.used_bytes(str(project.folder)) <= 4 * MEGABYTE
    assert project.held(next(checkpoints.newest_first())) == project.content()


def test_interrupted_gc(project: CheckpointProject) -> None:
    """4.2 Interrupted gc: a pack that was never finished does not stay."""
    project.write("a.txt", "a")
    project.save()
    left = project.folder / "git/objects/pack/tmp_pack_Xy12"
    left.write_bytes(bytes(MEGABYTE))
    project.save()
    assert not left.exists()


def test_gc_without_room(project: CheckpointProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """4.2 Interrupted gc needs twice the space: it is not begun without, and nothing is lost."""
    checkpoints = project.of(project.tree, Settings(quota_mb=2))
    for _ in range(6):
        project.write("data.bin", os.urandom(MEGABYTE // 2))
        checkpoints.save(CheckpointInfo())
    monkeypatch.setattr(disk_space, "free_bytes", lambda _: MEGABYTE)
    assert "could not be packed" in checkpoints.tidy().problem
    assert project.held(next(checkpoints.newest_first())) == project.content()


def test_home_directory_as_root(project: CheckpointProject) -> None:
    """4.2 Home directory as root; 4.3.8: refused, by whatever name, and nothing is made."""
    (project.tree / "link").symlink_to(project.home)
    for folder in ("/", project.home, project.home.parent, project.tree / "link"):
        with pytest.raises(FolderRefusedError):
            check_can_be_saved(str(folder), project.environ)
        with pytest.raises(FolderRefusedError):
            project.of(Path(folder)).save(CheckpointInfo())
    assert not project.folder.exists()


def test_cold_start(project: CheckpointProject) -> None:
    """4.2 Cold start: of an unchanged repository no file is read into the store."""
    shop(project)
    assert project.held(project.save().record) == project.content()
    assert written(project) == 1  # the commit


def test_linked_worktrees(project: CheckpointProject) -> None:
    """4.2 Linked worktrees: seeded from its own index, not from that of the main checkout."""
    shop(project)
    linked = project.home / "linked"
    project.git("worktree", "add", "-q", "-b", "other", str(linked))
    for number in range(20):
        (linked / f"only-{number}").write_text(f"only here: {number}")
    project.git("add", ".", at=linked)
    project.git("commit", "-q", "-m", "more", at=linked)
    record = project.of(linked).save(CheckpointInfo()).record
    assert {f"only-{number}" for number in range(20)} < set(project.held(record))
    assert written(project) == 1  # the commit


def test_every_turn(
    project: CheckpointProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4.2 Every turn: no hunt for nested repositories through ignored folders."""
    project.repository()
    project.write(".gitignore", "node_modules/\n")
    for number in range(30):
        project.write(f"node_modules/{number}/.git/HEAD", "ref: refs/heads/main\n")
    project.save()
    trace = tmp_path / "trace"
    rig(project, tmp_path / "bin", f"export GIT_TRACE2_EVENT={trace}")
    looked = [asked_of(monkeypatch, name) for name in ("listdir", "scandir")]
    project.save()
    visited = [line for line in trace.read_text().splitlines() if "directories-visited" in line]
    assert ['"value":"1"' in line for line in visited] == [True]  # the work tree itself
    assert not [path for paths in looked for path in paths if "node_modules" in path]


def asked_of(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """The folders that a function of `os` is asked about from here on."""
    real, asked = getattr(os, name), []

    def look(path: str = ".") -> object:
        asked.append(str(path))
        return real(path)

    monkeypatch.setattr(os, name, look)
    return asked


def test_nested_repos(project: CheckpointProject) -> None:
    """4.2 Nested repos; 4.3.9: captured in the same checkpoint, and never renamed."""
    project.repository()
    inside = repository(project, "lib", "code.py")
    project.write("lib/untracked.txt", "work")
    before = repository_files(inside)
    record = project.save().record
    assert record.coverage.complete
    (inside / "code.py").write_text("broken")
    (inside / "untracked.txt").unlink()
    project.restore(record)
    assert (inside / "code.py").read_text() == "code.py of lib"
    assert (inside / "untracked.txt").read_text() == "work"
    assert repository_files(inside) == before
    assert sorted(path.name for path in project.tree.rglob(".git*")) == [".git", ".git"]


@pytest.mark.usefixtures("by_git")
def test_data_loss_after_a_failed_snapshot(
    project: CheckpointProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4.2 Data loss, a failed snapshot; 4.3.5: from it nothing is deleted."""
    project.write("kept.txt", "k")
    project.save()
    for number in range(5):
        project.write(f"work-{number}", "untracked")
    with monkeypatch.context() as patched:
        patched.setattr(staging._StagingPass, "_add_batch", slow_after(0))
        failed = project.save().record
    assert failed.coverage.says == "partial"
    before = project.content()
    project.restore(failed)
    assert project.content() == before


def test_undo_does_not_revert_commits(project: CheckpointProject) -> None:
    """4.2 Data loss, committed code: what a person has committed since stays, HEAD too."""
    project.repository()
    saved(project)
    project.write("by-agent.txt", "a")
    saved(project, "A", step=1)
    project.write("README.md", "weeks of work")
    project.git("commit", "-qam", "mine")
    saved(project)
    head = project.git("rev-parse", "HEAD")
    way = RestoreTarget(UndoLevel.TASK, project.checkpoints.find("c1"), run="A")
    assert list(spared(project.checkpoints.restore(way))) == ["README.md"]
    assert project.content() == {"README.md": b"weeks of work"}
    assert project.git("rev-parse", "HEAD") == head


def test_undo_does_not_revert_other_sessions(project: CheckpointProject) -> None:
    """4.2 Data loss, other sessions' work."""
    start = saved(project)
    project.write("of-a", "a")
    saved(project, "A", step=1)
    project.write("of-b", "b")
    saved(project, "B", step=1)
    project.checkpoints.restore(RestoreTarget(UndoLevel.TASK, start, run="A"))
    assert project.content() == {"of-b": b"b"}


def test_undo_does_not_revert_a_sibling_folder(project: CheckpointProject) -> None:
    """4.2 Data loss, a sibling folder: also not one of the same project and store."""
    project.repository()
    sibling = project.home / "shop-2"
    project.git("worktree", "add", "-q", str(sibling))
    start = project.save().record
    project.of(sibling).save(CheckpointInfo())
    for tree in (project.tree, sibling):
        (tree / "README.md").write_text("changed")
        (tree / "new.txt").write_text("new")
    project.restore(start)
    assert (sibling / "README.md").read_text() == "changed"
    assert (sibling / "new.txt").exists()


def test_undo_does_not_go_back_to_a_stale_baseline(project: CheckpointProject) -> None:
    """4.2 Data loss, a stale baseline: an iteration starts from what was there at its prompt."""
    for number, by in ((1, ("A",)), (2, ())):
        project.write("a.txt", f"{number}")
        moment = CheckpointTrigger.PROMPT if not by else CheckpointTrigger.ITERATION_END
        project.checkpoints.save(CheckpointInfo(moment, run="A", step=number, by=by))
    project.write("a.txt", "3")
    project.checkpoints.save(
        CheckpointInfo(CheckpointTrigger.ITERATION_END, run="A", step=3, by=("A",))
    )
    go(project, UndoLevel.ITERATION)
    assert project.content() == {"a.txt": b"2"}


def test_the_users_index_refs_config_and_stash_stay(project: CheckpointProject) -> None:
    """4.2 Data loss, the index: byte for byte, after everything that Handrail does."""
    project.repository()
    project.write("stashed.txt", "s")
    project.git("stash", "push", "-qu")
    project.write("staged.txt", "s")
    project.git("add", "staged.txt")
    project.write("staged.txt", "changed since")
    before = repository_bytes(project)
    everything(project)
    assert repository_bytes(project) == before


def repository_bytes(bench: CheckpointProject) -> dict[str, bytes]:
    """Without times: git marks an object as used that is written once more elsewhere."""
    return {path: content for path, (content, _) in repository_files(bench.tree).items()}


def everything(bench: CheckpointProject) -> None:
    """Save, look, put back, put forth, compare, ask, tidy."""
    first = bench.save().record
    bench.write("README.md", "other")
    bench.write("more.txt", "more")
    second = bench.save().record
    bench.look(first)
    done = bench.restore(first)
    bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after), over=True)
    trees = (first.tree, second.tree)
    comparison = Comparison(str(bench.folder), str(bench.tree), trees, environ=bench.environ)
    assert comparison.files()
    assert comparison.patch()
    bench.checkpoints.uncovered([str(bench.tree)])
    bench.checkpoints.tidy()


def test_silent_emptiness(project: CheckpointProject, tmp_path: Path) -> None:
    """4.2 Silent emptiness: files of which none can be taken in are an error, not a checkpoint."""
    project.write("a.txt", "a")
    rig(project, tmp_path / "bin", 'case "$*" in *update-index*) cat >/dev/null; exit 0;; esac')
    with pytest.raises(NothingSavedError):
        project.save()
    assert list(project.checkpoints.newest_first()) == []


def test_ref_shape(project: CheckpointProject) -> None:
    """4.2 Ref shape: refs point at commits."""
    project.repository()
    everything(project)
    kinds = own_git(project, "for-each-ref", "--format=%(objecttype)").split()
    assert set(kinds) == {b"commit"}


def test_lost_restore(project: CheckpointProject) -> None:
    """4.2 Lost restore: undo of the undo, and of that again."""
    acted(project, 1, a="1")
    acted(project, 2, a="2", b="2")
    for _ in range(2):
        go(project, UndoLevel.ACTION)
        assert project.content() == {"a": b"1"}
        go(project, UndoLevel.REDO)
        assert project.content() == {"a": b"2", "b": b"2"}


# 4.3: the rules


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "rm -rf $HANDRAIL_HOME/checkpoints"}),
        ("Bash", {"command": "git --git-dir={state}/checkpoints/shop-1/git update-ref -d x"}),
        ("Write", {"file_path": "{state}/checkpoints/shop-1/records/c1.json", "content": "{}"}),
    ],
)
def test_rule_1_store_outside_the_agents_reach(
    project: CheckpointProject, tmp_path: Path, tool: str, given: dict[str, str]
) -> None:
    """4.3.1: whoever tries to change the store is refused; it is not in the work tree."""
    state = str(tmp_path / "state")
    filled: dict[str, object] = {
        name: text.replace("{state}", state) for name, text in given.items()
    }
    reviewer = Reviewer(environ={**project.environ, "HANDRAIL_HOME": state})
    assert reviewer.review(Action(tool, filled, str(project.tree))).decision is Decision.BLOCK


def test_rule_2_repo_configuration_runs_no_code(project: CheckpointProject, tmp_path: Path) -> None:
    """4.3.2: whatever an agent writes into .git/config, .gitattributes and hooks."""
    project.repository()
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\n')
    program.chmod(0o755)
    project.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    names = ("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external",
             "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
             "diff.evil.command", "diff.evil.textconv", "merge.evil.driver", "gpg.program",
             "credential.helper", "alias.ls-files", "uploadpack.packObjectsHook")  # fmt: skip
    for name in names:
        project.git("config", "-f", str(tmp_path / "included"), name, str(program))
    project.git(
        "config", "-f", str(tmp_path / "included"), "core.hooksPath", str(tmp_path / "hooks")
    )
    for place in (project.tree / ".git/config", project.home / ".gitconfig"):
        with place.open("a") as file:
            file.write((tmp_path / "included").read_text())
            file.write(f"[include]\n\tpath = {tmp_path}/included\n")
    for folder in (tmp_path / "hooks", project.tree / ".git/hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
            shutil.copy(program, folder / hook)
    everything(project)
    assert not (tmp_path / "ran").exists()
    project.git("status")  # the user's own git does
    assert (tmp_path / "ran").exists()


def test_rule_3_restore_by_diff(project: CheckpointProject) -> None:
    """4.3.3: what is the same is not touched; what others changed is a conflict."""
    same = project.write("same.txt", "same")
    project.write("a.txt", "1")
    start = saved(project)
    project.write("a.txt", "2")
    saved(project, "A", step=1)
    project.write("mine.txt", "by hand")
    facts = same.stat()
    done = project.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), by=())
    assert done.files == ("a.txt",)
    assert list(spared(done)) == ["mine.txt"]
    now = same.stat()
    assert (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) == (
        facts.st_ino,
        facts.st_mtime_ns,
        facts.st_ctime_ns,
    )


def test_rule_4_every_restore_first_takes_a_checkpoint(project: CheckpointProject) -> None:
    """4.3.4: what was there is held, also what nobody had saved yet."""
    start = project.save().record
    project.write("unsaved.txt", "u")
    done = project.restore(start)
    assert project.content() == {}
    assert done.undo.moment is CheckpointTrigger.BEFORE_RESTORE
    assert project.held(done.undo) == {"unsaved.txt": b"u"}


def test_rule_5_a_checkpoint_has_a_completeness_flag(project: CheckpointProject) -> None:
    """4.3.5: complete, or partial with what was left out and why."""
    project.write("a.txt", "a")
    assert project.save().record.coverage.says == "complete"
    project.write("big.bin", bytes(MEGABYTE + 1))
    partial = project.of(project.tree, Settings(max_file_mb=1)).save(CheckpointInfo()).record
    assert partial.coverage.says == "partial"
    assert [(each.path, each.why) for each in partial.coverage.left_out] == [
        ("big.bin", "larger than 1 MB")
    ]


def test_rule_6_never_delete_what_was_not_captured(project: CheckpointProject) -> None:
    """4.3.6: too large then, ignored then: it stays, although it would be captured now."""
    project.write("big.bin", bytes(MEGABYTE + 1))
    project.write(".gitignore", "*.log\n")
    project.write("a.log", "ignored")
    start = project.of(project.tree, Settings(max_file_mb=1)).save(CheckpointInfo()).record
    project.write(".gitignore", "")
    project.write("new.txt", "new")
    assert set(project.held(project.save().record)) == {".gitignore", "a.log", "big.bin", "new.txt"}
    project.restore(start)
    assert set(project.content()) == {".gitignore", "a.log", "big.bin"}


def test_rule_7_only_what_changes_something_waits(workshop: CheckpointSetup) -> None:
    """4.3.7: beside the model's work; what only reads never waits."""
    work = NeverEnds()
    workshop.scheduler.put(str(workshop.tree), work)
    assert not waits(workshop, bash(workshop, "cat cart.txt", 1))
    assert waits(workshop, bash(workshop, "echo x > cart.txt", 2))
    work.over.set()


def test_rule_7_the_soft_limit_lets_go_on(tmp_path: Path) -> None:
    """4.3.7: nobody waits longer for what need not be saved."""
    slow = CheckpointSetup(tmp_path, "checkpoints: {soft_seconds: 0.01}\n")
    work = NeverEnds()
    slow.scheduler.put(str(slow.tree), work)
    needed = slow.run.decide(bash(slow, "echo x > cart.txt"))
    assert isinstance(needed, CheckpointNeeded)
    assert "0.01 s" in save(needed).problem
    work.over.set()
    slow.close()


@pytest.mark.usefixtures("by_git")
def test_rule_7_the_hard_limit_leaves_a_partial_checkpoint_and_says_so(
    project: CheckpointProject, tmp_path: Path
) -> None:
    """4.3.7: a git that hangs costs what it had no time for."""
    project.write("a.txt", "a")
    project.save()
    project.write("b.txt", "b")
    rig(project, tmp_path / "bin", 'case "$*" in *"update-index --add"*) exec sleep 600;; esac')
    partial = project.checkpoints.save(CheckpointInfo(), seconds=2).record
    assert (partial.coverage.says, partial.coverage.unfinished) == ("partial", True)
    assert [each.path for each in partial.coverage.left_out] == ["b.txt"]


def test_rule_8_cap_it(project: CheckpointProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """4.3.8: a disk that is nearly full is not filled; git never packs by itself."""
    project.write("a.txt", "a")
    project.save()
    project.write("b.txt", "b")
    monkeypatch.setattr(size_limits, "_room", lambda _: 0)
    coverage = project.save().record.coverage
    assert [(each.path, each.why) for each in coverage.left_out] == [("b.txt", DISK_FULL)]
    assert (_SETTINGS["gc.auto"], _SETTINGS["maintenance.auto"]) == ("0", "false")


def test_rule_9_nested_repos_are_one_checkpoint(project: CheckpointProject) -> None:
    """4.3.9: however deep."""
    project.repository()
    repository(project, "lib", "a.py")
    repository(project, "lib/deep", "b.py")
    held = set(project.held(project.save().record))
    assert held == {"README.md", "lib/a.py", "lib/deep/b.py"}


def test_rule_10_ignored_files_by_an_include_list(project: CheckpointProject) -> None:
    """4.3.10: .env and local databases come back; the record says by which patterns."""
    project.write(".gitignore", ".env\n*.sqlite3\nbuild/\n")
    for path in (".env", "app.sqlite3", "build/out"):
        project.write(path, "precious")
    record = project.save().record
    assert set(project.held(record)) == {".gitignore", ".env", "app.sqlite3"}
    assert record.include == Settings().include


def test_rule_11_captured_when_the_turn_is_really_over(workshop: CheckpointSetup) -> None:
    """4.3.11: at its start and at its end, and not while a sub-agent still works."""
    workshop.record(prompt())
    workshop.record(AgentStarted(workshop.time, "sub-1"))
    workshop.record(IterationEnded(workshop.time, "Wait for it."))
    (workshop.tree / "cart.txt").write_text("a late edit\n")
    workshop.record(AgentEnded(workshop.time, "sub-1"))
    workshop.record(IterationEnded(workshop.time, "Done."))
    found = [(each.moment.value, each.by) for each in records(workshop)]
    assert found == [("prompt", ()), ("iteration_end", (RUN,))]


def test_rule_12_files_and_conversation_as_one(tmp_path: Path) -> None:
    """4.3.12: the run goes back with its files, or neither does."""
    setup = RestoreSetup(tmp_path)
    state = StateSnapshot("fix the cart", "and the docs")
    setup.bed.clock.advance(1)
    setup.point = setup.save(CheckpointTrigger.PROMPT, state_snapshot=state, by=(RUN,))
    now = setup.look()["preview"]["now"]
    setup.cart.write_text("total = 2\n")
    status, _ = setup.ask("restore", level="checkpoint", target=setup.point, expects=now)
    assert (status, setup.bed.run.state.last_prompt) == (409, "")
    setup.restore()
    assert (setup.cart.read_text(), setup.bed.run.state.last_prompt) == (
        "total = 1\n",
        "and the docs",
    )


def test_rule_12_numbers_survive_a_compaction(workshop: CheckpointSetup) -> None:
    """4.3.12: steps and iterations go on where they were."""
    for number in (1, 2):
        workshop.record(prompt())
        (workshop.tree / "cart.txt").write_text(f"{number}\n")
        workshop.act(number)
        workshop.record(IterationEnded(workshop.time, "Done."))
        workshop.record(Compacted(workshop.time, "auto"))
    found = [(each.step, each.agent_states[0].iteration) for each in records(workshop)]
    assert found == [(0, 1), (1, 1), (2, 2)]
