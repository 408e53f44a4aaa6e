"""A folder that has not changed is not searched again, and every change of it is noticed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.review.paths import folder_memory
from handrail.review.paths.folder_memory import FolderMemory
from tests.disk_calls import changed, counted_disk_calls

NAMES = (".env", ".git", "handrail.yaml")


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder counts as unchanged for long."""
    monkeypatch.setattr(folder_memory, "_SETTLED_NS", -(10**15))


def have(memory: FolderMemory, folder: Path) -> list[bool]:
    look = memory.look()
    return [look.has(f"{folder}/{name}") for name in NAMES]


@pytest.mark.usefixtures("settled")
def test_one_look_at_the_folder_answers_for_all_its_names(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    memory = FolderMemory()
    assert have(memory, tmp_path) == [False, True, False]
    with counted_disk_calls() as calls:
        assert have(memory, tmp_path) == [False, True, False]
    assert calls == {str(tmp_path): 1}


def test_a_folder_that_has_just_changed_is_searched_again(tmp_path: Path) -> None:
    memory = FolderMemory()
    for name in NAMES:
        have(memory, tmp_path)
        (tmp_path / name).touch()
        assert memory.look().has(f"{tmp_path}/{name}")
        (tmp_path / name).unlink()
        assert not memory.look().has(f"{tmp_path}/{name}")


@pytest.mark.usefixtures("settled")
def test_a_new_name_a_removed_one_and_a_broken_link_are_noticed(tmp_path: Path) -> None:
    memory = FolderMemory()
    path = tmp_path / ".env"
    changes: tuple[tuple[Callable[[], object], bool], ...] = (
        (path.touch, True),
        (path.unlink, False),
        (lambda: path.symlink_to("nowhere"), True),
    )
    for change, is_there in changes:
        have(memory, tmp_path)
        changed(tmp_path, change)
        assert have(memory, tmp_path)[0] is is_there


@pytest.mark.usefixtures("settled")
def test_another_folder_in_the_place_of_the_first_is_noticed(tmp_path: Path) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    here.mkdir()
    other.mkdir()
    (other / ".env").touch()
    memory = FolderMemory()
    assert have(memory, here) == [False, False, False]
    here.rename(tmp_path / "gone")
    assert have(memory, here) == [False, False, False]
    here.symlink_to(other)
    assert have(memory, here) == [True, False, False]


@pytest.mark.usefixtures("settled")
def test_after_a_while_every_name_is_looked_for_again(tmp_path: Path) -> None:
    """Some network file systems do not change the time of a folder."""
    times = [0.0]
    memory = FolderMemory(lambda: times[0])
    have(memory, tmp_path)
    times[0] += 11
    with counted_disk_calls() as calls:
        have(memory, tmp_path)
    assert calls == {str(tmp_path): 1, **{f"{tmp_path}/{name}": 1 for name in NAMES}}


@given(st.lists(st.sampled_from(NAMES), max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_it_says_what_the_disk_says(tmp_path: Path, toggled: list[str]) -> None:
    memory = FolderMemory()
    for name in toggled:
        path = tmp_path / name
        path.unlink() if path.exists() else path.touch()
        assert have(memory, tmp_path) == [os.path.lexists(tmp_path / each) for each in NAMES]


def test_paths_that_cannot_be_are_not_there(tmp_path: Path) -> None:
    look = FolderMemory().look()
    assert not look.has(f"{tmp_path}/no/such/folder")
    assert not look.has("/a\0b/c")
    assert look.has("/tmp") or not os.path.lexists("/tmp")
    assert look.stamp(str(tmp_path / "none")) is None
