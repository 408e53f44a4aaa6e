"""What others have changed since is theirs, unless a person says otherwise."""

import hashlib
import zlib
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointRecord,
    CheckpointStore,
    CheckpointTrigger,
    Coverage,
    LeftOut,
    RestorePreview,
    RestoreResult,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.errors import FilesChangedError

from .conftest import CheckpointProject
from .git_calls import GitCalls

pytestmark = pytest.mark.slow


def saved(bench: CheckpointProject, *by: str, step: int = 0) -> CheckpointRecord:
    """A checkpoint after these runs worked; without any, after a person did."""
    run = by[0] if by else ""
    about = CheckpointInfo(CheckpointTrigger.AFTER_ACTION, "a test", run=run, step=step, by=by)
    return bench.checkpoints.save(about).record


def action(
    target: CheckpointRecord, base: CheckpointRecord | None = None, run: str = "A"
) -> RestoreTarget:
    return RestoreTarget(UndoLevel.ACTION, target, base, run)


def back(bench: CheckpointProject, to: CheckpointRecord) -> RestoreResult:
    """Everything since then that no person did."""
    return bench.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, to))


def spared(done: RestoreResult | RestorePreview) -> dict[str, str]:
    return {each.path: each.why for each in done.spared if each.conflict}


class TestOneAction:
    """A way that ends in a checkpoint."""

    def test_what_is_as_it_left_it_goes_back(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        before = saved(project)
        project.write("a", "2")
        after = saved(project, "A", step=1)
        project.write("later", "of anybody")
        restored = project.checkpoints.restore(action(before, after))
        assert restored.files == ("a",)
        assert project.content() == {"a": b"1", "later": b"of anybody"}

    def test_what_was_changed_since_is_spared(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        before = saved(project)
        project.write("a", "2")
        after = saved(project, "A", step=1)
        project.write("a", "3")
        way = action(before, after)
        restored = project.checkpoints.restore(way, by=())
        assert spared(restored) == {"a": "changed by a person since the last checkpoint"}
        assert project.content() == {"a": b"3"}

    def test_what_is_back_already_is_nothing_to_do(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        before = saved(project)
        project.write("a", "2")
        after = saved(project, "A", step=1)
        project.write("a", "1")
        restored = project.checkpoints.restore(action(before, after))
        assert (restored.items, restored.spared) == ((), ())

    def test_a_person_can_have_it_overwritten_and_back_again(
        self, project: CheckpointProject
    ) -> None:
        project.write("a", "1")
        before = saved(project)
        project.write("a", "2")
        after = saved(project, "A", step=1)
        project.write("a", "3")
        restored = project.checkpoints.restore(action(before, after), over=True)
        assert project.content() == {"a": b"1"}
        project.checkpoints.restore(RestoreTarget(UndoLevel.REDO, restored.undo, restored.after))
        assert project.content() == {"a": b"3"}

    def test_a_file_made_by_it_and_changed_since_is_not_deleted(
        self, project: CheckpointProject
    ) -> None:
        before = saved(project)
        project.write("new", "by the agent")
        after = saved(project, "A", step=1)
        project.write("new", "improved by hand")
        restored = project.checkpoints.restore(action(before, after))
        assert list(spared(restored)) == ["new"]
        assert project.content() == {"new": b"improved by hand"}

    def test_a_file_deleted_by_it_and_made_anew_is_not_overwritten(
        self, project: CheckpointProject
    ) -> None:
        project.write("a", "1")
        before = saved(project)
        (project.tree / "a").unlink()
        after = saved(project, "A", step=1)
        project.write("a", "anew")
        restored = project.checkpoints.restore(action(before, after))
        assert list(spared(restored)) == ["a"]
        assert project.content() == {"a": b"anew"}

    def test_later_actions_of_the_same_run_stay(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        before = saved(project)
        project.write("a", "2")
        project.write("b", "2")
        after = saved(project, "A", step=1)
        project.write("a", "3")
        saved(project, "A", step=2)
        restored = project.checkpoints.restore(action(before, after))
        assert spared(restored) == {"a": "changed by run A (in c3, just now)"}
        assert project.content() == {"a": b"3"}

    def test_a_folder_that_somebody_made_in_its_place_stays(
        self, project: CheckpointProject
    ) -> None:
        project.write("a", "1")
        before = saved(project)
        (project.tree / "a").unlink()
        after = saved(project, "A", step=1)
        project.write("a/mine", "a folder now")
        restored = project.checkpoints.restore(action(before, after), over=True)
        assert [each.why for each in restored.spared] == [
            "a folder with other files is in its place"
        ]
        assert project.content() == {"a/mine": b"a folder now"}


class TestEverythingSince:
    """A way that ends now."""

    def test_other_runs_keep_their_work(self, project: CheckpointProject) -> None:
        start = saved(project)
        project.write("a", "of A")
        saved(project, "A")
        project.write("b", "of B")
        saved(project, "B")
        restored = project.checkpoints.restore(action(start))
        assert spared(restored) == {"b": "changed by run B (in c3, just now)"}
        assert project.content() == {"b": b"of B"}

    def test_a_file_that_both_changed_is_a_conflict(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        start = saved(project)
        project.write("a", "of A")
        saved(project, "A")
        project.write("a", "of A and B")
        saved(project, "B")
        project.write("a", "of A, B and A")
        saved(project, "A")
        restored = project.checkpoints.restore(action(start))
        assert spared(restored) == {"a": "changed by run B (in c3, just now)"}

    def test_runs_that_worked_at_the_same_time_cannot_be_told_apart(
        self, project: CheckpointProject
    ) -> None:
        start = saved(project)
        project.write("a", "of one of them")
        saved(project, "B", "A")
        assert project.checkpoints.restore(action(start)).files == ("a",)

    def test_other_runs_keep_what_they_did_in_the_middle_of_an_iteration(
        self, project: CheckpointProject
    ) -> None:
        start = saved(project)
        project.write("a", "of A")
        saved(project, "A")
        project.write("b", "of B")
        saved(project, "B")
        project.write("a", "more")
        end = saved(project, "A")
        restored = project.checkpoints.restore(RestoreTarget(UndoLevel.ITERATION, start, end, "A"))
        assert project.content() == {"b": b"of B"}
        assert list(spared(restored)) == ["b"]

    def test_without_a_run_what_a_person_did_stays(self, project: CheckpointProject) -> None:
        start = saved(project)
        project.write("a", "of A")
        saved(project, "A")
        project.write("b", "of B")
        saved(project, "B")
        project.write("mine", "by hand")
        saved(project)
        restored = back(project, start)
        assert spared(restored) == {"mine": "changed by a person (in c4, just now)"}
        assert project.content() == {"mine": b"by hand"}

    def test_what_is_not_saved_yet_is_undone_unless_it_is_known_to_be_of_others(
        self, project: CheckpointProject
    ) -> None:
        start = saved(project)
        project.write("new", "")
        way = action(start)
        says = "since the last checkpoint"
        assert spared(project.checkpoints.preview(way)) == {}
        assert spared(project.checkpoints.preview(way, by=("A", "B"))) == {}
        assert spared(project.checkpoints.preview(way, by=())) == {
            "new": f"changed by a person {says}"
        }
        assert spared(project.checkpoints.preview(way, by=("B",))) == {
            "new": f"changed by run B {says}"
        }

    def test_what_a_restore_has_done_is_nobodys(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        start = saved(project)
        project.write("a", "2")
        middle = saved(project, "A")
        project.write("a", "3")
        saved(project, "A")
        back(project, middle)
        assert back(project, start).files == ("a",)
        assert project.content() == {"a": b"1"}

    def test_what_was_undone_is_no_conflict_any_more(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        start = saved(project)
        project.write("a", "by hand")
        saved(project)
        project.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), over=True)
        project.write("a", "of A")
        saved(project, "A")
        assert back(project, start).files == ("a",)

    def test_what_was_redone_is_one_again(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        start = saved(project)
        project.write("b", "of A")
        saved(project, "A")
        project.write("a", "by hand")
        saved(project)
        done = project.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), over=True)
        project.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
        assert list(spared(back(project, start))) == ["a"]

    def test_it_is_said_how_long_ago(self, project: CheckpointProject) -> None:
        start = saved(project)
        project.write("b", "of A")
        saved(project, "A")
        project.write("a", "by hand")
        record = saved(project)
        for seconds, says in (
            (5, "just now"),
            (200, "3 min ago"),
            (7300, "2 h ago"),
            (100_000, "1 day ago"),
            (200_000, "2 days ago"),
        ):
            later = record.created_at + timedelta(seconds=seconds)
            checkpoints = CheckpointStore(
                str(project.folder),
                str(project.tree),
                environ=project.environ,
                clock=later.timestamp,
            )
            preview = checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, start))
            assert spared(preview) == {"a": f"changed by a person (in c3, {says})"}

    @pytest.mark.usefixtures("by_git")
    def test_many_checkpoints_between_need_no_more_processes(
        self, project: CheckpointProject, tmp_path: Path
    ) -> None:
        start = saved(project)
        project.write("a", "0")
        saved(project, "A")
        counted = GitCalls(project, tmp_path)
        project.checkpoints.preview(action(start))
        few = len(counted.commands())
        for number in range(6):
            project.write("a", f"{number}")
            saved(project, "A")
        counted.commands()
        project.checkpoints.preview(action(start))
        assert len(counted.commands()) == few


class TestDeletions:
    """Only what was certainly not there then."""

    def test_none_from_a_checkpoint_that_was_not_finished(self, project: CheckpointProject) -> None:
        project.write("a", "1")
        start = saved(project)
        half = msgspec.structs.replace(start, coverage=Coverage(unfinished=True))
        project.write("a", "2")
        project.write("new", "")
        restored = back(project, half)
        assert restored.files == ("a",)
        assert [each.path for each in restored.spared] == ["new"]
        assert "not finished" in restored.spared[0].why

    def test_not_what_was_left_out(self, project: CheckpointProject) -> None:
        start = saved(project)
        left_out = (LeftOut("big", "too large"), LeftOut("data/", "too many"))
        start = msgspec.structs.replace(start, coverage=Coverage(left_out))
        for path in ("big", "data/x/y", "data.txt", "bigger"):
            project.write(path)
        restored = back(project, start)
        assert [(each.path, each.why) for each in restored.spared] == [
            ("big", "it was left out then: too large"),
            ("data/x/y", "it was left out then: too many"),
        ]
        assert set(project.content()) == {"big", "data/x/y"}

    def test_not_what_the_ignore_file_of_a_folder_left_out_then(
        self, project: CheckpointProject
    ) -> None:
        project.write("sub/.gitignore", "out/\n")
        project.write("sub/out/x", "ignored")
        start = saved(project)
        (project.tree / "sub/.gitignore").unlink()
        project.write("sub/new", "")
        back(project, start)
        assert set(project.content()) == {"sub/.gitignore", "sub/out/x"}

    def test_a_file_that_is_too_large_to_be_saved_now_is_not_overwritten(
        self, project: CheckpointProject
    ) -> None:
        project.write("a", "small")
        start = saved(project)
        with (project.tree / "a").open("wb") as file:
            file.truncate(60_000_000)
        restored = back(project, start)
        assert restored.items == ()
        assert "cannot be saved" in restored.spared[0].why
        assert (project.tree / "a").stat().st_size == 60_000_000


class TestTheRepositoryOfTheUser:
    """Undo is about files; what git holds stays as it is."""

    def test_it_is_byte_for_byte_the_same(self, project: CheckpointProject) -> None:
        project.repository()
        project.write("stashed", "x")
        project.git("stash", "-q", "-u")
        project.write("staged", "y")
        project.git("add", "staged")
        before = fingerprint(project)
        start = saved(project)
        project.write("README.md", "changed")
        (project.tree / "staged").unlink()
        saved(project, "A")
        done = back(project, start)
        project.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
        assert fingerprint(project) == before

    def test_commits_since_then_stay(self, project: CheckpointProject) -> None:
        """A person worked on and committed; an old action of the agent is undone."""
        project.repository()
        project.write("a", "1")
        start = saved(project)
        project.write("a", "2")
        after = saved(project, "A")
        project.write("README.md", "weeks of work")
        project.git("commit", "-q", "-am", "weeks of work")
        head = project.git("rev-parse", "HEAD").strip()
        preview = project.checkpoints.preview(action(start, after))
        assert preview.head == head
        project.checkpoints.restore(action(start, after))
        assert project.git("rev-parse", "HEAD").strip() == head
        assert project.content() == {"a": b"1", "README.md": b"weeks of work"}

    def test_work_that_was_committed_since_is_a_conflict(self, project: CheckpointProject) -> None:
        project.repository()
        start = saved(project)
        project.write("README.md", "by the agent")
        after = saved(project, "A")
        project.write("README.md", "by the agent, corrected")
        project.git("commit", "-q", "-am", "corrected")
        restored = project.checkpoints.restore(action(start, after))
        assert list(spared(restored)) == ["README.md"]
        assert project.git("status", "--porcelain") == ""


def test_a_folder_beside_the_work_tree_is_not_touched(project: CheckpointProject) -> None:
    beside = project.home / "shop-2"
    beside.mkdir()
    (beside / "a").write_text("1")
    project.write("a", "1")
    start = saved(project)
    project.write("a", "2")
    (beside / "a").write_text("2")
    back(project, start)
    assert (beside / "a").read_text() == "2"


def test_going_back_to_an_empty_folder_can_be_undone(project: CheckpointProject) -> None:
    start = saved(project)
    project.write("a", "1")
    project.write("b/c", "2")
    full = project.content()
    done = back(project, start)
    assert project.content() == {}
    project.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
    assert project.content() == full


def test_what_was_not_seen_in_the_preview_is_not_restored(project: CheckpointProject) -> None:
    project.write("a", "1")
    start = saved(project)
    project.write("a", "2")
    preview = project.checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, start))
    project.write("a", "3")
    with pytest.raises(FilesChangedError):
        project.checkpoints.restore(preview.way, expects=preview.now)
    assert project.content() == {"a": b"3"}


