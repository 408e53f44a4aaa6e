"""`handrail watch`: watch and control all runs on one screen."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from handrail.cli import options

if TYPE_CHECKING:
    from handrail.control.client import ControlConnection
    from handrail.server.home import Home
    from handrail.tui.sending.decisions import DecisionMaker
    from handrail.tui.sending.port import CommandSender
    from handrail.tui.sending.task_commands import TaskSender
    from handrail.views.log_view import LogViewSource


@click.command()
@options.color_option
def command() -> int:
    """Watch and control all runs in this terminal.

    The runs are at the top, those that need you first; below are the events of the
    chosen run, and on a wide screen their details. Every control command has a key and
    asks you for a reason; Esc cancels. The line above the keys shows how far your last
    command got: requested, acknowledged, confirmed. Press a to decide about a run that
    needs you, ? for all keys and q to quit. The runs continue.

    The tasks of a fleet have a list of their own, with keys to merge one, to edit it,
    to try it again, to block it and to give it up, and to pause, save and roll back
    them all.

    The screen reads the log itself, so it works without a daemon.

    \b
    Examples:
      handrail watch
      ssh build handrail watch
      NO_COLOR=1 handrail watch
    """
    options.by_a_person()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(
            "this needs a terminal; try handrail status or handrail log --follow"
        )
    from handrail.cli.history.runs import find_home
    from handrail.tui.app import WatchApp

    if not options.screen().colour:
        os.environ["NO_COLOR"] = "1"
    for name in ("COLUMNS", "LINES"):
        # An exported size would keep the screen from following the terminal.
        os.environ.pop(name, None)
    home = find_home()
    app = WatchApp(
        lambda: _open_source(home),
        _controls(home),
        partial(_decisions, home),
        partial(_tasks, home),
    )
    error = app.run()
    if error is not None:
        raise error
    return 0


def _open_source(home: "Home") -> "LogViewSource":
    """Open the log after the first frame: these imports double the start-up time."""
    from handrail.cli import freeze_loaded_objects
    from handrail.cli.history.runs import incident_is_open
    from handrail.control.client import user_name
    from handrail.store.opening import open_log
    from handrail.views.log_feed import LogFeed

    freeze_loaded_objects()
    is_open = partial(incident_is_open, home)
    return LogFeed(
        open_log(home.log, "read"),
        me=user_name(),
        is_open=is_open,
        daemon_is_down=partial(_is_down, home),
    )


def _controls(home: "Home") -> "CommandSender":
    from handrail.tui.sending.daemon_sender import DaemonCommandSender

    def open_line() -> "ControlConnection":
        from handrail.server.control.connection import DaemonConnection

        return DaemonConnection(home)

    return DaemonCommandSender(open_line, partial(_is_down, home))


def _decisions(home: "Home") -> "DecisionMaker":
    from handrail.tui.sending.daemon_decisions import DaemonDecisions

    return DaemonDecisions(home)


def _tasks(home: "Home") -> "TaskSender":
    from handrail.tui.sending.daemon_tasks import DaemonTasks

    return DaemonTasks(home)


def _is_down(home: "Home") -> bool:
    from handrail.server.lock import is_running

    return not is_running(home)
