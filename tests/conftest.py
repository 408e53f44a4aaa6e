"""What every test runs under."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from signal import default_int_handler

import pytest
from hypothesis import HealthCheck, settings

from tests.privileges import held_to_permissions

_TESTS = Path(__file__).parent

# No example database: it would be written into the work tree, and a failure has to be
# kept as an @example anyway. No deadline, and no look at the clock: a busy machine is not a bug.
_ANY_PACE = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", parent=_ANY_PACE)
# For `make check`; `make test` looks for longer.
settings.register_profile("quick", parent=_ANY_PACE, max_examples=20)
settings.register_profile(
    "ci", parent=_ANY_PACE, max_examples=50, derandomize=True, print_blob=True
)
# Whoever runs the tests may be an agent; Handrail's commands would notice.
# And no test may reach the user's own service manager.
for _name in ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "XDG_RUNTIME_DIR"):
    os.environ.pop(_name, None)
# Programs inherit ignored signals: from `nohup make test`, or from a CI job in the background.
for _number, _usual in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, default_int_handler)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")


@pytest.fixture
def no_override() -> Iterator[None]:
    """Permissions count, for root as for everybody."""
    with held_to_permissions():
        yield


# Folders whose tests all start programs, some of them the real Claude Code. Elsewhere a file says
# `pytestmark = pytest.mark.slow`.
_SLOW = ("attack", "claude", "dashboards", "fuzz", "upgrade")
_MARKS_ITSELF = "\npytestmark = pytest.mark.slow\n"
_PROMISES_AN_END = re.compile(
    r"_in_time(?:\[|$)|_comes_to_an_end|_does_not_hang|_never_ends_|_ends_in_"
)
_END = pytest.mark.timeout(60, func_only=True)
"""Such a test takes far less than a second; if it hangs, nobody waits for the usual limit."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out slow files unread for `-m 'not slow'`: half of all tests need not be collected."""
    if config.getoption("markexpr") != "not slow" or not collection_path.is_relative_to(_TESTS):
        return None
    if collection_path.is_dir():
        return (collection_path.parent == _TESTS and collection_path.name in _SLOW) or None
    is_test = collection_path.match("test_*.py")
    return (is_test and _MARKS_ITSELF in collection_path.read_text()) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make check` leaves out, and limit those whose name promises an end."""
    for item in items:
        if item.path.relative_to(_TESTS).parts[0] in _SLOW:
            item.add_marker(pytest.mark.slow)
        elif _PROMISES_AN_END.search(item.name) and not item.get_closest_marker("timeout"):
            item.add_marker(_END)
