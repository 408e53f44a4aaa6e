"""The eyes and hands of a watch on a real display, made from the settings."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from handrail.config.desktop import Desktop, screenshot_folder
from handrail.config.prices import ModelPrice
from handrail.desktop.analyse.exclusion import find_exclusion
from handrail.desktop.analyse.vision_analyser import VisionAnalyser
from handrail.desktop.analyse.vision_preview import VisionPreview, preview_request
from handrail.desktop.capture.capture import open_capture
from handrail.desktop.capture.debug_copies import DebugCopies
from handrail.desktop.capture.screenshot import CaptureTarget, Screenshot
from handrail.desktop.errors import CaptureError
from handrail.desktop.packages import load
from handrail.desktop.recover.actions import RecoveryAction, parse_actions
from handrail.desktop.recover.executor import RecoveryExecutor, Review
from handrail.desktop.recover.file_opener import FileOpener
from handrail.desktop.recover.policy import allow_actions
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.desktop.watch.checker import ScreenLook
from handrail.model.desktop import RecoveryStep
from handrail.model.state_folder import state_folder
from handrail.redact import Redactor

if TYPE_CHECKING:
    from handrail.desktop.sense.local_sensor import LocalSensor
    from handrail.desktop.sense.screen_facts import WindowFacts
    from handrail.desktop.sense.x11_windows import X11Windows

_log = logging.getLogger(__name__)

_ANNOTATE = "handrail.desktop.capture.annotate"
_NO_PICTURE = Screenshot(b"", 0, 0, 0.0)


class ScreenTools:
    """Connections to one display; used from one thread at a time."""

    def __init__(
        self,
        settings: Desktop,
        environ: Mapping[str, str],
        *,
        target: CaptureTarget,
        wait: Callable[[float], bool],
        opener: FileOpener | None = None,
        prices: Mapping[str, ModelPrice] | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        """`wait` waits so many seconds, and returns True, at once, if all shall stop.

        Raises MissingPackageError. A display that is not there shows at the first look.
        """
        display = environ.get("DISPLAY", "")
        self._before: list[str] = []
        self._settings = settings
        self._environ = environ
        self._prices = prices
        self._redactor = redactor
        self._target = target
        self._open = ExitStack()
        self._capture = open_capture(settings.screenshot_backend, display)
        self._open.callback(self._capture.close)
        self.local: LocalSensor = load("handrail.desktop.sense.local_sensor").LocalSensor(environ)
        self._open.callback(self.local.close)
        self._windows: X11Windows = load("handrail.desktop.sense.x11_windows").X11Windows(display)
        self._open.callback(self._windows.close)
        self.vision: VisionAnalyser | None = None
        if settings.vision:
            self.vision = VisionAnalyser(
                settings, self.titles, prices=prices, redactor=redactor, environ=environ
            )
            self._open.callback(self.vision.close)
        buttons = load("handrail.desktop.sense.dialog_buttons").DialogButtons(environ)
        self._open.callback(buttons.close)
        device = load("handrail.desktop.recover.xtest_device").XTestDevice(buttons.press, display)
        self._open.callback(device.close)
        self._executor = RecoveryExecutor(device, self._shown, self._glance, wait, opener=opener)
        folder = screenshot_folder(settings, state_folder(environ))
        self._copies = DebugCopies(folder, settings.screenshot_days, settings.screenshot_mb)

    def capture(self, target: CaptureTarget) -> Screenshot:
        """Take a picture; raises DesktopError."""
        self._before = [each.title for each in self._shown()]
        return self._capture.take(target)

    def titles(self) -> list[str]:
        """Return the titles of all windows now and before the last picture.

        A window that closed in between may be in it. Raises NoDisplayError.
        """
        return [*self._before, *(each.title for each in self._shown())]

    def keep(self, screenshot: Screenshot) -> str:
        """Keep a picture and return its name, or "" if it may not or cannot be kept."""
        settings = self._settings
        if not settings.save_screenshots:
            return ""
        if settings.exclude_windows and find_exclusion(self.titles(), settings.exclude_windows):
            return ""
        try:
            return self._copies.keep(screenshot)
        except CaptureError as error:
            _log.warning("%s", error)
            return ""

    def recover(self, look: ScreenLook, expected: str, review: Review) -> tuple[RecoveryStep, ...]:
        """Carry out the recovery that a look proposes; raises RecoveryError if it may not."""
        allowed = self.allowed(look.reading, look.sensed, expected)
        return self._executor.carry_out(allowed, review, expected)

    def allowed(
        self, reading: ScreenReading, sensed: ScreenReading, expected: str
    ) -> tuple[RecoveryAction, ...]:
        """Return the actions that a reading proposes; raises RecoveryError if they may not be.

        `sensed`: what local sensing says about the same screen.
        """
        actions = parse_actions(reading.recovery_actions)
        return allow_actions(actions, sensed, expected, reading.source)

    def preview(self, question: ScreenQuestion) -> VisionPreview:
        """Return what a question to a model would send; raises AnalysisError."""
        return preview_request(
            question,
            self._settings,
            self.titles(),
            prices=self._prices,
            redactor=self._redactor,
            environ=self._environ,
        )

    def keep_annotated(self, screenshot: Screenshot, reading: ScreenReading) -> str:
        """Keep a picture in which the window with the focus is marked; return its name, or ""."""
        is_whole = not self._target.window and not self._target.screen
        place = self._windows.find_area(reading.window) if reading.window and is_whole else None
        text = f"{reading.status.value} {reading.confidence:.2f}  {reading.description}"
        return self.keep(load(_ANNOTATE).annotate(screenshot, place, text))

    def interrupt(self) -> None:
        """End a question to a model that is under way; for any thread."""
        if self.vision is not None:
            self.vision.close()

    def close(self) -> None:
        """Close all connections."""
        self._open.close()

    def _shown(self) -> "Sequence[WindowFacts]":
        return self._windows.read().windows

    def _glance(self) -> ScreenReading:
        return self.local.read(ScreenQuestion(_NO_PICTURE, self._target))
