"""What every test of the loop runs under."""

from collections.abc import Iterator

import pytest
from blockbuster import blockbuster_ctx


@pytest.fixture(autouse=True, scope="module")
def nothing_blocks_the_event_loop() -> Iterator[None]:
    with blockbuster_ctx("handrail.drive"):
        yield
