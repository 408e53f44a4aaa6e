"""What local sensing makes of real windows."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.desktop.capture.capture import open_capture
from handrail.desktop.capture.screenshot import CaptureTarget, Screenshot
from handrail.desktop.errors import NoDisplayError, RecoveryError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.desktop.sense.classify import SURE
from handrail.desktop.sense.dialog_buttons import DialogButtons
from handrail.desktop.sense.local_sensor import LocalSensor
from handrail.model.desktop import ScreenStatus
from tests.desktop.desktop_bed import DesktopBed, DesktopProgram, need

pytestmark = pytest.mark.slow

NORMAL, DIALOG, WRONG, ERROR, TERMINAL, UNKNOWN = (
    ScreenStatus.NORMAL,
    ScreenStatus.DIALOG,
    ScreenStatus.WRONG_FILE,
    ScreenStatus.ERROR,
    ScreenStatus.TERMINAL,
    ScreenStatus.UNKNOWN,
)
NO_PICTURE = Screenshot(b"", 0, 0, 0.0)
Editor = Callable[..., DesktopProgram]


class Onlooker:
    """Looks at one desktop, again and again, with a kept sensor."""

    def __init__(self, bed: DesktopBed, folder: Path) -> None:
        self.bed = bed
        self.folder = folder
        self.sensor = LocalSensor(bed.environment)
        self.editors: dict[str, Editor] = {"mousepad": bed.mousepad, "geany": bed.geany}

    def file(self, name: str, content: bytes = b"total = 1\n") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def look(self, expected: Path | str = "", window: str = "") -> ScreenReading:
        target = CaptureTarget(window)
        return self.sensor.read(ScreenQuestion(NO_PICTURE, target, str(expected)))

    def until(self, status: ScreenStatus, expected: Path | str = "") -> ScreenReading:
        """Wait until a look says this."""
        seen: list[ScreenReading] = []

        def found() -> bool:
            seen.append(self.look(expected))
            return seen[-1].status is status

        self.bed.until(found, f"a reading {status}")
        return seen[-1]

    def make_dirty(self, program: DesktopProgram) -> None:
        before = self.bed.title(program.window)
        self.bed.press("x")
        self.bed.until(lambda: self.bed.title(program.window) != before, "the mark of changes")


@pytest.fixture
def onlooker(desktop: DesktopBed, tmp_path: Path) -> Iterator[Onlooker]:
    onlooker = Onlooker(desktop, tmp_path)
    yield onlooker
    onlooker.sensor.close()


@pytest.fixture(params=["mousepad", "geany"])
def editor(request: pytest.FixtureRequest, onlooker: Onlooker) -> Editor:
    return onlooker.editors[request.param]


def test_an_editor_with_the_expected_file_is_normal(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("cart.py")
    program = editor(file)
    reading = onlooker.look(file)
    assert (reading.status, reading.actual_file) == (NORMAL, str(file))
    assert reading.window == program.window
    assert reading.confidence >= SURE
    onlooker.make_dirty(program)
    assert onlooker.look(file).status is NORMAL


def test_a_question_about_unsaved_work_is_a_dialog(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("cart.py")
    onlooker.make_dirty(editor(file))
    onlooker.bed.press("ctrl+q")
    onlooker.bed.until(lambda: onlooker.look(file).buttons, "the buttons")
    reading = onlooker.look(file)
    assert reading.status is DIALOG
    assert reading.confidence >= SURE
    assert sorted(name.casefold() for name in reading.buttons) == ["cancel", "don't save", "save"]
    assert "save" in reading.description
    assert reading.recovery_actions == ("click Cancel",)
    assert reading.symptom == onlooker.look(file).symptom


def test_its_button_is_pressed_by_name(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("cart.py")
    program = editor(file)
    onlooker.make_dirty(program)
    onlooker.bed.press("ctrl+q")
    onlooker.bed.until(lambda: onlooker.look(file).buttons, "the buttons")
    buttons = DialogButtons(onlooker.bed.environment)
    with pytest.raises(RecoveryError, match="no dialog"):
        buttons.press("Reboot")
    buttons.press("cancel")
    buttons.close()
    onlooker.until(NORMAL, file)
    assert program.window in onlooker.bed.windows()
    assert file.read_bytes() == b"total = 1\n"


def test_another_file_is_the_wrong_file(onlooker: Onlooker, editor: Editor) -> None:
    editor(onlooker.file("other.py"))
    reading = onlooker.look(onlooker.folder / "cart.py")
    assert reading.status is WRONG
    assert reading.actual_file.endswith("/other.py")
    assert reading.recovery_actions == (f"open_file {onlooker.folder}/cart.py",)


def test_a_file_of_the_same_name_elsewhere_is_the_wrong_file(
    onlooker: Onlooker, editor: Editor
) -> None:
    editor(onlooker.file("b/cart.py"))
    assert onlooker.look(onlooker.folder / "a" / "cart.py").status is WRONG
    assert onlooker.look("cart.py").status is NORMAL


def test_a_symbolic_link_to_the_file_is_the_file(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("real/cart.py")
    (onlooker.folder / "link").symlink_to(onlooker.folder / "real")
    editor(file)
    assert onlooker.look(onlooker.folder / "link" / "cart.py").status is NORMAL


def test_the_right_file_in_another_window_gets_the_focus(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    onlooker.bed.mousepad(file)
    onlooker.bed.geany(onlooker.file("other.py"))
    reading = onlooker.look(file)
    assert reading.status is WRONG
    assert reading.recovery_actions == (f"focus {file} - Mousepad",)


def test_a_terminal_in_front_is_seen(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("cart.py")
    editor(file)
    onlooker.bed.xterm()
    reading = onlooker.look(file)
    assert reading.status is TERMINAL
    assert reading.is_terminal
    assert reading.recovery_actions[0].startswith("focus ")
    assert "cart.py" in reading.recovery_actions[0]


def test_a_terminal_that_calls_itself_an_editor_stays_a_terminal(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    onlooker.bed.mousepad(file)
    lie = onlooker.bed.xterm("sh", "-c", f"printf '\\033]0;{file} - Mousepad\\007'; exec sleep 99")
    onlooker.bed.until(lambda: "Mousepad" in onlooker.bed.title(lie.window), "the lie")
    assert onlooker.look(file).status is TERMINAL


def test_vim_with_the_expected_file_is_an_editor_in_a_terminal(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    says = f"cart.py + ({onlooker.folder}) - VIM"
    vim = onlooker.bed.xterm("sh", "-c", f"printf '\\033]0;{says}\\007'; exec sleep 99")
    onlooker.bed.until(lambda: onlooker.bed.title(vim.window) == says, "the title")
    reading = onlooker.look(file)
    assert (reading.status, reading.is_terminal) == (NORMAL, True)


def test_an_open_find_bar_is_normal(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    program = onlooker.bed.mousepad(file)
    tree = onlooker.sensor._tree

    def searches() -> bool:
        seen = tree.read(program.process.pid, "")
        return bool(seen and seen.focus and not seen.focus.lines)

    onlooker.bed.press("ctrl+f")
    onlooker.bed.until(searches, "the focus of the find bar")
    assert onlooker.look(file).status is NORMAL


def test_an_open_menu_takes_all_keys(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("cart.py")
    editor(file)
    onlooker.bed.press("alt+f")
    reading = onlooker.until(DIALOG, file)
    assert "menu" in reading.description
    onlooker.bed.press("Escape")
    onlooker.until(NORMAL, file)


def test_a_window_for_a_search_takes_all_keys(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    onlooker.bed.geany(file)
    onlooker.bed.press("ctrl+f")
    assert '"Find" blocks the editor' in onlooker.until(DIALOG, file).description


def test_a_file_that_cannot_be_saved_is_an_error(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("gone/cart.py")
    onlooker.make_dirty(editor(file))
    shutil.rmtree(file.parent)
    onlooker.bed.press("ctrl+s")
    reading = onlooker.until(ERROR, file)
    assert reading.confidence >= SURE
    assert reading.recovery_actions in {("press Escape",), ("click Cancel",), ("click Close",)}


def test_a_dialog_of_a_program_without_a_tree_is_seen_by_its_window(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    hidden = onlooker.bed.start("env", "NO_AT_BRIDGE=1", "mousepad", "--disable-server", str(file))
    assert onlooker.look(file).status is NORMAL
    onlooker.make_dirty(hidden)
    onlooker.bed.press("ctrl+q")
    reading = onlooker.until(DIALOG, file)
    assert (reading.buttons, reading.recovery_actions) == ((), ("press Escape",))
    assert reading.confidence >= SURE


def test_ocr_reads_the_dialog_of_a_program_without_a_tree(onlooker: Onlooker) -> None:
    need("tesseract")
    file = onlooker.file("cart.py")
    onlooker.make_dirty(
        onlooker.bed.start("env", "NO_AT_BRIDGE=1", "mousepad", "--disable-server", str(file))
    )
    onlooker.bed.press("ctrl+q")
    onlooker.until(DIALOG, file)
    camera = open_capture(display=onlooker.bed.name)

    def read_aloud() -> bool:
        reading = onlooker.sensor.read(ScreenQuestion(camera.take(), expected_file=str(file)))
        return reading.status is DIALOG and "want to save" in reading.description

    # The first picture may be older than the letters in the dialog.
    onlooker.bed.until(read_aloud, "the text of the dialog")
    camera.close()


def test_without_tesseract_the_reading_only_says_so(
    onlooker: Onlooker, monkeypatch: pytest.MonkeyPatch
) -> None:
    onlooker.bed.start("xterm", "-class", "Unknown", "-e", "/bin/sh")
    sensor = LocalSensor({**onlooker.bed.environment, "PATH": str(onlooker.folder)})
    camera = open_capture(display=onlooker.bed.name)
    reading = sensor.read(ScreenQuestion(camera.take()))
    assert reading.status is UNKNOWN
    assert any("tesseract is missing" in note for note in sensor.notes)
    camera.close()
    sensor.close()


def test_an_editor_that_hangs_does_not_hang_the_sensor(onlooker: Onlooker, editor: Editor) -> None:
    file = onlooker.file("cart.py")
    program = editor(file)
    onlooker.until(NORMAL, file)
    os.kill(program.process.pid, signal.SIGSTOP)
    reading = onlooker.look(file)
    assert reading.status is ERROR
    assert "does not answer" in reading.description
    os.kill(program.process.pid, signal.SIGCONT)
    onlooker.until(NORMAL, file)


def test_an_empty_screen_is_an_error_nobody_can_mend(onlooker: Onlooker) -> None:
    reading = onlooker.look("cart.py")
    assert (reading.status, reading.recovery_actions) == (ERROR, ())


def test_without_a_bus_windows_are_read(onlooker: Onlooker) -> None:
    file = onlooker.file("cart.py")
    program = onlooker.bed.mousepad(file)
    nobus = {"DISPLAY": onlooker.bed.name, "PATH": os.environ["PATH"]}
    for more in ({}, {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={onlooker.folder}/none"}):
        sensor = LocalSensor({**nobus, **more})
        reading = sensor.read(ScreenQuestion(NO_PICTURE, expected_file=str(file)))
        assert (reading.status, reading.window) == (NORMAL, program.window)
        assert "No accessibility tree" in sensor.notes[0]
        sensor.close()


def test_without_a_display_the_error_names_it() -> None:
    with pytest.raises(NoDisplayError, match="DISPLAY is not set"):
        LocalSensor({}).read(ScreenQuestion(NO_PICTURE))
    with pytest.raises(NoDisplayError, match=":54321"):
        LocalSensor({"DISPLAY": ":54321"}).read(ScreenQuestion(NO_PICTURE))


def test_a_lost_display_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "bed").mkdir()
    with DesktopBed(tmp_path / "bed", accessible=False) as bed:
        sensor = LocalSensor(bed.environment)
        assert sensor.read(ScreenQuestion(NO_PICTURE)).status is ERROR
    with pytest.raises(NoDisplayError):
        sensor.read(ScreenQuestion(NO_PICTURE))
    with pytest.raises(NoDisplayError):
        sensor.read(ScreenQuestion(NO_PICTURE))
    sensor.close()
