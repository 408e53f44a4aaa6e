"""`handrail panel`: open the panel in a browser."""

import os
import sys

import click

from handrail.cli import options
from handrail.cli.daemon_request import ready_daemon
from handrail.server.home import Home, open_home
from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.messages import CODES, HOW_TO_BUILD, SESSIONS, TOKEN, LoginLink


@click.group(invoke_without_command=True)
@click.option("--no-open", "--print", "no_open", is_flag=True, help="Only print the link.")
@click.option("--read-only", is_flag=True, help="The browser may look, and change nothing.")
@click.option("--log-out-all", is_flag=True, help="Log all browsers out.")
@options.color_option
@click.pass_context
def command(ctx: click.Context, no_open: bool, read_only: bool, log_out_all: bool) -> int:
    """Open the panel in your browser.

    The link logs one browser in, once, within a minute. It is shown only on a
    terminal, and agents cannot have it. The browser stays logged in until it was
    not used for two weeks, also over restarts of the daemon.

    \b
    Examples:
      handrail panel                    open it here
      handrail panel --print            a link for another browser or phone
      handrail panel --read-only        look, but change nothing
      handrail panel --log-out-all      end all sessions, after losing a phone
      handrail panel token              a read-only token for scripts
    """
    if ctx.invoked_subcommand is not None:
        return 0
    options.by_a_person()
    home = open_home(os.environ)
    if log_out_all:
        with ready_daemon(home):
            ended = call_daemon(home, "DELETE", SESSIONS)["ended"]
        click.echo(f"Logged {ended} {'browser' if ended == 1 else 'browsers'} out.")
        return 0
    shows = sys.stdout.isatty()
    opens = not no_open and _has_browser()
    if not shows and not opens:
        raise click.ClickException(
            "the link logs a browser in, so it is printed only on a terminal; "
            "run this on a terminal of yours"
        )
    _give_link(home, read_only=read_only, shows=shows, opens=opens)
    return 0


@command.command(name="token")
@click.option("--new", is_flag=True, help="Make a new one; the one before is worthless at once.")
def token(new: bool) -> int:
    """Print the token that may read everything and change nothing.

    For dashboards and scripts, which send it as `Authorization: Bearer TOKEN` to
    the API under /api/v1. Handrail keeps it in `read-token` in its state folder.

    \b
    Examples:
      handrail panel token              print it; the first time, make one
      handrail panel token --new        replace it, such as after it has leaked
    """
    options.by_a_person()
    home = open_home(os.environ)
    with ready_daemon(home):
        click.echo(call_daemon(home, "POST", TOKEN, {"new": new})["token"])
    return 0


def _give_link(home: Home, *, read_only: bool, shows: bool, opens: bool) -> None:
    import msgspec

    with ready_daemon(home):
        asked = {"read_only": read_only, "file": opens}
        link = msgspec.convert(call_daemon(home, "POST", CODES, asked), LoginLink)
    screen = options.screen()
    if link.problem:
        screen.say(f" {screen.paint('!', 'yellow')} {link.problem}")
    if not link.is_built:
        screen.say(
            f" {screen.paint('!', 'yellow')} The pages are not built in this checkout; "
            f"build them with: {HOW_TO_BUILD}"
        )
        return
    opened = opens and _open(link.file)
    if opened:
        screen.say(" The panel opens in your browser.")
    if shows:
        does = "If it does not, this link" if opened else "This link"
        screen.say(f" {does} logs one browser in, within {link.seconds:.0f} s:\n\n   {link.url}\n")
    if shows and not opened and os.environ.get("SSH_CONNECTION"):
        screen.say(
            f" On another machine, first: ssh -L {home.port}:127.0.0.1:{home.port} THIS-MACHINE"
        )


def _has_browser() -> bool:
    """Return whether a browser with windows can open here; one of text would take the terminal."""
    if sys.platform == "darwin":
        return not os.environ.get("SSH_CONNECTION")
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _open(path: str) -> bool:
    """Open a file with the link: everybody on this machine can read the arguments of a browser."""
    import webbrowser
    from pathlib import Path

    try:
        return webbrowser.open(Path(path).as_uri())
    except webbrowser.Error:
        return False
