"""`handrail desktop replay`: a session, played in a real editor."""

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack

from handrail.cli.desktop.verify_report import show_left_out, show_report
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, visible
from handrail.desktop.replay.engine import (
    USUAL_PACE,
    ReplayEngine,
    ReplayOutcome,
    ReplayPace,
)
from handrail.desktop.verify.session import EditSession
from handrail.words.times import duration_in_words

_STEP = 0.2


def open_replay(
    stack: ExitStack,
    session: EditSession,
    root: str,
    editor: str,
    *,
    file: str = "session",
    pace: ReplayPace = USUAL_PACE,
    repair: bool = False,
    verify: bool = True,
    check_between: Callable[[str], object] = lambda _context: None,
) -> ReplayEngine:
    """Prepare a replay on the display of this process; the stack closes what it needs.

    Raises DesktopError: no display, no such editor, a package missing, files that do not fit.
    """
    from handrail.desktop.errors import DesktopError, MissingPackageError
    from handrail.desktop.replay.editors import REPLAY_EDITORS

    if editor not in REPLAY_EDITORS:
        raise DesktopError(f"there is no editor {editor!r}; known: {', '.join(REPLAY_EDITORS)}")
    try:
        from handrail.desktop.recover.xtest_device import XTestDevice
        from handrail.desktop.replay.keyboard_editor import KeyboardEditor
        from handrail.desktop.replay.primary_selection import PrimarySelection
        from handrail.desktop.sense.x11_windows import X11Windows
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        raise MissingPackageError(name, "pip install 'handrail[desktop]'") from None
    windows = X11Windows(os.environ.get("DISPLAY", ""))
    stack.callback(windows.close)
    windows.read()  # says here and now that there is no display
    device = XTestDevice(lambda _: None)
    stack.callback(device.close)
    selection = PrimarySelection()
    stack.callback(selection.close)
    keyboard = KeyboardEditor(REPLAY_EDITORS[editor], device, windows.read, selection)
    stack.callback(keyboard.close)
    return ReplayEngine(
        session,
        root,
        keyboard,
        file=file,
        pace=pace,
        repair=repair,
        verify=verify,
        check_between=check_between,
    )


def run_replay(
    screen: TerminalOutput, engine: ReplayEngine, session: EditSession, *, as_json: bool = False
) -> int:
    """Run a prepared replay to its end, print what came of it, and return the exit code."""
    shows = not as_json and sys.stderr.isatty()
    engine.start()
    try:
        while (outcome := engine.join(_STEP)) is None:
            if shows:
                _show_progress(engine, screen.width)
    except KeyboardInterrupt:
        engine.abort()
        engine.join()
        raise
    finally:
        if shows:
            sys.stderr.write("\r\x1b[K")
    if as_json:
        print_json(outcome)
    else:
        _show(screen, outcome)
        show_left_out(screen, session.left_out)
    verified = outcome.verification is None or outcome.verification.success
    return 0 if outcome.finished and verified else 1


def _show_progress(engine: ReplayEngine, width: int) -> None:
    progress = engine.progress()
    if progress is not None:
        says = f" {progress.done:,} of {progress.total:,}  {visible(progress.file)}"
        sys.stderr.write(f"\r\x1b[K{clip(says, width - 1)}")
        sys.stderr.flush()


def _show(screen: TerminalOutput, outcome: ReplayOutcome) -> None:
    if outcome.error:
        screen.paragraph(f"The replay stopped: {outcome.error}", "red")
        if outcome.damage:
            for line in outcome.damage.diff_lines[:12]:
                screen.say("   " + clip(line, screen.width - 3))
    elif outcome.aborted:
        screen.say(" " + screen.paint("The replay was ended.", "yellow"))
    if outcome.verification:
        show_report(screen, outcome.verification)
    for each in outcome.files:
        if each.repaired:
            times = "once" if each.repaired == 1 else f"{each.repaired} times"
            says = f"{each.path}: the editor saved something else; Handrail wrote it {times}"
            screen.paragraph(says, "yellow")
    operations = _count(sum(each.operations for each in outcome.files), "operation")
    files = _count(len(outcome.files), "file")
    screen.say(f" Replayed {operations} in {files}, in {duration_in_words(outcome.seconds)}.")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what if number == 1 else what + 's'}"
