"""The pages, and the scripts that make them."""

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def _load(name: str) -> ModuleType:
    spec = spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def verdicts() -> ModuleType:
    """scripts/verdicts.py"""
    return _load("verdicts")


@pytest.fixture(scope="session")
def maker() -> ModuleType:
    """scripts/docs.py"""
    return _load("docs")


@pytest.fixture(scope="session")
def floors() -> ModuleType:
    """scripts/floors.py"""
    pytest.importorskip("coverage")
    return _load("floors")


@pytest.fixture(scope="session")
def site_hook() -> ModuleType:
    """scripts/site.py"""
    pytest.importorskip("mkdocs")
    return _load("site")


@pytest.fixture(scope="session")
def page() -> Callable[[str], str]:
    """The text of a page, by its path in the repository."""
    return lambda name: (ROOT / name).read_text()
