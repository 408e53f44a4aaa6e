"""A work tree is put back by its difference, and never more than that."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointInfo, RestoreTarget, UndoLevel
from handrail.checkpoint.errors import NoSuchCheckpointError
from handrail.checkpoint.restore.target import FileRestoreAction, RestoreResult

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def test_files_are_changed_created_and_deleted(project: CheckpointProject) -> None:
    project.write("same.txt", "same")
    project.write("changed.txt", "before")
    project.write("src/deleted.txt", "was here")
    before = project.content()
    saved = project.save().record
    project.write("changed.txt", "after")
    (project.tree / "src/deleted.txt").unlink()
    (project.tree / "src").rmdir()
    project.write("made/new.txt", "new")
    restored = project.restore(saved)
    assert project.content() == before
    assert {each.path: each.does for each in restored.items} == {
        "changed.txt": FileRestoreAction.CHANGE,
        "src/deleted.txt": FileRestoreAction.CREATE,
        "made/new.txt": FileRestoreAction.DELETE,
    }
    assert not (project.tree / "made").exists()


def test_only_the_named_files_are_restored(project: CheckpointProject) -> None:
    for name in ("a.txt", "src/b.txt", "src/c.txt", "srcd.txt"):
        project.write(name, "before")
    saved = project.save().record
    for name in ("a.txt", "src/b.txt", "src/c.txt", "srcd.txt", "src/new.txt", "new.txt"):
        project.write(name, "after")
    way = RestoreTarget(UndoLevel.CHECKPOINT, saved, only=("a.txt", "src", "../elsewhere.txt"))
    restored = project.checkpoints.restore(way)
    assert set(restored.files) == {"a.txt", "src/b.txt", "src/c.txt", "src/new.txt"}
    kept = {name: project.tree.joinpath(name).read_text() for name in ("srcd.txt", "new.txt")}
    assert set(kept.values()) == {"after"}
    undone = project.restore(restored.undo)
    assert set(undone.files) == set(restored.files)


def test_a_restore_can_be_undone(project: CheckpointProject) -> None:
    project.write("a.txt", "one")
    saved = project.save().record
    project.write("a.txt", "two")
    project.write("b.txt", "new")
    after = project.content()
    undo = project.restore(saved).undo
    assert project.restore(undo).undo.tree == saved.tree
    assert project.content() == after


def test_what_is_the_same_is_not_written(project: CheckpointProject) -> None:
    same = project.write("same.txt", "same")
    project.write("other.txt", "1")
    saved = project.save().record
    facts = same.stat()
    project.write("other.txt", "2")
    project.restore(saved)
    now = same.stat()
    assert (now.st_ino, now.st_mtime_ns) == (facts.st_ino, facts.st_mtime_ns)


def test_nothing_to_do_is_done_at_once(project: CheckpointProject) -> None:
    project.write("a.txt", "a")
    saved = project.save().record
    restored = project.restore(saved)
    assert restored.files == ()
    assert restored.undo.tree == saved.tree


@pytest.mark.parametrize("commit", ["HEAD", "--all", "abc", "0" * 40, "refs/last/x"])
def test_an_unknown_checkpoint_is_not_found(project: CheckpointProject, commit: str) -> None:
    project.write("a.txt", "a")
    project.save()
    with pytest.raises(NoSuchCheckpointError):
        project.checkpoints.find(commit)


def test_links_modes_and_odd_names_come_back(project: CheckpointProject) -> None:
    project.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (project.tree / "link").symlink_to("run.sh")
    (project.tree / "dangling").symlink_to("/nowhere/at all")
    odd = ["-rf", "a b\nc", "ü", ":(top)x", "*", "git~1", "back\\slash", '"quoted"', " "]
    for name in odd:
        project.write(name, name)
    (project.tree / os.fsdecode(b"\xff\xfe")).write_bytes(b"not text")
    project.write("empty", "")
    before = project.content()
    saved = project.save().record
    for path in project.tree.iterdir():
        path.unlink()
    project.restore(saved)
    assert project.content() == before
    assert (project.tree / "run.sh").stat().st_mode & 0o100


def test_bytes_stay_as_they_are_whatever_gitattributes_say(project: CheckpointProject) -> None:
    attributes = (
        "*.txt text eol=crlf\n*.md text=auto\n*.c ident\n*.u working-tree-encoding=UTF-16\n"
    )
    project.write(".gitattributes", attributes)
    project.write("mixed.txt", "a\r\nb\nc\r\n")
    project.write("mixed.md", "a\r\nb\n")
    project.write("id.c", "$Id$ $Id: 123 $\n")
    project.write("x.u", "plain")
    before = project.content()
    saved = project.save().record
    for name in ("mixed.txt", "mixed.md", "id.c", "x.u"):
        project.write(name, "overwritten")
    project.restore(saved)
    assert project.content() == before


def test_permissions_that_only_the_file_has_are_kept(project: CheckpointProject) -> None:
    secret = project.write("key.pem", "1")
    secret.chmod(0o600)
    saved = project.save().record
    secret.write_text("2")
    project.restore(saved)
    assert secret.stat().st_mode & 0o777 == 0o600
    secret.chmod(0o700)
    project.restore(saved)
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_folder_in_the_place_of_a_file_and_the_other_way(project: CheckpointProject) -> None:
    project.write("file", "f")
    project.write("folder/inner/x", "x")
    before = project.content()
    saved = project.save().record
    (project.tree / "file").unlink()
    project.write("file/now/a", "folder")
    shutil.rmtree(project.tree / "folder")
    project.write("folder", "file")
    project.restore(saved)
    assert project.content() == before


def test_nothing_is_written_through_a_link_that_leads_out(
    project: CheckpointProject, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("not yours")
    project.write("src/a.txt", "mine")
    before = project.content()
    saved = project.save().record
    shutil.rmtree(project.tree / "src")
    (project.tree / "src").symlink_to(outside)
    project.restore(saved)
    assert project.content() == before
    assert (outside / "a.txt").read_text() == "not yours"


def test_an_ignored_file_in_the_way_is_not_deleted(project: CheckpointProject) -> None:
    project.write(".gitignore", "*.log\n")
    project.write("out", "a file")
    project.write("other.txt", "1")
    saved = project.save().record
    (project.tree / "out").unlink()
    project.write("out/run.log", "nobody saved this")
    project.write("other.txt", "2")
    restored = project.restore(saved)
    assert _spared(restored) == {"out": "a folder with other files is in its place"}
    assert (project.tree / "out/run.log").read_text() == "nobody saved this"
    assert (project.tree / "other.txt").read_text() == "1"


def test_a_file_that_was_ignored_then_is_not_deleted_now(project: CheckpointProject) -> None:
    """An agent that empties .gitignore must not cost the user's notes with the next rollback."""
    project.write(".gitignore", "notes\nnode_modules/\n")
    project.write("notes", "mine")
    project.write("node_modules/x/y.js", "y")
    saved = project.save().record
    project.write(".gitignore", "")
    project.write("new.txt", "new")
    restored = project.restore(saved)
    assert set(_spared(restored)) == {"notes", "node_modules/x/y.js"}
    assert set(restored.files) == {".gitignore", "new.txt"}
    assert (project.tree / "notes").read_text() == "mine"
    assert project.save().record.tree == saved.tree


