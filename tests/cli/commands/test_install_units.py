"""Units come with an install where systemd runs, and go with the uninstall.

`systemctl` is a stand-in that starts nothing, so that Handrail's own guardian does.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.units.fake_systemctl import FakeSystemctl

from handrail.server.http.socket_client import daemon_health
from handrail.server.lock import daemon_pid, guardian_pid

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


@pytest.fixture
def systemctl(place: DaemonSandbox) -> FakeSystemctl:
    systemctl = FakeSystemctl(place.root)
    systemctl.fail_at("start handrail")
    place.environ.update(systemctl.environ)
    return systemctl


def units(place: DaemonSandbox) -> list[str]:
    """The endings of the unit files that are there."""
    folder = Path(place.environ["HOME"], ".config/systemd/user")
    return sorted(path.suffix for path in folder.glob("handrail-*"))


def well(place: DaemonSandbox, *words: str) -> str:
    """What a command prints that ends well."""
    ran = place.run(*words)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return " ".join(ran.stdout.split())


@pytest.mark.usefixtures("systemctl")
def test_an_install_shows_the_units_and_writes_them(place: DaemonSandbox) -> None:
    out = well(place, "install", "claude", "--yes")
    assert "+StartLimitIntervalSec=0" in out
    assert f"+ListenStream={place.home.socket}" in out
    assert "✓ systemd holds Handrail's sockets and keeps it running: ~/.config/systemd" in out
    assert units(place) == [".service", ".socket"]
    assert daemon_health(place.home)
    again = well(place, "install", "claude", "--yes")
    assert "is already installed" in again
    assert "systemd" not in again


@pytest.mark.usefixtures("systemctl")
def test_the_last_uninstall_takes_them_away(place: DaemonSandbox) -> None:
    well(place, "install", "claude", "--yes")
    well(place, "install", "claude", "--yes", "--project")
    assert "systemd" not in well(place, "uninstall", "claude", "--yes")
    assert units(place) == [".service", ".socket"]
    out = well(place, "uninstall", "claude", "--yes", "--project")
    assert "-StartLimitIntervalSec=0" in out
    assert "systemd no longer starts Handrail" in out
    assert units(place) == []
    assert (guardian_pid(place.home), daemon_pid(place.home)) == (None, None)


@pytest.mark.usefixtures("systemctl")
def test_they_can_be_left_out_and_be_taken_away_alone(place: DaemonSandbox) -> None:
    assert "systemd" not in well(place, "install", "claude", "--yes", "--no-units")
    assert units(place) == []
    well(place, "install", "claude", "--yes", "--units")
    assert units(place) == [".service", ".socket"]
    assert "no longer starts" in well(place, "install", "claude", "--yes", "--no-units")
    assert units(place) == []
    assert daemon_health(place.home)


@pytest.mark.usefixtures("systemctl")
def test_a_dry_run_only_shows_them(place: DaemonSandbox) -> None:
    out = well(place, "install", "claude", "--dry-run")
    assert "+ListenStream=127.0.0.1:PORT" in out
    assert "this was a dry run" in out
    assert units(place) == []
    assert not Path(place.home.path).exists()


@pytest.mark.usefixtures("systemctl")
def test_programs_are_told_of_them(place: DaemonSandbox) -> None:
    told = json.loads(well(place, "install", "claude", "--yes", "--json"))
    assert [Path(path).suffix for path in told["units"]] == [".socket", ".service"]
    assert json.loads(well(place, "install", "claude", "--json"))["changed"] is False


def test_what_systemd_refuses_leaves_everything_as_it_was(
    place: DaemonSandbox, systemctl: FakeSystemctl
) -> None:
    systemctl.fail_at("enable")
    ran = place.run("install", "claude", "--yes")
    assert ran.returncode == 2
    assert "systemd did not take the units: Unit is not well" in " ".join(ran.stderr.split())
    assert "--no-units" in ran.stderr
    assert units(place) == []
    assert not Path(place.environ["HOME"], ".claude").exists()


def test_without_systemd_nobody_speaks_of_it(place: DaemonSandbox) -> None:
    shown = well(place, "install", "claude", "--yes") + well(place, "uninstall", "claude", "--yes")
    assert "systemd" not in shown
    assert units(place) == []


def test_without_systemd_units_cannot_be_asked_for(place: DaemonSandbox) -> None:
    ran = place.run("install", "claude", "--yes", "--units")
    assert ran.returncode == 2
    assert "neither a systemd nor a launchd answers" in " ".join(ran.stderr.split())
