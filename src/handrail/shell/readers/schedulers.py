"""Read crontab: a fake editor writes the table without anyone looking."""

from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.readers.make_effects import effect

_EDITORS = frozenset({"EDITOR", "VISUAL"})


def _crontab(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    set_here = any(name in _EDITORS for name, _ in command.assignments)
    if call.has("-e", "--edit") and (set_here or command.input is not None or command.fed_by):
        yield effect(
            Kind.PERSIST,
            command.text,
            says="changes the table of scheduled commands without an editor",
            instead="List the schedule: `crontab -l`.",
        )


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {"crontab": _crontab}
