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

from .conftest import Bench
from .counting import Counted

pytestmark = pytest.mark.slow


def saved(bench: Bench, *by: str, step: int = 0) -> CheckpointRecord:
    """A checkpoint after these runs worked; without any, after a person did."""
    run = by[0] if by else ""
    about = CheckpointInfo(CheckpointTrigger.AFTER_ACTION, "a test", run=run, step=step, by=by)
    return bench.checkpoints.save(about).record


def action(
    target: CheckpointRecord, base: CheckpointRecord | None = None, run: str = "A"
) -> RestoreTarget:
    return RestoreTarget(UndoLevel.ACTION, target, base, run)


def back(bench: Bench, to: CheckpointRecord) -> RestoreResult:
    """Everything since then that no person did."""
    return bench.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, to))


def spared(done: RestoreResult | RestorePreview) -> dict[str, str]:
    return {each.path: each.why for each in done.spared if each.conflict}


class TestOneAction:
    """A way that ends in a checkpoint."""

    def test_what_is_as_it_left_it_goes_back(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        bench.write("a", "2")
        after = saved(bench, "A", step=1)
        bench.write("later", "of anybody")
        restored = bench.checkpoints.restore(action(before, after))
        assert restored.files == ("a",)
        assert bench.content() == {"a": b"1", "later": b"of anybody"}

    def test_what_was_changed_since_is_spared(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        bench.write("a", "2")
        after = saved(bench, "A", step=1)
        bench.write("a", "3")
        way = action(before, after)
        restored = bench.checkpoints.restore(way, by=())
        assert spared(restored) == {"a": "changed by a person since the last checkpoint"}
        assert bench.content() == {"a": b"3"}

    def test_what_is_back_already_is_nothing_to_do(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        bench.write("a", "2")
        after = saved(bench, "A", step=1)
        bench.write("a", "1")
        restored = bench.checkpoints.restore(action(before, after))
        assert (restored.items, restored.spared) == ((), ())

    def test_a_person_can_have_it_overwritten_and_back_again(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        bench.write("a", "2")
        after = saved(bench, "A", step=1)
        bench.write("a", "3")
        restored = bench.checkpoints.restore(action(before, after), over=True)
        assert bench.content() == {"a": b"1"}
        bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, restored.undo, restored.after))
        assert bench.content() == {"a": b"3"}

    def test_a_file_made_by_it_and_changed_since_is_not_deleted(self, bench: Bench) -> None:
        before = saved(bench)
        bench.write("new", "by the agent")
        after = saved(bench, "A", step=1)
        bench.write("new", "improved by hand")
        restored = bench.checkpoints.restore(action(before, after))
        assert list(spared(restored)) == ["new"]
        assert bench.content() == {"new": b"improved by hand"}

    def test_a_file_deleted_by_it_and_made_anew_is_not_overwritten(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        (bench.tree / "a").unlink()
        after = saved(bench, "A", step=1)
        bench.write("a", "anew")
        restored = bench.checkpoints.restore(action(before, after))
        assert list(spared(restored)) == ["a"]
        assert bench.content() == {"a": b"anew"}

    def test_later_actions_of_the_same_run_stay(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        bench.write("a", "2")
        bench.write("b", "2")
        after = saved(bench, "A", step=1)
        bench.write("a", "3")
        saved(bench, "A", step=2)
        restored = bench.checkpoints.restore(action(before, after))
        assert spared(restored) == {"a": "changed by run A (in c3, just now)"}
        assert bench.content() == {"a": b"3"}

    def test_a_folder_that_somebody_made_in_its_place_stays(self, bench: Bench) -> None:
        bench.write("a", "1")
        before = saved(bench)
        (bench.tree / "a").unlink()
        after = saved(bench, "A", step=1)
        bench.write("a/mine", "a folder now")
        restored = bench.checkpoints.restore(action(before, after), over=True)
        assert [each.why for each in restored.spared] == [
            "a folder with other files is in its place"
        ]
        assert bench.content() == {"a/mine": b"a folder now"}


class TestEverythingSince:
    """A way that ends now."""

    def test_other_runs_keep_their_work(self, bench: Bench) -> None:
        start = saved(bench)
        bench.write("a", "of A")
        saved(bench, "A")
        bench.write("b", "of B")
        saved(bench, "B")
        restored = bench.checkpoints.restore(action(start))
        assert spared(restored) == {"b": "changed by run B (in c3, just now)"}
        assert bench.content() == {"b": b"of B"}

    def test_a_file_that_both_changed_is_a_conflict(self, bench: Bench) -> None:
        bench.write("a", "1")
        start = saved(bench)
        bench.write("a", "of A")
        saved(bench, "A")
        bench.write("a", "of A and B")
        saved(bench, "B")
        bench.write("a", "of A, B and A")
        saved(bench, "A")
        restored = bench.checkpoints.restore(action(start))
        assert spared(restored) == {"a": "changed by run B (in c3, just now)"}

    def test_runs_that_worked_at_the_same_time_cannot_be_told_apart(self, bench: Bench) -> None:
        start = saved(bench)
        bench.write("a", "of one of them")
        saved(bench, "B", "A")
        assert bench.checkpoints.restore(action(start)).files == ("a",)

    def test_other_runs_keep_what_they_did_in_the_middle_of_an_iteration(
        self, bench: Bench
    ) -> None:
        start = saved(bench)
        bench.write("a", "of A")
        saved(bench, "A")
        bench.write("b", "of B")
        saved(bench, "B")
        bench.write("a", "more")
        end = saved(bench, "A")
        restored = bench.checkpoints.restore(RestoreTarget(UndoLevel.ITERATION, start, end, "A"))
        assert bench.content() == {"b": b"of B"}
        assert list(spared(restored)) == ["b"]

    def test_without_a_run_what_a_person_did_stays(self, bench: Bench) -> None:
        start = saved(bench)
        bench.write("a", "of A")
        saved(bench, "A")
        bench.write("b", "of B")
        saved(bench, "B")
        bench.write("mine", "by hand")
        saved(bench)
        restored = back(bench, start)
        assert spared(restored) == {"mine": "changed by a person (in c4, just now)"}
        assert bench.content() == {"mine": b"by hand"}

    def test_what_is_not_saved_yet_is_undone_unless_it_is_known_to_be_of_others(
        self, bench: Bench
    ) -> None:
        start = saved(bench)
        bench.write("new", "")
        way = action(start)
        says = "since the last checkpoint"
        assert spared(bench.checkpoints.preview(way)) == {}
        assert spared(bench.checkpoints.preview(way, by=("A", "B"))) == {}
        assert spared(bench.checkpoints.preview(way, by=())) == {
            "new": f"changed by a person {says}"
        }
        assert spared(bench.checkpoints.preview(way, by=("B",))) == {
            "new": f"changed by run B {says}"
        }

    def test_what_a_restore_has_done_is_nobodys(self, bench: Bench) -> None:
        bench.write("a", "1")
        start = saved(bench)
        bench.write("a", "2")
        middle = saved(bench, "A")
        bench.write("a", "3")
        saved(bench, "A")
        back(bench, middle)
        assert back(bench, start).files == ("a",)
        assert bench.content() == {"a": b"1"}

    def test_what_was_undone_is_no_conflict_any_more(self, bench: Bench) -> None:
        bench.write("a", "1")
        start = saved(bench)
        bench.write("a", "by hand")
        saved(bench)
        bench.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), over=True)
        bench.write("a", "of A")
        saved(bench, "A")
        assert back(bench, start).files == ("a",)

    def test_what_was_redone_is_one_again(self, bench: Bench) -> None:
        bench.write("a", "1")
        start = saved(bench)
        bench.write("b", "of A")
        saved(bench, "A")
        bench.write("a", "by hand")
        saved(bench)
        done = bench.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), over=True)
        bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
        assert list(spared(back(bench, start))) == ["a"]

    def test_it_is_said_how_long_ago(self, bench: Bench) -> None:
        start = saved(bench)
        bench.write("b", "of A")
        saved(bench, "A")
        bench.write("a", "by hand")
        record = saved(bench)
        for seconds, says in (
            (5, "just now"),
            (200, "3 min ago"),
            (7300, "2 h ago"),
            (100_000, "1 day ago"),
            (200_000, "2 days ago"),
        ):
            later = record.created_at + timedelta(seconds=seconds)
            checkpoints = CheckpointStore(
                str(bench.folder), str(bench.tree), environ=bench.environ, clock=later.timestamp
            )
            preview = checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, start))
            assert spared(preview) == {"a": f"changed by a person (in c3, {says})"}

    @pytest.mark.usefixtures("by_git")
    def test_many_checkpoints_between_need_no_more_processes(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        start = saved(bench)
        bench.write("a", "0")
        saved(bench, "A")
        counted = Counted(bench, tmp_path)
        bench.checkpoints.preview(action(start))
        few = len(counted.commands())
        for number in range(6):
            bench.write("a", f"{number}")
            saved(bench, "A")
        counted.commands()
        bench.checkpoints.preview(action(start))
        assert len(counted.commands()) == few


class TestDeletions:
    """Only what was certainly not there then."""

    def test_none_from_a_checkpoint_that_was_not_finished(self, bench: Bench) -> None:
        bench.write("a", "1")
        start = saved(bench)
        half = msgspec.structs.replace(start, coverage=Coverage(unfinished=True))
        bench.write("a", "2")
        bench.write("new", "")
        restored = back(bench, half)
        assert restored.files == ("a",)
        assert [each.path for each in restored.spared] == ["new"]
        assert "not finished" in restored.spared[0].why

    def test_not_what_was_left_out(self, bench: Bench) -> None:
        start = saved(bench)
        left_out = (LeftOut("big", "too large"), LeftOut("data/", "too many"))
        start = msgspec.structs.replace(start, coverage=Coverage(left_out))
        for path in ("big", "data/x/y", "data.txt", "bigger"):
            bench.write(path)
        restored = back(bench, start)
        assert [(each.path, each.why) for each in restored.spared] == [
            ("big", "it was left out then: too large"),
            ("data/x/y", "it was left out then: too many"),
        ]
        assert set(bench.content()) == {"big", "data/x/y"}

    def test_not_what_the_ignore_file_of_a_folder_left_out_then(self, bench: Bench) -> None:
        bench.write("sub/.gitignore", "out/\n")
        bench.write("sub/out/x", "ignored")
        start = saved(bench)
        (bench.tree / "sub/.gitignore").unlink()
        bench.write("sub/new", "")
        back(bench, start)
        assert set(bench.content()) == {"sub/.gitignore", "sub/out/x"}

    def test_a_file_that_is_too_large_to_be_saved_now_is_not_overwritten(
        self, bench: Bench
    ) -> None:
        bench.write("a", "small")
        start = saved(bench)
        with (bench.tree / "a").open("wb") as file:
            file.truncate(60_000_000)
        restored = back(bench, start)
        assert restored.items == ()
        assert "cannot be saved" in restored.spared[0].why
        assert (bench.tree / "a").stat().st_size == 60_000_000


class TestTheRepositoryOfTheUser:
    """Undo is about files; what git holds stays as it is."""

    def test_it_is_byte_for_byte_the_same(self, bench: Bench) -> None:
        bench.repository()
        bench.write("stashed", "x")
        bench.git("stash", "-q", "-u")
        bench.write("staged", "y")
        bench.git("add", "staged")
        before = fingerprint(bench)
        start = saved(bench)
        bench.write("README.md", "changed")
        (bench.tree / "staged").unlink()
        saved(bench, "A")
        done = back(bench, start)
        bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
        assert fingerprint(bench) == before

    def test_commits_since_then_stay(self, bench: Bench) -> None:
        """A person worked on and committed; an old action of the agent is undone."""
        bench.repository()
        bench.write("a", "1")
        start = saved(bench)
        bench.write("a", "2")
        after = saved(bench, "A")
        bench.write("README.md", "weeks of work")
        bench.git("commit", "-q", "-am", "weeks of work")
        head = bench.git("rev-parse", "HEAD").strip()
        preview = bench.checkpoints.preview(action(start, after))
        assert preview.head == head
        bench.checkpoints.restore(action(start, after))
        assert bench.git("rev-parse", "HEAD").strip() == head
        assert bench.content() == {"a": b"1", "README.md": b"weeks of work"}

    def test_work_that_was_committed_since_is_a_conflict(self, bench: Bench) -> None:
        bench.repository()
        start = saved(bench)
        bench.write("README.md", "by the agent")
        after = saved(bench, "A")
        bench.write("README.md", "by the agent, corrected")
        bench.git("commit", "-q", "-am", "corrected")
        restored = bench.checkpoints.restore(action(start, after))
        assert list(spared(restored)) == ["README.md"]
        assert bench.git("status", "--porcelain") == ""


def test_a_folder_beside_the_work_tree_is_not_touched(bench: Bench) -> None:
    beside = bench.home / "shop-2"
    beside.mkdir()
    (beside / "a").write_text("1")
    bench.write("a", "1")
    start = saved(bench)
    bench.write("a", "2")
    (beside / "a").write_text("2")
    back(bench, start)
    assert (beside / "a").read_text() == "2"


def test_going_back_to_an_empty_folder_can_be_undone(bench: Bench) -> None:
    start = saved(bench)
    bench.write("a", "1")
    bench.write("b/c", "2")
    full = bench.content()
    done = back(bench, start)
    assert bench.content() == {}
    bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
    assert bench.content() == full


def test_what_was_not_seen_in_the_preview_is_not_restored(bench: Bench) -> None:
    bench.write("a", "1")
    start = saved(bench)
    bench.write("a", "2")
    preview = bench.checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, start))
    bench.write("a", "3")
    with pytest.raises(FilesChangedError):
        bench.checkpoints.restore(preview.way, expects=preview.now)
    assert bench.content() == {"a": b"3"}


