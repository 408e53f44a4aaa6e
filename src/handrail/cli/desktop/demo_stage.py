"""The stage of `handrail desktop demo`: a desktop of its own, a replay, and a watch beside it."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

import msgspec

from handrail.cli.desktop.demo_session import BLOCKED_FILE, SESSION
from handrail.config.desktop import Desktop
from handrail.desktop.capture.annotate import annotate
from handrail.desktop.capture.debug_copies import DebugCopies
from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.recover.xtest_device import XTestDevice
from handrail.desktop.replay.editors import REPLAY_EDITORS
from handrail.desktop.replay.engine import ReplayEngine, ReplayPace
from handrail.desktop.replay.keyboard_editor import KeyboardEditor
from handrail.desktop.replay.primary_selection import PrimarySelection
from handrail.desktop.sense.x11_windows import X11Windows
from handrail.desktop.watch.desktop_watch import Watch
from handrail.desktop.watch.worker import WorkerProgress
from handrail.desktop.windows import Area
from handrail.model.desktop import DesktopCheck
from handrail.testing.desktop_bed import ACCESSIBILITY, DesktopBed, require

_NEEDED = ("Xvfb", "openbox", "dbus-daemon", ACCESSIBILITY, "mousepad")
_EDITOR = "mousepad"
_SCREEN = "1280x800x24"
_SECONDS = 5.0
"""For the robot to reach a safe point."""
_COOLDOWN = 20.0
"""On a busy machine the editor takes its time: no reason to think that the robot hangs."""
_JOIN_SECONDS = 20.0


class DemoMoment(msgspec.Struct, frozen=True):
    """Something that the watch or the robot did."""

    done: str = ""
    """A file that the robot has finished."""
    check: DesktopCheck | None = None
    held: bool = False
    """Whether the watch held the robot for it."""
    handed_back: bool = False
    verified: str = ""
    """The file that was compared after the recovery."""


class DesktopStage:
    """A robot that replays a session, and a watch. Other threads put moments into a queue."""

    def __init__(self, folder: str, stack: ExitStack, *, step: float, interval: float) -> None:
        """`step`: seconds between two operations; `interval`: between two looks."""
        self.moments: SimpleQueue[DemoMoment] = SimpleQueue()
        self.root = f"{folder}/shop"
        self._held = self._handed_back = False
        self._verified = ""
        self._dialog: Area | None = None
        for edited in SESSION.files:
            if isinstance(edited.original, str):
                _write(f"{self.root}/{edited.path}", edited.original)
        self._bed = stack.enter_context(DesktopBed(Path(folder, "desktop"), screen=_SCREEN))
        environ = {**self._bed.environment, "HANDRAIL_HOME": f"{folder}/handrail"}
        self._windows = X11Windows(self._bed.name)
        stack.callback(self._windows.close)
        self.engine = self._make_engine(stack, step)
        settings = Desktop(
            interval_seconds=interval,
            min_cooldown_seconds=_COOLDOWN,
            screenshot_dir=f"{folder}/pictures",
        )
        self._copies = DebugCopies(settings.screenshot_dir, 1, settings.screenshot_mb)
        self.watch = stack.enter_context(
            Watch(
                folder=self.root,
                settings=settings,
                goal="replay a session",
                worker=_HeldRobot(self),
                verify=self._verify,
                on_check=self._tell,
                on_critical_failure=lambda check: self.engine.abort(),
                daemon=False,
                environ=environ,
            )
        )
        stack.callback(self._end_replay)

    def is_in_trouble_soon(self) -> bool:
        """Return whether the robot is in the middle of the file in which it will be blocked."""
        now = self.engine.progress()
        before = sum(len(each.operations) for each in SESSION.files[: self._index(BLOCKED_FILE)])
        return now is not None and now.file.endswith(BLOCKED_FILE) and now.done > before + 2

    def press_wrong_keys(self) -> str:
        """Press keys as a person beside the robot would; return what comes up."""
        bed = self._bed
        # Between two operations: a person does not press keys while the robot holds some.
        self.engine.pause(_SECONDS)
        editor = bed.active()
        bed.press("ctrl+q")
        bed.until(lambda: bed.active() not in (0, editor), "the dialog of the editor")
        self._dialog = self._windows.find_area(bed.active())
        self.engine.resume()
        return bed.title(bed.active())

    def write_pictures(self, check: DesktopCheck, folder: str) -> list[str]:
        """Write the pictures before and after a recovery, with marks; return their paths."""
        os.makedirs(folder, exist_ok=True)
        written = []
        for name, picture, says in (
            ("before.jpg", check.screenshot, f"{check.status.value} {check.confidence:.2f}"),
            ("after.jpg", check.after, "normal: the dialog is gone"),
        ):
            place = self._dialog if picture == check.screenshot else None
            shot = Screenshot(self._copies.read(picture), 0, 0, 0.0)
            path = os.path.join(folder, f"desktop-demo-{name}")
            Path(path).write_bytes(annotate(shot, place, says).data)
            written.append(path)
        return written

    def hold(self, seconds: float) -> bool:
        """Let the robot stand still, for the watch."""
        self._held = True
        return self.engine.pause(seconds)

    def hand_back(self) -> None:
        """Let the robot go on, for the watch."""
        self._handed_back = True
        self.engine.resume()

    def _make_engine(self, stack: ExitStack, step: float) -> ReplayEngine:
        bed = self._bed
        device = XTestDevice(lambda _: None, bed.name)
        stack.callback(device.close)
        selection = PrimarySelection(bed.name)
        stack.callback(selection.close)
        editor = KeyboardEditor(
            REPLAY_EDITORS[_EDITOR], device, self._windows_of(stack).read, selection,
            bed.environment,
        )  # fmt: skip
        stack.callback(editor.close)
        return ReplayEngine(
            SESSION,
            self.root,
            editor,
            pace=ReplayPace(operation_seconds=step),
            check_between=self._look_between,
        )

    def _windows_of(self, stack: ExitStack) -> X11Windows:
        """Return a connection for the robot's thread alone."""
        windows = X11Windows(self._bed.name)
        stack.callback(windows.close)
        return windows

    def _look_between(self, context: str) -> None:
        self.moments.put(DemoMoment(done=context.rpartition(" ")[2]))
        self.watch.check_now(context)

    def _verify(self, file: str) -> str:
        found = self.engine.check_open_file()
        if found is None or found.identical:
            self._verified = file
            return ""
        return f"{found.path} differs"

    def _tell(self, check: DesktopCheck) -> None:
        self.moments.put(
            DemoMoment(
                check=check,
                held=self._held,
                handed_back=self._handed_back,
                verified=self._verified,
            )
        )
        self._held = self._handed_back = False
        self._verified = ""

    def _end_replay(self) -> None:
        self.engine.abort()
        self.engine.join(_JOIN_SECONDS)

    def _index(self, path: str) -> int:
        return next(i for i, each in enumerate(SESSION.files) if each.path == path)


class _HeldRobot:
    """The replay, as the watch holds it."""

    def __init__(self, stage: DesktopStage) -> None:
        self._stage = stage

    def pause(self, seconds: float) -> bool:
        return self._stage.hold(seconds)

    def resume(self) -> None:
        self._stage.hand_back()

    def abort(self) -> None:
        self._stage.engine.abort()

    def progress(self) -> WorkerProgress | None:
        return self._stage.engine.progress()


@contextmanager
def open_desktop_stage(*, step: float, interval: float) -> Iterator[DesktopStage]:
    """Set up a stage in a temporary folder, and remove all of it; raises MissingProgramError."""
    require(*_NEEDED)
    with (
        _ended_by_sigterm(),
        tempfile.TemporaryDirectory(prefix="handrail-demo-") as folder,
        ExitStack() as stack,
    ):
        yield DesktopStage(os.path.realpath(folder), stack, step=step, interval=interval)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the demo like Ctrl+C: its programs would outlive it."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
