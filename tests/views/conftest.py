"""A log with the runs of the sample."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.sample_log import SampleLog, sample_log


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SampleLog]:
    """The log of the sample, in a file, open for more."""
    with sample_log(tmp_path) as book:
        yield book
