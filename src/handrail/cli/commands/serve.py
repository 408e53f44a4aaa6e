"""`handrail serve`: the daemon."""

import logging
import os
import sys
from typing import TYPE_CHECKING

import click

from handrail.cli import options

if TYPE_CHECKING:
    from handrail.server.home import Home


@click.command()
@click.option("--background", is_flag=True, help="Start it, and return when it answers.")
@click.option("--stop", "stops", is_flag=True, help="End the one that runs.")
@click.option("--restart", is_flag=True, help="End the one that runs, and start a new one.")
@options.json_option("Print what was done as JSON.")
@options.color_option
def command(background: bool, stops: bool, restart: bool, as_json: bool) -> int:
    """Run the daemon that reviews the actions of all sessions.

    You rarely need this: hooks start it when a session begins. There is one for
    each user; it survives its terminal, and ends on SIGTERM or with --stop.

    \b
    Examples:
      handrail serve                  in this terminal, until Ctrl-C
      handrail serve --background     as hooks do it
      handrail serve --restart        after an upgrade
    """
    from handrail.server.home import open_home

    if background + stops + restart > 1:
        raise click.UsageError("--background, --stop and --restart exclude each other")
    if stops or restart:
        options.by_a_person()
    home = open_home(os.environ)
    if not (background or stops or restart):
        return _serve(home, as_json=as_json)
    from handrail.server.http.socket_client import DaemonError
    from handrail.server.launcher import ensure_daemon, stop_daemon

    try:
        stopped = stop_daemon(home) if stops or restart else False
        started = ensure_daemon(home) if background or restart else False
    except DaemonError as error:
        raise click.ClickException(str(error)) from None
    _tell(_said(stops=stops, stopped=stopped, started=started), stopped, started, as_json=as_json)
    return 0


def _tell(says: str, stopped: bool, started: bool, *, as_json: bool) -> None:
    if as_json:
        from handrail.cli.output.review_json import to_json

        says = to_json({"stopped": stopped, "started": started}).decode()
    click.echo(says)


def _said(*, stops: bool, stopped: bool, started: bool) -> str:
    if started:
        return "The daemon was restarted." if stopped else "The daemon was started."
    if stops:
        return "The daemon was stopped." if stopped else "No daemon was running."
    return "The daemon is running already."


def _serve(home: "Home", *, as_json: bool) -> int:
    from handrail.cli import settle
    from handrail.server.daemon import serve
    from handrail.server.lock import AlreadyRunningError

    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    settle()
    try:
        serve(home, os.environ)
    except AlreadyRunningError as error:
        _tell(str(error), stopped=False, started=False, as_json=as_json)
    return 0
