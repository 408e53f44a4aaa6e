"""Redirects of a command: the files it opens, the text it is given."""

import re
from typing import TYPE_CHECKING

import tree_sitter

from handrail.shell.command import Redirect
from handrail.shell.environment import Environment
from handrail.shell.paths import join
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_ARGUMENTS = frozenset({"word", "string", "raw_string", "ansi_c_string", "concatenation", "number",
                        "simple_expansion", "expansion", "command_substitution"})  # fmt: skip
_BACKTICKS = re.compile(r"(?<!\\)`([^`]*)`")


class OpenedFiles:
    """What the redirects of one command opened."""

    __slots__ = ("arguments", "input", "pipes", "reads", "redirects", "sinks", "then")

    def __init__(self) -> None:
        self.redirects: list[Redirect] = []
        self.input: str | None = None
        self.reads = False
        """Whether standard input comes from here."""
        self.arguments: list[Word] = []
        """Arguments that stand behind a redirect."""
        self.sinks: list[int] = []
        """Commands in `>( )`, which get the output."""
        self.pipes: list[tree_sitter.Node] = []
        self.then: list[tree_sitter.Node] = []
        """What stands behind `<<EOF` on the same line."""


def open_redirects(
    walker: "ProgramWalker", nodes: list[tree_sitter.Node], source: SyntaxSource, env: Environment
) -> OpenedFiles:
    """Read the redirects of a command."""
    opened = OpenedFiles()
    for node in nodes:
        if node.type == "file_redirect":
            _file(walker, node, source, env, opened)
        elif node.type == "herestring_redirect":
            value = walker.expander.one(node.named_children[-1], source, env)[0]
            opened.input = value.text + "\n"
            opened.reads = True
        else:
            _heredoc(walker, node, source, env, opened)
    return opened


def _file(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    opened: OpenedFiles,
) -> None:
    walker.step()
    operator = descriptor = ""
    targets: list[tree_sitter.Node] = []
    for child in node.children:
        if child.type == "file_descriptor":
            descriptor = source.text(child)
            continue
        if child.is_named:
            targets.append(child)
        else:
            operator += source.text(child)
    if operator.endswith("-"):
        # `>&-` has no target: what follows are arguments.
        opened.arguments.extend(
            word for extra in targets for word in walker.expander.words(extra, source, env)
        )
        return
    if not targets:
        return
    before = len(walker.commands)
    target = walker.expander.one(targets[0], source, env)[0]
    if source.data.startswith(b"<<<", node.start_byte + len(descriptor)):
        opened.input = target.text + "\n"
        opened.reads = True
        return
    if targets[0].type == "process_substitution" and ">" in operator:
        opened.sinks.extend(range(before, len(walker.commands)))
    # The parser takes arguments behind a redirect for more targets: `rm >log /`.
    for extra in targets[1:]:
        opened.arguments.extend(walker.expander.words(extra, source, env))
    if operator.endswith("&") and (target.text.isdigit() or target.text == "-"):
        return
    opened.redirects.append(Redirect(operator, target, descriptor))
    if operator.startswith("<") and ">" not in operator:
        opened.reads = True
        opened.input = env.files.get(join(env.cwd, target).text)


def _heredoc(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    opened: OpenedFiles,
) -> None:
    quoted = False
    line_end = node.end_byte
    for child in node.children:
        kind = child.type
        if kind == "heredoc_start":
            tag = source.text(child)
            quoted = any(mark in tag for mark in "'\"\\")
            line_end = _line_end(source, child.end_byte)
        elif kind == "heredoc_body" and opened.reads and opened.input:
            continue
        elif kind == "heredoc_body":
            opened.input = source.text(child) if quoted else _expanded(walker, child, source, env)
            opened.reads = True
        elif child.start_byte > line_end:
            # The parser takes a body that begins with a backslash for more arguments.
            if not opened.reads:
                opened.input = source.slice(line_end + 1, node.end_byte)
                opened.reads = True
        elif kind == "file_redirect":
            _file(walker, child, source, env, opened)
        elif kind == "pipeline":
            opened.pipes.append(child)
        elif kind in _ARGUMENTS and b"\n" not in source.data[child.start_byte : child.end_byte]:
            opened.arguments.extend(walker.expander.words(child, source, env))
        elif kind in _ARGUMENTS:
            opened.input = source.slice(line_end + 1, node.end_byte)
            opened.reads = True
        elif child.is_named and kind != "heredoc_end":
            opened.then.append(child)


def _line_end(source: SyntaxSource, start: int) -> int:
    end = source.data.find(b"\n", start)
    return len(source.data) if end < 0 else end


def _expanded(
    walker: "ProgramWalker", node: tree_sitter.Node, source: SyntaxSource, env: Environment
) -> str:
    text = walker.expander.text_of(node, source, env)
    if "`" not in text:
        return text

    def substitute(match: re.Match[str]) -> str:
        # The parser does not see backticks in a here-document, but the shell runs them.
        walker.script(match[1], env.fork(), walker.context)
        return OPAQUE

    return _BACKTICKS.sub(substitute, text)
