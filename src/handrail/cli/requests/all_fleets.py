"""Close or open the dispatch of all fleets, before a command reaches all runs."""

import click

from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.output.json_line import print_json
from handrail.control.client import user_name
from handrail.fleet.engine.requests import DispatchChange
from handrail.model.control import ControlCommand
from handrail.server.fleet.places import DISPATCH
from handrail.server.home import Home

_WORDS = {False: "closed: it claims no task", True: "open: it claims tasks again"}


def change_dispatch(home: Home, command: ControlCommand, reason: str, *, as_json: bool) -> None:
    """Close every fleet for a command that holds or stops, open it for resume; say which."""
    opens = command is ControlCommand.RESUME
    if not (opens or command.holds or command is ControlCommand.STOP):
        return
    change = DispatchChange(opens, user_name(), reason)
    said = ask_daemon(home, DISPATCH, change, "asking all fleets")
    fleets = said["fleets"]
    assert isinstance(fleets, list)
    if as_json:
        print_json({"dispatch": "open" if opens else "closed", "fleets": fleets})
        return
    screen = options.screen()
    for name in fleets:
        click.echo(f" {screen.paint('fleet', 'dim')} {name}: dispatch is {_WORDS[opens]}")
