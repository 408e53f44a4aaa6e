"""What a person sees while a fleet works, and at its end."""

import sys
from collections.abc import Callable
from contextlib import suppress
from time import time

import click

from handrail.cli.fleet.live_lines import LiveLines, can_draw
from handrail.cli.fleet.run_progress import fleet_progress
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.config.fleet import Fleet
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.reports.progress import FleetProgress, log_lines, terminal_lines
from handrail.words.tasks import list_tasks, summarize_tasks
from handrail.words.times import clock_time


class FleetDisplay:
    """A display that is drawn again on a terminal, lines in a log, or JSON."""

    def __init__(
        self,
        screen: TerminalOutput,
        settings: Fleet,
        *,
        slots: int,
        as_json: bool,
        clock: Callable[[], float] = time,
    ) -> None:
        self._screen = screen
        self._settings = settings
        self._slots = slots
        self._as_json = as_json
        self._clock = clock
        self._began = clock()
        self._live = LiveLines() if can_draw() and not as_json else None
        self._before: FleetProgress | None = None
        self._told: dict[str, tuple[str, str]] = {}

    def show(self, state: FleetState) -> None:
        """Show the state, as far as it has changed."""
        with suppress(OSError):  # nobody reads it any more, and the fleet works on
            if self._as_json:
                self._print_changes(state)
            else:
                self._draw(state)
            sys.stdout.flush()

    def end(self, state: FleetState) -> None:
        """Show the last state and the summary."""
        self.show(state)
        if self._live is not None:
            self._live.leave()
        if self._as_json:
            with suppress(OSError):
                print_json({"tasks": {name: each.status for name, each in state.tasks.items()}})
        else:
            self.say(summarize_tasks(list_tasks(state, self._clock())))

    def say(self, text: str) -> None:
        """Print a sentence; to stderr if the output is JSON."""
        with suppress(OSError):
            if self._live is not None:
                self._live.print_above(f" {visible(text)}")
            elif self._as_json:
                click.echo(f" {visible(text)}", err=True)
            else:
                click.echo(f" {clock_time(self._clock())} {visible(text)}")
            sys.stdout.flush()

    def _draw(self, state: FleetState) -> None:
        now = fleet_progress(
            state, self._settings, slots=self._slots, began=self._began, now=self._clock()
        )
        if self._live is not None:
            self._live.draw([visible(line) for line in terminal_lines(now, self._screen.width)])
            return
        for line in log_lines(self._before, now):
            click.echo(f" {clock_time(self._clock())} {visible(line)}")
        self._before = now

    def _print_changes(self, state: FleetState) -> None:
        for line in list_tasks(state, self._clock()):
            now = (line.words.state, line.words.why)
            if self._told.get(line.task) != now:
                self._told[line.task] = now
                print_json({"task": line.task, "state": now[0], "why": now[1]})
