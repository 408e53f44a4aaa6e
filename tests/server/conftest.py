"""A place for a real daemon."""

from collections.abc import Iterator

import pytest

from tests.server.place import Place


@pytest.fixture
def place() -> Iterator[Place]:
    with Place() as place:
        yield place
