"""Load detectors from a user's own packages: entry points in the group `handrail.detectors`.

An entry point names a subclass of `Detector`, which describes itself as the built-in ones do.
Handrail reports and skips one that cannot be loaded, or that raises; it never breaks a run.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from handrail.config.detection import Detection
from handrail.config.entry_points import find_entry_points
from handrail.config.prompts import fields_of
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import FindingDescription
from handrail.detect.detector import Detector
from handrail.detect.usage_sample import UsageSample
from handrail.model.desktop import DesktopCheck
from handrail.model.finding import Finding

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "handrail.detectors"
_MOST_BYTES = 65_536
"""Bytes that a detector may remember: its fields are saved with the run."""


class PluginStateTooLargeError(ValueError):
    """A detector remembers too much."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it remembers {size:,} bytes, more than {_MOST_BYTES:,}")


class DetectorPlugins(msgspec.Struct, frozen=True):
    """The detectors of installed packages."""

    detectors: dict[str, type[Detector]] = {}
    problems: tuple[str, ...] = ()
    """The reasons why packages could not be loaded."""


@lru_cache(maxsize=1)
def load_plugins() -> DetectorPlugins:
    """Load the detectors of all installed packages, once."""
    detectors: dict[str, type[Detector]] = {}
    problems: list[str] = []
    for point in find_entry_points(GROUP):
        try:
            detectors[point.name] = _load(point)
        except Exception as error:  # noqa: BLE001 - somebody else's package may do anything
            problems.append(_says(point.name, "cannot be loaded", error))
    return DetectorPlugins(detectors, tuple(problems))


def _load(point: "EntryPoint") -> type[Detector]:
    return check_detector(point.load(), point.value)


def check_detector(loaded: object, name: str) -> type[Detector]:
    """Return the detector if it works; raises TypeError, or the detector's own error."""
    if not (isinstance(loaded, type) and issubclass(loaded, Detector)):
        raise TypeError(f"{name} is not a subclass of handrail.detect.Detector")
    if not isinstance(getattr(loaded, "kind", None), str):
        raise TypeError(f"{name} has no kind")
    if loaded.find is Detector.find:
        raise TypeError(f"{name} has no find")
    if not isinstance(loaded.about, FindingDescription):
        raise TypeError(f"{name} has an about that is no FindingDescription")
    msgspec.convert(msgspec.to_builtins(loaded.about), FindingDescription)
    for hint in loaded.about.hints:
        fields_of(hint)
    loaded()  # a detector must be able to begin with nothing
    return loaded


class CustomDetectors(msgspec.Struct):
    """The detectors of packages in one run."""

    states: dict[str, object] = {}
    """A detector, or its saved fields, by entry point."""
    faults: dict[str, str] = {}
    """The errors of detectors that were switched off."""

    @property
    def is_empty(self) -> bool:
        """Return whether there are no such detectors."""
        return not self.states and not load_plugins().detectors

    def adopt(self, detectors: Iterable[type[Detector]]) -> None:
        """Use these detectors of the program itself, with their saved state, from now on."""
        for each in detectors:
            self.states[each.kind] = _revived(each, self.states.get(each.kind))

    def see(self, done: CompletedStep) -> None:
        """Give each the next step."""
        self._each(lambda detector: _take_in(detector, done))

    def prompted(self) -> None:
        """Tell each about a prompt."""
        self._each(lambda detector: detector.prompted())

    def heard(self, text: str) -> None:
        """Tell each about the agent's message."""
        self._each(lambda detector: detector.heard(text))

    def sampled(self, sample: UsageSample) -> None:
        """Tell each about a measurement."""
        self._each(lambda detector: detector.sampled(sample))

    def checked(self, check: DesktopCheck) -> None:
        """Tell each about a desktop check."""
        self._each(lambda detector: detector.checked(check))

    def find(self, settings: Detection) -> list[Finding]:
        """Return the findings of all."""
        found: list[Finding] = []
        self._each(lambda detector: found.extend(_found(detector, settings)))
        return found

    def _each(self, do: Callable[[Detector], None]) -> None:
        """Call each; switch off one that raises."""
        for name, detector in self._working():
            try:
                do(detector)
            except Exception as error:  # noqa: BLE001 - see above
                self.states.pop(name, None)
                self.faults[name] = _says(name, "failed and is left out", error)

    def _working(self) -> Iterator[tuple[str, Detector]]:
        adopted = {
            name: type(each) for name, each in self.states.items() if isinstance(each, Detector)
        }
        for name, kind in {**adopted, **load_plugins().detectors}.items():
            if name in self.faults:
                continue
            detector = self.states.get(name)
            if not isinstance(detector, kind):
                detector = self.states[name] = _revived(kind, detector)
            yield name, detector


def _take_in(detector: Detector, done: CompletedStep) -> None:
    detector.see(done)
    size = len(msgspec.json.encode(detector))
    if size > _MOST_BYTES:
        raise PluginStateTooLargeError(size)


def _found(detector: Detector, settings: Detection) -> Iterator[Finding]:
    finding = detector.find(settings)
    if finding is not None:
        whole = msgspec.convert(finding, Finding, from_attributes=True)
        # Checked field by field: a value of a wrong type could be written, and never be read again.
        yield msgspec.convert(msgspec.to_builtins(whole), Finding)


def _revived(kind: type[Detector], saved: object) -> Detector:
    """Return the detector as saved; it begins anew if its fields have changed since."""
    if saved is None:
        return kind()
    try:
        return msgspec.convert(saved, kind)
    except msgspec.ValidationError:
        return kind()


def _says(name: str, what: str, error: Exception) -> str:
    return f"The detector {name} {what}: {type(error).__name__}: {error}"[:300]
