"""Tests with the real Claude Code, installed by `scripts/setup claude`."""

import os
from collections.abc import Iterator

import pytest

from tests.claude.bed import CLAUDE, Bed


@pytest.fixture
def bed() -> Iterator[Bed]:
    """A scratch world for the real Claude Code."""
    if not CLAUDE.exists():
        missing = f"the real Claude Code is not at {CLAUDE}: run `scripts/setup claude`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with Bed() as bed:
        yield bed
