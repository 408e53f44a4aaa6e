"""The commands that git and forges run because a setting, an alias or an address says so."""

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.git_hooks import GIT_HOOKS, run_hooks
from handrail.shell.program_lookup import ProgramEntry, SubcommandLevel, compile_glob
from handrail.shell.readers.git import set_values
from handrail.shell.tables.git import CONFIG_COMMANDS
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_GIT_FOLDER = ".git"
_CONFIG_FILES = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"})
_SECTION = re.compile(r"\s*\[([\w.-]+)(?:\s+\"([^\"]*)\")?\]")
_ESCAPED = re.compile(r"%(.)")


def run_git(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Follow aliases and every setting whose value is a command."""
    levels = entry.levels(command.argv)
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    inner = env.fork()
    aliases = {
        name.partition(" ")[2]: body
        for name, body in env.aliases.items()
        if name.startswith("git ")
    }
    given = list(_settings(command, levels, env))
    for key, value in (*given, *_in_files(walker, command, given, env)):
        name = key.lower()
        if name.startswith("alias."):
            aliases[name[6:]] = value
            if _is_config(levels):
                env.aliases[f"git {name[6:]}"] = value
                _alias(walker, command, value, (), inner, here)
        elif compile_glob(CONFIG_COMMANDS).match(name):
            if name == "core.hookspath":
                walker.code_texts.hooks_folder = value
            _script(walker, value.removeprefix("!"), inner, here)
    head = levels[0].head
    if len(levels) == 1 and head.operands and head.operands[0].text.lower() in aliases:
        body = aliases[head.operands[0].text.lower()]
        _alias(walker, command, body, command.argv[head.places[0] + 1 :], inner, here)
    for script in _transports(levels):
        _script(walker, script, inner, here)
    if head.operands and head.operands[0].text in GIT_HOOKS:
        folder = walker.code_texts.hooks_folder
        run_hooks(walker, command, head.operands[0].text, folder, inner, here)


def run_forge_alias(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`gh alias set name '!command'`: what will run under that name."""
    operands = [word.text for word in entry.parse(command.argv).operands]
    if operands[:2] != ["alias", "set"] or len(operands) < 4:
        return
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    body = operands[3]
    shell = body.startswith("!") or "--shell" in [word.text for word in command.argv]
    _script(walker, body.removeprefix("!") if shell else f"{entry.name} {body}", env, here)


def _is_config(levels: tuple[SubcommandLevel, ...]) -> bool:
    return len(levels) > 1 and levels[1].entry.program.reader == "git_config"


def _settings(
    command: Command, levels: tuple[SubcommandLevel, ...], env: Environment
) -> Iterator[tuple[str, str]]:
    """Keys and values from `-c`, `--config-env`, the environment, `git config`, `clone -c`."""
    for word in levels[0].head.values("-c"):
        key, _, value = word.text.partition("=")
        yield key, value
    for word in levels[0].head.values("--config-env"):
        key, _, variable = word.text.partition("=")
        for value_word in env.values(variable):
            yield key, value_word.text
    given = dict(command.assignments)
    for name, key_word in command.assignments:
        number = name.removeprefix("GIT_CONFIG_KEY_")
        if number != name:
            yield key_word.text, given.get(f"GIT_CONFIG_VALUE_{number}", Word("")).text
    for level in levels[1:]:
        if level.entry.program.reader == "git_config":
            pair = set_values(level.call)
            if pair is not None:
                yield pair[0], pair[1].text
        elif level.entry.program.reader == "git_clone":
            for word in level.call.values("-c", "--config"):
                key, _, value = word.text.partition("=")
                yield key, value


def _in_files(
    walker: "ProgramWalker", command: Command, given: list[tuple[str, str]], env: Environment
) -> Iterator[tuple[str, str]]:
    """Keys and values of a file that a setting or a variable names: `-c include.path=x`."""
    named = [value for key, value in given if key.lower() == "include.path"]
    named += [f"{_GIT_FOLDER}/{value}" for value in named]
    named += [word.text for name, word in command.assignments if name in _CONFIG_FILES]
    for _, text in walker.code_texts.known(named, env, command.elsewhere):
        section = ""
        for line in text.splitlines():
            if found := _SECTION.match(line):
                section = ".".join(filter(None, found.groups()))
            elif "=" in line:
                key, _, value = line.partition("=")
                yield f"{section}.{key.strip()}", value.strip().strip('"')


def _transports(levels: tuple[SubcommandLevel, ...]) -> Iterator[str]:
    """`ext::command` addresses, and the pager of `git grep -Ocommand`."""
    for level in levels[1:]:
        for word in level.call.operands:
            if word.text.startswith("ext::"):
                yield _ESCAPED.sub(lambda match: match[1].replace("S", ""), word.text[5:])


def _alias(
    walker: "ProgramWalker",
    command: Command,
    body: str,
    rest: tuple[Word, ...],
    env: Environment,
    context: CommandContext,
) -> None:
    if body.startswith("!"):
        arguments = " ".join(shlex.quote(word.text) for word in rest)
        _script(walker, f"{body[1:]} {arguments}", env, context)
        return
    try:
        words = shlex.split(body)
    except ValueError:
        return
    argv = (command.argv[0], *(Word(word) for word in words), *rest)
    walker.resolver.call(
        msgspec.structs.replace(command, argv=argv, redirects=(), via=context.via), env, context
    )


def _script(walker: "ProgramWalker", text: str, env: Environment, context: CommandContext) -> None:
    if text.strip(OPAQUE + " \n"):
        walker.script(text, env.fork(), context)
