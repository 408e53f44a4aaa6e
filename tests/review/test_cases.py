"""Whole families of commands: what must be stopped is, what must run does."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from _pytest.mark import ParameterSet

from handrail.model import Review

pytestmark = pytest.mark.slow

CASES = Path(__file__).parent.parent / "cases"


def _rows(label: str) -> list[ParameterSet]:
    return list(_read(label))


def _read(label: str) -> Iterator[ParameterSet]:
    for file in sorted(CASES.glob("*.yaml")):
        for index, command in enumerate(yaml.safe_load(file.read_text()).get(label) or ()):
            yield pytest.param(command, id=f"{file.stem}-{index}")


@pytest.mark.parametrize("command", _rows("stop"))
def test_stopped(elsewhere: Callable[[str], Review], command: str) -> None:
    review = elsewhere(command)
    assert review.decision.stops, review.steps


@pytest.mark.parametrize("command", _rows("allow"))
def test_let_through(elsewhere: Callable[[str], Review], command: str) -> None:
    review = elsewhere(command)
    assert not review.decision.stops, review.reasons


@pytest.mark.parametrize("command", _rows("missed"))
def test_known_gaps_are_still_gaps(elsewhere: Callable[[str], Review], command: str) -> None:
    """A row that fails here was mended: move it to `stop`."""
    assert not elsewhere(command).decision.stops
