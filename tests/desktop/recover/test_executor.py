"""Carrying out a recovery: in order, with pauses, up to the first failure."""

from collections.abc import Sequence
from threading import Event

import pytest

from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.errors import MissingPackageError, NoDisplayError
from handrail.desktop.recover.actions import RecoveryAction, parse_actions
from handrail.desktop.recover.executor import PAUSE_SECONDS, RecoveryExecutor, Review
from handrail.desktop.recover.file_opener import FileOpener
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.desktop.sense.screen_facts import WindowFacts
from handrail.model.desktop import RecoveryStep, ScreenStatus
from handrail.testing.desktop_fakes import FakeInputDevice, FakeReader, FakeWait

WINDOWS = (
    WindowFacts(1, "test: ~/project", "xterm"),
    WindowFacts(2, "notes.txt - Mousepad", "mousepad"),
    WindowFacts(3, "main.py - project - Visual Studio Code", "code"),
    WindowFacts(4, "News - Chromium", "chromium"),
)
EDITOR = ScreenReading(ScreenStatus.NORMAL, source="local")
DIALOG = ScreenReading(ScreenStatus.DIALOG, source="local")
TERMINAL = ScreenReading(ScreenStatus.TERMINAL, source="local", is_terminal=True)


LOOK = ScreenQuestion(Screenshot(b"", 0, 0, at=0.0))


def agree(_: RecoveryAction) -> str:
    return ""


class Bed:
    """An executor with recording hands."""

    def __init__(
        self,
        *,
        device: FakeInputDevice | None = None,
        wait: FakeWait | None = None,
        sensed: Sequence[ScreenReading] = (EDITOR,),
        opener: FileOpener | None = None,
        windows: tuple[WindowFacts, ...] = WINDOWS,
    ) -> None:
        self.device = device or FakeInputDevice()
        self.wait = wait or FakeWait()
        eyes = FakeReader(*sensed)
        self.executor = RecoveryExecutor(
            self.device, lambda: windows, lambda: eyes.read(LOOK), self.wait, opener=opener
        )

    def run(
        self, *texts: str, review: Review = agree, expected: str = ""
    ) -> tuple[RecoveryStep, ...]:
        return self.executor.carry_out(parse_actions(texts), review, expected)


def test_actions_happen_in_order_with_a_pause_between_them() -> None:
    bed = Bed()
    steps = bed.run("press Escape", "click Cancel", "click 10 20", "type main.py", "wait 2")
    assert [step.ok for step in steps] == [True] * 5
    assert bed.device.done == ["press Escape", "click Cancel", "click 10 20", "type main.py"]
    assert bed.wait.waits == [0, *[PAUSE_SECONDS] * 4, 2]


def test_the_first_failure_ends_the_recovery() -> None:
    bed = Bed(device=FakeInputDevice({"click Cancel": "no such button"}))
    assert bed.run("press Escape", "click Cancel", "press Escape") == (
        RecoveryStep("press Escape"),
        RecoveryStep("click Cancel", ok=False, error="no such button"),
    )
    assert bed.device.done == ["press Escape"]


def test_every_action_that_types_or_clicks_is_reviewed_first() -> None:
    reviewed: list[str] = []

    def review(action: RecoveryAction) -> str:
        reviewed.append(f"{action.text} after {len(bed.device.done)}")
        return ""

    bed = Bed()
    bed.run("press Escape", "close_dialog", "focus", "wait 1", review=review)
    assert reviewed == []
    bed.run("click Cancel", "click 1 2", "type main.py", "press ctrl+1", review=review)
    assert reviewed == [
        "click Cancel after 3",
        "click 1 2 after 4",
        "type main.py after 5",
        "press ctrl+1 after 6",
    ]


def test_a_refused_action_does_not_happen() -> None:
    bed = Bed()
    [step] = bed.run("click Cancel", "press Escape", review=lambda _: "a rule of the project")
    assert step == RecoveryStep("click Cancel", ok=False, error="a rule of the project")
    assert bed.device.done == []


def test_nothing_is_typed_into_a_terminal_that_took_the_focus_meanwhile() -> None:
    bed = Bed(sensed=[TERMINAL])
    for action in ("type main.py", "press Return", "press ctrl+Return"):
        [step] = bed.run(action)
        assert "a terminal has the focus" in step.error
    assert bed.device.done == []


def test_focus_brings_the_editor_with_the_expected_file_to_the_front() -> None:
    bed = Bed()
    bed.run("focus", expected="/home/test/notes.txt")
    bed.run("focus", expected="/home/test/main.py")
    bed.run("focus")
    bed.run("focus news")
    assert bed.device.done == ["focus 2", "focus 3", "focus 3", "focus 4"]


def test_a_window_that_is_not_there_is_named() -> None:
    [step] = Bed().run("focus Paint")
    assert "no window is called 'Paint'; there are: test: ~/project" in step.error
    [step] = Bed(windows=WINDOWS[:1]).run("focus")
    assert "no window is called 'an editor'" in step.error


