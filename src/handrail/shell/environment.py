"""What is known while a command line is read: variables, functions, the folder, files."""

from collections.abc import Callable, Iterable, Sized
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


CHANGED_BY_SHELL = frozenset({
    "_", "BASHPID", "BASH_ARGC", "BASH_ARGV", "BASH_COMMAND", "BASH_LINENO", "BASH_SOURCE",
    "BASH_SUBSHELL", "BASH_VERSINFO", "BASHOPTS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS",
    "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "LINENO", "OPTIND", "PIPESTATUS", "PPID", "RANDOM",
    "SECONDS", "SHELLOPTS", "SRANDOM", "UID",
})  # fmt: skip
"""Variables that say what the shell puts there, whatever they are set to."""
_ALIAS_TABLES = frozenset({"BASH_ALIASES", "BASH_CMDS"})
"""Arrays whose elements are aliases, and programs by their short names."""
EVERYTHING = "*"
"""Stands among the exported variables for all of them (`set -a`)."""
LOCAL_UNSET = "localvar_unset"
"""An option: `unset` in a function takes only the value of a local variable."""
POSIX = "posix"
"""An option: `v=1 eval …` leaves a variable behind."""
Values = TypeVar("Values", bound=Sized)
Value = TypeVar("Value")
_MAX_REFERENCES = 8
_ANYTHING = "?"
"""An attribute that a variable may have or not."""
UNSET = Word("", raw="unset")
"""Stands among the values of a variable that may not be there."""
MANY = (UNKNOWN,) * 9
"""Positional arguments of which nothing is known, not even how many there are."""
EITHER = f"#{OPAQUE}{OPAQUE}\n"
"""Stands between the texts of a file that may hold one or the other: a comment to a shell."""
Array = dict[str, Word]
Variables = dict[str, tuple[Word, ...]]


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
    sure: bool = True
    """Whether the local one was made on every way that leads here."""


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
        "far_leaves",
        "files",
        "folders",
        "functions",
        "leaves",
        "loose",
        "moved_homes",
        "options",
        "other_arguments",
        "other_arrays",
        "references",
        "returns",
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
        self.functions: dict[str, tuple[ShellFunction | None, ...]] = {}
        """Each function with the bodies it may have; None: it may not be there."""
        self.aliases: dict[str, str] = {}
        self.arrays: dict[str, Array] = {}
        """Each array with its elements by index or key, in the order of a shell."""
        self.other_arrays: dict[str, tuple[Array, ...]] = {}
        """What arrays may hold instead."""
        self.attributes = dict.fromkeys(_ALIAS_TABLES, "A")
        """Letters of `declare` that change what a variable holds: A, i, l, u."""
        self.references: dict[str, str] = {}
        """Variables that stand for others (`declare -n`)."""
        self.loose: frozenset[str] = frozenset()
        """Variables that may be references, and read-only ones: they may keep what they hold."""
        self.scopes: list[dict[str, SavedVariable]] = []
        """For each function that is being run, what its local variables hide."""
        self.arguments: tuple[Word, ...] = ()
        self.other_arguments: tuple[tuple[Word, ...], ...] = ()
        """What `$@` may be instead."""
        self.leaves: tuple[Environment, ...] = ()
        """How it was where `break` or `continue` may have left the loop that is being read."""
        self.far_leaves: tuple[Environment, ...] = ()
        """How it was where `break 2` may have left the loops around it, too."""
        self.returns: tuple[Environment, ...] = ()
        """How it was where `return` may have left the function that is being read."""
        self.zero: tuple[Word, ...] = (Word("bash"), UNKNOWN)
        """What `$0` may be; whoever started this shell may have called it anything."""
        self.options: frozenset[str] = frozenset()
        """Options of the shell (`set -o`, `shopt`) that may be on."""
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
        copy.other_arrays = dict(self.other_arrays)
        copy.attributes = dict(self.attributes)
        copy.references = dict(self.references)
        copy.loose = self.loose
        copy.scopes = [dict(scope) for scope in self.scopes]
        copy.arguments = self.arguments
        copy.other_arguments = self.other_arguments
        copy.leaves = copy.far_leaves = copy.returns = ()
        copy.zero = self.zero
        copy.options = self.options
        copy.copies = dict(self.copies)
        copy.files = dict(self.files)
        copy.moved_homes = self.moved_homes
        copy.stdin = self.stdin
        copy.folders = self.folders
        return copy

    def become(self, branch: "Environment") -> None:
        """Take over everything from a branch."""
        for name in self.__slots__:
            setattr(self, name, getattr(branch, name))

    def join(self, branch: "Environment", *, succeeds: bool = False) -> None:
        """Take over what a branch may have changed, keeping both possibilities.

        `succeeds`: the step between both is taken to work, so its folder and its files count.
        """
        if self.arrays != branch.arrays or self.other_arrays != branch.other_arrays:
            self._join_arrays(branch)  # first: it looks at variables that are no arrays
        if self.variables != branch.variables:
            self._join_variables(branch)
        if not succeeds:
            self._join_places(branch)
        if self.argument_lists() != branch.argument_lists():
            self.set_arguments(*self.argument_lists(), *branch.argument_lists())
        if self.scopes and branch.scopes and self.scopes != branch.scopes:
            self._join_scopes(branch)
        if self.exported is not branch.exported:
            self.exported |= branch.exported
        self.moved_homes |= branch.moved_homes
        self.options |= branch.options
        if self.zero != branch.zero:
            self.zero = bounded(tuple(dict.fromkeys(self.zero + branch.zero)))
        self.leaves += branch.leaves
        self.far_leaves += branch.far_leaves
        self.returns += branch.returns
        self._join_meanings(branch)

    def _join_meanings(self, branch: "Environment") -> None:
        """Join what names stand for apart from their values."""
        if self.functions != branch.functions:
            self._join_functions(branch)
        if self.aliases != branch.aliases:
            self._join_aliases(branch)
        if branch.copies:
            self.copies = branch.copies | self.copies
        if self.attributes != branch.attributes:
            for name in self.attributes.keys() | branch.attributes.keys():
                if self.attributes.get(name) != branch.attributes.get(name):
                    self.attributes[name] = self.attributes.get(name, "") + _ANYTHING
        if self.references != branch.references:
            self.loose |= self.references.keys() ^ branch.references.keys()
            self.references.update(branch.references)
        self.loose |= branch.loose

    def meanings(self) -> tuple[object, ...]:
        """What may change the meaning of a command, apart from the values of its words."""
        return (
            self.functions, self.aliases, self.attributes, self.references, self.loose,
            self.exported, self.options, self.zero, self.copies, self.folders, self.stdin,
        )  # fmt: skip

    def _join_variables(self, branch: "Environment") -> None:
        for name in self.variables.keys() | branch.variables.keys():
            mine, values = self.variables.get(name), branch.variables.get(name)
            if mine is values or mine == values:
                continue
            both = dict.fromkeys((*_possible(mine), *_possible(values)))
            self.variables[name] = bounded(tuple(both))

    def _join_places(self, branch: "Environment") -> None:
        if branch.cwd != self.cwd:
            self.cwd = Word(OPAQUE, raw=f"{self.cwd.text} or {branch.cwd.text}")
        if branch.folders != self.folders:
            self.folders = ()
        if branch.stdin != self.stdin:
            self.stdin = (None,)
        if self.files != branch.files:
            for path in self.files.keys() | branch.files.keys():
                mine, text = self.files.get(path, ""), branch.files.get(path, "")
                if mine != text:
                    self.files[path] = mine + EITHER + text

    def _join_functions(self, branch: "Environment") -> None:
        for name in self.functions.keys() | branch.functions.keys():
            mine = self.functions.get(name, (None,))
            self.functions[name] = tuple(dict.fromkeys(mine + branch.functions.get(name, (None,))))

    def _join_aliases(self, branch: "Environment") -> None:
        for name, text in branch.aliases.items():
            mine = self.aliases.get(name, text)
            self.aliases[name] = mine if mine == text else f"{mine}\n{text}"

    def _join_scopes(self, branch: "Environment") -> None:
        for mine, other in zip(self.scopes, branch.scopes, strict=False):
            for name in mine.keys() ^ other.keys():
                saved = mine.get(name) or other[name]
                mine[name] = saved._replace(sure=False)

    def text_of(self, path: str) -> str | None:
        """What a file holds that this program wrote; None if that is unknown."""
        text = self.files.get(path)
        return None if text is None or EITHER in text else text

    def leave(self, *, function: bool, far: bool = False) -> None:
        """Remember that the loop or the function that is being read may end here.

        `far`: the loops around it, too.
        """
        if function:
            self.returns += (self.fork(),)
            return
        state = self.fork()
        self.leaves += (state,)
        if far:
            self.far_leaves += (state,)

    def join_returns(self) -> None:
        """Take over how it was where a function may have ended early."""
        for state in self.returns:
            self.join(state)

    def join_leaves(self) -> None:
        """Take over how it was where something may have ended early."""
        leaves, self.leaves = self.leaves, ()
        for leave in leaves:
            self.join(leave)

    def argument_lists(self) -> tuple[tuple[Word, ...], ...]:
        """What `$@` may be."""
        return (self.arguments, *self.other_arguments)

    def set_arguments(self, *options: tuple[Word, ...]) -> None:
        """Set the positional arguments."""
        self.arguments, *others = dict.fromkeys(options)
        self.other_arguments = bounded(tuple(others))

    def array_options(self, name: str) -> tuple[Array, ...]:
        """What an array may hold; nothing if it is none."""
        array = self.arrays.get(name)
        return () if array is None else (array, *self.other_arrays.get(name, ()))

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
        inner.functions, inner.other_arrays = {}, {}
        inner.variables.pop("PWD", None)
        if self.exported.isdisjoint({EVERYTHING, "BASHOPTS", "SHELLOPTS"}):
            inner.options = frozenset()
        return inner

    def _join_arrays(self, branch: "Environment") -> None:
        for name in self.arrays.keys() | branch.arrays.keys():
            options = list(self.array_options(name) or [self._as_array(name)])
            for other in branch.array_options(name) or [branch._as_array(name)]:
                if other not in options:
                    options.append(other)
            self.arrays[name] = options[0]
            self.other_arrays[name] = bounded(tuple(options[1:]))

    def _as_array(self, name: str) -> Array:
        """A variable that is no array, as one."""
        values = self.variables.get(name) or ()
        if len(values) > 1:
            return {OPAQUE: UNKNOWN}
        return {"0": values[0]} if values else {}

    def name_of(self, name: str) -> str:
        """The variable that a name means: another one if it is a reference."""
        for _ in range(_MAX_REFERENCES):
            if name not in self.references:
                break
            name = self.references[name]
        return name

    def is_set(self, name: str) -> bool | None:
        """Whether a variable is set; None: only the real environment would tell."""
        if name.isdecimal() or name in {"@", "*"}:
            place = int(name[:9]) if name.isdecimal() else 1
            options = self.argument_lists()
            known = {place <= len(words) for words in options}
            return known.pop() if len(known) == 1 and all(map(_are_counted, options)) else None
        if name in {"#", "?", "$", "-"} or (name == "PWD" and name not in self.variables):
            return True
        values = self.variables.get(self.name_of(name))
        return None if values is None or UNSET in values else bool(values)

    def values(self, name: str) -> tuple[Word, ...]:
        """The values that a variable may have."""
        if name.isdecimal():
            place = int(name[:9])
            if place == 0:
                return self.zero
            return self._each_list(lambda words: _argument(words, place))
        if name in {"@", "*"}:
            return self._each_list(lambda words: Word(" ".join(word.text for word in words)))
        if name == "#":
            return self._each_list(
                lambda words: Word(str(len(words))) if _are_counted(words) else UNKNOWN
            )
        if name == "PWD" and name not in self.variables:
            return (self.cwd,)
        values = self.variables.get(self.name_of(name), (UNKNOWN,)) or (Word(""),)
        if name in self.loose and name in self.references:
            return tuple(dict.fromkeys(values + self.variables.get(name, (UNKNOWN,))))
        return values

    def _each_list(self, value: Callable[[tuple[Word, ...]], Word]) -> tuple[Word, ...]:
        return tuple(
            dict.fromkeys(
                UNKNOWN if words == MANY else value(words) for words in self.argument_lists()
            )
        )

    def assign(self, name: str, values: tuple[Word, ...]) -> None:
        """Set a variable, or the first element of an array."""
        if name in self.loose:
            values = bounded(tuple(dict.fromkeys(values + self.values(name))))
            self.variables[name] = values
        name = self.name_of(name)
        self._check_size(name, values)
        if name in CHANGED_BY_SHELL:
            values = (UNKNOWN,)
        elif name == "BASH_ARGV0":
            self.zero = bounded(tuple(dict.fromkeys(values + self.zero)))
        elif name == "POSIXLY_CORRECT":
            self.options |= {POSIX}
        if name in self.attributes:
            values = tuple(_with_attributes(word, self.attributes[name]) for word in values)
        if name in HOMES and _texts(self.variables.get(name, ())) != _texts(values):
            self.moved_homes |= {name}
        self.variables[name] = values
        if name in self.arrays:
            first = {"0": values[0] if len(values) == 1 else UNKNOWN}
            self.arrays[name] |= first
            self.other_arrays[name] = tuple(o | first for o in self.other_arrays.get(name, ()))

    def assign_array(self, name: str, elements: dict[str, Word]) -> None:
        """Set all elements of an array."""
        name = self.name_of(name)
        letters = self.attributes.get(name, "")
        self._check_size(name, tuple(elements.values()))
        if name in CHANGED_BY_SHELL:
            elements = {OPAQUE: UNKNOWN}
        elif name in _ALIAS_TABLES:
            self.aliases |= {key: word.text for key, word in elements.items()}
        self.arrays[name] = {key: _with_attributes(word, letters) for key, word in elements.items()}
        self.other_arrays.pop(name, None)
        self.variables[name] = (self.arrays[name].get("0", Word("")),)

    def assign_element(self, name: str, key: str | None, value: Word) -> None:
        """Set one element; without a key any of them may have changed."""
        name = self.name_of(name)
        first, *others = (
            self._with_element(name, array, key, value)
            for array in self.array_options(name) or (self._as_array(name),)
        )
        self.assign_array(name, first)
        self.other_arrays[name] = tuple(others)

    def _with_element(self, name: str, array: Array, key: str | None, value: Word) -> Array:
        if key is None:
            array = dict.fromkeys(array, UNKNOWN) | {OPAQUE: UNKNOWN}
        else:
            array = array | {key: value}
        if "A" in self.attributes.get(name, ""):
            return array
        return dict(sorted(array.items(), key=lambda item: _place(item[0])))

    def _check_size(self, name: str, values: tuple[Word, ...]) -> None:
        size = sum(len(word.text) for word in values)
        if size > MAX_VALUE:
            raise TooLargeError(size, MAX_VALUE, f"the value of {name[:40]}")

    def unset(self, name: str) -> None:
        """Take a variable away; what stands in its place from now on is what it hid, or nothing."""
        for scope in reversed(self.scopes[:-1]):
            if name in scope and name not in self.scopes[-1]:
                saved = scope[name]
                if LOCAL_UNSET in self.options:
                    self.variables[name] = (UNSET, *_possible(saved.values))
                    return
                self._put_back(name, scope.pop(name))
                return
        if name in HOMES:
            self.moved_homes |= {name}
        self.variables[name] = (*self.values(name), UNSET) if name in self.loose else ()
        self.arrays.pop(name, None)
        self.other_arrays.pop(name, None)
        self.attributes.pop(name, None)
        self.functions.pop(name, None)

    def declare_local(self, name: str) -> None:
        """Remember what a local variable of the function that runs hides."""
        if self.scopes and name not in self.scopes[-1]:
            self.scopes[-1][name] = SavedVariable(
                self.variables.get(name), self.arrays.get(name),
                self.attributes.get(name), self.references.get(name)
            )  # fmt: skip
            self.arrays.pop(name, None)
            self.attributes.pop(name, None)
            self.references.pop(name, None)

    def end_scope(self) -> None:
        """Give back what the local variables of a function hid."""
        for name, saved in self.scopes.pop().items():
            self._put_back(name, saved)

    def _put_back(self, name: str, saved: SavedVariable) -> None:
        values = saved.values
        if not saved.sure:
            both = (*_possible(values), *_possible(self.variables.get(name)))
            values = tuple(dict.fromkeys(both))
        _put_back(self.variables, name, values)
        _put_back(self.arrays, name, saved.array)
        self.other_arrays.pop(name, None)
        _put_back(self.attributes, name, saved.letters)
        _put_back(self.references, name, saved.reference)


