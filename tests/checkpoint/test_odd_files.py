"""Facts of files that git cannot hold: special bits, several names, names that are not text."""

import os
import stat

import pytest

from handrail.checkpoint import RestoreTarget, UndoLevel
from handrail.checkpoint.errors import NotRestoredError
from handrail.checkpoint.path_keys import path_key, path_of
from handrail.checkpoint.save.work_tree_memory import kept_mode

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711])
def test_bits_that_run_a_program_as_its_owner_come_back(
    project: CheckpointProject, mode: int
) -> None:
    tool = project.write("tool", "1")
    tool.chmod(mode)
    start = project.save().record
    tool.unlink()
    project.restore(start)
    assert stat.S_IMODE(tool.stat().st_mode) == mode
    project.write("tool", "2")
    project.restore(start)
    assert (tool.read_text(), stat.S_IMODE(tool.stat().st_mode)) == ("1", mode)


def test_such_bits_taken_off_come_back(project: CheckpointProject) -> None:
    tool = project.write("tool", "1")
    tool.chmod(0o4755)
    start = project.save().record
    tool.chmod(0o755)
    project.restore(start)
    assert stat.S_IMODE(tool.stat().st_mode) == 0o4755


def test_the_rights_of_somebody_else_are_not_given_again() -> None:
    def facts(uid: int, gid: int) -> os.stat_result:
        return os.stat_result((0o106755, 0, 0, 1, uid, gid, 0, 0, 0, 0))

    mine = (os.geteuid(), os.getegid())
    assert kept_mode(facts(*mine)) == 0o106755
    assert kept_mode(facts(mine[0] + 1, mine[1])) == 0o102755
    assert kept_mode(facts(mine[0], mine[1] + 1)) == 0o104755


def test_an_ignored_name_of_the_same_file_goes_back_with_it(project: CheckpointProject) -> None:
    project.write(".gitignore", "ignored\n")
    file = project.write("seen", "one")
    other = project.tree / "ignored"
    os.link(file, other)
    start = project.save().record
    file.write_text("two, by way of both names")
    project.restore(start)
    assert (file.read_text(), other.read_text()) == ("one", "one")
    assert os.path.samefile(file, other)


def test_a_name_that_was_added_since_keeps_the_content_of_now(project: CheckpointProject) -> None:
    project.write(".gitignore", "backup\n")
    file = project.write("seen", "one")
    start = project.save().record
    file.write_text("two")
    os.link(file, project.tree / "backup")
    project.restore(start)
    assert (file.read_text(), (project.tree / "backup").read_text()) == ("one", "two")


def test_permissions_of_names_that_are_not_text_come_back(project: CheckpointProject) -> None:
    name = os.fsdecode(b"caf\xe9")
    file = project.write(name, "secret")
    file.chmod(0o600)
    start = project.save().record
    assert start.modes == {path_key(name): 0o600}
    file.chmod(0o644)
    project.restore(start)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()
    project.restore(start)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["plain", "übung", os.fsdecode(b"a/\xff\xfe/b"), "日本"])
def test_every_path_has_a_key_of_text(name: str) -> None:
    assert path_of(path_key(name)) == name
    path_key(name).encode()


@pytest.mark.usefixtures("no_override")
def test_one_read_only_folder_does_not_keep_the_rest_back(project: CheckpointProject) -> None:
    project.write("open/a", "1")
    project.write("shut/a", "1")
    start = project.save().record
    project.write("open/a", "2")
    project.write("shut/a", "2")
    project.write("shut/new", "2")
    (project.tree / "shut").chmod(0o555)
    seen = project.look(start)
    done = project.restore(start)
    (project.tree / "shut").chmod(0o755)
    assert project.content() == {"open/a": b"1", "shut/a": b"2", "shut/new": b"2"}
    for spared in (seen.spared, done.spared):
        assert [(each.path, each.unwritable) for each in spared] == [
            ("shut/a", True),
            ("shut/new", True),
        ]
    assert project.restore(start).spared == ()
    assert project.content() == {"open/a": b"1", "shut/a": b"1"}


@pytest.mark.usefixtures("no_override")
def test_nothing_is_done_if_all_or_nothing_was_asked_for(project: CheckpointProject) -> None:
    project.write("open/a", "1")
    project.write("shut/a", "1")
    start = project.save().record
    project.write("open/a", "2")
    project.write("shut/a", "2")
    (project.tree / "shut").chmod(0o555)
    way = RestoreTarget(UndoLevel.CHECKPOINT, start)
    with pytest.raises(NotRestoredError, match="nothing is changed") as caught:
        project.checkpoints.restore(way, over=True, whole=True)
    (project.tree / "shut").chmod(0o755)
    assert caught.value.paths == ("shut/a",)
    assert project.content() == {"open/a": b"2", "shut/a": b"2"}
