"""What is known while a command line is read: variables, functions, the folder, files."""

from collections.abc import Sized
from typing import NamedTuple, TypeVar

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


EVERYTHING = "*"
"""Stands among the exported variables for all of them (`set -a`)."""
Values = TypeVar("Values", bound=Sized)
Value = TypeVar("Value")
_MAX_REFERENCES = 8


class ShellFunction(NamedTuple):
    """A function: where it stands, and the redirects that each call of it opens."""

    source: SyntaxSource
    body: tree_sitter.Node
    redirects: tuple[tree_sitter.Node, ...] = ()


class SavedVariable(NamedTuple):
    """A variable as it was before a local one took its name; None: there was none."""

    values: tuple[Word, ...] | None
    array: dict[str, Word] | None
    letters: str | None
    reference: str | None


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
        "attributes",
        "copies",
        "cwd",
        "exported",
        "files",
        "folders",
        "functions",
        "moved_homes",
        "references",
        "scopes",
        "stdin",
        "variables",
        "zero",
    )

    def __init__(self, cwd: Word, variables: dict[str, tuple[Word, ...]]) -> None:
        self.cwd = cwd
        self.variables = variables
        """Each variable with the values it may have at this point."""
        self.exported = frozenset(variables)
        """Variables that programs see, which this shell starts."""
        self.functions: dict[str, ShellFunction] = {}
        self.aliases: dict[str, str] = {}
        self.arrays: dict[str, dict[str, Word]] = {}
        """Each array with its elements by index or key, in the order of a shell."""
        self.attributes: dict[str, str] = {}
        """Letters of `declare` that change what a variable holds: A, i, l, u."""
        self.references: dict[str, str] = {}
        """Variables that stand for others (`declare -n`)."""
        self.scopes: list[dict[str, SavedVariable]] = []
        """For each function that is being run, what its local variables hide."""
        self.arguments: tuple[Word, ...] = ()
        self.zero = Word("bash")
        self.copies: dict[str, str] = {}
        """Programs that were copied or linked under another name."""
        self.files: dict[str, str] = {}
        """Text that this program wrote into files, so that running them can be followed."""
        self.folders: tuple[Word, ...] = ()
        """Where `popd` leads back to, the next one last."""
        self.stdin: tuple[str | None] | None = None
        """What `exec < file` made the input of all further commands; None if there was none."""
        self.moved_homes: frozenset[str] = frozenset()
        """Variables of `HOMES` that have another value than at the start, or none any more."""

    def fork(self) -> "Environment":
        """A copy for a subshell or a branch."""
        copy = Environment.__new__(Environment)
        copy.cwd = self.cwd
        copy.variables = dict(self.variables)
        copy.exported = self.exported
        copy.functions = dict(self.functions)
        copy.aliases = dict(self.aliases)
        copy.arrays = {name: dict(elements) for name, elements in self.arrays.items()}
        copy.attributes = dict(self.attributes)
        copy.references = dict(self.references)
        copy.scopes = [dict(scope) for scope in self.scopes]
        copy.arguments = self.arguments
        copy.zero = self.zero
        copy.copies = dict(self.copies)
        copy.files = dict(self.files)
        copy.moved_homes = self.moved_homes
        copy.stdin = self.stdin
        copy.folders = self.folders
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
        self.exported |= branch.exported
        self.functions.update(branch.functions)
        self.aliases.update(branch.aliases)
        self.files.update(branch.files)
        self._join_arrays(branch)
        self.attributes.update(branch.attributes)
        self.references.update(branch.references)
        self.copies.update(branch.copies)
        self.moved_homes |= branch.moved_homes

    def keep_possible(self, before: dict[str, tuple[Word, ...]]) -> None:
        """Keep earlier values of variables beside those that a step set which may not run."""
        for name, values in self.variables.items():
            old = before.get(name)
            if old is not None and old is not values and old != values:
                self.variables[name] = bounded(tuple(dict.fromkeys(values + old)))
                if name in self.arrays:
                    self.arrays[name] = dict.fromkeys(self.arrays[name], UNKNOWN)

    def child(self) -> "Environment":
        """What a shell gets that this one starts: variables that are exported, no functions."""
        inner = self.fork()
        hidden = () if EVERYTHING in self.exported else self.variables.keys() - self.exported
        for name in hidden:
            # One in capital letters may be a part of the real environment, and exported so.
            inner.variables[name] = (*self.variables[name], Word("")) if name.isupper() else ()
            inner.attributes.pop(name, None)
        inner.variables["IFS"] = (Word(" \t\n"),)
        inner.arrays, inner.references, inner.scopes = {}, {}, []
        inner.functions = {}
        return inner

    def _join_arrays(self, branch: "Environment") -> None:
        for name, elements in branch.arrays.items():
            mine = self.arrays.get(name)
            if mine is None or mine == elements:
                self.arrays[name] = elements
                continue
            self.arrays[name] = {
                key: word if mine.get(key, word) == elements.get(key, word) else UNKNOWN
                for key, word in (mine | elements).items()
            }

    def name_of(self, name: str) -> str:
        """The variable that a name means: another one if it is a reference."""
        for _ in range(_MAX_REFERENCES):
            if name not in self.references:
                break
            name = self.references[name]
        return name

    def is_set(self, name: str) -> bool | None:
        """Whether a variable is set; None: only the real environment would tell."""
        if name.isdecimal():
            return int(name[:9]) <= len(self.arguments)
        if name in {"@", "*"}:
            return bool(self.arguments)
        if name in {"#", "PWD", "?", "$", "-"}:
            return True
        values = self.variables.get(self.name_of(name))
        return None if values is None else bool(values)

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
        return self.variables.get(self.name_of(name), (UNKNOWN,)) or (Word(""),)

    def assign(self, name: str, values: tuple[Word, ...]) -> None:
        """Set a variable, or the first element of an array."""
        name = self.name_of(name)
        self._check_size(name, values)
        if name in self.attributes:
            values = tuple(_with_attributes(word, self.attributes[name]) for word in values)
        if name in HOMES and _texts(self.variables.get(name, ())) != _texts(values):
            self.moved_homes |= {name}
        self.variables[name] = values
        if name in self.arrays:
            self.arrays[name]["0"] = values[0] if len(values) == 1 else UNKNOWN

    def assign_array(self, name: str, elements: dict[str, Word]) -> None:
        """Set all elements of an array."""
        name = self.name_of(name)
        letters = self.attributes.get(name, "")
        self._check_size(name, tuple(elements.values()))
        self.arrays[name] = {key: _with_attributes(word, letters) for key, word in elements.items()}
        self.variables[name] = (self.arrays[name].get("0", Word("")),)

    def assign_element(self, name: str, key: str | None, value: Word) -> None:
        """Set one element; without a key any of them may have changed."""
        name = self.name_of(name)
        array = self.arrays.get(name)
        if array is None:
            first = self.variables.get(name)
            array = {"0": first[0]} if first else {}
        if key is None:
            array = dict.fromkeys(array, UNKNOWN) | {OPAQUE: UNKNOWN}
        else:
            array = array | {key: value}
        if "A" not in self.attributes.get(name, ""):
            array = dict(sorted(array.items(), key=lambda item: _place(item[0])))
        self.assign_array(name, array)

    def _check_size(self, name: str, values: tuple[Word, ...]) -> None:
        size = sum(len(word.text) for word in values)
        if size > MAX_VALUE:
            raise TooLargeError(size, MAX_VALUE, f"the value of {name[:40]}")

    def unset(self, name: str) -> None:
        """Take a variable away; what stands in its place from now on is nothing."""
        if name in HOMES:
            self.moved_homes |= {name}
        self.variables[name] = ()
        self.arrays.pop(name, None)
        self.attributes.pop(name, None)
        self.functions.pop(name, None)

    def declare_local(self, name: str) -> None:
        """Remember what a local variable of the function that runs hides."""
        if self.scopes:
            self.scopes[-1].setdefault(
                name, SavedVariable(self.variables.get(name), self.arrays.get(name),
                                    self.attributes.get(name), self.references.get(name))
            )  # fmt: skip
            self.arrays.pop(name, None)
            self.attributes.pop(name, None)
            self.references.pop(name, None)

    def end_scope(self) -> None:
        """Give back what the local variables of a function hid."""
        for name, saved in self.scopes.pop().items():
            _put_back(self.variables, name, saved.values)
            _put_back(self.arrays, name, saved.array)
            _put_back(self.attributes, name, saved.letters)
            _put_back(self.references, name, saved.reference)


def _put_back(table: dict[str, Value], name: str, value: Value | None) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


def _place(key: str) -> int:
    return int(key) if key.isdecimal() else MAX_VALUE


def _with_attributes(word: Word, letters: str) -> Word:
    """A value as `declare -l`, `-u` and `-i` keep it."""
    if "i" in letters and not word.text.isdecimal():
        return UNKNOWN
    if "l" in letters:
        return Word(word.text.lower(), word.glob, word.raw)
    return Word(word.text.upper(), word.glob, word.raw) if "u" in letters else word


def _texts(values: tuple[Word, ...]) -> list[str]:
    return [word.text for word in values]
