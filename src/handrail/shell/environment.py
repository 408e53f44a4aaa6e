"""What is known while a command line is read: variables, functions, the folder, files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import tree_sitter

from handrail.shell.branches import EITHER, join_states
from handrail.shell.errors import TooLargeError
from handrail.shell.shell_options import LOCAL_UNSET, POSIX
from handrail.shell.syntax import SyntaxSource
from handrail.shell.variables import (
    ALIAS_TABLES,
    ANYTHING,
    CHANGED_BY_SHELL,
    EVERYTHING,
    HOMES,
    MANY,
    MAX_VALUE,
    UNSET,
    Array,
    SavedVariable,
    are_counted,
    argument_at,
    bounded,
    place_in_array,
    possible_values,
    put_back,
    texts_of,
    with_attributes,
)
from handrail.shell.word import OPAQUE, UNKNOWN, Word

_MAX_REFERENCES = 8


class ShellFunction(NamedTuple):
    """A function: where it stands, and the redirects that each call of it opens."""

    source: SyntaxSource
    body: tree_sitter.Node
    redirects: tuple[tree_sitter.Node, ...] = ()


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
        "perhaps_exported",
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
        self.perhaps_exported: frozenset[str] = frozenset()
        """Those of them that one way to this point has not exported."""
        self.functions: dict[str, tuple[ShellFunction | None, ...]] = {}
        """Each function with the bodies it may have; None: it may not be there."""
        self.aliases: dict[str, str] = {}
        self.arrays: dict[str, Array] = {}
        """Each array with its elements by index or key, in the order of a shell."""
        self.other_arrays: dict[str, tuple[Array, ...]] = {}
        """What arrays may hold instead."""
        self.attributes = dict.fromkeys(ALIAS_TABLES, "A")
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
        copy.perhaps_exported = self.perhaps_exported
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

    def meanings(self) -> tuple[object, ...]:
        """What may change the meaning of a command, apart from the values of its words."""
        return (
            self.functions, self.aliases, self.attributes, self.references, self.loose,
            self.exported, self.options, self.zero, self.copies, self.folders, self.stdin,
        )  # fmt: skip

    def join(self, branch: "Environment", *, succeeds: bool = False) -> None:
        """Take over what a branch may have changed, keeping both possibilities.

        `succeeds`: the step between both is taken to work, so its folder and its files count.
        """
        join_states(self, branch, succeeds=succeeds)

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
        sure = self.exported - self.perhaps_exported
        hidden = () if EVERYTHING in sure else self.variables.keys() - sure
        for name in hidden:
            if not self.exported.isdisjoint({name, EVERYTHING}):
                inner.variables[name] = (*self.variables[name], UNSET)
                continue
            # One in capital letters may be a part of the real environment, and exported so.
            inner.variables[name] = (*self.variables[name], Word("")) if name.isupper() else ()
            inner.attributes.pop(name, None)
        inner.variables["IFS"] = (Word(" \t\n"),)
        inner.arrays, inner.references, inner.scopes = {}, {}, []
        inner.other_arrays = {}
        inner.functions = {
            name: bodies
            for name, bodies in self.functions.items()
            if not self.exported.isdisjoint({EVERYTHING, f"{name}()"})
        }
        inner.variables.pop("PWD", None)
        if self.exported.isdisjoint({EVERYTHING, "BASHOPTS", "SHELLOPTS"}):
            inner.options = frozenset()
        return inner

    def as_array(self, name: str) -> Array:
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
            return known.pop() if len(known) == 1 and all(map(are_counted, options)) else None
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
            return self._each_list(lambda words: argument_at(words, place))
        if name in {"@", "*"}:
            return self._each_list(lambda words: Word(" ".join(word.text for word in words)))
        if name == "#":
            return self._each_list(
                lambda words: Word(str(len(words))) if are_counted(words) else UNKNOWN
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
        if "n" in self.attributes.get(name, ""):
            del self.attributes[name]
            self.refer(name, values[0] if len(values) == 1 else UNKNOWN)
            return
        if name in CHANGED_BY_SHELL:
            values = (UNKNOWN,)
        elif name == "BASH_ARGV0":
            self.zero = bounded(tuple(dict.fromkeys(values + self.zero)))
        elif name == "POSIXLY_CORRECT":
            self.options |= {POSIX}
        if name in self.attributes:
            values = tuple(with_attributes(word, self.attributes[name]) for word in values)
        if name in HOMES and texts_of(self.variables.get(name, ())) != texts_of(values):
            self.moved_homes |= {name}
        self.variables[name] = values
        if name in self.arrays:
            first = {"0": values[0] if len(values) == 1 else UNKNOWN}
            self.arrays[name] |= first
            self.other_arrays[name] = tuple(o | first for o in self.other_arrays.get(name, ()))

    def refer(self, name: str, target: Word) -> None:
        """Let a variable stand for another one (`declare -n name=target`)."""
        base, bracket, _ = target.text.partition("[")
        if target.exact and base != name and base.isidentifier():
            if bracket:
                self.make_vague(base)
            self.references[name] = base
        else:
            self.assign(name, (UNKNOWN,))

    def assign_in_loop(self, name: str, value: Word) -> None:
        """Set the variable of a loop; a reference gets another target."""
        if name in self.references:
            self.refer(name, value)
        else:
            self.assign(name, (value,))

    @contextmanager
    def given(
        self, assignments: Sequence[tuple[str, Word]], *, scope: bool = False, stays: bool = False
    ) -> Iterator[None]:
        """Hold the variables of `name=value command` while the command runs in this shell.

        `scope`: it is a function, in which `unset` shows what they hide.
        `stays`: the command may keep them (`v=1 export v`).
        """
        exported, moved_homes = self.exported, self.moved_homes
        saved = {name: self._saved(name) for name, _ in assignments}
        if scope:
            self.scopes.append(saved)
        for name, value in assignments:
            self.assign(name, (value,))
        before = {name: self.variables.get(name) for name in saved}
        self.exported |= saved.keys()
        try:
            yield
        finally:
            if scope:
                self.end_scope()
            else:
                for name, variable in saved.items():
                    # What the builtin itself does with the variable may stay.
                    sure = not stays and self.variables.get(name) == before[name]
                    self._put_back(name, variable._replace(sure=sure))
            self.exported -= saved.keys() - exported
            self.moved_homes = moved_homes

    def make_vague(self, name: str) -> None:
        """Forget what a variable holds, and what it is set to from now on."""
        self.attributes[name] = self.attributes.get(name, "") + ANYTHING
        self.assign(name, (UNKNOWN,))
        if name in self.arrays:
            self.assign_array(name, {OPAQUE: UNKNOWN})

    def assign_array(self, name: str, elements: dict[str, Word]) -> None:
        """Set all elements of an array."""
        name = self.name_of(name)
        letters = self.attributes.get(name, "")
        self._check_size(name, tuple(elements.values()))
        if name in CHANGED_BY_SHELL:
            elements = {OPAQUE: UNKNOWN}
        elif name in ALIAS_TABLES:
            self.aliases |= {key: word.text for key, word in elements.items()}
        self.arrays[name] = {key: with_attributes(word, letters) for key, word in elements.items()}
        self.other_arrays.pop(name, None)
        self.variables[name] = (self.arrays[name].get("0", Word("")),)

    def assign_element(self, name: str, key: str | None, value: Word) -> None:
        """Set one element; without a key any of them may have changed."""
        name = self.name_of(name)
        first, *others = (
            self._with_element(name, array, key, value)
            for array in self.array_options(name) or (self.as_array(name),)
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
        return dict(sorted(array.items(), key=lambda item: place_in_array(item[0])))

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
                    self.variables[name] = (UNSET, *possible_values(saved.values))
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
            self.scopes[-1][name] = self._saved(name)

    def _saved(self, name: str) -> SavedVariable:
        """Make room for another variable of the same name, and return this one."""
        return SavedVariable(
            self.variables.get(name), self.arrays.pop(name, None),
            self.attributes.pop(name, None), self.references.pop(name, None)
        )  # fmt: skip

    def take_global(self, name: str, branch: "Environment") -> None:
        """Take a variable from a branch, behind the local one of that name (`declare -g`)."""
        scope = next(scope for scope in self.scopes if name in scope)
        scope[name] = scope[name]._replace(
            values=branch.variables.get(name), array=branch.arrays.get(name)
        )

    def end_scope(self) -> None:
        """Give back what the local variables of a function hid."""
        for name, saved in self.scopes.pop().items():
            self._put_back(name, saved)

    def _put_back(self, name: str, saved: SavedVariable) -> None:
        values = saved.values
        if not saved.sure:
            both = (*possible_values(values), *possible_values(self.variables.get(name)))
            values = tuple(dict.fromkeys(both))
        put_back(self.variables, name, values)
        put_back(self.arrays, name, saved.array)
        self.other_arrays.pop(name, None)
        put_back(self.attributes, name, saved.letters)
        put_back(self.references, name, saved.reference)
