"""A work tree is put back by its difference, and never more than that."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, RestoreTarget, UndoLevel
from handrail.checkpoint.errors import NoSuchCheckpointError
from handrail.checkpoint.restore.target import FileRestoreAction, RestoreResult

from .conftest import Bench


def test_files_are_changed_created_and_deleted(bench: Bench) -> None:
    bench.write("same.txt", "same")
    bench.write("changed.txt", "before")
    bench.write("src/deleted.txt", "was here")
    before = bench.content()
    saved = bench.save().record
    bench.write("changed.txt", "after")
    (bench.tree / "src/deleted.txt").unlink()
    (bench.tree / "src").rmdir()
    bench.write("made/new.txt", "new")
    restored = bench.restore(saved)
    assert bench.content() == before
    assert {each.path: each.does for each in restored.items} == {
        "changed.txt": FileRestoreAction.CHANGE,
        "src/deleted.txt": FileRestoreAction.CREATE,
        "made/new.txt": FileRestoreAction.DELETE,
    }
    assert not (bench.tree / "made").exists()


def test_a_restore_can_be_undone(bench: Bench) -> None:
    bench.write("a.txt", "one")
    saved = bench.save().record
    bench.write("a.txt", "two")
    bench.write("b.txt", "new")
    after = bench.content()
    undo = bench.restore(saved).undo
    assert bench.restore(undo).undo.tree == saved.tree
    assert bench.content() == after


def test_what_is_the_same_is_not_written(bench: Bench) -> None:
    same = bench.write("same.txt", "same")
    bench.write("other.txt", "1")
    saved = bench.save().record
    facts = same.stat()
    bench.write("other.txt", "2")
    bench.restore(saved)
    now = same.stat()
    assert (now.st_ino, now.st_mtime_ns) == (facts.st_ino, facts.st_mtime_ns)


def test_nothing_to_do_is_done_at_once(bench: Bench) -> None:
    bench.write("a.txt", "a")
    saved = bench.save().record
    restored = bench.restore(saved)
    assert restored.files == ()
    assert restored.undo.tree == saved.tree


@pytest.mark.parametrize("commit", ["HEAD", "--all", "abc", "0" * 40, "refs/last/x"])
def test_an_unknown_checkpoint_is_not_found(bench: Bench, commit: str) -> None:
    bench.write("a.txt", "a")
    bench.save()
    with pytest.raises(NoSuchCheckpointError):
        bench.checkpoints.find(commit)


def test_links_modes_and_odd_names_come_back(bench: Bench) -> None:
    bench.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (bench.tree / "link").symlink_to("run.sh")
    (bench.tree / "dangling").symlink_to("/nowhere/at all")
    odd = ["-rf", "a b\nc", "ü", ":(top)x", "*", "git~1", "back\\slash", '"quoted"', " "]
    for name in odd:
        bench.write(name, name)
    (bench.tree / os.fsdecode(b"\xff\xfe")).write_bytes(b"not text")
    bench.write("empty", "")
    before = bench.content()
    saved = bench.save().record
    for path in bench.tree.iterdir():
        path.unlink()
    bench.restore(saved)
    assert bench.content() == before
    assert (bench.tree / "run.sh").stat().st_mode & 0o100


def test_bytes_stay_as_they_are_whatever_gitattributes_say(bench: Bench) -> None:
    attributes = (
        "*.txt text eol=crlf\n*.md text=auto\n*.c ident\n*.u working-tree-encoding=UTF-16\n"
    )
    bench.write(".gitattributes", attributes)
    bench.write("mixed.txt", "a\r\nb\nc\r\n")
    bench.write("mixed.md", "a\r\nb\n")
    bench.write("id.c", "$Id$ $Id: 123 $\n")
    bench.write("x.u", "plain")
    before = bench.content()
    saved = bench.save().record
    for name in ("mixed.txt", "mixed.md", "id.c", "x.u"):
        bench.write(name, "overwritten")
    bench.restore(saved)
    assert bench.content() == before


def test_permissions_that_only_the_file_has_are_kept(bench: Bench) -> None:
    secret = bench.write("key.pem", "1")
    secret.chmod(0o600)
    saved = bench.save().record
    secret.write_text("2")
    bench.restore(saved)
    assert secret.stat().st_mode & 0o777 == 0o600
    secret.chmod(0o700)
    bench.restore(saved)
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_folder_in_the_place_of_a_file_and_the_other_way(bench: Bench) -> None:
    bench.write("file", "f")
    bench.write("folder/inner/x", "x")
    before = bench.content()
    saved = bench.save().record
    (bench.tree / "file").unlink()
    bench.write("file/now/a", "folder")
    shutil.rmtree(bench.tree / "folder")
    bench.write("folder", "file")
    bench.restore(saved)
    assert bench.content() == before


def test_nothing_is_written_through_a_link_that_leads_out(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("not yours")
    bench.write("src/a.txt", "mine")
    before = bench.content()
    saved = bench.save().record
    shutil.rmtree(bench.tree / "src")
    (bench.tree / "src").symlink_to(outside)
    bench.restore(saved)
    assert bench.content() == before
    assert (outside / "a.txt").read_text() == "not yours"


def test_an_ignored_file_in_the_way_is_not_deleted(bench: Bench) -> None:
    bench.write(".gitignore", "*.log\n")
    bench.write("out", "a file")
    bench.write("other.txt", "1")
    saved = bench.save().record
    (bench.tree / "out").unlink()
    bench.write("out/run.log", "nobody saved this")
    bench.write("other.txt", "2")
    restored = bench.restore(saved)
    assert _spared(restored) == {"out": "a folder with other files is in its place"}
    assert (bench.tree / "out/run.log").read_text() == "nobody saved this"
    assert (bench.tree / "other.txt").read_text() == "1"


def test_a_file_that_was_ignored_then_is_not_deleted_now(bench: Bench) -> None:
    """An agent that empties .gitignore must not cost the user's notes with the next rollback."""
    bench.write(".gitignore", "notes\nnode_modules/\n")
    bench.write("notes", "mine")
    bench.write("node_modules/x/y.js", "y")
    saved = bench.save().record
    bench.write(".gitignore", "")
    bench.write("new.txt", "new")
    restored = bench.restore(saved)
    assert set(_spared(restored)) == {"notes", "node_modules/x/y.js"}
    assert set(restored.files) == {".gitignore", "new.txt"}
    assert (bench.tree / "notes").read_text() == "mine"
    assert bench.save().record.tree == saved.tree


