"""A desktop without a display: hands that only remember, and eyes that read a script."""

from collections.abc import Callable, Mapping

from handrail.desktop.errors import DesktopError, RecoveryError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.desktop.watch.worker import WorkerProgress


class FakeInputDevice:
    """An InputDevice that remembers what it was told, and does nothing."""

    def __init__(
        self,
        failing: Mapping[str, str] | None = None,
        *,
        on_action: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`failing` has the problem by the action; `on_action` is told every action."""
        self.done: list[str] = []
        """The actions in the words of the vocabulary; `focus` has the X id of the window."""
        self.closed = False
        self._failing = failing or {}
        self._on_action = on_action

    def press(self, keys: str) -> None:
        """Remember it."""
        self._remember(f"press {keys}")

    def type_text(self, text: str) -> None:
        """Remember it."""
        self._remember(f"type {text}")

    def click(self, x: int, y: int) -> None:
        """Remember it."""
        self._remember(f"click {x} {y}")

    def focus_window(self, window: int) -> None:
        """Remember it."""
        self._remember(f"focus {window}")

    def press_button(self, name: str) -> None:
        """Remember it."""
        self._remember(f"click {name}")

    def close(self) -> None:
        """Remember it."""
        self.closed = True

    def _remember(self, action: str) -> None:
        if problem := self._failing.get(action):
            raise RecoveryError(action, problem)
        self.done.append(action)
        self._on_action(action)


class FakeReader:
    """A ScreenReader that reads a script; the last reading stays."""

    def __init__(self, *readings: ScreenReading | DesktopError) -> None:
        """An error is raised in its turn."""
        self.questions: list[ScreenQuestion] = []
        self.closed = False
        self._readings = list(readings)

    def show(self, *readings: ScreenReading | DesktopError) -> None:
        """Show something else from now on."""
        self._readings = list(readings)

    def read(self, question: ScreenQuestion) -> ScreenReading:
        """Return the next reading."""
        self.questions.append(question)
        reading = self._readings.pop(0) if len(self._readings) > 1 else self._readings[0]
        if isinstance(reading, DesktopError):
            raise reading
        return reading

    def close(self) -> None:
        """Remember it."""
        self.closed = True


class FakeWorker:
    """A DesktopWorker that remembers when it was paused, and makes progress when it is told to."""

    def __init__(self, total: int = 10, *, stands_still: bool = True) -> None:
        """`stands_still`: whether it reaches a safe point when it is asked to pause."""
        self.calls: list[str] = []
        self.paused = False
        self.stands_still = stands_still
        self.now: WorkerProgress | None = WorkerProgress(total=total)

    def pause(self, seconds: float) -> bool:
        """Stand still, or not, as told at the start."""
        self.calls.append("pause")
        self.paused = self.stands_still
        return self.stands_still

    def resume(self) -> None:
        """Go on."""
        self.calls.append("resume")
        self.paused = False

    def abort(self) -> None:
        """Remember it."""
        self.calls.append("abort")

    def progress(self) -> WorkerProgress | None:
        """Return how far it is."""
        return self.now

    def work(self, operations: int = 1, *, file: str = "", size: int = 0) -> None:
        """Make progress, unless it is paused."""
        if self.now is not None and not self.paused:
            self.now = WorkerProgress(
                self.now.done + operations, self.now.total, file or self.now.file, size
            )


class FakeWait:
    """Waits no time; returns True from a given wait on, as if the watch were stopped."""

    def __init__(self, *, stopped_after: int | None = None) -> None:
        """`stopped_after`: how many waits end before it is stopped."""
        self.waits: list[float] = []
        self._stopped_after = stopped_after

    def __call__(self, seconds: float) -> bool:
        """Remember the wait."""
        self.waits.append(seconds)
        return self._stopped_after is not None and len(self.waits) > self._stopped_after
