"""Reads the state of the screen here: windows first, then the tree, then the words in it."""

import os
from collections.abc import Mapping

import msgspec

from handrail.desktop.errors import AnalysisError, MissingPackageError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.desktop.sense.accessibility_tree import AccessibilityTree, SlowTreeError
from handrail.desktop.sense.bus_connection import BusLostError
from handrail.desktop.sense.classify import SURE, classify
from handrail.desktop.sense.ocr import read_words
from handrail.desktop.sense.screen_facts import AppFacts, DesktopFacts, ScreenFacts
from handrail.desktop.sense.situation import Expectation
from handrail.desktop.sense.titles import is_terminal
from handrail.desktop.sense.x11_windows import X11Windows
from handrail.desktop.windows import Area
from handrail.model.desktop import ScreenStatus

_MORE_LOOKS = 4


class LocalSensor:
    """Reads screens without a model, key or network; used from one thread at a time."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = dict(environ)
        self._windows = X11Windows(environ.get("DISPLAY", ""))
        self._tree = AccessibilityTree(environ)
        self.notes: tuple[str, ...] = ()
        """What the last reading had to do without, one sentence each."""

    def read(self, question: ScreenQuestion) -> ScreenReading:
        """Return the state of the screen; raises NoDisplayError."""
        self.notes = ()
        expects = Expectation(_same_paths(question.expected_file), question.target.window)
        desktop = self._windows.read()
        facts = ScreenFacts(desktop, self._read_tree(desktop))
        reading = classify(facts, expects)
        if not _needs_words(reading, facts) or not question.screenshot.data:
            return reading
        words = self._read_words(question, desktop)
        return classify(msgspec.structs.replace(facts, words=words), expects) if words else reading

    def close(self) -> None:
        """Close the connections."""
        self._windows.close()
        self._tree.close()

    def _read_tree(self, desktop: DesktopFacts) -> AppFacts | None:
        """Return what the program in front shows; a terminal's window already tells enough."""
        front = desktop.find(desktop.active)
        if front is None or not front.pid:
            return None
        if is_terminal(front) and not front.takes_keys:
            return None
        try:
            app = self._tree.read(front.pid, front.title)
            for _ in range(_MORE_LOOKS if front.takes_keys else 0):
                if app is None or not app.answers or any(one.texts for one in app.dialogs):
                    break
                # Its window is there already, and what stands in it comes a moment later.
                app = self._tree.read(front.pid, front.title)
            return app
        except (BusLostError, SlowTreeError) as problem:
            self.notes = (*self.notes, f"No accessibility tree: {problem}.")
            return None

    def _read_words(self, question: ScreenQuestion, desktop: DesktopFacts) -> str:
        # The picture of a single window is already the part to read.
        part = None if question.target.window else self._find_part(question, desktop)
        try:
            return read_words(question.screenshot.data, part, self._environ)
        except (MissingPackageError, AnalysisError) as problem:
            self.notes = (*self.notes, f"No OCR: {problem}.")
            return ""

    def _find_part(self, question: ScreenQuestion, desktop: DesktopFacts) -> Area | None:
        """Return the place of the window in front in the picture."""
        shot = question.screenshot
        place = self._windows.find_area(desktop.active) if desktop.active else None
        if place is None or question.target.screen > 0:
            return None
        left, top = max(round(place.x * shot.scale), 0), max(round(place.y * shot.scale), 0)
        width = min(round(place.width * shot.scale), shot.width - left)
        height = min(round(place.height * shot.scale), shot.height - top)
        return Area(left, top, width, height) if width > 0 and height > 0 else None


def _needs_words(reading: ScreenReading, facts: ScreenFacts) -> bool:
    """Whether OCR may say more: unsure, or a dialog without a text."""
    if not facts.desktop.active:
        return False
    mute = reading.status is ScreenStatus.DIALOG and facts.app is None
    return (reading.confidence < SURE or mute) and not facts.desktop.open_menu


def _same_paths(expected: str) -> tuple[str, ...]:
    """Return the ways to write the path of the expected file: editors follow symbolic links."""
    if not expected:
        return ()
    paths = [expected]
    if os.path.isabs(expected):
        paths += [os.path.normpath(expected), os.path.realpath(expected)]
    return tuple(dict.fromkeys(paths))
