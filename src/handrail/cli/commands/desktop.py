"""`handrail desktop`: watch, verify and replay an unattended graphical session."""

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options

if TYPE_CHECKING:
    from handrail.desktop.capture.screenshot import CaptureTarget

_expected = click.option(
    "--expect-file", "expected", default="", metavar="FILE", help="The file that should be open."
)


def _target_options(function: options.Function) -> options.Function:
    for option in (
        click.option("--window", default="", metavar="ID|TITLE", help="Only this window."),
        click.option("--screen", type=click.IntRange(1), metavar="N", help="Only this monitor."),
    ):
        function = option(function)
    return function


@click.group()
def command() -> None:
    """Watch an unattended graphical session, unstick it, and verify its files.

    For computer-use agents, test robots, and replays of recorded editor sessions.
    Handrail recognises dialogs, errors, wrong files and lost focus by itself, closes
    what can be closed without an answer, and proves by another look that it helped.

    \b
    Examples:
      handrail desktop look                          what is on the screen now?
      handrail desktop watch --expect-file cart.py   look every ten minutes
      handrail desktop verify session.json           are the files right?
      handrail desktop replay session.json --editor mousepad
      handrail desktop record . HEAD~3               make a session from commits
      handrail desktop demo                          see all of it
    """


@command.command(short_help="Show what is on the screen now.")
@_target_options
@_expected
@click.option("--dry-run", is_flag=True, help="Show what a model would be sent; send nothing.")
@options.json_option("Print the result as JSON.")
@options.color_option
def look(window: str, screen: int | None, expected: str, dry_run: bool, as_json: bool) -> int:
    """Look at the screen once, and touch nothing.

    Handrail tells what it sees, how sure it is, and what a watch would do. It keeps a
    picture in which the window with the focus is marked.

    \b
    Examples:
      handrail desktop look
      handrail desktop look --window "cart.py" --expect-file src/cart.py
      handrail desktop look --dry-run

    Exit code: 0 if nothing is in the way; 1 if something is; 2 for an error, such as
    no display.
    """
    from handrail.cli.desktop.look import LookRequest, look_once

    request = LookRequest(_target(window, screen), expected, dry_run, as_json)
    return look_once(options.screen(), request)


@command.command(short_help="Look in intervals, and clear the way.")
@_target_options
@_expected
@click.option("--interval", type=float, metavar="SECONDS", help="The time between two looks.")
@options.json_option("Print each check as a line of JSON.")
@options.color_option
def watch(
    window: str, screen: int | None, expected: str, interval: float | None, as_json: bool
) -> int:
    """Watch the screen until Ctrl+C.

    The watch is a run: `handrail status` and the panel show it, and `handrail pause`,
    `resume`, `stop` and `cancel` hold or end it. After three recoveries without effect
    it stops the run, saves an incident, and tells you.

    \b
    Examples:
      handrail desktop watch --expect-file src/cart.py
      handrail desktop watch --window Code --interval 60

    Exit code: 0; 1 if a person has to look; 2 for an error, such as no display.
    """
    options.by_a_person()
    from handrail.cli.desktop.desktop_settings import desktop_project
    from handrail.cli.desktop.watching import WatchRequest, watch_screen

    settings = desktop_project().config.desktop
    if interval is not None:
        if not interval > 0:
            raise click.UsageError(f"--interval {interval}: use a number above 0")
        settings = msgspec.structs.replace(settings, interval_seconds=interval)
    request = WatchRequest(_target(window, screen), settings, expected, as_json)
    return watch_screen(options.screen(), request)


