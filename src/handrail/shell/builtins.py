"""What the shell itself does when it meets these words."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.arithmetic import names_changed
from handrail.shell.code_files import ask_for_printed
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.input_builtins import read_line, read_lines
from handrail.shell.known_output import output_of
from handrail.shell.paths import join
from handrail.shell.shell_options import CDABLE_VARS, run_enable, run_set, run_shopt
from handrail.shell.variables import MANY, UNSET
from handrail.shell.word import OPAQUE, UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker


def _cd(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    targets = [word for word in command.argv[1:] if word.text not in {"-P", "-L", "-e", "-@", "--"}]
    walker.emit(command)
    before = env.cwd
    printed: str | None = ""
    leads_back = True
    if not targets:
        env.cwd = _only(env.values("HOME"))
    elif targets[0].text == "-":
        leads_back = env.is_set("OLDPWD") is True
        walker.failures += not leads_back
        env.cwd = _only(env.values("OLDPWD"))
        printed = f"{env.cwd.text}\n" if leads_back and env.cwd.exact else None
    else:
        unsure = len(targets) > 1 or _is_searched(targets[0], env)
        walker.failures += len(targets) > 1
        env.cwd = UNKNOWN if unsure else join(env.cwd, targets[0])
    _leave_folder(env, before, sure=leads_back)
    return printed


def _is_searched(target: Word, env: Environment) -> bool:
    """Whether only the disk tells which folder is meant: one in CDPATH, or that of a variable."""
    if target.text.startswith(("/", "./", "../")) or target.text in {".", ".."}:
        return False
    folders = env.variables.get("CDPATH", ())
    return CDABLE_VARS in env.options or any(word.text for word in folders)


def _leave_folder(env: Environment, folder: Word, *, sure: bool) -> None:
    """Note where `cd -` leads back to; `sure`: the shell moves, as far as the text tells."""
    kept = () if sure else (*env.values("OLDPWD"), UNSET)
    env.assign("OLDPWD", tuple(dict.fromkeys((folder, *kept))))
    if "PWD" in env.variables and sure:
        del env.variables["PWD"]  # it is where the shell is again
    elif "PWD" in env.variables:
        env.assign("PWD", (UNKNOWN,))


def _only(values: tuple[Word, ...]) -> Word:
    return values[0] if len(values) == 1 else UNKNOWN


def _pushd(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    words = [word for word in command.argv[1:] if word.text not in {"-n", "--"}]
    if len(words) != 1 or words[0].text[:1] in {"+", "-"}:
        # Without a folder it turns the stack around.
        walker.emit(command)
        walker.failures += not env.folders
        _leave_folder(env, env.cwd, sure=bool(env.folders))
        env.cwd, env.folders = UNKNOWN, (UNKNOWN,)
        return None
    env.folders = (*env.folders, env.cwd)
    _cd(walker, command, env, context)
    return None


def _popd(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    walker.failures += not env.folders
    _leave_folder(env, env.cwd, sure=bool(env.folders))
    plain = len(command.argv) == 1 and env.folders
    env.cwd = env.folders[-1] if plain else UNKNOWN
    env.folders = env.folders[:-1]
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
    if len(command.argv) == 2:
        return walker.script(text, env, here)
    before = env.argument_lists()
    env.set_arguments(command.argv[2:])
    output = walker.script(text, env, here)
    # What the file sets itself stays.
    changed = env.argument_lists() != (command.argv[2:],)
    env.set_arguments(*before, *(env.argument_lists() if changed else ()))
    return output


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
        inputs = (item for item in command.redirects if not item.writes)
        if name == "exec" and any(item.descriptor in {"", "0"} for item in inputs):
            env.stdin = (command.input,)
        return ""
    concurrent = context.concurrent or name == "coproc"
    here = msgspec.structs.replace(context, via=(*context.via, name), concurrent=concurrent)
    inner = msgspec.structs.replace(command, argv=rest, via=here.via)
    env = env.fork() if name == "coproc" else env
    return walker.resolver.call(inner, env, here, bare=name not in {"time", "coproc"})


def _alias(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    for word in command.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            env.aliases[name] = value
    return None


def _hash(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`hash -p /bin/rm ls`: a name means another program."""
    walker.emit(command)
    words = [word.text for word in command.argv[1:]]
    if words[:1] == ["-p"]:
        env.aliases |= dict.fromkeys(words[2:], words[1])
    return None


