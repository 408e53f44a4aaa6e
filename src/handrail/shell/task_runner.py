"""Programs that run command lines out of a file of tasks: make, just, npm, tox."""

import re
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.code_files import input_text, named_files
from handrail.shell.code_runner import run_deno
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.makefile import included_files
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.shells import has_text
from handrail.shell.task_files import TASK_FILES
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_EVALUATED = re.compile(r"(?m)^\t[@+-]*(.+)$|^[\w.-]+:[^;\n]*;\s*(.+)$")
_MAKE_COMMANDS = frozenset("SHELL CC CXX CPP LD AR AS RANLIB STRIP FC LEX YACC RM".split())


def run_tasks(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read the command lines of a file that a call runs."""
    if any(level.harmless for level in entry.levels(command.argv)):
        return
    call = entry.parse(command.argv)
    names = list(named_files(entry.name, call))
    texts = [text for _, text in walker.code_texts.known(names, env, command.elsewhere)]
    if names[:1] in (["-"], ["/dev/stdin"]):
        texts = [input_text(walker, command, env) or ""]
    if entry.name == "make":
        names = [name for text in texts for name in included_files(text)]
        more = [text for _, text in walker.code_texts.known(names, env, command.elsewhere)]
        texts = ["\n".join((*more, *texts))]
    words = [word.text for word in call.operands]
    here = msgspec.structs.replace(
        context, via=(*context.via, entry.name), input=None, fed_by=(), input_from=()
    )
    for line in chain.from_iterable(TASK_FILES[entry.name](text, words) for text in texts):
        if line.strip(OPAQUE + " \n"):
            walker.script(line, env.fork(), here, guessed=True)


def run_compose(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`docker compose up`, `docker-compose up`: folders that its file opens to containers."""
    for level in entry.levels(command.argv):
        if level.entry.program.reader != "compose":
            continue
        here = msgspec.structs.replace(context, input=None, fed_by=(), input_from=())
        words = [word.text for word in level.call.operands]
        names = named_files("compose", level.call)
        for _, text in walker.code_texts.known(names, env, command.elsewhere):
            for line in TASK_FILES["compose"](text, words):
                walker.script(line, env.fork(), here, guessed=True)


def run_make(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """A makefile, rules given with `--eval`, and variables that hold programs."""
    run_tasks(walker, command, entry, env, context)
    call = entry.parse(command.argv)
    here = msgspec.structs.replace(context, via=(*context.via, "make"), input=None)
    for word in call.values("--eval", "-E"):
        for recipe in _EVALUATED.finditer(word.text):
            text = (recipe[1] or recipe[2]).replace("$$", "$")
            walker.script(text, env.fork(), here, guessed=True)
    given = [word.text.partition("=")[::2] for word in call.operands]
    given += [(name, value.text) for name, value in command.assignments]
    for name, value in given:
        if name.rstrip(":?+") in _MAKE_COMMANDS and has_text(Word(value)):
            walker.script(value, env.fork(), here)


def run_npm(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Scripts of package.json here and in folders to install, and `npm pkg set scripts.x='cmd'`."""
    run_tasks(walker, command, entry, env, context)
    words = [word.text for word in entry.parse(command.argv).operands]
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    folders = (word.removeprefix("file:") for word in words[1:])
    names = [f"{folder}/package.json" for folder in folders if folder.startswith((".", "/"))]
    for _, text in walker.code_texts.known(names, env, command.elsewhere):
        for line in TASK_FILES["npm"](text, ["install"]):
            walker.script(line, env.fork(), here, guessed=True)
    for key, _, value in (word.partition("=") for word in words[2:]):
        if words[:2] == ["pkg", "set"] and key.startswith("scripts.") and has_text(Word(value)):
            walker.script(value, env.fork(), here)


def run_bun(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Deno runs files; bun does too, and scripts of package.json."""
    if entry.name in TASK_FILES:
        run_tasks(walker, command, entry, env, context)
    run_deno(walker, command, entry, env, context)
