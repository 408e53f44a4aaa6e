"""`handrail panel`: open the panel in a browser."""

import os

import click

from handrail.cli import options
from handrail.cli.daemon_request import ready_daemon
from handrail.cli.panel_link import choose_way, give_link
from handrail.server.home import open_home
from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.messages import SESSIONS, TOKEN


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
    give_link(home, choose_way(no_open=no_open), read_only=read_only)
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
