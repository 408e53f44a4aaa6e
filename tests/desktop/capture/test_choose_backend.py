"""What takes the pictures, and what is missing for it."""

import sys
from pathlib import Path

import pytest

from handrail.desktop.capture.capture import open_capture
from handrail.desktop.capture.choose_backend import BACKENDS, open_backend
from handrail.desktop.errors import MissingPackageError, NoDisplayError
from tests.desktop.desktop_bed import DesktopBed, need

pytestmark = pytest.mark.slow
_PIP = r"pip install 'handrail\[desktop\]'"


@pytest.fixture
def without_mss(monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "mss", "handrail.desktop.capture.mss_backend")


def _hide(monkeypatch: pytest.MonkeyPatch, package: str, *users: str) -> None:
    for name in users:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)


def test_auto_is_mss(desktop: DesktopBed) -> None:
    backend = open_backend("auto", desktop.name)
    assert backend.name == "mss"
    backend.close()


def test_a_display_may_come_after_the_choice(
    desktop: DesktopBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY")
    capture = open_capture("auto")
    with pytest.raises(NoDisplayError, match="DISPLAY is not set"):
        capture.take()
    monkeypatch.setenv("DISPLAY", desktop.name)
    assert capture.take().width == 1920
    capture.close()


@pytest.mark.usefixtures("without_mss")
def test_without_mss_auto_is_scrot(desktop: DesktopBed) -> None:
    need("scrot")
    capture = open_capture("auto", desktop.name)
    assert capture.backend.name == "scrot"
    shot = capture.take()
    assert (shot.width, shot.height) == (1920, 1080)
    capture.close()


@pytest.mark.usefixtures("without_mss")
@pytest.mark.parametrize("name", ["auto", "mss"])
def test_with_nothing_the_better_one_is_recommended(
    name: str, desktop: DesktopBed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackageError, match=f"mss is missing: {_PIP}"):
        open_backend(name, desktop.name)


def test_a_missing_scrot_names_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackageError, match=r"scrot is missing: .*apt-get install scrot"):
        open_backend("scrot")


@pytest.mark.parametrize(("package", "called"), [("PIL", "Pillow"), ("Xlib", "python-xlib")])
@pytest.mark.parametrize("name", ["auto", *BACKENDS])
def test_a_missing_package_of_both_is_named(
    name: str, package: str, called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("scrot")
    users = [each for each in sys.modules if each.startswith("handrail.desktop.capture.")]
    users += ["handrail.desktop.windows", "handrail.desktop.x_display"]
    _hide(monkeypatch, package, *users)
    with pytest.raises(MissingPackageError, match=f"{called} is missing: {_PIP}"):
        open_capture(name)
