"""A place for a real daemon."""

from collections.abc import Iterator

import pytest

from tests.server.daemon_sandbox import DaemonSandbox


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place
