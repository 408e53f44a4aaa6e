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

from .conftest import CheckpointProject

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
    project: CheckpointProject, meddle: Meddle
) -> None:
    for name in ("a", "b", "c"):
        project.write(name, "then")
    then = project.save().record
    for name in ("a", "b", "c"):
        project.write(name, "by the agent")
    meddle(lambda: project.write("c", "by a person"))
    with pytest.raises(NotRestoredError, match="nothing is changed: changed while"):
        project.restore(then)
    assert project.content() == {"a": b"by the agent", "b": b"by the agent", "c": b"by a person"}


def test_a_file_that_is_changed_while_others_are_deleted_stays(
    project: CheckpointProject, meddle: Meddle
) -> None:
    project.write("kept", "then")
    then = project.save().record
    for name in ("a", "b", "c"):
        project.write(name, "by the agent")
    meddle(lambda: project.write("c", "by a person"))
    with pytest.raises(NotRestoredError, match="changed while"):
        project.restore(then)
    assert (project.tree / "c").read_text() == "by a person"
    assert (project.tree / "a").read_text() == "by the agent"


def test_a_file_that_is_made_where_one_comes_back_stays(
    project: CheckpointProject, meddle: Meddle
) -> None:
    project.write("a", "then")
    project.write("b", "then")
    then = project.save().record
    (project.tree / "a").unlink()
    (project.tree / "b").unlink()
    project.write("c", "other")
    meddle(lambda: project.write("b", "by a person"))
    with pytest.raises(NotRestoredError, match="changed while"):
        project.restore(then)
    assert (project.tree / "b").read_text() == "by a person"


def test_a_link_in_the_place_of_a_folder_leads_nowhere_and_the_rest_is_put_back(
    project: CheckpointProject, meddle: Meddle, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("not ours")
    project.write("a", "then")
    project.write("d/f", "then")
    then = project.save().record
    project.write("a", "now")
    project.write("d/f", "now")

    def swap() -> None:
        (project.tree / "d").rename(project.tree / "moved")
        os.symlink(outside, project.tree / "d")

    meddle(swap)
    with pytest.raises(NotRestoredError):
        project.restore(then)
    assert (outside / "f").read_text() == "not ours"
    assert (project.tree / "a").read_text() == "now"
    assert (project.tree / "moved/f").read_text() == "now"


def test_files_that_took_all_the_time_to_be_put_back_are_compared_all_the_same(
    project: CheckpointProject, meddle: Meddle, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "then")
    then = project.save().record
    project.write("a", "now")
    meddle(lambda: monkeypatch.setattr(runner, "monotonic", lambda: monotonic() + store.SECONDS))
    assert project.restore(then).files == ("a",)


def test_a_file_that_is_written_all_the_time_does_not_keep_others_from_coming_back(
    project: CheckpointProject,
) -> None:
    project.write("a", "then")
    then = project.save().record
    project.write("a", "now")
    project.write("server.log", "one line\n")
    seen = project.look(then)
    project.write("server.log", "one line\nanother one\n")
    done = project.checkpoints.restore(
        RestoreTarget(UndoLevel.CHECKPOINT, then), over=True, expects=seen.now
    )
    assert done.files == ("a",)
    assert [(each.path, each.conflict) for each in done.spared] == [("server.log", True)]
    assert project.content() == {"a": b"then", "server.log": b"one line\nanother one\n"}


def test_what_becomes_ignored_while_one_looks_is_looked_at_again(
    project: CheckpointProject,
) -> None:
    project.write(".gitignore", "*.tmp\n")
    project.write("a", "then")
    then = project.save().record
    project.write("a", "now")
    seen = project.look(then)
    project.write(".gitignore", "")
    with pytest.raises(FilesChangedError):
        project.checkpoints.restore(
            RestoreTarget(UndoLevel.CHECKPOINT, then), over=True, expects=seen.now
        )
