"""Handrail under a `systemd --user` that really runs. Skipped where none can be started."""

import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from handrail.server.http.socket_client import daemon_health
from tests.hosts.claude.desk import decision
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox
from tests.server.user_manager import UserManager

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="systemd is for Linux"),
]


@pytest.fixture
def manager(place: DaemonSandbox) -> Iterator[UserManager]:
    """A manager that keeps an installed Handrail."""
    with UserManager(place) as manager:
        ran = manager.handrail("install", "claude", "--yes")
        assert ran.returncode == 0, ran.stderr
        assert "systemd holds Handrail's sockets" in ran.stdout
        yield manager


def unit(manager: UserManager, kind: str) -> str:
    """The name of a unit: that of a state folder that is not the usual one."""
    listed = manager.systemctl("list-unit-files", "--no-legend", f"handrail*.{kind}").stdout
    return listed.split()[0]


def guardian(manager: UserManager) -> str:
    shown = manager.systemctl("show", "--property=MainPID", "--value", unit(manager, "service"))
    return shown.stdout.strip()


def wait_for(what: Callable[[], object]) -> None:
    """Until something is so; fails if it never is."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_systemd_starts_a_guardian_again(
    manager: UserManager, place: DaemonSandbox, number: signal.Signals
) -> None:
    before = guardian(manager)
    manager.kill(number, before)
    wait_for(lambda: guardian(manager) not in ("0", before))
    wait_for(lambda: daemon_health(place.home))
    assert decision(place.before("rm -rf /")) == "deny"


def test_a_stop_leaves_nothing_and_the_next_start_is_by_systemd(
    manager: UserManager, place: DaemonSandbox
) -> None:
    assert "Stopped the daemon." in manager.handrail("serve", "--stop").stdout
    assert manager.processes() == []
    assert manager.systemctl("is-active", unit(manager, "socket")).returncode != 0
    assert "Started the daemon." in manager.handrail("serve", "--background").stdout
    assert manager.systemctl("is-active", unit(manager, "socket")).returncode == 0
    assert daemon_health(place.home)


def test_an_uninstall_leaves_nothing(manager: UserManager, place: DaemonSandbox) -> None:
    ran = manager.handrail("uninstall", "claude", "--yes")
    assert "systemd no longer starts Handrail" in ran.stdout
    assert manager.processes() == []
    assert manager.systemctl("list-units", "--all", "--no-legend", "handrail*").stdout == ""
    assert not (place.root / "home" / ".config").exists()
