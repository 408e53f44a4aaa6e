"""Lists, pipes, branches and loops: which commands may run, and with what."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from handrail.shell.arithmetic import names_changed
from handrail.shell.assignments import run_assign, run_assign_many, run_declare, run_unset
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment, ShellFunction
from handrail.shell.redirects import REDIRECTS, input_words, open_redirects
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_LAST_COUNTS = frozenset({"list", "pipeline", "negated_command"})
_PAUSES = frozenset({"sleep", "wait", "read", "break", "exit", "inotifywait"})
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
        given = input_words(walker, opened, env)
        context = msgspec.structs.replace(context, input=given, shared=True)
    first = len(walker.commands)
    output = walker.statement(body, source, env, context)
    if opened.redirects:
        walker.record_written_text(opened.redirects, output, env)
        walker.emit(
            Command(
                (),
                env.cwd,
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
        if index < len(operators) and operators[index] == "||":
            branch = env.fork()
            printed = walker.statement(right, source, branch, context)
            env.join(branch)
        else:
            before = dict(env.variables)
            printed = walker.statement(right, source, env, context)
            env.keep_possible(before)
        output = None if output is None or printed is None else output + printed
    return output


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
    with walker.code_texts.printing():
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
    return ""


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
    named = node.named_children
    walker.statements(named[:1], source, env, context)
    start = env.fork()
    branch = env.fork()
    body = [child for child in named[1:] if child.type not in {"elif_clause", "else_clause"}]
    walker.statements(body, source, branch, context)
    env.join(branch)
    for child in named[1:]:
        if child.type in {"elif_clause", "else_clause"}:
            branch = start.fork()
            walker.statements(child.children, source, branch, context)
            env.join(branch)
    return None


def _case(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    start = env.fork()
    for child in node.named_children:
        if child.type != "case_item":
            walker.expander.words(child, source, env)
            continue
        branch = start.fork()
        body: list[tree_sitter.Node] = []
        for part in child.named_children:
            if part.type in STATEMENTS:
                body.append(part)
            else:
                walker.expander.words(part, source, branch)
        walker.statements(body, source, branch, context)
        env.join(branch)
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
    before = len(walker.commands)
    for child in node.named_children:
        if child.type in {"do_group", "compound_statement"}:
            body = child
        elif child.type != "variable_name" and child.start_byte >= end:
            options, end = walker.expander.options(child, source, env)
            every = dict.fromkeys(word for option in options for word in option)
            values.extend(options[0] if len(options) == 1 else every)
    if body is None:
        return None
    fed_by = context.fed_by + tuple(range(before, len(walker.commands)))
    context = msgspec.structs.replace(context, fed_by=fed_by)
    for value in values or env.arguments or (UNKNOWN,):
        for name in names[:1]:
            env.assign(source.text(name), (value,))
        walker.statement(body, source, env, context)
    return None


def _loop(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    first = len(walker.commands)
    body = node.named_children[-1] if node.named_children else None
    if node.type == "c_style_for_statement" and body is not None:
        for name in names_changed(source.slice(node.start_byte, body.start_byte)):
            env.assign(name, (UNKNOWN,))
    start = dict(env.variables)
    walker.statements(node.children, source, env, context)
    if _forget_changed(env, start, source.text(node)):
        walker.statements(node.children, source, env, context)
    starts = body is not None and any(child.type == "&" for child in body.children)
    if starts and _never_ends(node, source):
        names = {command.name for command in walker.commands[first:] if not command.via}
        if not names & _PAUSES:
            if first == len(walker.commands):
                walker.emit(Command((), env.cwd, via=context.via))
            walker.note("fork_bomb", "starts processes in the background without end")
    return None


def _forget_changed(env: Environment, start: dict[str, tuple[Word, ...]], text: str) -> bool:
    """Make variables unknown that a loop changes and uses; return whether there are any."""
    changed = [
        name
        for name, values in env.variables.items()
        if values != start.get(name) and values != (UNKNOWN,)
        if re.search(rf"\$\{{?[!#]?{name}\b", text)
    ]
    used_before = [name for name in changed if name in start]
    for name in used_before:
        env.assign(name, (UNKNOWN,))
    return bool(used_before)


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
        env.functions[source.text(named[0])] = ShellFunction(source, named[1], redirects)
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
