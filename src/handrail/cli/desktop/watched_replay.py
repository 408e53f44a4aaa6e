"""`handrail desktop replay`: a session in an editor, with a watch beside it."""

import os
from contextlib import ExitStack

import msgspec

from handrail.cli.desktop.replay import open_replay, run_replay
from handrail.cli.desktop.watching import CheckPrinter
from handrail.cli.output.terminal import TerminalOutput
from handrail.config.desktop import Desktop
from handrail.desktop.replay.engine import ReplayEngine, ReplayPace
from handrail.desktop.watch.desktop_watch import Watch
from handrail.model.desktop import CheckOutcome, DesktopCheck


class WatchedReplay(msgspec.Struct, frozen=True):
    """What to replay, and how."""

    session: str
    root: str
    editor: str
    pause: float = 0.0
    """Seconds between two operations."""
    repair: bool = False
    verify: bool = True
    """Whether all files are compared in the end."""
    as_json: bool = False


def replay_session(
    stack: ExitStack, screen: TerminalOutput, request: WatchedReplay, settings: Desktop | None
) -> int:
    """Replay, print what came of it, and return the exit code; raises DesktopError.

    `settings`: of the watch; None: nobody watches.
    """
    from handrail.desktop.verify.session_reading import load_session

    session = load_session(request.session)
    watches: list[Watch] = []

    def check(context: str) -> None:
        for watch in watches:
            watch.check_now(context)

    engine = open_replay(
        stack,
        session,
        request.root,
        request.editor,
        file=request.session,
        pace=ReplayPace(operation_seconds=request.pause),
        repair=request.repair,
        verify=request.verify,
        check_between=check,
    )
    if settings is not None:
        watches.append(stack.enter_context(_watch(screen, request, settings, engine)))
    return run_replay(screen, engine, session, as_json=request.as_json)


def _watch(
    screen: TerminalOutput, request: WatchedReplay, settings: Desktop, engine: ReplayEngine
) -> Watch:
    printer = CheckPrinter(screen, as_json=False)

    def tell(check: DesktopCheck) -> None:
        if check.outcome is not CheckOutcome.NORMAL and not request.as_json:
            printer.show(check)

    return Watch(
        folder=request.root,
        settings=settings,
        goal=f"replay {os.path.basename(request.session)}",
        worker=engine,
        verify=lambda file: _what_differs(engine),
        on_check=tell,
        on_critical_failure=lambda check: engine.abort(),
    )


def _what_differs(engine: ReplayEngine) -> str:
    """Return how the open file differs from what was saved last, or ""."""
    found = engine.check_open_file()
    if found is None or found.identical:
        return ""
    return f"{found.path} differs: {found.error or f'{found.missing_lines} lines are not there'}"
