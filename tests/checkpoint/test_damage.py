"""A private folder that a machine which went down, or a person, has damaged."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointRecord
from handrail.checkpoint.errors import DamagedCheckpointError

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


def _lose_objects(folder: Path) -> None:
    for file in (folder / "git/objects").rglob("*"):
        if file.is_file():
            file.unlink()


_HEALED: dict[str, Callable[[Path], object]] = {
    "the whole folder is gone": shutil.rmtree,
    "the git directory is gone": lambda folder: shutil.rmtree(folder / "git"),
    "there are no refs": lambda folder: shutil.rmtree(folder / "git/refs"),
    "HEAD is gone": lambda folder: (folder / "git/HEAD").unlink(),
    "HEAD is empty": lambda folder: (folder / "git/HEAD").write_text(""),
    "the settings are cut off": lambda folder: (folder / "git/config").write_text("[co"),
    "the attributes are empty": lambda folder: (folder / "git/info/attributes").write_text(""),
    "all objects are gone": _lose_objects,
    "records are cut off": lambda folder: [
        file.write_bytes(file.read_bytes()[:50]) for file in (folder / "records").iterdir()
    ],
}


@pytest.mark.parametrize("how", _HEALED)
def test_the_next_checkpoint_heals(project: CheckpointProject, how: str) -> None:
    project.write(".gitattributes", "* text eol=lf\n")
    project.write("a", "one\r\n")
    project.save()
    _HEALED[how](project.folder)
    project.write("b", "two\r\n")
    then = project.save().record
    before = project.content()
    assert project.held(then) == before
    project.write("a", "three")
    project.restore(then)
    assert project.content() == before


def test_an_index_that_is_damaged_anywhere_is_made_anew(project: CheckpointProject) -> None:
    project.write("a", "one")
    project.write("b", "two")
    project.save()
    index = next(each for each in project.folder.glob("index-*") if "." not in each.name)
    whole = index.read_bytes()
    for at in range(0, len(whole), 9):
        flipped = bytes([whole[at] ^ 0x55])
        for number, damaged in enumerate((whole[:at], whole[:at] + flipped + whole[at + 1 :])):
            index.write_bytes(damaged)
            project.write("a", f"{at} {number}")
            assert project.held(project.save().record) == project.content()


@pytest.mark.parametrize("lost", ["target", "between"])
def test_what_cannot_be_read_any_more_is_said(project: CheckpointProject, lost: str) -> None:
    records: list[CheckpointRecord] = []
    for content in ("one", "two"):
        project.write("a", content)
        records.append(project.save().record)
    project.write("a", "three")
    project.save()
    record = records[0 if lost == "target" else 1]
    for pack in (project.folder / "git/objects/pack").iterdir():
        pack.unlink()
    path = project.folder / "git/objects" / record.tree[:2] / record.tree[2:]
    path.unlink(missing_ok=True)
    with pytest.raises(DamagedCheckpointError, match="cannot be read any more"):
        project.restore(records[0])
    assert (project.tree / "a").read_text() == "three"


@pytest.mark.parametrize(
    ("name", "odd"),
    [("tree", "--output=made-by-git"), ("gitCommit", "HEAD"), ("createdAt", "2026-11-16T06:02:11")],
)
def test_a_record_that_says_odd_things_is_as_if_it_were_not_there(
    project: CheckpointProject, name: str, odd: str
) -> None:
    project.write("a", "one")
    record = project.save().record
    good = {
        "tree": record.tree,
        "gitCommit": record.git_commit,
        "createdAt": record.created_at.isoformat().replace("+00:00", "Z"),
    }[name]
    file = project.folder / "records/c1.json"
    assert good in file.read_text()
    file.write_text(file.read_text().replace(good, odd))
    assert list(project.checkpoints.newest_first()) == []
    project.write("a", "two")
    assert project.save().record.id == "c2"
    assert os.listdir(project.tree) == ["a"]
