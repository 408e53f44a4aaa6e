"""Files of code that a command is about to run: how programs find them, and their known text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.command import Command
    from handrail.shell.environment import Environment
    from handrail.shell.walk import ProgramWalker


class CodeFile(msgspec.Struct, frozen=True):
    """How a program finds the file of code that it runs."""

    options: tuple[str, ...] = ()
    """Options that name it; they win over the operand."""
    operand: bool = False
    """Whether the first operand names it."""
    module: str = ""
    """The option that names a module, `package.module`."""
    endings: tuple[str, ...] = ("",)
    """What the program may add to the name."""
    defaults: tuple[str, ...] = ()
    """Names that it looks for in its folder if nothing names a file."""
    checks: tuple[str, ...] = ()
    """Options with which it looks at the syntax only."""


_OPERAND = CodeFile(operand=True)
_PACKAGE = CodeFile(defaults=("package.json",))
CODE_FILES: dict[str, CodeFile] = {
    "python": CodeFile(operand=True, module="-m", endings=("", "/__main__.py")),
    "node": CodeFile(
        operand=True, endings=("", ".js", ".cjs", ".mjs", "/index.js"), checks=("-c", "--check")
    ),
    "perl": CodeFile(operand=True, checks=("-c",)),
    "ruby": CodeFile(operand=True, checks=("-c",)),
    "lua": _OPERAND,
    "rscript": _OPERAND,
    "osascript": _OPERAND,
    "php": CodeFile(options=("-f", "--file"), operand=True, checks=("-l",)),
    "awk": CodeFile(options=("-f", "--file")),
    "sed": CodeFile(options=("-f", "--file")),
    "make": CodeFile(
        options=("-f", "--file", "--makefile"), defaults=("GNUmakefile", "makefile", "Makefile")
    ),
    "just": CodeFile(options=("-f", "--justfile"), defaults=("justfile", "Justfile", ".justfile")),
    "npm": _PACKAGE,
    "pnpm": _PACKAGE,
    "yarn": _PACKAGE,
    "bun": _PACKAGE,
    "tox": CodeFile(options=("-c", "--conf"), defaults=("tox.ini",)),
}
"""By program; shells and files that are called by their path need no row."""
_MODULE_ENDINGS = (".py", "/__main__.py", "/__init__.py")


def named_files(name: str, call: ParsedArguments) -> Iterator[str]:
    """Names under which a program looks for the file that its arguments mean."""
    row = CODE_FILES.get(name)
    if row is None or (row.checks and call.has(*row.checks)):
        return
    named = [word.text for word in call.values(*row.options)]
    modules = call.values(row.module) if row.module else []
    if modules:
        path = modules[0].text.replace(".", "/")
        yield from (path + ending for ending in _MODULE_ENDINGS)
        return
    if not named and row.operand:
        named = [word.text for word in call.operands[:1]]
    for path in named:
        yield from (path + ending for ending in row.endings)
    if not named:
        yield from row.defaults


class CodeTexts:
    """The text of files that a program runs: written by the program itself, or given to it.

    Remembers what it was asked for: whoever sees the disk can give that text and read again.
    """

    def __init__(self, given: Mapping[str, str], commands: "Sequence[Command]") -> None:
        """`commands`: those that were read so far; the last one is the one that asks."""
        self._given = given
        self._commands = commands
        self._asked: dict[str, int] = {}
        self._copied: dict[str, str] = {}
        self.hooks_folder = ""
        """Where git was told to find its hooks."""
        self.appended: set[str] = set()
        """Files that were there before and of which the program only wrote the end."""

    @property
    def asked(self) -> tuple[tuple[str, int], ...]:
        """Files that the program runs and has not written itself, and the command that does."""
        return tuple(self._asked.items())

    def copy(self, source: str, target: str) -> None:
        """Note that one file has the text of another."""
        if source != target:
            self._copied[target] = source

    def text(self, word: Word, env: "Environment", elsewhere: str = "") -> str | None:
        """Return the text of a file that is about to run, or None if it is unknown."""
        place = join(env.cwd, word)
        if elsewhere or not place.exact or place.glob:
            return None
        path = place.text
        written = env.files.get(path)
        if written is not None and path not in self.appended:
            return written
        path = self._copied.get(path, path)
        self._asked.setdefault(path, max(0, len(self._commands) - 1))
        before = self._given.get(path)
        if before is None:
            return written
        return before + (written or "")

    def first(self, names: Iterable[str], env: "Environment", elsewhere: str = "") -> str | None:
        """Return the text of the first of several files that is known."""
        texts = [self.text(Word(name), env, elsewhere) for name in names]
        return next((text for text in texts if text is not None), None)


def input_text(walker: "ProgramWalker", command: "Command", env: "Environment") -> str | None:
    """Return the code on a command's input: `bash < file`, `cat file | sh`, or what is known."""
    if command.input is not None:
        return command.input
    if command.input_file:
        return walker.code_texts.text(Word(command.input_file), env, command.elsewhere)
    feeders = [walker.commands[index] for index in command.fed_by]
    if not feeders or any(feeder.name != "cat" for feeder in feeders):
        return None
    names = [word for feeder in feeders for word in feeder.argv[1:]]
    texts = [walker.code_texts.text(word, env, command.elsewhere) for word in names]
    return "".join(text for text in texts if text is not None) if any(texts) else None
