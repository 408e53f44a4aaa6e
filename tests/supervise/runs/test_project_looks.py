"""A hook in a project where nothing has changed asks the disk little, and misses no change."""

from pathlib import Path

import pytest

from handrail.review.paths import folder_memory
from handrail.supervise.runs.project import Project
from tests.disk_calls import changed, counted_disk_calls
from tests.project_settings import write_confirmed
from tests.supervise.supervision_setup import MORE_THAN_A_LOOK, SupervisionSetup

ENV_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test")
SECRET = "hunter2-correct-horse"


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder counts as unchanged for long, so that its names are remembered."""
    monkeypatch.setattr(folder_memory, "_SETTLED_NS", -(10**15))


def at(bed: SupervisionSetup) -> Project:
    bed.ticks.advance(MORE_THAN_A_LOOK)
    return bed.projects.at(str(bed.path))


def test_a_look_at_an_unchanged_project_takes_five_calls(supervision: SupervisionSetup) -> None:
    (supervision.path / ".git").mkdir(exist_ok=True)
    write_confirmed(supervision.path, "attended: always\n", supervision.environ)
    before = at(supervision)
    with counted_disk_calls() as calls:
        assert at(supervision) is before
    assert sum(calls.values()) <= 5, calls
    assert not any(path.endswith(ENV_FILES) for path in calls)


def test_within_a_second_there_is_no_look_at_all(supervision: SupervisionSetup) -> None:
    before = at(supervision)
    with counted_disk_calls() as calls:
        assert supervision.projects.at(str(supervision.path)) is before
    assert not calls


@pytest.mark.parametrize("name", ENV_FILES)
def test_the_values_of_an_env_file_that_appears_or_changes_are_redacted(
    supervision: SupervisionSetup, name: str
) -> None:
    file = supervision.path / name
    assert SECRET in at(supervision).redactor.text(f"it is {SECRET}")
    changed(supervision.path, lambda: file.write_text(f"PASSWORD={SECRET}\n"))
    assert SECRET not in at(supervision).redactor.text(f"it is {SECRET}")
    file.write_text(f"PASSWORD={SECRET}-the-second\n")
    assert SECRET not in at(supervision).redactor.text(f"it is {SECRET}-the-second")


@pytest.mark.parametrize("folder", ["", ".config/handrail"])
def test_stricter_settings_that_appear_and_change_count_at_the_next_look(
    supervision: SupervisionSetup, folder: str
) -> None:
    place = supervision.home / folder if folder else supervision.path
    if folder:
        changed(supervision.home, lambda: place.mkdir(parents=True))
    file = place / "handrail.yaml"

    def write(number: int) -> object:
        return file.write_text(f"limits: {{actions: {number}}}")

    assert at(supervision).config.limits.actions == 0
    changed(place, lambda: write(7))
    assert at(supervision).config.limits.actions == 7
    write(11)
    assert at(supervision).config.limits.actions == 11


def test_a_work_tree_that_appears_above_brings_its_settings(
    supervision: SupervisionSetup, tmp_path: Path
) -> None:
    above = tmp_path / "above"
    inside = above / "inside"
    inside.mkdir(parents=True)
    (above / "handrail.yaml").write_text("limits: {actions: 7}")
    supervision.ticks.advance(MORE_THAN_A_LOOK)
    assert supervision.projects.at(str(inside)).config.limits.actions == 0
    changed(above, (above / ".git").mkdir)
    supervision.ticks.advance(MORE_THAN_A_LOOK)
    assert supervision.projects.at(str(inside)).config.limits.actions == 7
