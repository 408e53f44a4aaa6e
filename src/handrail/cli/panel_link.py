"""The link that logs a browser in to the panel: the daemon makes it, this opens or prints it."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ready_daemon
from handrail.server.home import Home
from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.messages import CODES, HOW_TO_BUILD, LoginLink

NOT_BUILT = f"the panel is not built in this checkout; build it with: {HOW_TO_BUILD}"


class LinkWay(NamedTuple):
    """How the link reaches the person."""

    shows: bool
    opens: bool


def choose_way(*, no_open: bool) -> LinkWay:
    """Return the ways that exist here: a browser, a terminal; without any, end the command."""
    way = LinkWay(sys.stdout.isatty(), not no_open and _has_browser())
    if not any(way):
        raise click.ClickException(
            "the link logs a browser in, so it is printed only on a terminal; "
            "run this on a terminal of yours"
        )
    return way


def give_link(home: Home, way: LinkWay, *, read_only: bool = False) -> None:
    """Open the panel in a browser, and print the link."""
    with ready_daemon(home):
        asked = {"read_only": read_only, "file": way.opens}
        link = msgspec.convert(call_daemon(home, "POST", CODES, asked), LoginLink)
    if not link.is_built:
        raise click.ClickException(NOT_BUILT)
    screen = options.screen()
    if link.problem:
        screen.say(f" {screen.paint('!', 'yellow')} {link.problem}")
    opened = way.opens and _open(link.file)
    if opened:
        screen.say(" The panel opens in your browser.")
    if way.shows:
        does = "If it does not, this link" if opened else "This link"
        screen.say(f" {does} logs one browser in, within {link.seconds:.0f} s:\n\n   {link.url}\n")
    if way.shows and not opened and os.environ.get("SSH_CONNECTION"):
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
    try:
        return webbrowser.open(Path(path).as_uri())
    except webbrowser.Error:
        return False
