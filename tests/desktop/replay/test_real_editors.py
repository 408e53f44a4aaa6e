"""A session is replayed in a real editor on a real X server."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.desktop.desktop_bed import DesktopBed, need

from handrail.cli.desktop.replay import open_replay, run_replay
from handrail.cli.output.terminal import TerminalOutput
from handrail.desktop.errors import DesktopError, MissingPackageError, NoDisplayError
from handrail.desktop.recover.xtest_device import XTestDevice
from handrail.desktop.replay.editor import EditorReplayError
from handrail.desktop.replay.editors import REPLAY_EDITORS
from handrail.desktop.replay.engine import ReplayEngine, ReplayOutcome, ReplayPace
from handrail.desktop.replay.keyboard_editor import KeyboardEditor
from handrail.desktop.replay.primary_selection import PrimarySelection
from handrail.desktop.sense.x11_windows import X11Windows
from handrail.desktop.verify.recorder import edit_operations
from handrail.desktop.verify.session import EditedFile, EditSession

pytestmark = pytest.mark.slow

PATIENCE = 300.0
"""For a whole replay, on a machine that has much else to do."""
PACE = ReplayPace(save_every=3, save_seconds=3)
POEM = "ein Gedicht\n\nÜber grüne Hügel\n\tläuft 🐇 der Hase,\n日本語のテキスト\nEnde"
CODE = "def price(net: float) -> float:\n    return net * 1.19  # 19 % → €\n"
LONGER = (
    "import math\n\n\ndef price(net: float) -> float:\n    '''Return the price in €.'''\n"
    "    if net < 0:\n        raise ValueError('nett — “negativ”')\n"
    "    return math.floor(net * 119) / 100\n"
)
SESSION = EditSession(
    (
        EditedFile("notes/poem.txt", edit_operations("", POEM)),
        EditedFile("price.py", edit_operations(CODE, LONGER), CODE),
        EditedFile("dos.txt", edit_operations("a\r\nb\r\n", "a\r\nß\r\nc\r\n"), "a\r\nb\r\n"),
    )
)
NUMBERS = "".join(f"{number}\n" for number in range(300))
SCATTERED = "".join(
    f"{number}\n" if number % 60 else f"sechzig · {number}\nund\n" for number in range(2, 298)
)
LONG_SESSION = EditSession(
    (EditedFile("numbers.txt", edit_operations(NUMBERS, SCATTERED), NUMBERS),)
)


class PausingEditor(KeyboardEditor):
    """Tells when it saves the second file for the first time."""

    pauses: Callable[[], object] | None = None

    def save(self) -> None:
        """Save the open file."""
        super().save()
        if self._path.endswith("price.py") and self.pauses:
            self.pauses()
            self.pauses = None


@pytest.fixture(params=["mousepad", "geany"])
def editor(request: pytest.FixtureRequest, desktop: DesktopBed) -> Iterator[PausingEditor]:
    """An editor that is driven on the desktop of the test."""
    name: str = request.param
    need(name)
    windows = X11Windows(desktop.name)
    device = XTestDevice(lambda _: None, desktop.name)
    selection = PrimarySelection(desktop.name)
    editor = PausingEditor(
        REPLAY_EDITORS[name], device, windows.read, selection, desktop.environment
    )
    yield editor
    editor.close()
    selection.close()
    device.close()
    windows.close()


def ended(engine: ReplayEngine) -> ReplayOutcome:
    outcome = engine.join(PATIENCE)
    assert outcome
    return outcome


def succeeded(engine: ReplayEngine) -> bool:
    outcome = ended(engine)
    assert outcome.error == ""
    return bool(outcome.verification and outcome.verification.success)


def test_three_files_with_unicode_are_right_byte_for_byte(
    editor: PausingEditor, tmp_path: Path
) -> None:
    engine = ReplayEngine(SESSION, str(tmp_path), editor, pace=PACE)
    engine.start()
    assert succeeded(engine)
    assert (tmp_path / "notes" / "poem.txt").read_text() == POEM


def test_changes_all_over_a_file_are_right_byte_for_byte(
    editor: PausingEditor, tmp_path: Path
) -> None:
    engine = ReplayEngine(LONG_SESSION, str(tmp_path), editor, pace=PACE)
    engine.start()
    assert succeeded(engine)


class PausedReplay:
    """A replay that stands in the middle of the second file."""

    def __init__(
        self, editor: PausingEditor, root: Path, desktop: DesktopBed, *, repair: bool = False
    ) -> None:
        self.engine = ReplayEngine(SESSION, str(root), editor, pace=PACE, repair=repair)
        self._desktop = desktop
        self._editor = editor
        editor.pauses = lambda: self.engine.pause(0)
        self.engine.start()
        desktop.until(self._stands, "the second file")
        self.window = desktop.active()
        self.before = self._place()

    def _stands(self) -> bool:
        assert self.engine.outcome is None, f"it has ended: {self.engine.outcome}"
        return self._editor.pauses is None and self.engine.pause(0)

    def is_in_front(self, pressing: str) -> bool:
        """Press a key if the editor is not in front."""
        if self._desktop.active() == self.window:
            return True
        self._desktop.press(pressing)
        return False

    def stands_still_for(self, act: Callable[[], object]) -> None:
        """Let it go on with something in its way: it stands, and has done nothing."""
        act()
        self._desktop.until(lambda: self._desktop.active() != self.window, "the other window")
        self.engine.resume()
        assert self.engine.pause(PATIENCE)
        assert self._place() == self.before

    def _place(self) -> tuple[int, str]:
        """Where it is; the size of the file may still follow."""
        progress = self.engine.progress()
        assert progress
        return progress.done, progress.file


def test_a_dialog_in_the_way_loses_no_operation(
    editor: PausingEditor, tmp_path: Path, desktop: DesktopBed
) -> None:
    replay = PausedReplay(editor, tmp_path, desktop)
    replay.stands_still_for(lambda: desktop.press("ctrl+o"))
    replay.engine.resume()
    # A dialog takes keys some time after it has the focus.
    desktop.until(lambda: replay.is_in_front(pressing="Escape"), "the end of the dialog")
    assert succeeded(replay.engine)


def test_another_window_in_front_loses_no_operation(
    editor: PausingEditor, tmp_path: Path, desktop: DesktopBed
) -> None:
    replay = PausedReplay(editor, tmp_path, desktop)
    replay.stands_still_for(desktop.xterm)
    replay.engine.resume()
    desktop.end_programs(gone=False)
    assert succeeded(replay.engine)


def test_a_stray_key_is_seen_at_the_next_save(
    editor: PausingEditor, tmp_path: Path, desktop: DesktopBed
) -> None:
    replay = PausedReplay(editor, tmp_path, desktop)
    desktop.press("x")
    replay.engine.resume()
    outcome = ended(replay.engine)
    assert outcome.error.startswith(f"price.py: {editor.name} has saved something else")
    assert outcome.damage
    assert any(line.startswith("+") and "x" in line for line in outcome.damage.diff_lines)


def test_a_stray_key_is_repaired_on_request(
    editor: PausingEditor, tmp_path: Path, desktop: DesktopBed
) -> None:
    replay = PausedReplay(editor, tmp_path, desktop, repair=True)
    desktop.press("x")
    replay.engine.resume()
    assert succeeded(replay.engine)
    assert [each.repaired for each in ended(replay.engine).files] == [0, 1, 0]


def test_an_editor_that_ends_is_an_error(
    editor: PausingEditor, tmp_path: Path, desktop: DesktopBed
) -> None:
    replay = PausedReplay(editor, tmp_path, desktop)
    editor.close()
    replay.engine.resume()
    assert ended(replay.engine).error == f"{tmp_path}/price.py: {editor.name} has ended"


@pytest.mark.parametrize("text", ["a\rb\n", "a\n\u2029", "a\r\nb\n", "a\0"])
def test_texts_that_an_editor_would_change_are_refused(
    text: str, tmp_path: Path, desktop: DesktopBed
) -> None:
    session = EditSession((EditedFile("a", (), text),))
    with ExitStack() as stack, pytest.raises(EditorReplayError, match=r"^a: it "):
        open_replay(stack, session, str(tmp_path), "mousepad")
    assert not list(tmp_path.iterdir())


def test_the_command_prints_what_came_of_it(
    tmp_path: Path, desktop: DesktopBed, capsys: pytest.CaptureFixture[str]
) -> None:
    need("mousepad")
    with ExitStack() as stack:
        engine = open_replay(stack, SESSION, str(tmp_path), "mousepad")
        assert run_replay(TerminalOutput(colour=False), engine, SESSION) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == " 3 of 3 files match byte for byte"
    assert lines[-1].startswith(" Replayed ")


def test_without_a_display_one_clear_error_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with ExitStack() as stack, pytest.raises(NoDisplayError, match="DISPLAY is not set"):
        open_replay(stack, SESSION, str(tmp_path), "mousepad")


def test_an_editor_that_nobody_knows_is_named_with_those_known(tmp_path: Path) -> None:
    with ExitStack() as stack, pytest.raises(DesktopError, match="known: mousepad, geany"):
        open_replay(stack, SESSION, str(tmp_path), "emacs")


def test_an_editor_that_is_not_installed_is_named(
    tmp_path: Path, desktop: DesktopBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        engine = open_replay(stack, SESSION, str(tmp_path), "geany")
        monkeypatch.setenv("PATH", str(tmp_path))
        engine.start()
        assert ended(engine).error == "geany is missing: install geany"
    assert issubclass(MissingPackageError, ImportError)
