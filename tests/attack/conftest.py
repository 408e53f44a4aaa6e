"""Beds for attacks: where none can be had nothing is tried, and that is said."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attack.bed import why_no_bed
from tests.attack.installation import make_installation
from tests.claude.sandbox import CLAUDE


@pytest.fixture(scope="session")
def installation() -> Iterator[Path]:
    """Handrail as a user has it, to be shown in beds."""
    folder = Path(tempfile.mkdtemp(prefix="attack-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        if not CLAUDE.exists():
            _give_up(f"the real Claude Code is not at {CLAUDE}: run `scripts/setup claude`")
        make_installation(folder / "venv")
        if problem := why_no_bed(folder / "venv"):
            _give_up(f"no attack is tried, because this machine has no safe place: {problem}")
        yield folder / "venv"
    finally:
        shutil.rmtree(folder)


def _give_up(why: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)
