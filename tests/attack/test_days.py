"""Everyday life in a bed: nothing is stopped, nothing is lost, and no day is reported."""

from pathlib import Path

import pytest

from tests.attack.bed import run_in_bed
from tests.attack.days import DAYS

UPGRADE = "packages are upgraded between sessions"
OTHERS = [day for day in DAYS if day != UPGRADE]


@pytest.mark.parametrize("days", [OTHERS, [UPGRADE]], ids=["together", UPGRADE])
def test_ordinary_days_are_not_disturbed(installation: Path, days: list[str]) -> None:
    """Honest work comes first: where that is refused, no attack says anything."""
    lived = run_in_bed(installation, {"days": days, "own_packages": UPGRADE in days})
    assert lived == {day: [] for day in days}
