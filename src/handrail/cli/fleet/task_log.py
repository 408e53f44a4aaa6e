"""The story of one task, out of the log of its fleet."""

from handrail.cli import options
from handrail.cli.commands.log import TAIL, LogPrinter
from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.cli.history.event_filter import EventFilter
from handrail.cli.history.fleet_story import LoggedTask
from handrail.cli.history.log_reader import wait_a_moment
from handrail.cli.history.runs import read_log


def print_task_log(fleet: OpenedFleet, task: str, *, follows: bool, as_json: bool) -> None:
    """Print what became of a task; with `follows`, its last entries and then new ones."""
    told = LoggedTask(fleet.repository.fleet, task)
    with read_log(fleet.home) as store:
        log = LogPrinter(store, EventFilter(), options.screen(), as_json=as_json)
        try:
            if follows:
                log.follow(told, TAIL, wait_a_moment)
            else:
                log.show(told, None)
        except BrokenPipeError:
            # With its number, click would report it as an error; `main` handles it.
            raise BrokenPipeError from None