def test_a_preview_says_how_much_it_is(project: CheckpointProject) -> None:
    project.write("a", "12345")
    project.write("b", "1")
    start = saved(project)
    project.write("a", "")
    (project.tree / "b").unlink()
    project.write("c", "123")
    preview = project.checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, start))
    assert {each.path: each.bytes for each in preview.items} == {"a": 5, "b": 1, "c": 3}
    assert project.content() == {"a": b"", "c": b"123"}


def test_the_ways_of_a_repository_itself_are_never_written(project: CheckpointProject) -> None:
    """Git takes no such path in; whoever gets one into the store gains nothing by it."""
    saved(project)
    tree = hostile(project, ".git/hooks/post-commit")
    start = msgspec.structs.replace(saved(project), tree=tree)
    restored = back(project, start)
    assert restored.items == ()
    assert [each.why for each in restored.spared] == ["it is part of a repository itself"]
    assert not (project.tree / ".git").exists()


def hostile(bench: CheckpointProject, path: str) -> str:
    """A tree with a path that git itself would not save."""
    inner = _write_object(bench, "blob", b"evil")
    mode = "100755"
    for name in reversed(path.split("/")):
        raw = f"{mode} {name}\0".encode() + bytes.fromhex(inner)
        inner = _write_object(bench, "tree", raw)
        mode = "40000"
    return inner


def _write_object(bench: CheckpointProject, kind: str, body: bytes) -> str:
    whole = f"{kind} {len(body)}\0".encode() + body
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    place = bench.folder / "git" / "objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(whole))
    return name


def fingerprint(bench: CheckpointProject) -> dict[str, bytes]:
    """Every file of the user's repository."""
    folder = bench.tree / ".git"
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_where_no_agent_has_worked_people_take_back_what_people_did(
    project: CheckpointProject,
) -> None:
    project.write("a", "1")
    start = saved(project)
    project.write("a", "2")
    saved(project)
    project.write("b", "3")
    restored = project.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), by=())
    assert restored.spared == ()
    assert project.content() == {"a": b"1"}
