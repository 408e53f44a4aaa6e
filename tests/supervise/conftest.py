"""What the tests of supervision share."""

from pathlib import Path

import pytest

from tests.supervise.supervision_setup import SupervisionSetup


@pytest.fixture
def supervision(tmp_path: Path) -> SupervisionSetup:
    return SupervisionSetup(tmp_path)
