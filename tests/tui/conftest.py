"""Clocks on the wall show the same everywhere."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.sample_log import SampleLog, sample_log


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("NO_COLOR", raising=False)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SampleLog]:
    """The log of the sample, in a file, open for more."""
    with sample_log(tmp_path) as book:
        yield book
