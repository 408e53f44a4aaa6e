"""Programs that run other commands in ways a table cannot say."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import MAX_VALUE, Environment
from handrail.shell.errors import TooLargeError
from handrail.shell.find_call import read_find
from handrail.shell.git_runner import run_forge_alias, run_git
from handrail.shell.inline import read_code
from handrail.shell.inline.value import STATE
from handrail.shell.nested_code import module_words, run_known_script, run_scripts
from handrail.shell.options import ParsedArguments
from handrail.shell.package_runner import run_npm
from handrail.shell.paths import join
from handrail.shell.printed_paths import input_items
from handrail.shell.process_runner import run_kill
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.readers import SCRIPTS
from handrail.shell.shells import has_text, read_shell
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_RECIPE = re.compile(r"(?m)^\t[@+-]*(.+)$|^[\w.-]+:[^;\n]*;\s*(.+)$")
_MAKE_COMMANDS = frozenset("SHELL CC CXX CPP LD AR AS RANLIB STRIP FC LEX YACC RM".split())


def _shell(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`sh -c 'script'`, `bash file`, `… | sh`."""
    call = read_shell(command)
    text: str | None = None
    if call.source == "text":
        text = call.script.text if has_text(call.script) else None
    elif call.source == "file":
        text = env.files.get(join(env.cwd, call.script).text)
    elif call.source == "input":
        text = command.input
    if text is None:
        return
    inner = env.fork()
    inner.arguments = call.arguments
    inner.zero = call.zero
    for name, value in command.assignments:
        inner.assign(name, (value,))
    here = msgspec.structs.replace(context, via=(*context.via, command.name))
    walker.script(text, inner, here)
    env.files.update(inner.files)


class InterpreterCall(msgspec.Struct, frozen=True):
    """How an interpreter is given code on its command line."""

    name: str
    code_options: tuple[str, ...]
    stops: tuple[str, ...] = ()
    """Options after which the rest belongs to something else (`python -m`)."""
    first_operand: bool = False
    """The first operand is the code (awk, sed)."""


LANGUAGES = {
    "python": InterpreterCall("python", ("-c",), ("-m",)),
    "node": InterpreterCall("javascript", ("-e", "--eval", "-p", "--print", "-pe")),
    "perl": InterpreterCall("perl", ("-e", "-E")),
    "ruby": InterpreterCall("ruby", ("-e",)),
    "php": InterpreterCall("php", ("-r", "--run", "-B", "-R", "-E")),
    "lua": InterpreterCall("lua", ("-e",)),
    "osascript": InterpreterCall("applescript", ("-e",)),
    "rscript": InterpreterCall("r", ("-e",)),
    "awk": InterpreterCall("awk", ("-e", "--source"), first_operand=True),
    "sed": InterpreterCall("sed", ("-e", "--expression"), first_operand=True),
}


def _interpreter(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Code given with `-c` / `-e`, on standard input, or in a file written just before."""
    language = LANGUAGES[entry.name]
    call = entry.parse(command.argv)
    codes = [word.text for word in call.values(*language.code_options)]
    operands = call.operands
    if call.has(*language.stops):
        run_known_script(walker, command, module_words(command.argv), env, context)
        return
    if not codes and language.first_operand and not call.has("-f", "--file"):
        # macOS: `sed -i '' script file`; the empty suffix stands before the script.
        written = [word.text for word in operands if word.text]
        codes = written[:1]
    elif not codes and operands and operands[0].text not in {"-", "/dev/stdin"}:
        text = env.files.get(join(env.cwd, operands[0]).text)
        codes = [] if text is None else [text]
        run_known_script(walker, command, operands, env, context)
    elif not codes and command.input is not None:
        codes = [command.input]
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    for code in codes:
        run_code(walker, language.name, code, command, env, here)


def run_code(
    walker: "ProgramWalker",
    language: str,
    code: str,
    command: Command,
    env: Environment,
    context: CommandContext,
) -> None:
    """Add what a piece of code does, and follow the commands that it starts."""
    result = read_code(language, code)
    index = len(walker.commands) - 1
    for effect in result.effects:
        target = effect.target
        if target == "~" or target.startswith("~/"):
            target = env.values("HOME")[0].text + target[1:]
        elif target.startswith(STATE):
            target = env.values("HANDRAIL_HOME")[0].text + target.removeprefix(STATE)
        walker.code_effects.append(msgspec.structs.replace(effect, command=index, target=target))
    for script in result.scripts:
        walker.script(script, env.fork(), context, guessed=True)
    for argv in result.calls:
        inner = msgspec.structs.replace(
            command,
            argv=tuple(Word(text) for text in argv),
            redirects=(),
            assignments=(),
            via=context.via,
            input=None,
            fed_by=(),
        )
        walker.resolver.call(inner, env, context)


def _deno(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`deno eval CODE`, `bun -e CODE`, and code on standard input."""
    call = entry.parse(command.argv)
    codes = [word.text for word in call.values("-e", "--eval", "-p", "--print")]
    if call.operands and call.operands[0].text == "eval":
        codes += [word.text for word in call.operands[1:2]]
    elif not codes and command.input is not None:
        codes = [command.input]
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    for code in codes:
        run_code(walker, "javascript", code, command, env, here)


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
    items = input_items(walker, command, env)
    here = msgspec.structs.replace(context, via=(*context.via, "xargs"), input=None)
    if holder and any(holder in word.text for word in argv):
        _call_each(walker, command, argv, holder, items, env, here)
        return
    if not call.has("-0", "--null", "-d", "--delimiter", "-L", "-I"):
        items = [Word(part, item.glob, item.raw) for item in items for part in item.text.split()]
    _call(walker, command, (*argv, *items), env, here)


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


def _make(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """A makefile that was written just before, or stands on the input."""
    call = entry.parse(command.argv)
    files = [word.text for word in call.values("-f", "--file", "--makefile")] or ["Makefile"]
    here = msgspec.structs.replace(context, via=(*context.via, "make"), input=None)
    for name in files:
        known = env.files.get(join(env.cwd, Word(name)).text)
        text = command.input if name in {"-", "/dev/stdin"} else known
        for recipe in _RECIPE.finditer(text or ""):
            _recipe(walker, recipe[1] or recipe[2], env, here)
    for word in call.values("--eval", "-E"):
        for recipe in _RECIPE.finditer(word.text):
            _recipe(walker, recipe[1] or recipe[2], env, here)
    given = [word.text.partition("=")[::2] for word in call.operands]
    given += [(name, value.text) for name, value in command.assignments]
    for name, value in given:
        if name.rstrip(":?+") in _MAKE_COMMANDS and has_text(Word(value)):
            walker.script(value, env.fork(), here)


def _recipe(walker: "ProgramWalker", text: str, env: Environment, context: CommandContext) -> None:
    walker.script(text.replace("$$", "$"), env.fork(), context, guessed=True)


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
    text = env.files.get(join(env.cwd, source).text)
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
    if command.input is not None and command.input.strip():
        here = msgspec.structs.replace(context, via=(*context.via, entry.name))
        walker.script(command.input, env.fork(), here)


RUNNERS: dict[
    str, Callable[["ProgramWalker", Command, ProgramEntry, Environment, CommandContext], None]
] = {
    "shell": _shell,
    "interpreter": _interpreter,
    "deno": _deno,
    "xargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "fd": _fd,
    "make": _make,
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
    "forge_alias": run_forge_alias,
}
