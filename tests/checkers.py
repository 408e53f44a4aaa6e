"""Programs that check what is not Python; `scripts/setup checkers` gets them."""

import os
import shutil

import pytest


def checker(program: str) -> str:
    """Where a program is; where it is missing the test is skipped, with CI=true it fails."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    found = shutil.which(program) or f"{cache}/handrail/{program}/{program}"
    if os.access(found, os.X_OK):
        return found
    missing = f"{program} is not here: scripts/setup checkers"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)
