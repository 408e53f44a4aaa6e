"""What variables may hold: several values, arrays, attributes, and what nobody knows."""

import re
from collections.abc import Iterable, Sized
from typing import NamedTuple, TypeVar

from handrail.model.host import known_hosts
from handrail.shell.errors import TooMuchWorkError
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
ALIAS_TABLES = frozenset({"BASH_ALIASES", "BASH_CMDS"})
"""Arrays whose elements are aliases, and programs by their short names."""
EVERYTHING = "*"
"""Stands among the exported variables for all of them (`set -a`)."""
Values = TypeVar("Values", bound=Sized)
Value = TypeVar("Value")
ANYTHING = "?"
"""An attribute that a variable may have or not."""
_NUMBER = re.compile(r"0|[1-9][0-9]*")
UNSET = Word("", raw="unset")
"""Stands among the values of a variable that may not be there."""
MANY = (UNKNOWN,) * 9
"""Positional arguments of which nothing is known, not even how many there are."""
Array = dict[str, Word]
Variables = dict[str, tuple[Word, ...]]


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


def are_counted(words: Iterable[Word]) -> bool:
    """Whether each of these is one argument, and not any number of names."""
    return not any(word.glob or (not word.text.strip(OPAQUE) and word.text) for word in words)


def argument_at(words: tuple[Word, ...], place: int) -> Word:
    """One of the positional arguments."""
    if not are_counted(words[: place - 1]):
        return UNKNOWN
    return words[place - 1] if place <= len(words) else Word("")


def possible_values(values: tuple[Word, ...] | None) -> tuple[Word, ...]:
    """The values of a variable; unknown if nobody has set it."""
    if values is None:
        return (UNKNOWN,)
    return values or (UNSET,)


def put_back(table: dict[str, Value], name: str, value: Value | None) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


def place_in_array(key: str) -> int:
    return int(key) if key.isdecimal() else MAX_VALUE


def with_attributes(word: Word, letters: str) -> Word:
    """A value as `declare -l`, `-u` and `-i` keep it."""
    if ANYTHING in letters or "c" in letters:
        return UNKNOWN
    if "i" in letters and not _NUMBER.fullmatch(word.text):
        return UNKNOWN
    if "l" in letters:
        return Word(word.text.lower(), word.glob, word.raw)
    return Word(word.text.upper(), word.glob, word.raw) if "u" in letters else word


def texts_of(values: tuple[Word, ...]) -> list[str]:
    return [word.text for word in values]
