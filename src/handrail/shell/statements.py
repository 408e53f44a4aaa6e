"""Lists, pipes, branches and loops: which commands may run, and with what."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from handrail.shell.arithmetic import names_changed
from handrail.shell.assignments import run_assign, run_assign_many, run_declare, run_unset
from handrail.shell.builtins import BUILTINS
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment, ShellFunction
from handrail.shell.loops import run_for, run_loop
from handrail.shell.questions import chain, may_fail
from handrail.shell.redirects import REDIRECTS, input_words, open_redirects
from handrail.shell.simple_commands import after_heredoc, record_written_text, run_command
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import OPAQUE, UNKNOWN

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_LAST_COUNTS = frozenset({"list", "pipeline", "negated_command"})
_PROGRAM = re.compile(r"[\w./-]+(?: [^$=`]*)?")
_SUCCEEDS = frozenset({"true", ":"})
_CLAUSES = frozenset({"elif_clause", "else_clause"})
_SUMS = re.compile(r"\$\(\((.*?)\)\)", re.DOTALL)
_DEFAULTS = re.compile(r"\$\{(\w+):?=")


def _command(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    return run_command(walker, node, [], source, env, context)


def _keyword(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """`export`, `unset` and the like; also what a function or an alias of that name does."""
    run = run_unset if node.type == "unset_command" else run_declare
    keyword = source.text(node.children[0])
    is_alias = keyword in env.aliases and keyword not in walker.resolver.active_aliases
    if not is_alias and keyword not in env.functions:
        return run(walker, node, source, env, context)
    branch = env.fork()
    walker.script("\\" + source.text(node), branch, context)
    run(walker, node, source, env, context)
    env.join(branch)
    return None


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
        return run_command(walker, body, redirects, source, env, context)
    opened = open_redirects(walker, redirects, source, env)
    if opened.reads:
        given = input_words(walker, opened, env)
        context = msgspec.structs.replace(
            context, input=given, shared=True, input_from=tuple(opened.feeders)
        )
    first = len(walker.commands)
    folder = env.cwd
    before = env.fork()
    output = walker.statement(body, source, env, context)
    if opened.fails:
        env.join(before)
        output = None
    if opened.redirects:
        # Nothing runs where a file cannot be opened.
        env.join(before, succeeds=True)
        record_written_text(walker, opened.redirects, output, env, folder)
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
    return after_heredoc(walker, opened, output, first, source, env, context)


def _list(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    parts, operators = chain(node)
    faults = walker.failures
    output = walker.statement(parts[0], source, env, context)
    # Where a question is answered with no, the rest of the chain does not run: these states join
    # only behind it, so that its later parts keep the folder and the values of the earlier ones.
    skipped: list[Environment] = []
    doubtful = False
    for index, (operator, right) in enumerate(zip(operators, parts[1:], strict=False)):
        either = operator == "||"
        asked = may_fail(parts[index], source, env) or walker.failures > faults
        faults = walker.failures
        doubtful = asked or (doubtful and operators[index - 1] == "&&")
        sure = not either and not doubtful
        if either:
            _join_all(env, skipped)
        before = None if sure and _is_program(right, source, env) else env.fork()
        printed = walker.statement(right, source, env, context)
        if before is not None and (sure or either):
            env.join(before, succeeds=sure)
        elif before is not None:
            skipped.append(before)
        left = source.text(parts[0]) if index == 0 else ""
        if output is None or printed is None:
            output = None
        elif sure or (either and left == "false"):
            output += printed
        elif printed and not (either and left in _SUCCEEDS):
            output = None
    _join_all(env, skipped)
    return output


def _join_all(env: Environment, branches: list[Environment]) -> None:
    for branch in branches:
        env.join(branch)
    branches.clear()


def _is_program(node: tree_sitter.Node, source: SyntaxSource, env: Environment) -> bool:
    """Whether a statement is a mere call of a program, which changes nothing in this shell."""
    if node.type != "command":
        return False
    text = source.text(node)
    name = text.partition(" ")[0]
    known = name in BUILTINS or name in env.functions or name in env.aliases
    return _PROGRAM.fullmatch(text) is not None and not known


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
    "declaration_command": _keyword,
    "unset_command": _keyword,
    "list": _list,
    "pipeline": _pipeline,
    "subshell": _subshell,
    "compound_statement": _group,
    "negated_command": _group,
    "do_group": _group,
    "test_command": _test,
    "if_statement": _if,
    "case_statement": _case,
    "for_statement": run_for,
    "while_statement": run_loop,
    "c_style_for_statement": run_loop,
    "function_definition": _function,
}