def test_a_file_is_opened_by_the_keys_of_the_editor() -> None:
    bed = Bed()
    assert bed.run("open_file src/main.py")[0].ok
    assert bed.device.done == ["focus 3", "press ctrl+p", "type src/main.py", "press Return"]
    bed = Bed(sensed=[EDITOR, EDITOR, EDITOR, DIALOG])
    assert bed.run("open_file /home/test/notes.txt")[0].ok
    assert bed.device.done == [
        *("focus 2", "press ctrl+o", "press ctrl+l"),
        *("type /home/test/notes.txt", "press Return"),
    ]


def test_a_path_is_not_typed_before_the_file_dialog_is_there() -> None:
    bed = Bed()
    [step] = bed.run("open_file notes.txt")
    assert step.error == "the editor showed no file dialog within 30 s"
    assert bed.device.done == ["focus 2", "press ctrl+o"]
    assert sum(bed.wait.waits) == pytest.approx(30)


def test_a_file_is_not_opened_behind_a_dialog() -> None:
    bed = Bed(sensed=[DIALOG])
    [step] = bed.run("open_file main.py")
    assert step.error == "a dialog is open, and would take the keys"
    assert bed.device.done == ["focus 3"]


def test_a_terminal_that_calls_itself_an_editor_does_not_get_the_focus() -> None:
    liar = WindowFacts(9, "main.py - project - Visual Studio Code", "xterm")
    bed = Bed(windows=(*WINDOWS, liar))
    assert bed.run("focus main.py - project")[0].ok
    assert bed.run("focus", expected="main.py")[0].ok
    assert bed.device.done == ["focus 3", "focus 3"]
    [step] = Bed(windows=(liar,)).run("focus")
    assert "no window is called 'an editor'" in step.error


def test_an_editor_whose_keys_nobody_knows_is_left_alone() -> None:
    bed = Bed(windows=(WindowFacts(6, "main.py – GNU Emacs", "emacs"),))
    [step] = bed.run("open_file main.py")
    assert step.error == "nobody knows how this editor opens files"
    assert bed.device.done == []


def test_a_browser_without_an_editor_is_no_editor() -> None:
    [step] = Bed(windows=WINDOWS[3:]).run("open_file main.py")
    assert "no window is called 'an editor'" in step.error
    served = WindowFacts(5, "main.py - code-server", "chromium")
    bed = Bed(windows=(served,))
    assert bed.run("open_file main.py")[0].ok
    assert bed.device.done[0] == "focus 5"


def test_opening_stops_where_a_terminal_keeps_the_focus() -> None:
    bed = Bed(sensed=[TERMINAL])
    [step] = bed.run("open_file main.py")
    assert "a terminal has the focus" in step.error
    assert bed.device.done == ["focus 3", "press ctrl+p"]


def test_the_opener_of_a_replay_is_used_in_place_of_keys() -> None:
    class Opener:
        opened: tuple[str, ...] = ()

        def open(self, path: str) -> None:
            self.opened += (path,)

    opener = Opener()
    bed = Bed(opener=opener)
    assert bed.run("open_file main.py")[0].ok
    assert (opener.opened, bed.device.done) == (("main.py",), [])


@pytest.mark.parametrize(
    ("stopped_after", "done", "last"),
    [
        (0, [], "press Escape"),
        (1, ["press Escape"], "press ctrl+1"),
        (3, ["press Escape", "press ctrl+1"], "wait 60"),
    ],
)
def test_a_stopped_watch_stops_before_the_next_action(
    stopped_after: int, done: list[str], last: str
) -> None:
    bed = Bed(wait=FakeWait(stopped_after=stopped_after))
    steps = bed.run("press Escape", "press ctrl+1", "wait 60", "press Escape")
    assert bed.device.done == done
    assert steps[-1] == RecoveryStep(last, ok=False, error="the watch was stopped")


def test_a_long_wait_ends_when_the_watch_is_stopped_and_comes_to_an_end() -> None:
    stop = Event()
    device = FakeInputDevice(on_action=lambda _: stop.set())
    executor = RecoveryExecutor(device, lambda: WINDOWS, lambda: EDITOR, stop.wait)
    steps = executor.carry_out(parse_actions(["press Escape", "wait 60"]), agree)
    assert [step.ok for step in steps] == [True, False]


def test_a_stop_while_a_file_is_being_opened_is_said() -> None:
    bed = Bed(wait=FakeWait(stopped_after=1))
    [step] = bed.run("open_file main.py")
    assert step.error == "the watch was stopped"
    assert bed.device.done == ["focus 3", "press ctrl+p"]


def test_a_lost_display_is_a_failed_step() -> None:
    class Lost(FakeInputDevice):
        def press(self, keys: str) -> None:
            raise NoDisplayError(":9", "Connection refused")

        def click(self, x: int, y: int) -> None:
            raise MissingPackageError("python-xlib", "pip install 'handrail[desktop]'")

    bed = Bed(device=Lost())
    assert bed.run("press Escape")[0].error == "the display :9 cannot be opened: Connection refused"
    assert "pip install" in bed.run("click 1 2")[0].error
