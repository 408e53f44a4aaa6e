"""Lists, pipes, branches and loops: which commands may run, and with what."""

import re
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from handrail.shell.arithmetic import names_changed
from handrail.shell.assignments import run_assign, run_assign_many, run_declare, run_unset
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import MANY, Environment, ShellFunction, Variables
from handrail.shell.redirects import REDIRECTS, open_redirects
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import OPAQUE, UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_LAST_COUNTS = frozenset({"list", "pipeline", "negated_command"})
_QUESTIONS = frozenset({"test_command", "if_statement", "case_statement", "while_statement",
                        "compound_statement", "subshell", "for_statement"})  # fmt: skip
_ASKS = frozenset({"false", "test", "[", "read", "let", "getopts", "mapfile", "return", "break",
                   "continue", "exit"})  # fmt: skip
"""Builtins that often fail, and are made to."""
_SUCCEEDS = frozenset({"true", ":"})
_CLAUSES = frozenset({"elif_clause", "else_clause"})
_PAUSES = frozenset({"sleep", "wait", "read", "break", "exit", "inotifywait"})
_SUMS = re.compile(r"\$\(\((.*?)\)\)", re.DOTALL)
_DEFAULTS = re.compile(r"\$\{(\w+):?=")
_NEVER_LEFT = {
    "while": frozenset({"true", ":", "[ 1 ]", "((1))", "1"}),
    "until": frozenset({"false", "! true"}),
}
"""Conditions under which a loop has no end."""


