"""Machines on which the code of before has left something."""

from collections.abc import Iterator

import pytest

from tests.upgrade.machine import Machine, machine_of


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Sessions have ended, one of them in an emergency; no daemon runs."""
    with machine_of("ended.tar.gz") as machine:
        yield machine


@pytest.fixture
def running() -> Iterator[Machine]:
    """Four sessions are in the middle of something, and their daemon was killed."""
    with machine_of("running.tar.gz") as machine:
        yield machine