def test_a_file_that_is_ignored_now_is_saved_before_it_is_overwritten(
    project: CheckpointProject,
) -> None:
    project.write("notes.txt", "old notes")
    saved = project.save().record
    for index in project.folder.glob("index-*"):
        index.unlink()  # as if it had never been seen
    project.write(".gitignore", "notes.txt\n")
    project.write("notes.txt", "new notes")
    undo = project.restore(saved).undo
    assert (project.tree / "notes.txt").read_text() == "old notes"
    project.restore(undo)
    assert (project.tree / "notes.txt").read_text() == "new notes"


def test_permissions_alone_are_put_back_and_forth(project: CheckpointProject) -> None:
    private = project.write("key.pem", "secret")
    private.chmod(0o600)
    usual = project.write("README", "read me")
    usual.chmod(0o644)
    saved = project.save().record
    _chmod(private, 0o644)
    _chmod(usual, 0o666)
    restored = project.restore(saved)
    assert restored.files == ("README", "key.pem")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (private, usual)] == [0o600, 0o644]
    project.checkpoints.restore(RestoreTarget(UndoLevel.REDO, restored.undo, restored.after))
    assert [stat.S_IMODE(path.stat().st_mode) for path in (private, usual)] == [0o644, 0o666]


def test_permissions_that_others_have_changed_are_spared(project: CheckpointProject) -> None:
    private = project.write("key.pem", "secret")
    private.chmod(0o600)
    saved = project.save().record
    project.write("work.txt", "of an agent")
    project.checkpoints.save(CheckpointInfo(by=("A",)))
    _chmod(private, 0o644)
    project.save()
    way = RestoreTarget(UndoLevel.CHECKPOINT, saved)
    assert [each.path for each in project.checkpoints.preview(way).spared] == ["key.pem"]
    assert project.checkpoints.restore(way).files == ("work.txt",)


def _chmod(path: Path, bits: int) -> None:
    path.chmod(bits)
    os.utime(path, (1, 1))  # git sees no change within the same second


def _spared(restored: RestoreResult) -> dict[str, str]:
    return {each.path: each.why for each in restored.spared}


@pytest.mark.parametrize("leads_to", ["nowhere", "a", ".."])
def test_a_link_in_the_place_of_a_folder_comes_back_and_forth(
    project: CheckpointProject, leads_to: str
) -> None:
    project.write("a/x", "one")
    project.write("b", "two")
    start = project.save().record
    before = project.content()
    shutil.rmtree(project.tree / "a")
    (project.tree / "b").unlink()
    (project.tree / "a").symlink_to(leads_to)
    after = project.content()
    done = project.restore(start)
    assert done.undo.coverage.complete
    assert project.content() == before
    project.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
    assert project.content() == after


def test_permissions_that_change_in_the_same_second_are_put_back(
    project: CheckpointProject,
) -> None:
    project.write("a", "one").chmod(0o644)
    start = project.save().record
    assert project.look(start).items == ()
    (project.tree / "a").chmod(0o600)
    project.restore(start)
    assert stat.S_IMODE((project.tree / "a").stat().st_mode) == 0o644
