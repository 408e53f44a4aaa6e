"""Programs that run other commands in ways a table cannot say."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.code_runner import run_interpreter, run_shell
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.command_files import with_text_of_files
from handrail.shell.environment import Environment
from handrail.shell.errors import TooLargeError
from handrail.shell.find_call import read_find
from handrail.shell.git_runner import run_forge_alias, run_git
from handrail.shell.nested_code import run_scripts
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.printed_paths import input_items
from handrail.shell.process_runner import run_kill
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.readers import SCRIPTS
from handrail.shell.task_runner import run_bun, run_compose, run_make, run_npm, run_tasks
from handrail.shell.variables import MAX_VALUE
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker


def _xargs(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`… | xargs cmd`: the items of the input become arguments."""
    call = entry.parse(command.argv)
    if not call.places:
        return
    argv = command.argv[call.places[0] :]
    holder = _placeholder(command, call)
    command = _with_named_input(command, call.values("-a", "--arg-file"), env)
    items = input_items(walker, command, env)
    here = msgspec.structs.replace(context, via=(*context.via, "xargs"), input=None)
    if holder and any(holder in word.text for word in argv):
        _call_each(walker, command, argv, holder, items, env, here)
        return
    if not call.has("-0", "--null", "-d", "--delimiter", "-L", "-I"):
        items = [Word(part, item.glob, item.raw) for item in items for part in item.text.split()]
    _call(walker, command, (*argv, *items), env, here)


def _with_named_input(command: Command, files: Sequence[Word], env: Environment) -> Command:
    """`xargs -a file`, `parallel -a file`: an option names the input."""
    if not files or not files[0].exact:
        return command
    path = join(env.cwd, files[0]).text
    return msgspec.structs.replace(
        command, input=env.text_of(path), input_file=path, fed_by=(), input_from=()
    )


def _placeholder(command: Command, call: ParsedArguments) -> str:
    """What `xargs` replaces by an item: `-I NAME`, or `{}` with `-i`."""
    for word in call.values("-I", "--replace"):
        return word.text
    for word in command.argv[1:]:
        if word.text.startswith("-i"):
            return word.text[2:] or "{}"
    return "{}" if call.has("--replace") else ""


def _parallel(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`parallel cmd ::: items`, or with the items on standard input."""
    texts = [word.text for word in command.argv]
    separators = [i for i, text in enumerate(texts) if text in {":::", ":::+", "::::"}]
    end = separators[0] if separators else len(texts)
    call = entry.parse(command.argv[:end])
    argv = command.argv[call.places[0] : end] if call.places else ()
    if separators:
        items = [word for word in command.argv[end + 1 :] if word.text not in {":::", ":::+"}]
    else:
        command = _with_named_input(command, call.values("-a", "--arg-file"), env)
        items = input_items(walker, command, env)
    here = msgspec.structs.replace(context, via=(*context.via, "parallel"), input=None)
    for item in items:
        if not argv:
            walker.script(item.text, env.fork(), here)
        elif any("{}" in word.text for word in argv):
            _call_each(walker, command, argv, "{}", [item], env, here)
        else:
            _call(walker, command, (*argv, item), env, here)
            if len(argv) == 1 and " " in argv[0].text:
                walker.script(f"{argv[0].text} {item.text}", env.fork(), here, guessed=True)


def _find(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`find … -exec cmd {} ;`: the command runs on what was found."""
    search = read_find(command)
    here = msgspec.structs.replace(context, via=(*context.via, "find"))
    for argv in search.executes:
        items = [
            word if word.glob else Word(f"{word.text.rstrip('/')}/**/*", glob=True)
            for word in search.selection
        ]
        _call_each(walker, command, argv, "{}", items, env, here)


def _fd(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`fd PATTERN DIR -x cmd`: the command runs on what was found."""
    texts = [word.text for word in command.argv]
    starts = [i for i, text in enumerate(texts) if text in {"-x", "--exec", "-X", "--exec-batch"}]
    if not starts:
        return
    argv = [word for word in command.argv[starts[0] + 1 :] if word.text != ";"]
    folders = entry.parse(command.argv[: starts[0]]).operands[1:] or (Word("."),)
    items = [Word(f"{folder.text.rstrip('/')}/**/?*", glob=True) for folder in folders]
    here = msgspec.structs.replace(context, via=(*context.via, "fd"))
    if not any("{}" in word.text for word in argv):
        argv.append(Word("{}"))
    _call_each(walker, command, argv, "{}", items, env, here)


def _tee(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """What `tee` writes may be run later."""
    if command.input is not None:
        for word in entry.parse(command.argv).operands:
            env.files[join(env.cwd, word).text] = command.input


def _copy(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """A program that is copied or linked keeps doing what it does, whatever it is called."""
    operands = entry.parse(command.argv).operands
    if len(operands) != 2:
        return
    source, target = operands
    name = source.text.rpartition("/")[2]
    path = join(env.cwd, target).text
    if walker.programs.lookup(name) is not None and "/" in source.text:
        env.copies[path] = name
        env.copies[f"{path}/{name}"] = name
    original = join(env.cwd, source).text
    walker.code_texts.copy(original, path)
    walker.code_texts.copy(original, f"{path}/{name}")
    text = env.files.get(original)
    if text is not None:
        env.files[path] = text


def _call_each(
    walker: "ProgramWalker",
    command: Command,
    argv: Sequence[Word],
    placeholder: str,
    items: Iterable[Word],
    env: Environment,
    context: CommandContext,
) -> None:
    length = sum(len(word.text) for word in argv)
    places = sum(word.text.count(placeholder) for word in argv)
    for item in items:
        size = length + places * (len(item.text) - len(placeholder))
        if size > MAX_VALUE:
            raise TooLargeError(size, MAX_VALUE, "a command made from its input")
        filled = tuple(
            Word(word.text.replace(placeholder, item.text), word.glob or item.glob, word.raw)
            if placeholder in word.text
            else word
            for word in argv
        )
        _call(walker, command, filled, env, context)


def _call(
    walker: "ProgramWalker",
    command: Command,
    argv: Sequence[Word],
    env: Environment,
    context: CommandContext,
) -> None:
    inner = msgspec.structs.replace(
        command,
        argv=tuple(argv),
        redirects=(),
        via=context.via,
        input=None,
        fed_by=command.fed_by,
    )
    walker.resolver.call(inner, env, context)


def _at(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`echo cmd | at now`: what stands on the input runs later."""
    for filled in with_text_of_files(walker, command, entry, env):
        walker.resolver.call(filled, env, context)
    if command.input is not None and command.input.strip():
        here = msgspec.structs.replace(context, via=(*context.via, entry.name))
        walker.script(command.input, env.fork(), here)


RUNNERS: dict[
    str, Callable[["ProgramWalker", Command, ProgramEntry, Environment, CommandContext], None]
] = {
    "shell": run_shell,
    "interpreter": run_interpreter,
    "deno": run_bun,
    "xargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "fd": _fd,
    "make": run_make,
    "tasks": run_tasks,
    "tee": _tee,
    "copy": _copy,
    "install": _copy,
    "move": _copy,
    "link": _copy,
    "at": _at,
    **dict.fromkeys(SCRIPTS, run_scripts),
    "git": run_git,
    "kill": run_kill,
    "npm": run_npm,
    "compose": run_compose,
    "container_engine": run_compose,
    "forge_alias": run_forge_alias,
}
