"""Files of build tools, hooks and tasks in which some lines are commands: build.ninja, Taskfile."""

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.word import OPAQUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from handrail.shell.walk import ProgramWalker

_MAX_LINES = 200


class LineFile(msgspec.Struct, frozen=True):
    """Where a program finds its file, and which of its lines are commands."""

    lines: re.Pattern[str]
    """Its first group is the command."""
    defaults: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """Options that name the file, with the value behind them."""
    endings: tuple[str, ...] = ()
    """How operands end that name one."""
    within: re.Pattern[str] | None = None
    """The parts of the file that hold such lines, by their first group; None: all of it."""

    def commands(self, text: str) -> "Iterator[str]":
        """The commands in the text of such a file."""
        parts = [text] if self.within is None else self.within.findall(text)
        for part in parts:
            yield from (match[1] for match in self.lines.finditer(part))


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_END = r"[\"']?([^\n]+?)[\"']?$"
"""The rest of a line of YAML, with or without quotes."""
_ITEM = r"^[ \t]*(?:-[ \t]+)?"
_TOML = _lines(
    r"^\s*\"?[\w.:-]+\"?[ \t]*=[ \t]*(?:\{\s*(?:cmd|shell|call)\s*=\s*)?[\"'](.+?)[\"']\s*\}?$"
)
_JSON = _lines(r"\"[\w.:-]+\"\s*:\s*\"((?:[^\"\\]|\\.)+)\"")
_SECTION = re.compile(r"(?ms)^\[[^\]\n]*(?:tasks|scripts)[^\]\n]*\]\n(.*?)(?=^\[|\Z)")
_OBJECT = re.compile(r"\"(?:scripts|tasks)\"\s*:\s*\{([^}]*)\}")
_PYPROJECT = LineFile(_TOML, ("pyproject.toml",), within=_SECTION)
LINE_FILES: dict[str, LineFile] = {
    "task": LineFile(
        _lines(rf"^[ \t]*(?:-[ \t]+(?:cmd:[ \t]+)?|cmds?:[ \t]+){_END}"),
        ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"),
        ("-t", "--taskfile"),
    ),
    "pre-commit": LineFile(
        _lines(rf"{_ITEM}entry:[ \t]*{_END}"), (".pre-commit-config.yaml",), ("-c", "--config")
    ),
    "lefthook": LineFile(_lines(rf"{_ITEM}run:[ \t]*{_END}"), ("lefthook.yml", ".lefthook.yml")),
    "ansible-playbook": LineFile(
        _lines(rf"{_ITEM}(?:ansible\.builtin\.)?(?:shell|command|raw|cmd):[ \t]*{_END}"),
        endings=(".yml", ".yaml"),
    ),
    "ninja": LineFile(_lines(rf"^[ \t]*command[ \t]*=[ \t]*{_END}"), ("build.ninja",), ("-f",)),
    "cmake": LineFile(_lines(r"\bCOMMAND\s+([^)\n]+)"), ("CMakeLists.txt",), ("-P",), (".cmake",)),
    "composer": LineFile(_JSON, ("composer.json",), within=_OBJECT),
    "deno": LineFile(_JSON, ("deno.json", "deno.jsonc"), within=_OBJECT),
    "direnv": LineFile(_lines(r"\A([\s\S]+)\Z"), (".envrc",)),
    **dict.fromkeys(("poe", "pdm", "hatch", "rye", "taskipy"), _PYPROJECT),
}
"""By program."""


def run_lines(
    walker: "ProgramWalker",
    name: str,
    command: Command,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read the commands in the file of a program."""
    row = LINE_FILES[name]
    here = msgspec.structs.replace(
        context, via=(*context.via, name), input=None, fed_by=(), input_from=()
    )
    for _, text in walker.code_texts.known(_names(row, command), env, command.elsewhere):
        for line in islice(row.commands(text), _MAX_LINES):
            if line.strip(OPAQUE + " \n"):
                walker.script(line, env.fork(), here, guessed=True)


def _names(row: LineFile, command: Command) -> "Iterator[str]":
    words = [word.text for word in command.argv[1:]]
    named = [after for word, after in pairwise(words) if word in row.options]
    if row.endings:
        named += [word for word in words if word.endswith(row.endings)]
    yield from named or row.defaults
