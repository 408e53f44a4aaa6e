"""What a command line does, by the tables alone: the place of a path is not weighed here."""

from collections.abc import Callable

import pytest

from handrail.model.effect import Effect
from handrail.shell import read

Effects = Callable[[str], tuple[Effect, ...]]


@pytest.fixture
def effects() -> Effects:
    """The effects of a command line, seen from /w with the home folder /home/me."""

    def of(command: str) -> tuple[Effect, ...]:
        return read(command, cwd="/w", environ={"HOME": "/home/me"}).effects

    return of


@pytest.fixture
def touched(effects: Effects) -> Callable[[str], list[str]]:
    """The effects as short lines: `delete /w/a*` for a recursive deletion."""

    def of(command: str) -> list[str]:
        return [f"{e.kind} {e.target}{'*' if e.recursive else ''}" for e in effects(command)]

    return of
