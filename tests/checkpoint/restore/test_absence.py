"""Ignored files that are saved all the same are also deleted, where they certainly were not."""

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointRecord, RestoreTarget, UndoLevel
from handrail.config.checkpoints import Checkpoints as Settings
from tests.checkpoint.conftest import CheckpointProject

pytestmark = pytest.mark.slow


def made_since(bench: CheckpointProject, *include: str) -> tuple[list[str], list[str]]:
    """What a restore deletes, and what it leaves alone, of the files that are made after it."""
    checkpoints = bench.of(bench.tree, Settings(include=include))
    before: CheckpointRecord = checkpoints.save(CheckpointInfo()).record
    for name in (".env", "sub/.env", "build/.env", "other.data"):
        bench.write(name, "made since")
    restored = checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, before))
    return list(restored.files), [each.path for each in restored.spared]


@pytest.fixture
def ignoring(project: CheckpointProject) -> CheckpointProject:
    project.write(".gitignore", ".env\nbuild/\n*.data\n")
    return project


def test_what_is_saved_although_it_is_ignored_is_deleted_again(ignoring: CheckpointProject) -> None:
    deleted, _ = made_since(ignoring, ".env")
    assert deleted == [".env", "sub/.env"]
    assert not (ignoring.tree / ".env").exists()


def test_what_is_ignored_and_not_saved_is_never_deleted(ignoring: CheckpointProject) -> None:
    assert made_since(ignoring)[0] == []
    for name in (".env", "sub/.env", "build/.env", "other.data"):
        assert (ignoring.tree / name).read_text() == "made since"


def test_below_an_ignored_folder_nothing_is_deleted(ignoring: CheckpointProject) -> None:
    made_since(ignoring, ".env")
    assert (ignoring.tree / "build/.env").exists()


def test_a_pattern_that_came_later_says_nothing_about_before(ignoring: CheckpointProject) -> None:
    before = ignoring.of(ignoring.tree, Settings(include=())).save(CheckpointInfo()).record
    ignoring.write(".env", "nobody knows since when")
    later = ignoring.of(ignoring.tree, Settings(include=(".env",)))
    restored = later.restore(RestoreTarget(UndoLevel.CHECKPOINT, before))
    assert restored.files == ()
    assert [each.path for each in restored.spared] == [".env"]
    assert (ignoring.tree / ".env").exists()


@pytest.mark.parametrize("pattern", ["x\n.env", ".env ", "#.env", "/sub/.env "])
def test_patterns_that_a_file_would_read_otherwise_delete_nothing(
    ignoring: CheckpointProject, pattern: str
) -> None:
    assert made_since(ignoring, pattern)[0] == []


def test_by_the_ignore_files_of_then(ignoring: CheckpointProject) -> None:
    checkpoints = ignoring.of(ignoring.tree, Settings(include=("*.data",)))
    before = checkpoints.save(CheckpointInfo()).record
    ignoring.write(".gitignore", "")
    ignoring.write(".env", "may have been there")
    ignoring.write("other.data", "was not there")
    restored = checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, before))
    assert set(restored.files) == {".gitignore", "other.data"}
    assert [each.path for each in restored.spared] == [".env"]


def test_a_list_of_the_user_is_no_pattern_of_ours(project: CheckpointProject) -> None:
    project.repository()
    (project.tree / ".git/info").mkdir(exist_ok=True)
    (project.tree / ".git/info/exclude").write_text("local.txt\n")
    checkpoints = project.of(project.tree, Settings(include=("other.txt",)))
    before = checkpoints.save(CheckpointInfo()).record
    project.write("local.txt", "mine")
    checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, before))
    assert (project.tree / "local.txt").read_text() == "mine"


@pytest.mark.parametrize("where", ["shop/.git/info/exclude", ".config/git/ignore"])
def test_where_lists_outside_of_the_tree_have_changed_nothing_is_deleted(
    project: CheckpointProject, where: str
) -> None:
    project.repository()
    ignored = project.home / where
    ignored.parent.mkdir(parents=True, exist_ok=True)
    ignored.write_text("local.txt\n")
    project.write("local.txt", "mine, and there all the time")
    before = project.save().record
    ignored.write_text("")
    project.write("new.txt", "")
    restored = project.restore(before)
    assert [each.path for each in restored.spared] == ["local.txt", "new.txt"]
    assert "nobody knows" in restored.spared[0].why
    assert (project.tree / "local.txt").exists()
