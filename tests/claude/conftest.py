"""Tests with the real Claude Code, installed by `scripts/setup claude`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.claude.sandbox import CLAUDE, ClaudeSandbox


@pytest.fixture(scope="session")
def claude() -> Path:
    """The real program; where it is missing the test is skipped, with CI=true it fails."""
    if not CLAUDE.exists():
        missing = f"the real Claude Code is not at {CLAUDE}: run `scripts/setup claude`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return CLAUDE


@pytest.fixture
def sandbox(claude: Path) -> Iterator[ClaudeSandbox]:
    """A scratch world for the real program."""
    with ClaudeSandbox() as bed:
        yield bed
