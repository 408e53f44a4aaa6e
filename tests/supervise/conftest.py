"""What the tests of supervision share."""

from pathlib import Path

import pytest

from tests.supervise.bed import Bed


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    return Bed(tmp_path)
