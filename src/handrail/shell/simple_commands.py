"""One simple command: its words, its assignments, the files it opens, and then its call."""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from handrail.shell.assignments import assign
from handrail.shell.command import Command, Redirect
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.paths import join
from handrail.shell.redirects import (
    REDIRECTS,
    OpenedFiles,
    input_file,
    open_redirects,
    redirect_end,
)
from handrail.shell.shell_options import KEYWORD, POSIX, keep_assignments
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_WORDS_BETWEEN_CHECKS = 512
"""The walker counts the words of a command only when it is complete."""
_ARROWS = (b"<", b">")
_MAKE_NO_ERRORS = ([Word("echo")], [Word("printf")])
MAX_COMMANDS = 16
"""Commands that one may be, if its words have several values."""
_NOTHING = OpenedFiles()
"""Most commands open no file."""


def run_command(
    walker: "ProgramWalker",
    node: tree_sitter.Node | None,
    redirects: list[tree_sitter.Node],
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """Expand the words of a command node, then resolve and read the command."""
    outer, walker.context = walker.context, context
    before = len(walker.commands)
    options, assignments, inner = _words(walker, node, source, env)
    opened = _NOTHING
    if inner or redirects:
        opened = open_redirects(walker, [*inner, *redirects], source, env)
    walker.context = outer
    more = opened.arguments
    if node is not None and redirects:
        # The parser loses a lone `-` before a here-document (`sh - <<EOF`).
        lost = source.slice(node.end_byte, redirects[0].start_byte).split()
        more = [*map(Word, lost), *more]
    own = tuple(range(before, len(walker.commands)))
    around = context
    if opened.reads:
        context = msgspec.structs.replace(
            context,
            input=opened.input,
            shared=False,
            fed_by=own,
            input_from=tuple(opened.feeders),
        )
    elif own:
        context = msgspec.structs.replace(context, fed_by=context.fed_by + own)
    if env.stdin is not None and not opened.reads:
        context = msgspec.structs.replace(context, input=env.stdin[0], shared=True, input_from=())
    first = len(walker.commands)
    command = Command(
        (*options[0], *more),
        env.cwd,
        source.place(*_span(node, redirects)),
        tuple(opened.redirects),
        tuple(assignments),
        context.via,
        context.elsewhere,
        context.input,
        context.fed_by,
        context.input_from,
        input_file(opened.redirects, env),
    )
    skipped = env.fork() if opened.fails else None
    output = _call(walker, command, env, context, [(*words, *more) for words in options[1:]])
    if skipped is not None and command.argv:
        env.join(skipped)
        output = None
    if opened is _NOTHING:
        return output
    if opened.reads and not command.argv:
        output = opened.input  # `$(< file)`
    record_written_text(walker, opened.redirects, output, env, command.cwd)
    for sink in opened.sinks:
        known = walker.commands[sink]
        fed_by = known.fed_by + tuple(range(first, len(walker.commands)))
        walker.commands[sink] = msgspec.structs.replace(known, fed_by=fed_by)
    if options[0][:1] not in _MAKE_NO_ERRORS or opened.away:
        output = opened.printed(output)
    return after_heredoc(walker, opened, output, first, source, env, around)


def _call(
    walker: "ProgramWalker",
    command: Command,
    env: Environment,
    context: CommandContext,
    others: list[tuple[Word, ...]],
) -> str | None:
    """Read a command, and again with other lists of arguments that it may have."""
    first = len(walker.commands)
    branches = [env.fork() for _ in others]
    for argv, branch in zip(others, branches, strict=True):
        _call(walker, msgspec.structs.replace(command, argv=argv), branch, context, [])
    if not command.argv:
        for name, value in command.assignments:
            env.assign(name, (value,))
    output = walker.resolver.call(command, env, context)
    if POSIX in env.options and command.argv:
        keep_assignments(command, env)
    if others:
        walker.alternatives = range(first, len(walker.commands))
    for branch in branches:
        env.join(branch)
    return None if others else output


def _words(
    walker: "ProgramWalker", node: tree_sitter.Node | None, source: SyntaxSource, env: Environment
) -> tuple[list[list[Word]], list[tuple[str, Word]], list[tree_sitter.Node]]:
    """Return the arguments that a command node may have, its assignments and redirects."""
    words: list[list[list[Word]]] = []
    assignments: list[tuple[str, Word]] = []
    redirects: list[tree_sitter.Node] = []
    end = -1
    argv: list[Word] = []
    scratch: Environment | None = None
    for index, child in enumerate(node.children if node is not None else (), 1):
        if index % _WORDS_BETWEEN_CHECKS == 0:
            walker.check_limits()
        kind = child.type
        if kind == "comment" or child.start_byte < end:
            continue
        if kind == "number" and source.data[child.end_byte : child.end_byte + 1] in _ARROWS:
            # The parser takes the number of `0<<<text` for an argument.
            continue
        if kind == "variable_assignment":
            scratch = scratch or env.fork()
            name, value = assign(walker, child, source, scratch)
            _keep_side_effects(scratch, env, {name, *(own for own, _ in assignments)})
            several = len(scratch.values(name)) > 1
            assignments.append((name, UNKNOWN if several else value))
            end = walker.word_end
            continue
        if kind in REDIRECTS:
            redirects.append(child)
            end = redirect_end(child, source)
            continue
        word = child.children[0] if kind == "command_name" else child
        plain = walker.expander.plain(word, source)
        if plain is not None:
            argv.append(plain)
            continue
        choices, end = walker.expander.options(word, source, env)
        if len(choices) == 1:
            argv.extend(choices[0])
            continue
        words += [[argv], choices]
        argv = []
    options = _combined([*words, [argv]]) if words else [argv]
    if KEYWORD in env.options:
        options = [[UNKNOWN if "=" in word.text else word for word in argv] for argv in options]
    return options, assignments, redirects


def _keep_side_effects(scratch: Environment, env: Environment, own: set[str]) -> None:
    """Take over what a value sets on the side: `v=${x:=a} command`."""
    env.files.update(scratch.files)
    for name, values in scratch.variables.items():
        if name not in own and env.variables.get(name) != values:
            env.assign(name, values)


def record_written_text(
    walker: "ProgramWalker",
    redirects: Sequence[Redirect],
    output: str | None,
    env: Environment,
    folder: Word,
) -> None:
    """Remember the text of written files, to follow them when they run."""
    for item in redirects:
        if item.takes_output and item.target.exact and output is not None:
            path = join(folder, item.target).text
            if item.appends and path not in env.files:
                walker.code_texts.appended.add(path)
            old = env.files.get(path, "") if item.appends else ""
            env.files[path] = old + output
        elif item.writes and item.target.exact and env.files:
            env.files.pop(join(folder, item.target).text, None)


def after_heredoc(
    walker: "ProgramWalker",
    opened: OpenedFiles,
    output: str | None,
    first: int,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """Read the rest of the line behind `<<EOF`."""
    for node in opened.pipes:
        stages = [child for child in node.children if child.is_named]
        output = walker.stages(stages, source, env, context, output, first)
    for node in opened.then:
        printed = walker.statement(node, source, env, context)
        output = None if output is None or printed is None else output + printed
    return output


def _combined(words: list[list[list[Word]]]) -> list[list[Word]]:
    """Each list of arguments that words with several values may make together.

    If there are too many, one list holds all the values, and in one they are unknown.
    """
    if prod(map(len, words)) <= MAX_COMMANDS:
        return [[word for words in chosen for word in words] for chosen in product(*words)]
    every = [word for choices in words for word in dict.fromkeys(w for c in choices for w in c)]
    unknown = [
        word for choices in words for word in (choices[0] if len(choices) == 1 else [UNKNOWN])
    ]
    return [every, unknown]


def _span(node: tree_sitter.Node | None, redirects: list[tree_sitter.Node]) -> tuple[int, int]:
    if node is None:
        return redirects[0].start_byte, redirects[-1].end_byte
    return node.start_byte, node.end_byte
