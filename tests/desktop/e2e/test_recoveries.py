"""What gets into the way of a robot is seen, cleared, and proved to be gone."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.desktop import CheckOutcome, DesktopCheck, ScreenStatus
from tests.desktop.e2e.conftest import CALM, WatchedDesktop

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]


def check(watched: WatchedDesktop, expected: Path) -> tuple[DesktopCheck, DesktopCheck]:
    """Look once beside a working robot, and once more."""
    watch = watched.watch(settings=CALM, expected_file=str(expected))
    try:
        return watch.check_now(worker_waits=False), watch.check_now()
    finally:
        watch.stop()


def is_cleared(watched: WatchedDesktop, first: DesktopCheck, second: DesktopCheck) -> bool:
    """Whether the symptom is gone by another look, and the worker was paused and handed back."""
    assert (first.outcome, first.why) == (CheckOutcome.RECOVERED, "")
    assert all(step.ok for step in first.steps)
    assert watched.worker.calls == ["pause", "resume"]
    assert second.outcome is CheckOutcome.NORMAL
    names = {path.name for path in watched.pictures.iterdir()}
    return set(first.pictures) <= names and len(first.pictures) == 2


def test_a_dialog_that_asks_for_an_answer(watched: WatchedDesktop) -> None:
    file = watched.file("cart.py")
    bed = watched.bed
    editor = bed.mousepad(file)
    bed.press("x")
    bed.until(lambda: bed.title(editor.window).startswith("*"), "a change")
    bed.press("ctrl+q")
    bed.until(lambda: bed.active() not in (0, editor.window), "the dialog")
    first, second = check(watched, file)
    assert first.status is ScreenStatus.DIALOG
    assert [step.action for step in first.steps] == ["click Cancel"]
    assert is_cleared(watched, first, second)
    assert bed.title(editor.window).startswith("*")  # the unsaved change is still there
    assert file.read_text() == "x = 1\n"


def test_the_wrong_file(watched: WatchedDesktop) -> None:
    wrong, right = watched.file("tax.py"), watched.file("cart.py")
    watched.bed.mousepad(wrong)
    first, second = check(watched, right)
    assert first.status is ScreenStatus.WRONG_FILE
    assert first.actual_file.endswith("tax.py")
    assert is_cleared(watched, first, second)
    assert (wrong.read_text(), right.read_text()) == ("x = 1\n", "x = 1\n")


def test_an_error_dialog(watched: WatchedDesktop) -> None:
    folder = watched.project / "gone"
    folder.mkdir()
    file = folder / "cart.py"
    file.write_text("x = 1\n")
    bed = watched.bed
    editor = bed.mousepad(file)
    bed.press("x")
    bed.until(lambda: bed.title(editor.window).startswith("*"), "a change")
    shutil.rmtree(folder)
    bed.press("ctrl+s")
    bed.until(lambda: bed.active() not in (0, editor.window), "the dialog")
    first, second = check(watched, file)
    assert first.status is ScreenStatus.ERROR
    assert is_cleared(watched, first, second)


def test_a_terminal_in_focus(watched: WatchedDesktop) -> None:
    file = watched.file("cart.py")
    editor = watched.bed.mousepad(file)
    terminal = watched.bed.xterm("/bin/sh", "-c", f"cat > {watched.project}/typed")
    assert watched.bed.active() == terminal.window
    first, second = check(watched, file)
    assert first.status is ScreenStatus.TERMINAL
    assert is_cleared(watched, first, second)
    assert watched.bed.active() == editor.window
    assert Path(watched.project, "typed").read_bytes() == b""


def test_the_example_of_a_robot(watched: WatchedDesktop) -> None:
    file = watched.file("notes.md", "")
    watched.bed.mousepad(file)
    ran = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "desktop_robot.py"), str(file)],
        cwd=watched.project,
        env=watched.environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    for step in ("a title", "a list", "a link", "an end"):
        assert f"after {step}: normal -> normal" in ran.stdout
