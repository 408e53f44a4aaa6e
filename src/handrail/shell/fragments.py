"""Text that is not valid shell, read part by part so that nothing hides in it."""

import re
import shlex
from typing import TYPE_CHECKING

from handrail.shell.command import Command, Redirect
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.quoting import brace_expand
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_SEPARATOR = re.compile(r"&&|\|\||[;&|()]|\{(?=\s)|(?<=\s)\}")


def read_fragments(
    walker: "ProgramWalker", text: str, env: Environment, context: CommandContext
) -> None:
    """Read each line that is valid for itself as a program, the others piece by piece.

    The text as a whole is not valid, but a shell runs what stands before the error: what its
    parts would do counts, even if some of them are data.
    """
    lines = text.split("\n")
    for line in lines:
        walker.step()
        source = SyntaxSource(line, top=False) if len(lines) > 1 and line.strip() else None
        if source is not None and source.fault is None:
            walker.statements(source.root.children, source, env, context)
        else:
            _read_pieces(walker, line, env, context)


def _read_pieces(
    walker: "ProgramWalker", line: str, env: Environment, context: CommandContext
) -> None:
    """Take a line apart at separators and read each piece as a simple command."""
    for piece in _SEPARATOR.split(line):
        walker.step()
        words = _words(piece) if piece.strip() else []
        redirects: list[Redirect] = []
        argv: list[Word] = []
        index = 0
        while index < len(words):
            operator = re.fullmatch(r"(\d*)(<>|>>|>\||&>|<|>)(.*)", words[index])
            if operator and (operator[3] or index + 1 < len(words)):
                target = operator[3] or words[index + 1]
                redirects.append(Redirect(operator[2], Word(target), operator[1]))
                index += 1 if operator[3] else 2
                continue
            argv.extend(Word(word) for word in brace_expand(words[index]))
            index += 1
        if argv or redirects:
            command = Command(tuple(argv), env.cwd, redirects=tuple(redirects), via=context.via)
            walker.resolver.call(command, env.fork(), context)


def _words(piece: str) -> list[str]:
    try:
        return shlex.split(piece, comments=True)
    except ValueError:
        return piece.replace("'", " ").replace('"', " ").split()