def test_a_file_that_is_ignored_now_is_saved_before_it_is_overwritten(bench: Bench) -> None:
    bench.write("notes.txt", "old notes")
    saved = bench.save().record
    for index in bench.folder.glob("index-*"):
        index.unlink()  # as if it had never been seen
    bench.write(".gitignore", "notes.txt\n")
    bench.write("notes.txt", "new notes")
    undo = bench.restore(saved).undo
    assert (bench.tree / "notes.txt").read_text() == "old notes"
    bench.restore(undo)
    assert (bench.tree / "notes.txt").read_text() == "new notes"


def test_permissions_alone_are_put_back_and_forth(bench: Bench) -> None:
    private = bench.write("key.pem", "secret")
    private.chmod(0o600)
    usual = bench.write("README", "read me")
    usual.chmod(0o644)
    saved = bench.save().record
    _chmod(private, 0o644)
    _chmod(usual, 0o666)
    restored = bench.restore(saved)
    assert restored.files == ("README", "key.pem")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (private, usual)] == [0o600, 0o644]
    bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, restored.undo, restored.after))
    assert [stat.S_IMODE(path.stat().st_mode) for path in (private, usual)] == [0o644, 0o666]


def test_permissions_that_others_have_changed_are_spared(bench: Bench) -> None:
    private = bench.write("key.pem", "secret")
    private.chmod(0o600)
    saved = bench.save().record
    bench.write("work.txt", "of an agent")
    bench.checkpoints.save(CheckpointInfo(by=("A",)))
    _chmod(private, 0o644)
    bench.save()
    way = RestoreTarget(UndoLevel.CHECKPOINT, saved)
    assert [each.path for each in bench.checkpoints.preview(way).spared] == ["key.pem"]
    assert bench.checkpoints.restore(way).files == ("work.txt",)


def _chmod(path: Path, bits: int) -> None:
    path.chmod(bits)
    os.utime(path, (1, 1))  # git sees no change within the same second


def _spared(restored: RestoreResult) -> dict[str, str]:
    return {each.path: each.why for each in restored.spared}


@pytest.mark.parametrize("leads_to", ["nowhere", "a", ".."])
def test_a_link_in_the_place_of_a_folder_comes_back_and_forth(bench: Bench, leads_to: str) -> None:
    bench.write("a/x", "one")
    bench.write("b", "two")
    start = bench.save().record
    before = bench.content()
    shutil.rmtree(bench.tree / "a")
    (bench.tree / "b").unlink()
    (bench.tree / "a").symlink_to(leads_to)
    after = bench.content()
    done = bench.restore(start)
    assert done.undo.coverage.complete
    assert bench.content() == before
    bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
    assert bench.content() == after


def test_permissions_that_change_in_the_same_second_are_put_back(bench: Bench) -> None:
    bench.write("a", "one").chmod(0o644)
    start = bench.save().record
    assert bench.look(start).items == ()
    (bench.tree / "a").chmod(0o600)
    bench.restore(start)
    assert stat.S_IMODE((bench.tree / "a").stat().st_mode) == 0o644
