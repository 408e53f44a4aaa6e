"""The API on the log of the sample."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from handrail.server.api.live_log import LiveLog
from handrail.server.home import Home
from tests.tui.sample_log import SampleLog, sample_log


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SampleLog]:
    with sample_log(tmp_path) as book:
        yield book


@pytest.fixture
def live(book: SampleLog, tmp_path: Path) -> Iterator[LiveLog]:
    with closing(LiveLog(book.store, Home(str(tmp_path / "state")))) as live:
        yield live
