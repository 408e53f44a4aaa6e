"""What is known while a command line is read: variables, functions, the folder, files."""

from collections.abc import Sized
from typing import TypeVar

import tree_sitter

from handrail.model.host import known_hosts
from handrail.shell.errors import TooLargeError, TooMuchWorkError
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import OPAQUE, UNKNOWN, Word

MAX_ALTERNATIVES = 64
"""Values that are kept for one variable or word; what has more is not followed."""
MAX_VALUE = 64 * 1024
"""Characters that a variable may hold; values that double themselves end here."""


HOMES = frozenset({"HOME", "USERPROFILE", *(host.folder_variable for host in known_hosts())} - {""})
"""Variables that say where an agent finds its settings."""


Values = TypeVar("Values", bound=Sized)


def bounded(values: Values) -> Values:
    """Return these values, unless there are too many to follow."""
    if len(values) > MAX_ALTERNATIVES:
        raise TooMuchWorkError(MAX_ALTERNATIVES)
    return values


class Environment:
    """The state of the shell at one point of the program."""

    __slots__ = (
        "aliases",
        "arguments",
        "arrays",
        "copies",
        "cwd",
        "files",
        "functions",
        "moved_homes",
        "variables",
        "zero",
    )

    def __init__(self, cwd: Word, variables: dict[str, tuple[Word, ...]]) -> None:
        self.cwd = cwd
        self.variables = variables
        """Each variable with the values it may have at this point."""
        self.functions: dict[str, tuple[SyntaxSource, tree_sitter.Node]] = {}
        self.aliases: dict[str, str] = {}
        self.arrays: dict[str, tuple[Word, ...]] = {}
        self.arguments: tuple[Word, ...] = ()
        self.zero = Word("bash")
        self.copies: dict[str, str] = {}
        """Programs that were copied or linked under another name."""
        self.files: dict[str, str] = {}
        """Text that this program wrote into files, so that running them can be followed."""
        self.moved_homes: frozenset[str] = frozenset()
        """Variables of `HOMES` that have another value than at the start, or none any more."""

    def fork(self) -> "Environment":
        """A copy for a subshell or a branch."""
        copy = Environment(self.cwd, dict(self.variables))
        copy.functions = dict(self.functions)
        copy.aliases = dict(self.aliases)
        copy.arrays = dict(self.arrays)
        copy.arguments = self.arguments
        copy.zero = self.zero
        copy.copies = dict(self.copies)
        copy.files = dict(self.files)
        copy.moved_homes = self.moved_homes
        return copy

    def join(self, branch: "Environment") -> None:
        """Take over what a branch may have changed, keeping both possibilities."""
        for name, values in branch.variables.items():
            mine = self.variables.get(name)
            if mine is None or mine == values:
                self.variables[name] = values
                continue
            self.variables[name] = bounded(tuple(dict.fromkeys(mine + values)))
        if branch.cwd != self.cwd:
            self.cwd = Word(OPAQUE, raw=f"{self.cwd.text} or {branch.cwd.text}")
        self.functions.update(branch.functions)
        self.aliases.update(branch.aliases)
        self.files.update(branch.files)
        self.arrays.update(branch.arrays)
        self.copies.update(branch.copies)
        self.moved_homes |= branch.moved_homes

    def values(self, name: str) -> tuple[Word, ...]:
        """The values that a variable may have."""
        if name.isdecimal():
            place = int(name[:9])
            if place == 0:
                return (self.zero,)
            return (self.arguments[place - 1] if place <= len(self.arguments) else Word(""),)
        if name in {"@", "*"}:
            return (Word(" ".join(word.text for word in self.arguments)),)
        if name == "#":
            return (Word(str(len(self.arguments))),)
        if name == "PWD":
            return (self.cwd,)
        return self.variables.get(name, (UNKNOWN,))

    def fields(self, name: str) -> tuple[Word, ...] | None:
        """The elements of an array or of the arguments, each a field of its own."""
        return self.arguments if name in {"@", "*"} else self.arrays.get(name)

    def assign(self, name: str, values: tuple[Word, ...]) -> None:
        """Set a variable."""
        size = sum(len(word.text) for word in values)
        if size > MAX_VALUE:
            raise TooLargeError(size, MAX_VALUE, f"the value of {name[:40]}")
        if name in HOMES and _texts(self.variables.get(name, ())) != _texts(values):
            self.moved_homes |= {name}
        self.variables[name] = values

    def unset(self, name: str) -> None:
        """Take a variable away; what stands in its place from now on is nothing."""
        if name in HOMES:
            self.moved_homes |= {name}
        self.variables[name] = (Word(""),)
        self.arrays.pop(name, None)
        self.functions.pop(name, None)


def _texts(values: tuple[Word, ...]) -> list[str]:
    return [word.text for word in values]
