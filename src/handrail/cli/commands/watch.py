"""`handrail watch`: all runs on one screen, and a person's hand on the controls."""

import os
import sys
from typing import TYPE_CHECKING

import click

from handrail.cli import options

if TYPE_CHECKING:
    from handrail.control.client import ControlConnection
    from handrail.server.home import Home
    from handrail.tui.app import LogViewSource
    from handrail.tui.sending.port import CommandSender


@click.command()
@options.color_option
def command() -> int:
    """Watch all runs in this terminal, and take hold of one.

    On the left the runs, on the right what the chosen one does. Every control
    command has a key; each asks for a reason, and Esc sends nothing. Below stands
    how far the last command has come: requested, acknowledged, confirmed.
    ? shows all keys, q leaves; runs go on.

    It reads the log by itself, so it goes on when the daemon ends or is restarted.

    \b
    Examples:
      handrail watch
      ssh build handrail watch
      NO_COLOR=1 handrail watch
    """
    options.by_a_person()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(
            "this needs a terminal; handrail status and handrail log --follow do not"
        )
    from handrail.cli.history.runs import find_home
    from handrail.tui.app import WatchApp

    if not options.screen().colour:
        os.environ["NO_COLOR"] = "1"
    for name in ("COLUMNS", "LINES"):
        # Where they were exported once, the screen would not follow the terminal's size.
        os.environ.pop(name, None)
    home = find_home()
    app = WatchApp(lambda: _open_source(home), _controls(home))
    error = app.run(mouse=False)
    if error is not None:
        raise error
    return 0


def _open_source(home: "Home") -> "LogViewSource":
    """The log. Called when the screen stands: these imports take as long as all before."""
    from handrail.cli import settle
    from handrail.control.client import user_name
    from handrail.intervene.incidents.folders import IncidentError, IncidentFolders
    from handrail.store.opening import open_log
    from handrail.tui.state.log_feed import LogFeed

    def is_open(incident: str) -> bool:
        try:
            return IncidentFolders(home.incidents).read(incident).resolution is None
        except IncidentError:
            return True

    settle()
    return LogFeed(open_log(home.log, "read"), me=user_name(), is_open=is_open)


def _controls(home: "Home") -> "CommandSender":
    from handrail.tui.sending.daemon_sender import DaemonCommandSender

    def open_line() -> "ControlConnection":
        from handrail.server.control.connection import DaemonConnection

        return DaemonConnection(home)

    def is_down() -> bool:
        from handrail.server.lock import holder

        return holder(home) is None

    return DaemonCommandSender(open_line, is_down)
