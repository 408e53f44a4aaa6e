"""Unit files are written, recorded, given back; the commands are a service manager's."""

from pathlib import Path

import pytest

from handrail.server.home import Home
from handrail.server.units.service_manager import (
    LAUNCHD,
    MANAGERS,
    SYSTEMD,
    ServiceManager,
    find_manager,
)
from handrail.server.units.unit_installation import (
    UnitError,
    UnitPlan,
    are_active,
    damaged_unit,
    installed_units,
    installing_units,
    plan_unit_removal,
    plan_units,
    remove_units,
    start_units,
    stop_units,
)
from tests.server.units.fake_systemctl import FakeSystemctl


class UnitHome:
    """A home with a state folder and a service manager."""

    def __init__(self, root: Path) -> None:
        self.systemctl = FakeSystemctl(root)
        self.path = root / "home"
        self.path.mkdir()
        self.environ = {**self.systemctl.environ, "HOME": str(self.path)}
        self.state = Home(str(self.path / ".local/state/handrail"))
        self.units = self.path / ".config/systemd/user"

    def plan(self, **environ: str) -> UnitPlan:
        return plan_units(self.state, SYSTEMD, {**self.environ, **environ}, 47100)

    def install(self) -> None:
        with installing_units(self.plan(), self.state, self.environ):
            pass

    def files(self) -> list[str]:
        return sorted(path.name for path in self.units.glob("*"))

    def remove(self) -> None:
        plan = plan_unit_removal(self.state)
        assert plan is not None
        remove_units(plan, self.state, self.environ)


@pytest.fixture
def home(tmp_path: Path) -> UnitHome:
    return UnitHome(tmp_path)


def test_an_install_writes_the_files_and_tells_systemd(home: UnitHome) -> None:
    home.install()
    assert home.files() == ["handrail.service", "handrail.socket"]
    assert home.systemctl.take_calls() == ["daemon-reload", "enable --quiet handrail.socket"]
    assert installed_units(home.state) == home.plan().record


def test_the_next_install_finds_nothing_to_change(home: UnitHome) -> None:
    home.install()
    assert home.plan().changes is False
    assert home.plan(XDG_SESSION_ID="7", XDG_CURRENT_DESKTOP="GNOME").changes is False
    assert home.plan(PATH="/elsewhere").changes is True


def test_a_removal_stops_the_units_and_leaves_nothing(home: UnitHome) -> None:
    home.install()
    home.systemctl.take_calls()
    home.remove()
    assert home.systemctl.take_calls() == [
        "stop handrail.socket handrail.service",
        "disable --quiet handrail.socket",
        "daemon-reload",
    ]
    assert not (home.path / ".config").exists(), "the folders were made for the units"
    assert plan_unit_removal(home.state) is None


def test_a_removal_without_a_manager_leaves_no_link_either(home: UnitHome) -> None:
    home.install()
    wanted = home.units / "sockets.target.wants"
    wanted.mkdir()
    (wanted / "handrail.socket").symlink_to(home.units / "handrail.socket")
    home.systemctl.fail_at("handrail")
    home.remove()
    assert not (home.path / ".config").exists()


def test_units_that_a_person_had_written_come_back(home: UnitHome) -> None:
    home.units.mkdir(parents=True)
    mine = home.units / "handrail.service"
    mine.write_text("[Service]\n")
    home.install()
    assert mine.read_text() != "[Service]\n"
    home.remove()
    assert (mine.read_text(), home.files()) == ("[Service]\n", ["handrail.service"])


def test_what_systemd_does_not_take_is_taken_back(home: UnitHome) -> None:
    home.systemctl.fail_at("enable")
    with pytest.raises(UnitError, match="systemd did not take the units: Unit is not well"):
        home.install()
    assert not (home.path / ".config").exists()
    assert installed_units(home.state) is None


def test_a_failure_after_the_change_brings_the_earlier_units_back(home: UnitHome) -> None:
    home.install()
    before = (home.units / "handrail.service").read_bytes()
    fresh = home.plan(PATH="/elsewhere")
    with pytest.raises(RuntimeError), installing_units(fresh, home.state, home.environ):
        raise RuntimeError
    assert (home.units / "handrail.service").read_bytes() == before
    assert installed_units(home.state) == home.plan().record


def test_another_state_folder_has_units_of_its_own(home: UnitHome) -> None:
    other = Home(str(home.path / "other"))
    environ = {**home.environ, "HANDRAIL_HOME": other.path}
    names = {Path(each.path).name for each in plan_units(other, SYSTEMD, environ, 1).files}
    assert all(name.startswith("handrail-") for name in names)


def test_starting_and_stopping_are_left_to_systemd(home: UnitHome) -> None:
    assert start_units(home.state, home.environ) is False, "there are no units yet"
    stop_units(home.state, home.environ)
    assert home.systemctl.take_calls() == []
    home.install()
    home.systemctl.take_calls()
    assert start_units(home.state, home.environ) is True
    stop_units(home.state, home.environ)
    assert home.systemctl.take_calls() == [
        "start handrail.service",
        "stop handrail.socket handrail.service",
    ]
    home.systemctl.fail_at("start")
    assert start_units(home.state, home.environ) is False


def test_a_unit_that_was_changed_or_is_missing_is_told(home: UnitHome) -> None:
    home.install()
    record = installed_units(home.state)
    assert record is not None
    assert damaged_unit(record) == ""
    unit = home.units / "handrail.service"
    unit.write_text("[Service]\n")
    assert damaged_unit(record) == str(unit)
    unit.unlink()
    assert damaged_unit(record) == str(unit)


def test_sockets_that_systemd_does_not_hold_are_told(home: UnitHome) -> None:
    home.install()
    record = installed_units(home.state)
    assert record is not None
    assert are_active(record, home.environ) is True
    home.systemctl.fail_at("is-active")
    assert are_active(record, home.environ) is False


def test_a_damaged_record_counts_as_none(home: UnitHome) -> None:
    home.install()
    Path(home.state.units).write_text("{broken")
    assert installed_units(home.state) is None


# Which manager there is


def test_a_manager_that_answers_is_found(home: UnitHome) -> None:
    assert find_manager(home.environ) is SYSTEMD
    home.systemctl.fail_at("show")
    assert find_manager(home.environ) is None


@pytest.mark.parametrize("gone", ["XDG_RUNTIME_DIR", "PATH"])
def test_without_a_manager_none_is_found(home: UnitHome, gone: str) -> None:
    assert find_manager({**home.environ, gone: "/nowhere"}) is None


def test_without_its_socket_systemctl_is_not_even_asked(home: UnitHome, tmp_path: Path) -> None:
    assert find_manager({**home.environ, "XDG_RUNTIME_DIR": str(tmp_path)}) is None
    assert home.systemctl.take_calls() == []


@pytest.mark.parametrize("manager", MANAGERS.values(), ids=MANAGERS)
def test_every_command_can_be_filled_in(manager: ServiceManager) -> None:
    values = {"name": "n", "label": "l", "uid": 1, "file": "f"}
    single = (manager.answers, manager.stop, manager.is_active)
    for command in (*single, *manager.load, *manager.start, *manager.unload, *manager.forget):
        assert "{" not in command.format(**values)


def test_the_agent_of_launchd_lies_in_the_library() -> None:
    assert LAUNCHD.unit_folder({"HOME": "/Users/me"}) == "/Users/me/Library/LaunchAgents"
