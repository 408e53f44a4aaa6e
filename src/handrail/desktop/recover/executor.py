"""Carries out a recovery, one action after the other."""

from collections.abc import Callable, Sequence

from handrail.desktop.errors import DesktopError, RecoveryError
from handrail.desktop.recover.actions import (
    ClickButton,
    ClickPoint,
    CloseDialog,
    FocusWindow,
    OpenFile,
    PressKeys,
    RecoveryAction,
    TypeText,
    WaitSeconds,
)
from handrail.desktop.recover.editor_windows import find_editor, find_window
from handrail.desktop.recover.file_opener import FileOpener, KeyboardFileOpener
from handrail.desktop.recover.guarded_device import GuardedDevice
from handrail.desktop.recover.input_device import InputDevice
from handrail.desktop.screen_reading import ScreenReading
from handrail.desktop.sense.screen_facts import WindowFacts
from handrail.model.desktop import RecoveryStep

PAUSE_SECONDS = 0.5
_STOPPED = "the watch was stopped"
_REVIEWED = (PressKeys, TypeText, ClickPoint, ClickButton, OpenFile)
"""Actions that type, click or press keys with a meaning of their own."""
_PLAIN_KEYS = ("Escape",)

Review = Callable[[RecoveryAction], str]
"""Returns why an action must not happen, or "" if it may."""


class RecoveryExecutor:
    """The hands of a recovery. Used from one thread at a time.

    It does not judge a proposal: `allow_actions` does that before.
    """

    def __init__(
        self,
        device: InputDevice,
        list_windows: Callable[[], Sequence[WindowFacts]],
        sense: Callable[[], ScreenReading],
        wait: Callable[[float], bool],
        *,
        opener: FileOpener | None = None,
    ) -> None:
        """Set up the hands.

        `list_windows` has the lowest window first. `sense` is a quick look by local sensing.
        `wait` waits so many seconds, and returns True, at once, if all shall stop: as `Event.wait`.
        `opener` opens files by better means than keys.
        """
        self._device = GuardedDevice(device, sense)
        self._list_windows = list_windows
        self._wait = wait
        self._opener = opener or KeyboardFileOpener(self._device, list_windows, sense, wait)

    def carry_out(
        self, actions: Sequence[RecoveryAction], review: Review, expected_file: str = ""
    ) -> tuple[RecoveryStep, ...]:
        """Carry out actions until one fails; return each with its result.

        `review` is asked before each action that types or clicks.
        """
        steps: list[RecoveryStep] = []
        for action in actions:
            if self._wait(PAUSE_SECONDS if steps else 0):
                return (*steps, RecoveryStep(action.text, ok=False, error=_STOPPED))
            steps.append(self._step(action, review, expected_file))
            if not steps[-1].ok:
                break
        return tuple(steps)

    def _step(self, action: RecoveryAction, review: Review, expected_file: str) -> RecoveryStep:
        try:
            if _needs_review(action) and (reason := review(action)):
                raise RecoveryError(action.text, reason)
            self._do(action, expected_file)
        except RecoveryError as error:
            return RecoveryStep(action.text, ok=False, error=error.problem)
        except DesktopError as error:
            return RecoveryStep(action.text, ok=False, error=str(error))
        return RecoveryStep(action.text)

    def _do(self, action: RecoveryAction, expected_file: str) -> None:
        match action:
            case PressKeys(keys=keys):
                self._device.press(keys)
            case TypeText(content=content):
                self._device.type_text(content)
            case ClickPoint(x=x, y=y):
                self._device.click(x, y)
            case ClickButton(name=name):
                self._device.press_button(name)
            case FocusWindow(title=title):
                windows = self._list_windows()
                found = (
                    find_window(windows, title) if title else find_editor(windows, expected_file)
                )
                self._device.focus_window(found.window)
            case OpenFile(path=path):
                self._opener.open(path)
            case CloseDialog():
                self._device.press("Escape")
            case WaitSeconds(seconds=seconds):
                if self._wait(seconds):
                    raise RecoveryError(action.text, _STOPPED)


def _needs_review(action: RecoveryAction) -> bool:
    plain = isinstance(action, PressKeys) and action.keys in _PLAIN_KEYS
    return isinstance(action, _REVIEWED) and not plain
