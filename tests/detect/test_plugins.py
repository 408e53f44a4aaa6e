"""Detectors from packages of a user's own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from handrail.config.detection import Detection
from handrail.detect import CompletedStep, RunDetectors
from handrail.detect.plugins import load_plugins
from tests.detect.steps import did

SETTINGS = Detection()
PACKAGE = """
    from typing import ClassVar
    from handrail.detect import Detector
    from handrail.model.finding import Finding
    from handrail.model.ordinal import Severity

    class Night(Detector):
        kind: ClassVar[str] = "night_work"
        steps: list[int] = []

        def see(self, deed):
            self.steps.append(deed.step)
            del self.steps[:-3]

        def find(self, settings):
            if len(self.steps) < 3:
                return None
            return Finding(self.kind, Severity.LOW, 0.5, tuple(self.steps), says="Late.")

    class Idle(Detector):
        kind: ClassVar[str] = "idle"

    class Raises(Night):
        kind: ClassVar[str] = "raises"

        def see(self, deed):
            raise ZeroDivisionError("nothing to divide")

    class Moody(Night):
        kind: ClassVar[str] = "moody"

        def see(self, deed):
            if deed.step == 1:
                raise RuntimeError("not today")
            super().see(deed)

    class FindRaises(Night):
        kind: ClassVar[str] = "find_raises"

        def find(self, settings):
            raise KeyError("lost")

    class Junk(Night):
        kind: ClassVar[str] = "junk"

        def find(self, settings):
            return "trouble"

    class Hoards(Night):
        kind: ClassVar[str] = "hoards"

        def see(self, deed):
            self.steps.extend(range(100_000))

    class Secretive(Night):
        kind: ClassVar[str] = "secretive"
        hidden: object = None

        def see(self, deed):
            self.hidden = object()

    class NeedsMore(Detector):
        kind: ClassVar[str] = "needs_more"
        name: str

    not_a_detector = 3
"""

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package, as pip would, with these entry points."""

    def install(**points: str) -> Path:
        (tmp_path / "shop_detectors.py").write_text(dedent(PACKAGE))
        info = tmp_path / "shop_detectors-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: shop-detectors\nVersion: 1.0\n"
        )
        lines = [f"{name} = {place}" for name, place in points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[handrail.detectors]", *lines]) + "\n")
        monkeypatch.syspath_prepend(tmp_path)
        load_plugins.cache_clear()
        return tmp_path

    yield install
    load_plugins.cache_clear()


def another(step: int) -> CompletedStep:
    """A deed that is no repetition."""
    return did(step, shown=f"make part{step}")


def watch_of(count: int) -> RunDetectors:
    watch = RunDetectors()
    for step in range(count):
        watch.see(another(step))
    return watch


def test_a_detector_of_an_installed_package_finds(install: Install) -> None:
    install(night="shop_detectors:Night")
    assert watch_of(2).findings(SETTINGS) == []
    (finding,) = watch_of(4).findings(SETTINGS)
    assert (finding.kind, finding.evidence, finding.says) == ("night_work", (1, 2, 3), "Late.")
    assert watch_of(4).findings(Detection(disabled=("night_work",))) == []
    assert watch_of(4).faults == ()


def test_what_it_remembers_survives_a_restart(install: Install) -> None:
    install(night="shop_detectors:Night")
    saved = msgspec.json.encode(watch_of(2))
    watch = msgspec.json.decode(saved, type=RunDetectors)
    watch.see(another(2))
    (finding,) = watch.findings(SETTINGS)
    assert finding.evidence == (0, 1, 2)
    assert msgspec.json.encode(watch) == msgspec.json.encode(watch_of(3))


def test_it_begins_anew_where_its_fields_have_changed(install: Install) -> None:
    install(night="shop_detectors:Night")
    watch = watch_of(2)
    watch.custom.states["night"] = {"steps": "many"}
    watch.see(another(5))
    assert watch.findings(SETTINGS) == []
    assert watch.faults == ()


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("shop_detectors:Missing", "cannot be loaded: AttributeError"),
        ("no_such_package:Night", "cannot be loaded: ModuleNotFoundError"),
        ("shop_detectors:Idle", "has no find"),
        ("shop_detectors:not_a_detector", "is not a subclass of handrail.detect.Detector"),
        ("shop_detectors:NeedsMore", "cannot be loaded: TypeError"),
    ],
)
def test_what_cannot_be_loaded_is_told_and_the_others_work(
    install: Install, place: str, says: str
) -> None:
    install(broken=place, night="shop_detectors:Night")
    watch = watch_of(3)
    (fault,) = watch.faults
    assert fault.startswith("The detector broken ")
    assert says in fault
    assert [each.kind for each in watch.findings(SETTINGS)] == ["night_work"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Raises", "ZeroDivisionError: nothing to divide"),
        ("Moody", "RuntimeError: not today"),
        ("FindRaises", "KeyError: 'lost'"),
        ("Junk", "ValidationError"),
        ("Hoards", "TooLargeError: it remembers"),
        ("Secretive", "TypeError"),
    ],
)
def test_one_that_fails_is_told_once_and_left_out(install: Install, name: str, says: str) -> None:
    install(bad=f"shop_detectors:{name}", night="shop_detectors:Night")
    watch = RunDetectors()
    for step in range(5):
        watch.see(another(step))
        watch.findings(SETTINGS)
    (fault,) = watch.faults
    assert fault.startswith("The detector bad failed and is left out: ")
    assert says in fault
    assert [each.kind for each in watch.findings(SETTINGS)] == ["night_work"]
    restored = msgspec.json.decode(msgspec.json.encode(watch), type=RunDetectors)
    restored.see(another(6))
    assert restored.faults == watch.faults


def test_what_a_missing_package_remembered_is_kept(install: Install) -> None:
    install(night="shop_detectors:Night")
    saved = msgspec.json.encode(watch_of(2))
    install()
    watch = msgspec.json.decode(saved, type=RunDetectors)
    watch.see(another(2))
    install(night="shop_detectors:Night")
    again = msgspec.json.decode(msgspec.json.encode(watch), type=RunDetectors)
    again.see(another(3))
    (finding,) = again.findings(SETTINGS)
    assert finding.evidence == (0, 1, 3)