def _command(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    return walker.run(node, [], source, env, context)


def _redirected(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    body: tree_sitter.Node | None = None
    redirects: list[tree_sitter.Node] = []
    for child in node.children:
        if child.type in REDIRECTS:
            redirects.append(child)
        elif child.is_named and body is None:
            body = child
    if body is not None and body.type in _LAST_COUNTS:
        # `a && b > f` is parsed as if the redirect were that of the whole list.
        last = body
        while last.type in _LAST_COUNTS and last.named_children:
            last = last.named_children[-1]
        walker.redirects[last.id] = redirects
        return walker.statement(body, source, env, context)
    return redirect(walker, body, redirects, source, env, context)


def redirect(
    walker: "ProgramWalker",
    body: tree_sitter.Node | None,
    redirects: list[tree_sitter.Node],
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """Read a statement whose input or output is redirected."""
    if body is None or body.type == "command":
        return walker.run(body, redirects, source, env, context)
    opened = open_redirects(walker, redirects, source, env)
    if opened.reads:
        context = msgspec.structs.replace(context, input=opened.input, shared=True)
    first = len(walker.commands)
    folder = env.cwd
    before = env.fork()
    output = walker.statement(body, source, env, context)
    if opened.redirects:
        # Nothing runs where a file cannot be opened.
        env.join(before, succeeds=True)
        walker.record_written_text(opened.redirects, output, env, folder)
        walker.emit(
            Command(
                (),
                folder,
                redirects=tuple(opened.redirects),
                via=context.via,
                elsewhere=context.elsewhere,
                fed_by=tuple(range(first, len(walker.commands))),
            )
        )
    output = opened.printed(output)
    return walker.after_heredoc(opened, output, first, source, env, context)


def _list(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    named = node.named_children
    operators = [child.type for child in node.children if not child.is_named]
    output = walker.statement(named[0], source, env, context)
    for index, right in enumerate(named[1:]):
        before = env.fork()
        printed = walker.statement(right, source, env, context)
        either = index < len(operators) and operators[index] == "||"
        sure = not either and not _may_fail(named[index], source)
        env.join(before, succeeds=sure)
        if output is None or printed is None:
            output = None
        elif sure or (either and source.text(named[index]) == "false"):
            output += printed
        elif printed and not (either and source.text(named[index]) in _SUCCEEDS):
            output = None
    return output


def _may_fail(node: tree_sitter.Node, source: SyntaxSource) -> bool:
    """Whether a statement asks something: what it guards runs or not; a program is to succeed."""
    while node.type in _LAST_COUNTS and node.named_children:
        if node.type == "negated_command":
            return True
        node = node.named_children[-1]
    if node.type in _QUESTIONS:
        return True
    return source.text(node).partition(" ")[0] in _ASKS


def _pipeline(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    stages = [child for child in node.children if child.is_named]
    first = len(walker.commands)
    context = msgspec.structs.replace(context, concurrent=True)
    branch = env.fork()
    output = walker.statement(stages[0], source, branch, context)
    env.files.update(branch.files)
    return walker.stages(stages[1:], source, env, context, output, first)


def _subshell(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    branch = env.fork()
    output = walker.statements(node.children, source, branch, context)
    env.files.update(branch.files)
    return output


def _group(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    if node.children and node.children[0].type == "((":
        return _test(walker, node, source, env, context)
    return walker.statements(node.children, source, env, context)


def _test(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """`[[ … ]]`, `(( … ))`: only the commands inside their words run."""
    walker.expander.visit(node, source, env)
    text = source.text(node)
    if text.startswith("(("):
        for name in names_changed(text):
            env.assign(name, (UNKNOWN,))
        _as_subshells(walker, text[2:-2], env, context)
    elif "((" in text or "=" in text:
        for name in _changed_in_words(text):
            env.assign(name, (UNKNOWN,))
    if "=~" in text:
        env.assign_array("BASH_REMATCH", {OPAQUE: UNKNOWN})
    return ""


def _changed_in_words(text: str) -> set[str]:
    """The variables that sums and `${x:=…}` in the words of a test set."""
    return {name for total in _SUMS.findall(text) for name in names_changed(total)}.union(
        _DEFAULTS.findall(text)
    )


def _as_subshells(
    walker: "ProgramWalker", text: str, env: Environment, context: CommandContext
) -> None:
    """`((rm -rf x))`: a sum for bash, a command in two brackets for shells that know none."""
    match = re.match(r"\s*([\w./-]+)\s+\S", text)
    if match and walker.programs.lookup(match[1].rpartition("/")[2]) is not None:
        walker.script(text, env.fork(), context, guessed=True)


def _if(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """The condition runs, then one of the branches; any of them may."""
    asks, body = _before_and_after("then", node)
    walker.statements(asks, source, env, context)
    start = env.fork()
    branch = env.fork()
    walker.statements(
        [child for child in body if child.type not in _CLAUSES], source, branch, context
    )
    env.join(branch)
    for child in body:
        if child.type not in _CLAUSES:
            continue
        asks, rest = _before_and_after("then", child)
        if child.type == "elif_clause":
            walker.statements(asks, source, start, context)
            env.join(start)
        branch = start.fork()
        walker.statements(rest or asks, source, branch, context)
        env.join(branch)
    return None


def _before_and_after(
    word: str, node: tree_sitter.Node
) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    """The children of a node up to a word, and those behind it."""
    children = node.children
    place = next((at for at, child in enumerate(children) if child.type == word), len(children))
    return children[:place], children[place:]


def _case(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    start = env.fork()
    falls: Environment | None = None
    for child in node.named_children:
        if child.type != "case_item":
            walker.expander.words(child, source, env)
            continue
        branch = start.fork()
        if falls is not None:
            branch.join(falls)
        body: list[tree_sitter.Node] = []
        for part in child.children:
            if part.type in STATEMENTS or part.type == "&":
                body.append(part)
            elif part.is_named:
                walker.expander.words(part, source, branch)
        walker.statements(body, source, branch, context)
        env.join(branch)
        falls = branch if child.children[-1].type in {";&", ";;&"} else None
    return None


def _for(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
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
            env.assign(name, (value,))
        walker.statement(body, source, env, context)

    for value in values:
        if sure and value.exact and not value.glob:
            turn(value)
            env.join_leaves()
        else:
            _any_number_of_times(env, source, partial(turn, value), {name})
    if not values:
        _any_number_of_times(env, source, partial(turn, UNKNOWN), {name})
    return None


def _any_number_of_times(
    env: Environment, source: SyntaxSource, turn: Callable[[], object], fresh: Collection[str] = ()
) -> None:
    """Read what runs never, once or often; `fresh`: variables that each turn sets first."""
    start = env.fork()
    turn()
    env.join_leaves()
    if _forget_changed(env, start, source, fresh):
        turn()
        env.join_leaves()
    env.join(start)


def _loop(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    first = len(walker.commands)
    if not node.named_children:
        return None
    *asks, body = node.named_children
    if node.type == "c_style_for_statement":
        for name in names_changed(source.slice(node.start_byte, body.start_byte)):
            env.assign(name, (UNKNOWN,))
        for part in asks:
            walker.expander.visit(part, source, env)
        asks = []
    exits: list[Environment] = []

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

    read = {name for part in asks for name in _names_read(source.text(part))}
    _any_number_of_times(env, source, turn, read)
    for state in exits:
        env.join(state)
    for name in read & env.variables.keys():
        # The last one finds nothing.
        env.assign(name, tuple(dict.fromkeys((*env.variables[name], Word("")))))
    starts = any(child.type == "&" for child in body.children)
    if starts and _never_ends(node, source):
        names = {command.name for command in walker.commands[first:] if not command.via}
        if not names & _PAUSES:
            if first == len(walker.commands):
                walker.emit(Command((), env.cwd, via=context.via))
            walker.note("fork_bomb", "starts processes in the background without end")
    return None


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
        if name not in fresh and env.variables[name] != (UNKNOWN,)
        if env.functions or _uses(source, name)
    ]
    for name in changed:
        if name in env.arrays:
            env.assign_array(name, {OPAQUE: UNKNOWN})
        else:
            env.assign(name, (UNKNOWN,))
    arrays = [name for name, array in env.arrays.items() if array != start.arrays.get(name)]
    for name in arrays:
        env.assign_array(name, {OPAQUE: UNKNOWN})
    moved = env.cwd != start.cwd and env.cwd.text != OPAQUE
    if moved:
        env.cwd = UNKNOWN
    shifted = env.argument_lists() != start.argument_lists()
    if shifted:
        env.set_arguments(MANY)
    return bool(changed or arrays or moved or shifted)


def _uses(source: SyntaxSource, name: str) -> bool:
    """Whether a name stands elsewhere than before `=`."""
    return re.search(rf"(?<!\w){name}(?!\w|=(?!=))", source.characters) is not None


def _never_ends(node: tree_sitter.Node, source: SyntaxSource) -> bool:
    if node.type == "c_style_for_statement":
        return source.text(node).replace(" ", "").startswith("for((;;))")
    condition = source.text(node.named_children[0])
    return condition in _NEVER_LEFT.get(node.children[0].type, ())


def _function(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    named = node.named_children
    if len(named) > 1:
        redirects = tuple(child for child in named[2:] if child.type in REDIRECTS)
        env.functions[source.text(named[0])] = (ShellFunction(source, named[1], redirects),)
    return ""


Statement = Callable[
    ["ProgramWalker", tree_sitter.Node, SyntaxSource, Environment, CommandContext], str | None
]

STATEMENTS: dict[str, Statement] = {
    "command": _command,
    "redirected_statement": _redirected,
    "variable_assignment": run_assign,
    "variable_assignments": run_assign_many,
    "declaration_command": run_declare,
    "unset_command": run_unset,
    "list": _list,
    "pipeline": _pipeline,
    "subshell": _subshell,
    "compound_statement": _group,
    "negated_command": _group,
    "do_group": _group,
    "test_command": _test,
    "if_statement": _if,
    "case_statement": _case,
    "for_statement": _for,
    "while_statement": _loop,
    "c_style_for_statement": _loop,
    "function_definition": _function,
}
