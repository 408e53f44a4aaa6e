"""scripts/class_names.py: which class names stand in several files."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "class_names.py"


@pytest.fixture(scope="module")
def class_names() -> ModuleType:
    spec = spec_from_file_location("scripts_class_names", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "one.py").write_text("class Told: ...\nclass Told: ...\nclass Alone: ...\n")
    (tmp_path / "room" / "two.py").write_text(
        "def make():\n    class _Told: ...\n\nclass Cache: ...\n"
    )
    (tmp_path / "room" / "three.py").write_text("class Cache: ...\n")
    return tmp_path


def test_every_place_of_a_name_in_several_files_is_told(
    class_names: ModuleType, folder: Path
) -> None:
    assert class_names.find_problems(folder, {}) == [
        "room/three.py:1: Cache",
        "room/two.py:4: Cache",
        "one.py:1: Told",
        "one.py:2: Told",
        "room/two.py:2: _Told",
    ]


def test_a_name_may_be_repeated_for_a_reason(class_names: ModuleType, folder: Path) -> None:
    may = {"Cache": "its settings, and the thing itself", "Told": "an example"}
    assert class_names.find_problems(folder, may) == []


def test_a_reason_that_is_not_needed_any_more_is_told(
    class_names: ModuleType, folder: Path
) -> None:
    problems = class_names.find_problems(folder, {"Cache": "…", "Told": "…", "Alone": "…"})
    assert problems == ["Alone may be repeated, but is not: take it off the list"]
