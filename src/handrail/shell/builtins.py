"""What the shell itself does when it meets these words."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.code_files import ask_for_printed
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.known_output import output_of
from handrail.shell.paths import join
from handrail.shell.printed_paths import names_printed
from handrail.shell.word import OPAQUE, UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker


def _cd(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    targets = [word for word in command.argv[1:] if word.text not in {"-P", "-L", "-e", "-@", "--"}]
    walker.emit(command)
    if not targets:
        env.cwd = env.values("HOME")[0]
    elif targets[0].text == "-":
        env.cwd = env.variables.get("OLDPWD", (UNKNOWN,))[0]
    else:
        env.assign("OLDPWD", (env.cwd,))
        env.cwd = join(env.cwd, targets[0])
    return ""


def _popd(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    env.cwd = env.variables.get("OLDPWD", (UNKNOWN,))[0]
    return None


def _eval(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    ask_for_printed(walker, command, env)
    text = " ".join(word.text for word in command.argv[1:])
    if not text.strip(OPAQUE + " \n"):
        return None
    here = msgspec.structs.replace(context, via=(*context.via, "eval"))
    return walker.script(text, env, here)


def _source(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    if len(command.argv) < 2:
        return None
    ask_for_printed(walker, command, env)
    word = command.argv[1]
    text = walker.code_texts.text(word, env, command.elsewhere)
    if word.text in {"/dev/stdin", "-"}:
        text = command.input
    if text is None:
        return None
    here = msgspec.structs.replace(context, via=(*context.via, "source"))
    return walker.script(text, env, here)


def _inner(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`command rm`, `builtin cd`, `exec ls`, `time make`, `coproc nc`: the rest is the command."""
    rest = command.argv[1:]
    name = command.argv[0].text
    if name == "command" and rest and rest[0].text in {"-v", "-V"}:
        walker.emit(command)
        return f"/usr/bin/{rest[1].text}\n" if len(rest) > 1 else None
    if name == "coproc" and len(rest) > 1 and rest[1].text == "{":
        rest = rest[2:]
    while rest and rest[0].text.startswith("-"):
        takes_value = rest[0].text in {"-a", "-f", "-o"} and name in {"exec", "time"}
        rest = rest[2:] if takes_value else rest[1:]
    if not rest:
        walker.emit(command)
        return ""
    concurrent = context.concurrent or name == "coproc"
    here = msgspec.structs.replace(context, via=(*context.via, name), concurrent=concurrent)
    inner = msgspec.structs.replace(command, argv=rest, via=here.via)
    return walker.resolver.call(inner, env, here)


def _alias(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    for word in command.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            env.aliases[name] = value
    return None


def _trap(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    words = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if len(words) > 1 and words[0].text.strip():
        here = msgspec.structs.replace(context, via=(*context.via, "trap"))
        walker.script(words[0].text, env.fork(), here)
    return ""


def _set(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    words = command.argv[1:]
    if words and words[0].text == "--":
        env.arguments = words[1:]
    return "" if words else None


def _shift(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    env.arguments = env.arguments[1:]
    return ""


_MAPFILE = frozenset({"-d", "-n", "-O", "-s", "-u", "-C", "-c"})
_TAKE_VALUES = {
    "read": frozenset({"-d", "-n", "-N", "-p", "-t", "-u", "-i"}),
    "mapfile": _MAPFILE,
    "readarray": _MAPFILE,
}


def _read(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    words = command.argv[1:]
    takes_value = _TAKE_VALUES[command.argv[0].text]
    while words and words[0].text.startswith("-"):
        words = words[2:] if words[0].text in takes_value else words[1:]
    values: tuple[Word, ...]
    if command.input is not None:
        lines = [line for line in command.input.split("\n") if line]
        values = tuple(dict.fromkeys(map(Word, lines))) or (Word(""),)
    else:
        values = tuple(names_printed(walker, command.fed_by, env)) or (UNKNOWN,)
    for word in words:
        env.assign(word.text, values)
        if command.argv[0].text != "read":
            env.arrays[word.text] = values
    return ""


def _unset(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    for word in command.argv[1:]:
        env.unset(word.text)
    return ""


def _export(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    assigned: list[tuple[str, Word]] = []
    for word in command.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            env.assign(name, (Word(value),))
            assigned.append((name, Word(value)))
    walker.emit(msgspec.structs.replace(command, assignments=tuple(assigned)))
    return ""


def _printf(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    argv = command.argv
    if len(argv) > 3 and argv[1].text == "-v":
        value = output_of((argv[0], *argv[3:]), None, env.cwd)
        env.assign(argv[2].text, (UNKNOWN if value is None else Word(value),))
        return ""
    return output_of(argv, command.input, env.cwd)


BUILTINS: dict[
    str, Callable[["ProgramWalker", Command, Environment, CommandContext], str | None]
] = {
    "cd": _cd,
    "pushd": _cd,
    "popd": _popd,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "command": _inner,
    "builtin": _inner,
    "exec": _inner,
    "time": _inner,
    "coproc": _inner,
    "alias": _alias,
    "trap": _trap,
    "set": _set,
    "shift": _shift,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "unset": _unset,
    "export": _export,
    "printf": _printf,
}