def test_a_preview_says_how_much_it_is(bench: Bench) -> None:
    bench.write("a", "12345")
    bench.write("b", "1")
    start = saved(bench)
    bench.write("a", "")
    (bench.tree / "b").unlink()
    bench.write("c", "123")
    preview = bench.checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, start))
    assert {each.path: each.bytes for each in preview.items} == {"a": 5, "b": 1, "c": 3}
    assert bench.content() == {"a": b"", "c": b"123"}


def test_the_ways_of_a_repository_itself_are_never_written(bench: Bench) -> None:
    """Git takes no such path in; whoever gets one into the store gains nothing by it."""
    saved(bench)
    tree = hostile(bench, ".git/hooks/post-commit")
    start = msgspec.structs.replace(saved(bench), tree=tree)
    restored = back(bench, start)
    assert restored.items == ()
    assert [each.why for each in restored.spared] == ["it is part of a repository itself"]
    assert not (bench.tree / ".git").exists()


def hostile(bench: Bench, path: str) -> str:
    """A tree with a path that git itself would not save."""
    inner = _write_object(bench, "blob", b"evil")
    mode = "100755"
    for name in reversed(path.split("/")):
        raw = f"{mode} {name}\0".encode() + bytes.fromhex(inner)
        inner = _write_object(bench, "tree", raw)
        mode = "40000"
    return inner


def _write_object(bench: Bench, kind: str, body: bytes) -> str:
    whole = f"{kind} {len(body)}\0".encode() + body
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    place = bench.folder / "git" / "objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(whole))
    return name


def fingerprint(bench: Bench) -> dict[str, bytes]:
    """Every file of the user's repository."""
    folder = bench.tree / ".git"
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_where_no_agent_has_worked_people_take_back_what_people_did(bench: Bench) -> None:
    bench.write("a", "1")
    start = saved(bench)
    bench.write("a", "2")
    saved(bench)
    bench.write("b", "3")
    restored = bench.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, start), by=())
    assert restored.spared == ()
    assert bench.content() == {"a": b"1"}