def _trap(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    words = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if len(words) > 1 and words[0].text.strip():
        here = msgspec.structs.replace(context, via=(*context.via, "trap"))
        walker.script(words[0].text, env.fork(), here)
        walker.traps.append((words[0].text, env, env.fork(), here))
        if any(word.text not in _AT_THE_END for word in words[1:]):
            _forget_what_changes(walker, words[0].text, env, here)
    return None


def _forget_what_changes(
    walker: "ProgramWalker", script: str, env: Environment, context: CommandContext
) -> None:
    """What `trap … DEBUG` sets may be set at any time, so it is unknown from now on."""
    branch = env.fork()
    walker.script(script, branch, context)
    for name, values in branch.variables.items():
        if values != env.variables.get(name):
            env.make_vague(name)
    if branch.cwd != env.cwd:
        env.cwd = UNKNOWN


DECLARATIONS = ("declare", "export", "local", "readonly", "typeset")
"""Builtins that are keywords to the parser, where nothing stands before them."""
_CHANGE_VALUES = frozenset("Aciluan")
"""Letters of `declare` that change what a variable may hold."""
_AT_THE_END = frozenset({"EXIT", "0"})
MAX_TRAPS = 16
"""Scripts set by `trap` that are read again at the end."""


def _shift(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    count = command.argv[1].text if len(command.argv) > 1 else "1"
    if not count.isdecimal():
        env.set_arguments(MANY)
        return ""
    by = int(count[:9])
    walker.failures += any(by > len(words) for words in env.argument_lists())
    env.set_arguments(
        *(words[by:] if by <= len(words) and words != MANY else words
          for words in env.argument_lists())
    )  # fmt: skip
    return ""


def _exit(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`exit`: what was set by `trap` runs, as things are now."""
    walker.emit(command)
    for script, _, _, there in walker.traps[:MAX_TRAPS]:
        walker.script(script, env.fork(), there)
    return None


def _leave(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`return`, `break`, `continue`: what stands behind may not run, nor print."""
    walker.emit(command)
    name, *levels = (word.text for word in command.argv)
    env.leave(function=name == "return", far=levels not in ([], ["1"]))
    return None


def _unset(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    unset_words(list(command.argv[1:]), env)
    return ""


def unset_words(words: list[Word], env: Environment) -> None:
    """`unset name`, `unset -f name`, `unset 'array[1]'`."""
    letters = "".join(word.text[1:] for word in words if word.text.startswith("-"))
    for word in words:
        name, bracket, key = word.text.partition("[")
        if name.startswith("-"):
            continue
        if bracket:
            array = env.arrays.get(env.name_of(name))
            others = env.other_arrays.get(env.name_of(name))
            if array is not None and (others or array.pop(key.removesuffix("]"), None) is None):
                env.assign_element(name, None, UNKNOWN)
        elif "f" in letters:
            env.functions.pop(name, None)
        elif "n" in letters:
            env.references.pop(name, None)
        else:
            env.unset(env.name_of(name))


def _let(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`let i=1`, `getopts ab: name`: variables get values that are not worked out."""
    walker.emit(command)
    words = [word.text for word in command.argv[1:]]
    if command.argv[0].text == "getopts":
        names = {*words[1:2], "OPTARG", "OPTIND"}
    else:
        names = {name for text in words for name in names_changed(text)}
    for name in names:
        env.assign(name, (UNKNOWN,))
    return ""


def _declare(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`builtin export v=a`, `v=a declare v`: what the tree shows as a program of that name."""
    keyword, words = command.argv[0].text, [word.text for word in command.argv[1:]]
    letters = "".join(text[1:] for text in words if text[:1] in {"-", "+"})
    assigned: list[tuple[str, Word]] = []
    for text in words:
        name, equals, value = text.partition("=")
        if text[:1] in {"-", "+"}:
            continue
        if keyword not in {"export", "readonly"} and "g" not in letters:
            env.declare_local(name)
        if equals and (keyword != "local" or env.scopes):
            env.assign(name, (Word(value),))
            assigned.append((name, Word(value)))
        if keyword == "export" or "x" in letters:
            env.exported |= {name}
        if not _CHANGE_VALUES.isdisjoint(letters):
            env.make_vague(name)
    walker.emit(msgspec.structs.replace(command, assignments=tuple(assigned)))
    return ""


def _printf(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    walker.emit(command)
    argv = command.argv
    if len(argv) > 3 and argv[1].text == "-v":
        value = output_of((argv[0], *argv[3:]), None, env.cwd)
        word = UNKNOWN if value is None else Word(value)
        name, bracket, key = argv[2].text.partition("[")
        if bracket:
            env.assign_element(name, key.removesuffix("]"), word)
        else:
            env.assign(name, (word,))
        return ""
    return output_of(argv, command.input, env.cwd)


BUILTINS: dict[
    str, Callable[["ProgramWalker", Command, Environment, CommandContext], str | None]
] = {
    "cd": _cd,
    "pushd": _pushd,
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
    "set": run_set,
    "shopt": run_shopt,
    "enable": run_enable,
    "hash": _hash,
    "shift": _shift,
    "exit": _exit,
    "return": _leave,
    "break": _leave,
    "continue": _leave,
    "read": read_line,
    "mapfile": read_lines,
    "readarray": read_lines,
    "let": _let,
    "getopts": _let,
    "unset": _unset,
    **dict.fromkeys(DECLARATIONS, _declare),
    "printf": _printf,
}
