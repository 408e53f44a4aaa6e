"""Which statements ask something, so that what hangs on them may run or not."""

import re

import tree_sitter

from handrail.shell.environment import Environment, ShellFunction
from handrail.shell.syntax import SyntaxSource

_QUESTIONS = frozenset({"test_command", "if_statement", "case_statement", "while_statement",
                        "compound_statement", "subshell", "for_statement"})  # fmt: skip
_ASKS = frozenset({"false", "test", "[", "read", "let", "getopts", "mapfile", "return", "break",
                   "continue", "exit"})  # fmt: skip
"""Builtins that often fail, and are made to."""
_RETURNS_NO = re.compile(r"\breturn\b(?!\s+0\b)")
_MAX_DEPTH = 4
"""Functions inside of each other that are asked whether they may fail."""


def chain(node: tree_sitter.Node) -> tuple[list[tree_sitter.Node], list[str]]:
    """The statements of a list and the operators between them; `a && b && c` is a list in a list"""
    first, *more = node.named_children
    operators = [child.type for child in node.children if not child.is_named]
    if first.type != "list":
        return [first, *more], operators
    parts, inner = chain(first)
    return [*parts, *more], [*inner, *operators]


def may_fail(
    node: tree_sitter.Node, source: SyntaxSource, env: Environment, depth: int = 0
) -> bool:
    """Whether a statement asks something: what it guards runs or not; a program is to succeed."""
    if node.type in _QUESTIONS or node.type == "negated_command":
        return True
    if node.type == "list":
        parts, operators = chain(node)
        asking = parts if operators[-1:] == ["&&"] else parts[-1:]
        return any(may_fail(part, source, env, depth) for part in asking)
    if node.type == "redirected_statement" and node.named_children:
        return may_fail(node.named_children[0], source, env, depth)
    if node.type == "pipeline" and node.named_children:
        return may_fail(node.named_children[-1], source, env, depth)
    name = source.text(node).partition(" ")[0]
    if name in env.functions and depth < _MAX_DEPTH:
        bodies = (body for body in env.functions[name] if body is not None)
        return any(_function_may_fail(body, env, depth + 1) for body in bodies)
    return name in _ASKS


def _function_may_fail(function: ShellFunction, env: Environment, depth: int) -> bool:
    """Whether a function ends with a question, or with a `return` that may say no."""
    source, body, _ = function
    if _RETURNS_NO.search(source.text(body)):
        return True
    if body.type not in {"compound_statement", "subshell"}:
        return may_fail(body, source, env, depth)
    last = body.named_children[-1:]
    return any(
        not source.text(node).startswith("return") and may_fail(node, source, env, depth)
        for node in last
    )
