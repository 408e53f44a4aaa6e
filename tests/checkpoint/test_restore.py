"""A work tree is put back by its difference, and never more than that."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.checkpoint.errors import NoSuchCheckpointError, NotRestoredError

from .conftest import Bench


def test_files_are_changed_created_and_deleted(bench: Bench) -> None:
    bench.write("same.txt", "same")
    bench.write("changed.txt", "before")
    bench.write("src/deleted.txt", "was here")
    before = bench.content()
    saved = bench.save()
    bench.write("changed.txt", "after")
    (bench.tree / "src/deleted.txt").unlink()
    (bench.tree / "src").rmdir()
    bench.write("made/new.txt", "new")
    restored = bench.restore(saved)
    assert bench.content() == before
    assert restored.changed == ("changed.txt",)
    assert restored.created == ("src/deleted.txt",)
    assert restored.deleted == ("made/new.txt",)
    assert not (bench.tree / "made").exists()


def test_a_restore_can_be_undone(bench: Bench) -> None:
    bench.write("a.txt", "one")
    saved = bench.save()
    bench.write("a.txt", "two")
    bench.write("b.txt", "new")
    after = bench.content()
    undo = bench.restore(saved).undo
    assert bench.restore(undo).undo == saved.commit
    assert bench.content() == after


def test_what_is_the_same_is_not_written(bench: Bench) -> None:
    same = bench.write("same.txt", "same")
    bench.write("other.txt", "1")
    saved = bench.save()
    facts = same.stat()
    bench.write("other.txt", "2")
    bench.restore(saved)
    now = same.stat()
    assert (now.st_ino, now.st_mtime_ns) == (facts.st_ino, facts.st_mtime_ns)


def test_nothing_to_do_is_done_at_once(bench: Bench) -> None:
    bench.write("a.txt", "a")
    saved = bench.save()
    restored = bench.restore(saved)
    assert restored.files == ()
    assert restored.undo == saved.commit


@pytest.mark.parametrize("commit", ["", "HEAD", "--all", "abc", "0" * 40, "refs/last/x"])
def test_an_unknown_checkpoint_touches_nothing(bench: Bench, commit: str) -> None:
    bench.write("a.txt", "a")
    bench.save()
    bench.write("a.txt", "b")
    with pytest.raises(NoSuchCheckpointError):
        bench.restore(commit)
    assert (bench.tree / "a.txt").read_text() == "b"


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
    saved = bench.save()
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
    saved = bench.save()
    for name in ("mixed.txt", "mixed.md", "id.c", "x.u"):
        bench.write(name, "overwritten")
    bench.restore(saved)
    assert bench.content() == before


def test_permissions_that_only_the_file_has_are_kept(bench: Bench) -> None:
    secret = bench.write("key.pem", "1")
    secret.chmod(0o600)
    saved = bench.save()
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
    saved = bench.save()
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
    saved = bench.save()
    shutil.rmtree(bench.tree / "src")
    (bench.tree / "src").symlink_to(outside)
    bench.restore(saved)
    assert bench.content() == before
    assert (outside / "a.txt").read_text() == "not yours"


def test_an_ignored_file_in_the_way_is_not_deleted(bench: Bench) -> None:
    bench.write(".gitignore", "*.log\n")
    bench.write("out", "a file")
    bench.write("other.txt", "1")
    saved = bench.save()
    (bench.tree / "out").unlink()
    bench.write("out/run.log", "nobody saved this")
    bench.write("other.txt", "2")
    with pytest.raises(NotRestoredError) as caught:
        bench.restore(saved)
    assert caught.value.paths == ("out",)
    assert (bench.tree / "out/run.log").read_text() == "nobody saved this"
    assert (bench.tree / "other.txt").read_text() == "1"
    bench.restore(caught.value.undo)
    assert (bench.tree / "other.txt").read_text() == "2"


def test_a_file_that_was_ignored_then_is_not_deleted_now(bench: Bench) -> None:
    """An agent that empties .gitignore must not cost the user's .env with the next rollback."""
    bench.write(".gitignore", ".env\nnode_modules/\n")
    bench.write(".env", "mine")
    bench.write("node_modules/x/y.js", "y")
    saved = bench.save()
    bench.write(".gitignore", "")
    bench.write("new.txt", "new")
    restored = bench.restore(saved)
    assert restored.kept == (".env", "node_modules/x/y.js")
    assert restored.deleted == ("new.txt",)
    assert (bench.tree / ".env").read_text() == "mine"
    assert bench.save().commit == saved.commit


def test_a_file_that_is_ignored_now_is_saved_before_it_is_overwritten(bench: Bench) -> None:
    bench.write("notes.txt", "old notes")
    saved = bench.save()
    for index in bench.folder.glob("index-*"):
        index.unlink()  # as if it had never been seen
    bench.write(".gitignore", "notes.txt\n")
    bench.write("notes.txt", "new notes")
    undo = bench.restore(saved).undo
    assert (bench.tree / "notes.txt").read_text() == "old notes"
    bench.restore(undo)
    assert (bench.tree / "notes.txt").read_text() == "new notes"


def test_a_disk_without_room_is_said_with_the_way_back(bench: Bench) -> None:
    big = bench.write("big.bin", bytes(300_000))
    bench.write("small.txt", "1")
    saved = bench.save()
    big.write_bytes(b"short")
    bench.write("small.txt", "2")
    limited = (
        "import resource, sys\n"
        "from handrail.checkpoint import Checkpoints\n"
        "from handrail.checkpoint.errors import NotRestoredError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "folder, tree, commit = sys.argv[1:]\n"
        "try:\n"
        "    Checkpoints(folder).restore(tree, commit)\n"
        "except NotRestoredError as error:\n"
        "    print(error.undo, *error.paths)\n"
    )
    arguments = [str(bench.folder), str(bench.tree), saved.commit]
    ran = subprocess.run(
        [sys.executable, "-c", limited, *arguments],
        env=bench.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    undo, *failed = ran.stdout.split()
    assert failed == ["big.bin"]
    assert bench.content() == {"big.bin": b"short", "small.txt": b"1"}
    bench.restore(undo)
    assert bench.content() == {"big.bin": b"short", "small.txt": b"2"}


_names = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/f", "d", "a/x"])
_trees = st.dictionaries(_names, st.binary(max_size=6), max_size=5)


@given(_trees, _trees)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_tree_comes_back(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, bytes], two: dict[str, bytes]
) -> None:
    bench = Bench(tmp_path_factory.mktemp("any"))
    fill(bench, one)
    before = bench.content()
    saved = bench.save()
    fill(bench, two)
    after = bench.content()
    undo = bench.restore(saved).undo
    assert bench.content() == before
    bench.restore(undo)
    assert bench.content() == after


def fill(bench: Bench, files: dict[str, bytes]) -> None:
    """Exactly these files, as far as they can be beside each other."""
    shutil.rmtree(bench.tree)
    bench.tree.mkdir()
    for name, content in files.items():
        if not (bench.tree / name).exists() and not any(
            (bench.tree / str(above)).is_file() for above in Path(name).parents
        ):
            bench.write(name, content)
