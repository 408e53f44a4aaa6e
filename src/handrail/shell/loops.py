"""Loops: what a body makes of variables that runs never, once or often."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from handrail.shell.arithmetic import names_changed
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.paths import join
from handrail.shell.syntax import SyntaxSource
from handrail.shell.variables import MANY, Variables
from handrail.shell.word import OPAQUE, UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_PAUSES = frozenset({"sleep", "wait", "read", "break", "exit", "inotifywait"})
_NEVER_LEFT = {
    "while": frozenset({"true", ":", "[ 1 ]", "((1))", "1"}),
    "until": frozenset({"false", "! true"}),
}
"""Conditions under which a loop has no end."""


def run_for(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """`for x in …`: the body with each value."""
    names = [child for child in node.named_children if child.type == "variable_name"]
    values: list[Word] = []
    body: tree_sitter.Node | None = None
    end = -1
    sure = True
    before = len(walker.commands)
    for child in node.named_children:
        if child.type in {"do_group", "compound_statement"}:
            body = child
        elif child.type != "variable_name" and child.start_byte >= end:
            options, end = walker.expander.options(child, source, env)
            every = dict.fromkeys(word for option in options for word in option)
            values.extend(options[0] if len(options) == 1 else every)
            sure = sure and len(options) == 1
    if body is None:
        return None
    if not any(child.type == "in" for child in node.children):
        sure = not env.other_arguments
        values = [word for option in env.argument_lists() for word in option]
    fed_by = context.fed_by + tuple(range(before, len(walker.commands)))
    context = msgspec.structs.replace(context, fed_by=fed_by)
    name = source.text(names[0]) if names else ""

    def turn(value: Word) -> None:
        if name:
            env.assign_in_loop(name, value)
        walker.statement(body, source, env, context)

    outer, env.leaves = env.leaves, ()
    ended: list[Environment] = []
    for value in values:
        if sure and value.exact and not value.glob:
            turn(value)
            ended += env.leaves
            env.join_leaves()
        else:
            _any_number_of_times(walker, env, source, partial(turn, value), {name})
    if not values:
        _any_number_of_times(walker, env, source, partial(turn, UNKNOWN), {name})
    for state in ended:
        env.join(state)
    env.leaves = outer + env.far_leaves
    return None


def _any_number_of_times(
    walker: "ProgramWalker",
    env: Environment,
    source: SyntaxSource,
    turn: Callable[[], object],
    fresh: Collection[str] = (),
) -> None:
    """Read what runs never, once or often; `fresh`: variables that each turn sets first."""
    start = env.fork()
    first = len(walker.commands)
    turn()
    ended = env.leaves
    env.join_leaves()
    changed = _forget_changed(env, start, source, fresh)
    if changed or _reads_what_it_wrote(walker.commands[first:], env, start):
        turn()
        env.join_leaves()
    for state in (start, *ended):
        env.join(state)


def _reads_what_it_wrote(commands: Sequence[Command], env: Environment, start: Environment) -> bool:
    """Whether a turn names a file whose text an earlier turn may have changed."""
    written = {path for path, text in env.files.items() if start.files.get(path) != text}
    if not written:
        return False
    read = (
        join(command.cwd, word).text
        for command in commands
        for word in (*command.argv, *(item.target for item in command.redirects if not item.writes))
    )
    return not written.isdisjoint(read)


def run_loop(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """`while`, `until`, `for ((…))`."""
    first = len(walker.commands)
    if not node.named_children:
        return None
    body = node.named_children[-1]
    asks = [child for child in node.children if child.end_byte <= body.start_byte]
    if node.type == "c_style_for_statement":
        for name in names_changed(source.slice(node.start_byte, body.start_byte)):
            env.assign(name, (UNKNOWN,))
        for part in asks:
            walker.expander.visit(part, source, env)
        asks = []
    outer, env.leaves = env.leaves, ()
    _read_turns(walker, asks, body, source, env, context)
    env.leaves = outer + env.far_leaves
    starts = any(child.type == "&" for child in body.children)
    if starts and _never_ends(node, source):
        names = {command.name for command in walker.commands[first:] if not command.via}
        if not names & _PAUSES:
            if first == len(walker.commands):
                walker.emit(Command((), env.cwd, via=context.via))
            walker.note("fork_bomb", "starts processes in the background without end")
    return None


def _read_turns(
    walker: "ProgramWalker",
    asks: list[tree_sitter.Node],
    body: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read a condition and a body; a loop ends behind its condition."""
    exits: list[Environment] = []
    read = {name for part in asks for name in _names_read(source.text(part))}

    def ask() -> None:
        walker.asking += 1
        walker.statements(asks, source, env, context)
        walker.asking -= 1

    def turn() -> None:
        before = dict(env.variables)
        ask()
        exits.append(env.fork())
        walker.statements([body], source, env, context)
        asked = _changed(before, exits[-1].variables) - read
        if asked & _changed(exits[-1].variables, env.variables):
            branch = env.fork()
            ask()
            env.join(branch)

    _any_number_of_times(walker, env, source, turn, read)
    for state in exits:
        env.join(state)
    for name in read & env.variables.keys():
        # The last one finds nothing.
        env.assign(name, tuple(dict.fromkeys((*env.variables[name], Word("")))))


def _names_read(text: str) -> list[str]:
    """The variables that `while read` fills anew each time."""
    words = text.split()
    return words[words.index("read") + 1 :] or ["REPLY"] if "read" in words else []


def _changed(before: Variables, after: Variables) -> set[str]:
    return {name for name, values in after.items() if values != before.get(name)}


def _forget_changed(
    env: Environment, start: Environment, source: SyntaxSource, fresh: Collection[str]
) -> bool:
    """Make unknown what a loop changes and may use again; return whether there is any of it."""
    changed = [
        name
        for name in _changed(start.variables, env.variables)
        if name not in fresh
        if env.functions or _uses(source, name)
    ]
    for name in changed:
        if name in env.arrays:
            env.assign_array(name, {OPAQUE: UNKNOWN})
        else:
            env.assign(name, (UNKNOWN,))
    arrays = [name for name in env.arrays if env.array_options(name) != start.array_options(name)]
    for name in arrays:
        env.assign_array(name, {OPAQUE: UNKNOWN})
    moved = env.cwd != start.cwd and env.cwd.text != OPAQUE
    if moved:
        env.cwd = UNKNOWN
    shifted = env.argument_lists() != start.argument_lists()
    if shifted:
        env.set_arguments(MANY)
    means_other = env.meanings() != start.meanings()
    return bool(changed or arrays or moved or shifted or means_other)


def _uses(source: SyntaxSource, name: str) -> bool:
    """Whether a name stands elsewhere than before `=`."""
    return re.search(rf"(?<!\w){name}(?!\w|=(?!=))", source.characters) is not None


def _never_ends(node: tree_sitter.Node, source: SyntaxSource) -> bool:
    if node.type == "c_style_for_statement":
        return source.text(node).replace(" ", "").startswith("for((;;))")
    condition = source.text(node.named_children[0])
    return condition in _NEVER_LEFT.get(node.children[0].type, ())
