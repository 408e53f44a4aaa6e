"""Programs that take commands in a language of their own from a file: `vim -S x`, `at -f x`."""

from collections.abc import Iterator
from shlex import shlex
from typing import TYPE_CHECKING, Literal

import msgspec

from handrail.model.host import known_hosts
from handrail.shell.code_files import input_text
from handrail.shell.command import Command
from handrail.shell.environment import Environment
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_MAX_LINES = 200


class CommandFile(msgspec.Struct, frozen=True):
    """How a program is told the file, and how the same text is given to it without one."""

    options: tuple[str, ...] = ()
    """Options that name the file."""
    operand: int | None = None
    """Which operand names it."""
    each: bool = False
    """Whether every operand names one."""
    after: tuple[str, ...] = ()
    """First operands after which it does; empty: after any."""
    given: Literal["input", "option", "lines", "words"] = "input"
    """On its input; as the value of an option; line by line so; or each line as its arguments."""
    arguments: tuple[str, ...] = ()
    """What stands before the text then."""
    only_scripts: bool = False
    """Whether only the shell commands in it count: databases in files are mostly those of tests."""


COMMAND_FILES: dict[str, CommandFile] = {
    "vim": CommandFile(("-S", "-s", "-u"), arguments=("-es",)),
    "emacs": CommandFile(
        ("--script", "-script", "-l", "--load"), given="option", arguments=("--eval",)
    ),
    "debugger": CommandFile(
        ("-x", "--command", "-command", "-s", "--source"), given="lines", arguments=("-ex",)
    ),
    "multiplexer": CommandFile(("-f",), operand=1, after=("source", "source-file"), given="words"),
    "screen": CommandFile(("-c",), given="words", arguments=("-X",)),
    "transfer": CommandFile(("-b", "-f")),
    "sql": CommandFile(("-f", "--file", "-init"), only_scripts=True),
    "tcl": CommandFile(("-f",), operand=0),
    "m4": CommandFile(operand=0),
    "calls": CommandFile(operand=0),
    "compiler": CommandFile(each=True, arguments=("-",)),
    "powershell": CommandFile(("-File", "-file", "-f"), operand=0),
    "at": CommandFile(("-f",)),
    **{
        host.name: CommandFile((tools,), given="option", arguments=(tools,))
        for host in known_hosts()
        if (tools := host.launch.tools)
    },
}
"""By the reader of the program."""


def with_text_of_files(
    walker: "ProgramWalker", command: Command, entry: ProgramEntry, env: Environment
) -> Iterator[Command]:
    """Yield the command as if the text of its file were given to it, where that text is known."""
    row = COMMAND_FILES.get(entry.program.reader)
    if row is None:
        return
    call = entry.parse(command.argv)
    files = call.values(*row.options)
    first = call.operands[0].text if call.operands else ""
    if row.operand is not None and not files and (not row.after or first in row.after):
        files = list(call.operands[row.operand : row.operand + 1])
    if row.each:
        files = list(call.operands)
    texts = [walker.code_texts.text(file, env, command.elsewhere) for file in files]
    if command.input is None and command.input_file:
        texts.append(input_text(walker, command, env))
    for text in texts:
        if text is None:
            continue
        for arguments, given in _calls(row, text):
            yield msgspec.structs.replace(
                command,
                argv=(command.argv[0], *map(Word, arguments)),
                redirects=(),
                input=given,
                input_file="",
                fed_by=(),
                input_from=(),
            )


def _calls(row: CommandFile, text: str) -> Iterator[tuple[list[str], str | None]]:
    if row.given == "input":
        yield list(row.arguments), text
    elif row.given == "option":
        yield [*row.arguments, text], None
    elif row.given == "lines":
        lines = [line for line in text.splitlines()[:_MAX_LINES] if line.strip()]
        yield [word for line in lines for word in (*row.arguments, line)], None
    else:
        for line in text.splitlines()[:_MAX_LINES]:
            yield [*row.arguments, *_words(line)], None


def _words(line: str) -> list[str]:
    """Split a line as a shell would; a line that no shell reads is one word."""
    lexer = shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return [line]