def _are_counted(words: Iterable[Word]) -> bool:
    """Whether each of these is one argument, and not any number of names."""
    return not any(word.glob or (not word.text.strip(OPAQUE) and word.text) for word in words)


def _argument(words: tuple[Word, ...], place: int) -> Word:
    """One of the positional arguments."""
    if not _are_counted(words[: place - 1]):
        return UNKNOWN
    return words[place - 1] if place <= len(words) else Word("")


def _possible(values: tuple[Word, ...] | None) -> tuple[Word, ...]:
    """The values of a variable; unknown if nobody has set it."""
    if values is None:
        return (UNKNOWN,)
    return values or (UNSET,)


def _put_back(table: dict[str, Value], name: str, value: Value | None) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


def _place(key: str) -> int:
    return int(key) if key.isdecimal() else MAX_VALUE


def _with_attributes(word: Word, letters: str) -> Word:
    """A value as `declare -l`, `-u` and `-i` keep it."""
    if ("i" in letters and not word.text.isdecimal()) or _ANYTHING in letters:
        return UNKNOWN
    if "l" in letters:
        return Word(word.text.lower(), word.glob, word.raw)
    return Word(word.text.upper(), word.glob, word.raw) if "u" in letters else word


def _texts(values: tuple[Word, ...]) -> list[str]:
    return [word.text for word in values]
