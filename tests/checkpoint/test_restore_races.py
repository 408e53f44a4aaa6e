"""What others do to files in the middle of a restore."""

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from handrail.checkpoint import RestoreTarget, UndoLevel, store
from handrail.checkpoint.errors import FilesChangedError, NotRestoredError
from handrail.checkpoint.git import runner
from handrail.checkpoint.restore.safe_work_tree import SafeWorkTree

from .conftest import Bench

Meddle = Callable[[Callable[[], object]], None]


@pytest.fixture
def meddle(monkeypatch: pytest.MonkeyPatch) -> Meddle:
    """Have something done just before the first file is put back or deleted."""

    def at_first_change(act: Callable[[], object]) -> None:
        put, delete, waiting = SafeWorkTree.put, SafeWorkTree.delete, [act]

        def put_late(self: SafeWorkTree, fresh: str, path: str) -> None:
            if waiting:
                waiting.pop()()
            put(self, fresh, path)

        def delete_late(self: SafeWorkTree, path: str) -> None:
            if waiting:
                waiting.pop()()
            delete(self, path)

        monkeypatch.setattr(SafeWorkTree, "put", put_late)
        monkeypatch.setattr(SafeWorkTree, "delete", delete_late)

    return at_first_change


def test_a_file_that_is_changed_while_others_are_put_back_stays(
    bench: Bench, meddle: Meddle
) -> None:
    for name in ("a", "b", "c"):
        bench.write(name, "then")
    then = bench.save().record
    for name in ("a", "b", "c"):
        bench.write(name, "by the agent")
    meddle(lambda: bench.write("c", "by a person"))
    with pytest.raises(NotRestoredError, match="nothing is changed: changed while"):
        bench.restore(then)
    assert bench.content() == {"a": b"by the agent", "b": b"by the agent", "c": b"by a person"}


def test_a_file_that_is_changed_while_others_are_deleted_stays(
    bench: Bench, meddle: Meddle
) -> None:
    bench.write("kept", "then")
    then = bench.save().record
    for name in ("a", "b", "c"):
        bench.write(name, "by the agent")
    meddle(lambda: bench.write("c", "by a person"))
    with pytest.raises(NotRestoredError, match="changed while"):
        bench.restore(then)
    assert (bench.tree / "c").read_text() == "by a person"
    assert (bench.tree / "a").read_text() == "by the agent"


def test_a_file_that_is_made_where_one_comes_back_stays(bench: Bench, meddle: Meddle) -> None:
    bench.write("a", "then")
    bench.write("b", "then")
    then = bench.save().record
    (bench.tree / "a").unlink()
    (bench.tree / "b").unlink()
    bench.write("c", "other")
    meddle(lambda: bench.write("b", "by a person"))
    with pytest.raises(NotRestoredError, match="changed while"):
        bench.restore(then)
    assert (bench.tree / "b").read_text() == "by a person"


def test_a_link_in_the_place_of_a_folder_leads_nowhere_and_the_rest_is_put_back(
    bench: Bench, meddle: Meddle, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("not ours")
    bench.write("a", "then")
    bench.write("d/f", "then")
    then = bench.save().record
    bench.write("a", "now")
    bench.write("d/f", "now")

    def swap() -> None:
        (bench.tree / "d").rename(bench.tree / "moved")
        os.symlink(outside, bench.tree / "d")

    meddle(swap)
    with pytest.raises(NotRestoredError):
        bench.restore(then)
    assert (outside / "f").read_text() == "not ours"
    assert (bench.tree / "a").read_text() == "now"
    assert (bench.tree / "moved/f").read_text() == "now"


def test_files_that_took_all_the_time_to_be_put_back_are_compared_all_the_same(
    bench: Bench, meddle: Meddle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a", "then")
    then = bench.save().record
    bench.write("a", "now")
    meddle(lambda: monkeypatch.setattr(runner, "monotonic", lambda: monotonic() + store.SECONDS))
    assert bench.restore(then).files == ("a",)


def test_a_file_that_is_written_all_the_time_does_not_keep_others_from_coming_back(
    bench: Bench,
) -> None:
    bench.write("a", "then")
    then = bench.save().record
    bench.write("a", "now")
    bench.write("server.log", "one line\n")
    seen = bench.look(then)
    bench.write("server.log", "one line\nanother one\n")
    done = bench.checkpoints.restore(
        RestoreTarget(UndoLevel.CHECKPOINT, then), over=True, expects=seen.now
    )
    assert done.files == ("a",)
    assert [(each.path, each.conflict) for each in done.spared] == [("server.log", True)]
    assert bench.content() == {"a": b"then", "server.log": b"one line\nanother one\n"}


def test_what_becomes_ignored_while_one_looks_is_looked_at_again(bench: Bench) -> None:
    bench.write(".gitignore", "*.tmp\n")
    bench.write("a", "then")
    then = bench.save().record
    bench.write("a", "now")
    seen = bench.look(then)
    bench.write(".gitignore", "")
    with pytest.raises(FilesChangedError):
        bench.checkpoints.restore(
            RestoreTarget(UndoLevel.CHECKPOINT, then), over=True, expects=seen.now
        )
