"""The desktop of `handrail.testing` for tests: without its programs, a test is skipped."""

import os
from typing import NoReturn

import pytest

from handrail.testing.desktop_bed import (
    PATIENCE,
    DesktopBed,
    DesktopProgram,
    MissingProgramError,
    require,
)

__all__ = ["PATIENCE", "DesktopBed", "DesktopProgram", "need", "skip_without"]


def need(*programs: str) -> None:
    """Skip the test where a program is missing; with CI=true it fails."""
    try:
        require(*programs)
    except MissingProgramError as error:
        skip_without(error)


def skip_without(error: MissingProgramError) -> NoReturn:
    """Skip the test for want of a program; with CI=true it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(str(error))
    pytest.skip(str(error))
