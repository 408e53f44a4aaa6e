"""A desktop for the tests of a file, and programs on it for each test."""

from collections.abc import Iterator

import pytest

from handrail.testing.desktop_bed import MissingProgramError
from tests.desktop.desktop_bed import DesktopBed, skip_without


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Skip a test whose desktop cannot be set up here."""
    try:
        yield
    except MissingProgramError as error:
        skip_without(error)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip a test that starts a program which is not here."""
    try:
        yield
    except MissingProgramError as error:
        skip_without(error)


@pytest.fixture(scope="module")
def desktop_bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopBed]:
    """A desktop with a window manager and both buses."""
    with DesktopBed(tmp_path_factory.mktemp("desktop")) as bed:
        yield bed


@pytest.fixture
def desktop(desktop_bed: DesktopBed, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopBed]:
    """The same desktop, empty, and the one that this process sees in its environment."""
    for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, desktop_bed.environment[name])
    for name in ("XAUTHORITY", "WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    yield desktop_bed
    desktop_bed.end_programs()
