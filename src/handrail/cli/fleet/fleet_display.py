"""What a person sees while a fleet works: one line for every change, and a summary at the end."""

import sys
from contextlib import suppress
from time import time

import click

from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, visible
from handrail.fleet.fleet_state import FleetState
from handrail.words.tasks import TaskLine, list_tasks, summarize_tasks


class FleetDisplay:
    """Prints what has changed since the last look."""

    def __init__(self, screen: TerminalOutput, *, as_json: bool) -> None:
        self._screen = screen
        self._as_json = as_json
        self._shown: dict[str, tuple[str, str]] = {}

    def show(self, state: FleetState) -> None:
        """Print a line for each task whose state is another one now."""
        for line in list_tasks(state, time()):
            now = (line.words.state, line.words.why)
            if self._shown.get(line.task) != now:
                self._shown[line.task] = now
                self._print(line)

    def end(self, state: FleetState) -> None:
        """Print the summary."""
        self.show(state)
        if self._as_json:
            print_json({"tasks": {name: each.status for name, each in state.tasks.items()}})
        else:
            self.say(summarize_tasks(list_tasks(state, time())))

    def say(self, text: str) -> None:
        """Print a sentence."""
        with suppress(OSError):
            click.echo(f" {text}", err=self._as_json)
            sys.stdout.flush()

    def _print(self, line: TaskLine) -> None:
        words = line.words
        if self._as_json:
            print_json({"task": line.task, "state": words.state, "why": words.why})
            return
        more = words.why or line.label
        told = clip(visible(f"{line.task}  {words.state} · {more}"), self._screen.width - 4)
        with suppress(OSError):
            click.echo(f" {self._screen.paint(words.mark, words.style)} {told}")
            sys.stdout.flush()
