"""Follow command lines inside a program's own language, and programs that an interpreter runs."""

from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.command_files import COMMAND_FILES, with_text_of_files
from handrail.shell.environment import Environment
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.readers import SCRIPTS
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handrail.shell.walk import ProgramWalker


def run_scripts(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read the command lines inside a program's own language (`psql -c '\\! ls'`)."""
    here = msgspec.structs.replace(
        context, via=(*context.via, entry.name), input=None, fed_by=(), input_from=()
    )
    row = COMMAND_FILES.get(entry.program.reader)
    calls = [command]
    for filled in with_text_of_files(walker, command, entry, env):
        if row is not None and row.only_scripts:
            calls.append(filled)
        else:
            walker.resolver.call(filled, env, context)
    for call in calls:
        for text in SCRIPTS[entry.program.reader](call, entry.parse(call.argv)):
            if text.strip(OPAQUE + " \n"):
                walker.script(text, env.fork(), here, guessed=True)


def run_known_script(
    walker: "ProgramWalker",
    command: Command,
    words: "Sequence[Word]",
    env: Environment,
    context: CommandContext,
) -> None:
    """Read `python manage.py flush` or `python -m pip …` as a call of the program of that name."""
    if not words or OPAQUE in words[0].text:
        return
    name = words[0].text.rpartition("/")[2]
    entry = walker.programs.lookup(name)
    if entry is None or entry.program.reader in {"interpreter", "shell"}:
        return
    inner = msgspec.structs.replace(
        command, argv=tuple(words), redirects=(), via=(*context.via, command.name)
    )
    walker.resolver.call(inner, env, context)


def module_words(argv: "Sequence[Word]") -> tuple[Word, ...]:
    """Return the module and its arguments in `python -m module …`."""
    for index, word in enumerate(argv):
        if word.text == "-m":
            return tuple(argv[index + 1 :])
        if word.text.startswith("-m") and index:
            return (Word(word.text[2:], raw=word.raw), *argv[index + 1 :])
    return ()