@command.command(short_help="Compare files with a recorded session.")
@click.argument("session", metavar="SESSION.json", required=False)
@click.argument("root", metavar="[ROOT]", default=".")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    metavar="RATIO",
    help="Accept files that are at least so similar; without it, every byte counts.",
)
@click.option(
    "--originals",
    default="",
    metavar="FOLDER",
    help="The files as they were, if the session has only their hashes.",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a session.")
@options.json_option("Print the report as JSON.")
@options.color_option
def verify(
    session: str | None,
    root: str,
    tolerance: float | None,
    originals: str,
    schema: bool,
    as_json: bool,
) -> int:
    """Compare the files in ROOT with what a session should have made of them.

    Only equal bytes are a success. For others, Handrail shows how similar they are,
    and what differs.

    \b
    Examples:
      handrail desktop verify session.json
      handrail desktop verify session.json build/out --tolerance 0.98
      handrail desktop verify --schema > session.schema.json

    Exit code: 0 if all files match; 1 if one does not; 2 for an error.
    """
    from handrail.cli.desktop.desktop_settings import desktop_project
    from handrail.cli.desktop.verify_report import print_schema, verify_files

    if schema:
        return print_schema()
    if session is None:
        raise click.UsageError("name a session: handrail desktop verify SESSION.json [ROOT]")
    threshold = desktop_project().config.desktop.verification.similarity_threshold
    return verify_files(
        options.screen(),
        session,
        root,
        tolerance=tolerance,
        threshold=threshold,
        originals=originals,
        as_json=as_json,
    )


@command.command(short_help="Make a session from two commits.")
@click.argument("root", metavar="[ROOT]", default=".")
@click.argument("start", metavar="[FROM]", default="HEAD~1")
@click.argument("end", metavar="[TO]", default="HEAD")
@click.option("--output", "-o", default="-", metavar="FILE", help="Write it there.")
@click.option("--by-hash", is_flag=True, help="Name the originals by hash, not by content.")
@options.color_option
def record(root: str, start: str, end: str, output: str, by_hash: bool) -> int:
    """Write a session that turns one commit into another.

    \b
    Examples:
      handrail desktop record . HEAD~3 -o session.json
      handrail desktop record ~/shop v1.0 v1.1 > session.json
    """
    from handrail.cli.desktop.record import record_file

    return record_file(options.screen(), root, start, end, output=output, by_hash=by_hash)


@command.command(short_help="Play a session in a real editor.")
@click.argument("session", metavar="SESSION.json")
@click.argument("root", metavar="[ROOT]", default=".")
@click.option("--editor", default="mousepad", metavar="NAME", help="mousepad or geany.")
@click.option(
    "--pause",
    "pause",
    type=float,
    default=0.0,
    metavar="SECONDS",
    help="Between two operations, for people who look on.",
)
@click.option("--repair", is_flag=True, help="Write a file directly if the editor damaged it.")
@click.option("--no-watch", is_flag=True, help="Do not look at the screen meanwhile.")
@options.json_option("Print the result as JSON.")
@options.color_option
def replay(
    session: str,
    root: str,
    editor: str,
    pause: float,
    repair: bool,
    no_watch: bool,
    as_json: bool,
) -> int:
    """Play a recorded session in an editor, under watch, and verify the files.

    Handrail opens each file, carries out its operations, saves, and compares. It looks
    at the screen between two files and at intervals. If a dialog is in the way, it
    waits, closes it, and goes on.

    \b
    Examples:
      handrail desktop replay session.json --editor mousepad
      handrail desktop replay session.json ~/shop --editor geany --pause 0.2

    Exit code: 0 if all files match in the end; 1 if one does not; 2 for an error.
    """
    options.by_a_person()
    from handrail.cli.desktop.desktop_settings import desktop_project
    from handrail.cli.desktop.watched_replay import WatchedReplay, replay_session

    settings = desktop_project().config.desktop
    verifies = settings.verification.verify_on_completion
    place = os.path.abspath(root)
    request = WatchedReplay(session, place, editor, pause, repair, verifies, as_json)
    with ExitStack() as stack:
        return replay_session(stack, options.screen(), request, None if no_watch else settings)


@command.command(short_help="See all of it on a virtual screen.")
@click.option("--pictures", default="", metavar="FOLDER", help="Keep the pictures there.")
@options.color_option
def demo(pictures: str) -> int:
    """Play a story on a screen of its own: a dialog blocks a replay.

    Handrail sees the dialog, closes it, and proves that the files are right. It needs
    Xvfb, openbox and mousepad, and leaves nothing behind but the pictures.

    \b
    Examples:
      handrail desktop demo
      handrail desktop demo --pictures shots
    """
    from handrail.cli.desktop.demo import play_demo

    return play_demo(options.screen(), pictures)


def _target(window: str, screen: int | None) -> "CaptureTarget":
    from handrail.desktop.capture.screenshot import CaptureTarget

    if window and screen:
        raise click.UsageError("--window and --screen exclude each other")
    return CaptureTarget(window, screen or 0)
