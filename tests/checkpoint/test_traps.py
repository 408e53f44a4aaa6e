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
from handrail.supervise.decision_progress import CheckpointNeeded
from tests.checkpoint.git.test_nested_repositories import repository
from tests.checkpoint.save.test_staging import rig
from tests.server.files.test_checkpoint_scheduler import NeverEnds, bash, records, save, waits
from tests.server.files.test_restore_endpoint import Desk
from tests.server.workshop import RUN, Workshop, prompt

from .conftest import Bench
from .seeds import own_git, shop, written
from .test_budget import slow_after
from .test_conflicts import saved, spared
from .test_redo import acted, go
from .test_save import repository_files

pytestmark = pytest.mark.slow


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with_run = Workshop(tmp_path)
    yield with_run
    with_run.close()


# 4.2: what broke


def test_disk(bench: Bench) -> None:
    """4.2 Disk: however often a file changes, the quota holds."""
    checkpoints = bench.of(bench.tree, Settings(quota_mb=4))
    for _ in range(2):
        for _ in range(12):
            bench.write("data.bin", os.urandom(MEGABYTE // 2))
            checkpoints.save(CheckpointInfo())
        assert checkpoints.tidy().problem == ""
        assert disk_space.used_bytes(str(bench.folder)) <= 4 * MEGABYTE
    assert bench.held(next(checkpoints.newest_first())) == bench.content()


def test_interrupted_gc(bench: Bench) -> None:
    """4.2 Interrupted gc: a pack that was never finished does not stay."""
    bench.write("a.txt", "a")
    bench.save()
    left = bench.folder / "git/objects/pack/tmp_pack_Xy12"
    left.write_bytes(bytes(MEGABYTE))
    bench.save()
    assert not left.exists()


def test_gc_without_room(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """4.2 Interrupted gc needs twice the space: it is not begun without, and nothing is lost."""
    checkpoints = bench.of(bench.tree, Settings(quota_mb=2))
    for _ in range(6):
        bench.write("data.bin", os.urandom(MEGABYTE // 2))
        checkpoints.save(CheckpointInfo())
    monkeypatch.setattr(disk_space, "free_bytes", lambda _: MEGABYTE)
    assert "could not be packed" in checkpoints.tidy().problem
    assert bench.held(next(checkpoints.newest_first())) == bench.content()


def test_home_directory_as_root(bench: Bench) -> None:
    """4.2 Home directory as root; 4.3.8: refused, by whatever name, and nothing is made."""
    (bench.tree / "link").symlink_to(bench.home)
    for folder in ("/", bench.home, bench.home.parent, bench.tree / "link"):
        with pytest.raises(FolderRefusedError):
            check_can_be_saved(str(folder), bench.environ)
        with pytest.raises(FolderRefusedError):
            bench.of(Path(folder)).save(CheckpointInfo())
    assert not bench.folder.exists()


def test_cold_start(bench: Bench) -> None:
    """4.2 Cold start: of an unchanged repository no file is read into the store."""
    shop(bench)
    assert bench.held(bench.save().record) == bench.content()
    assert written(bench) == 1  # the commit


def test_linked_worktrees(bench: Bench) -> None:
    """4.2 Linked worktrees: seeded from its own index, not from that of the main checkout."""
    shop(bench)
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", "-b", "other", str(linked))
    for number in range(20):
        (linked / f"only-{number}").write_text(f"only here: {number}")
    bench.git("add", ".", at=linked)
    bench.git("commit", "-q", "-m", "more", at=linked)
    record = bench.of(linked).save(CheckpointInfo()).record
    assert {f"only-{number}" for number in range(20)} < set(bench.held(record))
    assert written(bench) == 1  # the commit


def test_every_turn(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """4.2 Every turn: no hunt for nested repositories through ignored folders."""
    bench.repository()
    bench.write(".gitignore", "node_modules/\n")
    for number in range(30):
        bench.write(f"node_modules/{number}/.git/HEAD", "ref: refs/heads/main\n")
    bench.save()
    trace = tmp_path / "trace"
    rig(bench, tmp_path / "bin", f"export GIT_TRACE2_EVENT={trace}")
    looked = [asked_of(monkeypatch, name) for name in ("listdir", "scandir")]
    bench.save()
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


def test_nested_repos(bench: Bench) -> None:
    """4.2 Nested repos; 4.3.9: captured in the same checkpoint, and never renamed."""
    bench.repository()
    inside = repository(bench, "lib", "code.py")
    bench.write("lib/untracked.txt", "work")
    before = repository_files(inside)
    record = bench.save().record
    assert record.coverage.complete
    (inside / "code.py").write_text("broken")
    (inside / "untracked.txt").unlink()
    bench.restore(record)
    assert (inside / "code.py").read_text() == "code.py of lib"
    assert (inside / "untracked.txt").read_text() == "work"
    assert repository_files(inside) == before
    assert sorted(path.name for path in bench.tree.rglob(".git*")) == [".git", ".git"]


@pytest.mark.usefixtures("by_git")
def test_data_loss_after_a_failed_snapshot(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """4.2 Data loss, a failed snapshot; 4.3.5: from it nothing is deleted."""
    bench.write("kept.txt", "k")
    bench.save()
    for number in range(5):
        bench.write(f"work-{number}", "untracked")
    with monkeypatch.context() as patched:
        patched.setattr(staging._StagingPass, "_add_batch", slow_after(0))
        failed = bench.save().record
    assert failed.coverage.says == "partial"
    before = bench.content()
    bench.restore(failed)
    assert bench.content() == before


def test_undo_does_not_revert_commits(bench: Bench) -> None:
    """4.2 Data loss, committed code: what a person has committed since stays, HEAD too."""
    bench.repository()
    saved(bench)
    bench.write("by-agent.txt", "a")
    saved(bench, "A", step=1)
    bench.write("README.md", "weeks of work")
    bench.git("commit", "-qam", "mine")
    saved(bench)
    head = bench.git("rev-parse", "HEAD")
    way = RestoreTarget(UndoLevel.TASK, bench.checkpoints.find("c1"), run="A")
    assert list(spared(bench.checkpoints.restore(way))) == ["README.md"]
    assert bench.content() == {"README.md": b"weeks of work"}
    assert bench.git("rev-parse", "HEAD") == head


def test_undo_does_not_revert_other_sessions(bench: Bench) -> None:
    """4.2 Data loss, other sessions' work."""
    start = saved(bench)
    bench.write("of-a", "a")
    saved(bench, "A", step=1)
    bench.write("of-b", "b")
    saved(bench, "B", step=1)
    bench.checkpoints.restore(RestoreTarget(UndoLevel.TASK, start, run="A"))
    assert bench.content() == {"of-b": b"b"}


def test_undo_does_not_revert_a_sibling_folder(bench: Bench) -> None:
    """4.2 Data loss, a sibling folder: also not one of the same project and store."""
    bench.repository()
    sibling = bench.home / "shop-2"
    bench.git("worktree", "add", "-q", str(sibling))
    start = bench.save().record
    bench.of(sibling).save(CheckpointInfo())
    for tree in (bench.tree, sibling):
        (tree / "README.md").write_text("changed")
        (tree / "new.txt").write_text("new")
    bench.restore(start)
    assert (sibling / "README.md").read_text() == "changed"
    assert (sibling / "new.txt").exists()


def test_undo_does_not_go_back_to_a_stale_baseline(bench: Bench) -> None:
    """4.2 Data loss, a stale baseline: an iteration starts from what was there at its prompt."""
    for number, by in ((1, ("A",)), (2, ())):
        bench.write("a.txt", f"{number}")
        moment = CheckpointTrigger.PROMPT if not by else CheckpointTrigger.ITERATION_END
        bench.checkpoints.save(CheckpointInfo(moment, run="A", step=number, by=by))
    bench.write("a.txt", "3")
    bench.checkpoints.save(
        CheckpointInfo(CheckpointTrigger.ITERATION_END, run="A", step=3, by=("A",))
    )
    go(bench, UndoLevel.ITERATION)
    assert bench.content() == {"a.txt": b"2"}


def test_the_users_index_refs_config_and_stash_stay(bench: Bench) -> None:
    """4.2 Data loss, the index: byte for byte, after everything that Handrail does."""
    bench.repository()
    bench.write("stashed.txt", "s")
    bench.git("stash", "push", "-qu")
    bench.write("staged.txt", "s")
    bench.git("add", "staged.txt")
    bench.write("staged.txt", "changed since")
    before = repository_bytes(bench)
    everything(bench)
    assert repository_bytes(bench) == before


def repository_bytes(bench: Bench) -> dict[str, bytes]:
    """Without times: git marks an object as used that is written once more elsewhere."""
    return {path: content for path, (content, _) in repository_files(bench.tree).items()}


def everything(bench: Bench) -> None:
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


def test_silent_emptiness(bench: Bench, tmp_path: Path) -> None:
    """4.2 Silent emptiness: files of which none can be taken in are an error, not a checkpoint."""
    bench.write("a.txt", "a")
    rig(bench, tmp_path / "bin", 'case "$*" in *update-index*) cat >/dev/null; exit 0;; esac')
    with pytest.raises(NothingSavedError):
        bench.save()
    assert list(bench.checkpoints.newest_first()) == []


def test_ref_shape(bench: Bench) -> None:
    """4.2 Ref shape: refs point at commits."""
    bench.repository()
    everything(bench)
    kinds = own_git(bench, "for-each-ref", "--format=%(objecttype)").split()
    assert set(kinds) == {b"commit"}


def test_lost_restore(bench: Bench) -> None:
    """4.2 Lost restore: undo of the undo, and of that again."""
    acted(bench, 1, a="1")
    acted(bench, 2, a="2", b="2")
    for _ in range(2):
        go(bench, UndoLevel.ACTION)
        assert bench.content() == {"a": b"1"}
        go(bench, UndoLevel.REDO)
        assert bench.content() == {"a": b"2", "b": b"2"}


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
    bench: Bench, tmp_path: Path, tool: str, given: dict[str, str]
) -> None:
    """4.3.1: whoever tries to change the store is refused; it is not in the work tree."""
    state = str(tmp_path / "state")
    filled: dict[str, object] = {
        name: text.replace("{state}", state) for name, text in given.items()
    }
    reviewer = Reviewer(environ={**bench.environ, "HANDRAIL_HOME": state})
    assert reviewer.review(Action(tool, filled, str(bench.tree))).decision is Decision.BLOCK


def test_rule_2_repo_configuration_runs_no_code(bench: Bench, tmp_path: Path) -> None:
    """4.3.2: whatever an agent writes into .git/config, .gitattributes and hooks."""
    bench.repository()
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\n')
    program.chmod(0o755)
    bench.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    names = ("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external",
             "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
             "diff.evil.command", "diff.evil.textconv", "merge.evil.driver", "gpg.program",
             "credential.helper", "alias.ls-files", "uploadpack.packObjectsHook")  # fmt: skip
    for name in names:
        bench.git("config", "-f", str(tmp_path / "included"), name, str(program))
    bench.git("config", "-f", str(tmp_path / "included"), "core.hooksPath", str(tmp_path / "hooks"))
    for place in (bench.tree / ".git/config", bench.home / ".gitconfig"):
        with place.open("a") as file:
            file.write((tmp_path / "included").read_text())
            file.write(f"[include]\n\tpath = {tmp_path}/included\n")
    for folder in (tmp_path / "hooks", bench.tree / ".git/hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
            shutil.copy(program, folder / hook)
    everything(bench)
    assert not (tmp_path / "ran").exists()
    bench.git("status")  # the user's own git does
    assert (tmp_path / "ran").exists()


def test_rule_3_restore_by_diff(bench: Bench) -> None:
    """4.3.3: what is the same is not touched; what others changed is a conflict."""
    same = bench.write("same.txt", "same")
    bench.write("a.txt", "1")
    start = saved(bench)
    bench.write("a.txt", "2")
    saved(bench, "A", step=1)
    bench.write("mine.txt", "by hand")
    facts = same.stat()
    done = bench.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), by=())
    assert done.files == ("a.txt",)
    assert list(spared(done)) == ["mine.txt"]
    now = same.stat()
    assert (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) == (
        facts.st_ino,
        facts.st_mtime_ns,
        facts.st_ctime_ns,
    )


def test_rule_4_every_restore_first_takes_a_checkpoint(bench: Bench) -> None:
    """4.3.4: what was there is held, also what nobody had saved yet."""
    start = bench.save().record
    bench.write("unsaved.txt", "u")
    done = bench.restore(start)
    assert bench.content() == {}
    assert done.undo.moment is CheckpointTrigger.BEFORE_RESTORE
    assert bench.held(done.undo) == {"unsaved.txt": b"u"}


def test_rule_5_a_checkpoint_has_a_completeness_flag(bench: Bench) -> None:
    """4.3.5: complete, or partial with what was left out and why."""
    bench.write("a.txt", "a")
    assert bench.save().record.coverage.says == "complete"
    bench.write("big.bin", bytes(MEGABYTE + 1))
    partial = bench.of(bench.tree, Settings(max_file_mb=1)).save(CheckpointInfo()).record
    assert partial.coverage.says == "partial"
    assert [(each.path, each.why) for each in partial.coverage.left_out] == [
        ("big.bin", "larger than 1 MB")
    ]


def test_rule_6_never_delete_what_was_not_captured(bench: Bench) -> None:
    """4.3.6: too large then, ignored then: it stays, although it would be captured now."""
    bench.write("big.bin", bytes(MEGABYTE + 1))
    bench.write(".gitignore", "*.log\n")
    bench.write("a.log", "ignored")
    start = bench.of(bench.tree, Settings(max_file_mb=1)).save(CheckpointInfo()).record
    bench.write(".gitignore", "")
    bench.write("new.txt", "new")
    assert set(bench.held(bench.save().record)) == {".gitignore", "a.log", "big.bin", "new.txt"}
    bench.restore(start)
    assert set(bench.content()) == {".gitignore", "a.log", "big.bin"}


def test_rule_7_only_what_changes_something_waits(workshop: Workshop) -> None:
    """4.3.7: beside the model's work; what only reads never waits."""
    work = NeverEnds()
    workshop.hands.lanes.put(workshop.hands.keeper.lane(str(workshop.tree)), work)
    assert not waits(workshop, bash(workshop, "cat cart.txt", 1))
    assert waits(workshop, bash(workshop, "echo x > cart.txt", 2))
    work.over.set()


def test_rule_7_the_soft_limit_lets_go_on(tmp_path: Path) -> None:
    """4.3.7: nobody waits longer for what need not be saved."""
    slow = Workshop(tmp_path, "checkpoints: {soft_seconds: 0.01}\n")
    work = NeverEnds()
    slow.hands.lanes.put(slow.hands.keeper.lane(str(slow.tree)), work)
    needed = slow.run.decide(bash(slow, "echo x > cart.txt"))
    assert isinstance(needed, CheckpointNeeded)
    assert "0.01 s" in save(needed).problem
    work.over.set()
    slow.close()


@pytest.mark.usefixtures("by_git")
def test_rule_7_the_hard_limit_leaves_a_partial_checkpoint_and_says_so(
    bench: Bench, tmp_path: Path
) -> None:
    """4.3.7: a git that hangs costs what it had no time for."""
    bench.write("a.txt", "a")
    bench.save()
    bench.write("b.txt", "b")
    rig(bench, tmp_path / "bin", 'case "$*" in *"update-index --add"*) exec sleep 600;; esac')
    partial = bench.checkpoints.save(CheckpointInfo(), seconds=2).record
    assert (partial.coverage.says, partial.coverage.unfinished) == ("partial", True)
    assert [each.path for each in partial.coverage.left_out] == ["b.txt"]


def test_rule_8_cap_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """4.3.8: a disk that is nearly full is not filled; git never packs by itself."""
    bench.write("a.txt", "a")
    bench.save()
    bench.write("b.txt", "b")
    monkeypatch.setattr(size_limits, "_room", lambda _: 0)
    coverage = bench.save().record.coverage
    assert [(each.path, each.why) for each in coverage.left_out] == [("b.txt", DISK_FULL)]
    assert (_SETTINGS["gc.auto"], _SETTINGS["maintenance.auto"]) == ("0", "false")


def test_rule_9_nested_repos_are_one_checkpoint(bench: Bench) -> None:
    """4.3.9: however deep."""
    bench.repository()
    repository(bench, "lib", "a.py")
    repository(bench, "lib/deep", "b.py")
    held = set(bench.held(bench.save().record))
    assert held == {"README.md", "lib/a.py", "lib/deep/b.py"}


def test_rule_10_ignored_files_by_an_include_list(bench: Bench) -> None:
    """4.3.10: .env and local databases come back; the record says by which patterns."""
    bench.write(".gitignore", ".env\n*.sqlite3\nbuild/\n")
    for path in (".env", "app.sqlite3", "build/out"):
        bench.write(path, "precious")
    record = bench.save().record
    assert set(bench.held(record)) == {".gitignore", ".env", "app.sqlite3"}
    assert record.include == Settings().include


def test_rule_11_captured_when_the_turn_is_really_over(workshop: Workshop) -> None:
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
    desk = Desk(tmp_path)
    state = StateSnapshot("fix the cart", "and the docs")
    desk.bed.clock.advance(1)
    desk.point = desk.save(CheckpointTrigger.PROMPT, state_snapshot=state, by=(RUN,))
    now = desk.look()["preview"]["now"]
    desk.cart.write_text("total = 2\n")
    status, _ = desk.ask("restore", level="checkpoint", target=desk.point, expects=now)
    assert (status, desk.bed.run.state.last_prompt) == (409, "")
    desk.restore()
    assert (desk.cart.read_text(), desk.bed.run.state.last_prompt) == (
        "total = 1\n",
        "and the docs",
    )


def test_rule_12_numbers_survive_a_compaction(workshop: Workshop) -> None:
    """4.3.12: steps and iterations go on where they were."""
    for number in (1, 2):
        workshop.record(prompt())
        (workshop.tree / "cart.txt").write_text(f"{number}\n")
        workshop.act(number)
        workshop.record(IterationEnded(workshop.time, "Done."))
        workshop.record(Compacted(workshop.time, "auto"))
    found = [(each.step, each.agent_states[0].iteration) for each in records(workshop)]
    assert found == [(0, 1), (1, 1), (2, 2)]
