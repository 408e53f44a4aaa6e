"""`handrail serve`: run the daemon."""

import logging
import os
import sys

import click

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.output.json_line import print_json
from handrail.server.home import Home, open_home
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import become_guardian, ensure_daemon, stop_daemon
from handrail.server.listening_sockets import inherited_listening_sockets
from handrail.server.lock import AlreadyRunningError
from handrail.server.restarting import restart_daemon


@click.command()
@click.option("--background", is_flag=True, help="Start the daemon and return when it answers.")
@click.option("--stop", "stops", is_flag=True, help="Stop the running daemon.")
@click.option("--restart", is_flag=True, help="Stop the running daemon and start a new one.")
@options.json_option("Print JSON.")
@options.color_option
def command(background: bool, stops: bool, restart: bool, as_json: bool) -> int:
    """Run the daemon that reviews the actions of all sessions.

    You rarely need this: hooks start the daemon when a session begins. Each user has
    one daemon. It survives its terminal and ends on SIGTERM or with --stop.

    \b
    Examples:
      handrail serve                  in this terminal, until Ctrl-C
      handrail serve --background     in the background, as hooks do
      handrail serve --restart        after an upgrade
    """
    if background + stops + restart > 1:
        raise click.UsageError("use only one of --background, --stop and --restart")
    if stops or restart:
        options.by_a_person()
    home = open_home(os.environ)
    if not (background or stops or restart):
        return _serve(home, as_json=as_json)
    try:
        stopped = _stop_or_restart(home, stops=stops, restart=restart)
        started = restart or (background and ensure_daemon(home))
    except DaemonError as error:
        raise click.ClickException(str(error)) from None
    _tell(_said(stops=stops, stopped=stopped, started=started), stopped, started, as_json=as_json)
    return 0


def _stop_or_restart(home: Home, *, stops: bool, restart: bool) -> bool:
    """End the daemon if that is wanted; tells whether there was one."""
    if restart:
        return restart_daemon(home)
    return stops and stop_daemon(home)


def _tell(says: str, stopped: bool, started: bool, *, as_json: bool) -> None:
    if as_json:
        print_json({"stopped": stopped, "started": started})
    else:
        click.echo(says)


def _said(*, stops: bool, stopped: bool, started: bool) -> str:
    if started:
        return "Restarted the daemon." if stopped else "Started the daemon."
    if stops:
        return "Stopped the daemon." if stopped else "No daemon was running."
    return "The daemon is already running."


def _serve(home: Home, *, as_json: bool) -> int:
    try:
        sockets = inherited_listening_sockets(os.environ)
        if sockets is None or sockets.link is None:
            become_guardian(home, sockets)
    except AlreadyRunningError as error:
        _tell(str(error), stopped=False, started=False, as_json=as_json)
        return 0
    assert sockets is not None  # the guardian starts this command again, with sockets
    from handrail.server.serving import serve  # late: all others do not need it

    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    freeze_loaded_objects()
    try:
        serve(home, os.environ, sockets)
    except AlreadyRunningError as error:
        _tell(str(error), stopped=False, started=False, as_json=as_json)
    return 0
