"""`kill $(…)` and `… | xargs kill`: what is ended is told by what prints the numbers."""

import re
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.readers.processes import fed_effect
from handrail.shell.word import OPAQUE

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_VARIABLE = re.compile(r"\$\{?(\w+)")


def run_kill(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Add what ending the processes does that other commands have found."""
    if not any(OPAQUE in word.text or word.glob for word in command.argv):
        return
    index = len(walker.commands) - 1
    for effect in fed_effect(_feeders(walker, command)):
        walker.code_effects.append(msgspec.structs.replace(effect, command=index))


def _assigners(walker: "ProgramWalker", command: Command) -> list[int]:
    """Commands that filled the variables which stand in the arguments: `p=$(pgrep x); kill $p`."""
    names = {name for word in command.argv for name in _VARIABLE.findall(word.raw)}
    if not names:
        return []
    return [
        index
        for index, earlier in enumerate(walker.commands)
        if any(name in names for name, _ in earlier.assignments)
    ]


def _feeders(walker: "ProgramWalker", command: Command) -> list[Command]:
    """Everything that stands before it in its pipe, or inside its substitutions."""
    indexes: list[int] = []
    waiting = [*command.fed_by, *_assigners(walker, command)]
    while waiting:
        index = waiting.pop()
        if index not in indexes:
            indexes.append(index)
            waiting.extend(walker.commands[index].fed_by)
    return [walker.commands[index] for index in sorted(indexes)]
