"""`read` and `mapfile`: variables that are set from the standard input."""

import re
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.code_files import words_on_input
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.fields import separators, split
from handrail.shell.printed_paths import names_on_input
from handrail.shell.quoting import MARK
from handrail.shell.variables import bounded
from handrail.shell.word import OPAQUE, UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_READ_VALUES = "adinNptu"
_MAPFILE_VALUES = "dnOsuCc"
_BLANKS = " \t\n"
_MAX_LINES = 64


class _Options:
    """The options of a call, and the names behind them."""

    def __init__(self, words: tuple[Word, ...], takes_value: str) -> None:
        self.values: dict[str, str] = {}
        at = 0
        while at < len(words) and re.match(r"-\w", words[at].text):
            letters = words[at].text[1:]
            at += 1
            if letters == "-":
                break
            for place, letter in enumerate(letters):
                if letter not in takes_value:
                    self.values[letter] = ""
                    continue
                value = letters[place + 1 :]
                if not value and at < len(words):
                    value = words[at].text
                    at += 1
                self.values[letter] = value
                break
        self.names = [word.text for word in words[at:]]


def read_line(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`read a b`: fields of a line; of any line, where others read from the same input."""
    walker.emit(command)
    options = _Options(command.argv[1:], _READ_VALUES)
    given = None if "u" in options.values else words_on_input(walker, command, env)
    if given is None:
        _set_unknown(walker, command, env, options)
        return ""
    ifs = next((w.text for n, w in command.assignments if n == "IFS"), separators(env))
    lines = _lines(given, options, all_of_them=context.shared)
    rows = [_fields(line, options, ifs) for line in lines]
    if "a" in options.values:
        _set_array(env, options.values["a"], rows)
        return ""
    before = (c for c in walker.commands if c.name == "read" and c.input == given)
    # Nothing may be left of the input, unless a loop asks for it.
    ended = context.shared and not walker.asking and len(list(before)) > len(lines)
    for place, name in enumerate(options.names or ["REPLY"]):
        values = tuple(dict.fromkeys(Word(row[place]) for row in rows))
        if ended:
            values = (*values, Word(""))
        env.assign(name, bounded(values) if len(rows) <= _MAX_LINES else (UNKNOWN,))
    return ""


def _set_unknown(
    walker: "ProgramWalker", command: Command, env: Environment, options: _Options
) -> None:
    values = tuple(names_on_input(walker, command, env)) or (UNKNOWN,)
    if "a" in options.values:
        env.assign_array(options.values["a"], {OPAQUE: UNKNOWN})
    for name in options.names or ["REPLY"]:
        env.assign(name, values)


def _lines(given: str, options: _Options, *, all_of_them: bool) -> list[str]:
    for letter in "nN":
        count = options.values.get(letter)
        if count is not None:
            known = count.isdecimal() and OPAQUE not in given and not all_of_them
            text = given if letter == "N" else given.partition("\n")[0]
            return [text[: int(count)] if known else OPAQUE]
    end = options.values.get("d", "\n")[:1] or "\0"
    if end != "\0":
        given = given.replace("\0", "")
    if not all_of_them:
        return [given.partition(end)[0]]
    return [line for line in given.split(end) if line.strip("\n")] or [""]


def _fields(line: str, options: _Options, ifs: str | None) -> list[str]:
    """What each name gets; the last one gets the rest."""
    count = len(options.names)
    if ("\\" in line and "r" not in options.values) or ifs is None:
        return [OPAQUE] * max(count, 1)
    if "a" in options.values:
        return [field.replace(MARK, "") for field in split(line, ifs) if field]
    if not count or "N" in options.values:
        return [line] * max(count, 1)
    blanks = "".join(char for char in ifs if char in _BLANKS)
    line = line.strip(blanks) if blanks else line
    if count > 1 and OPAQUE in line:
        return [OPAQUE] * count
    fields: list[str] = []
    while len(fields) + 1 < count:
        field, line = _first_field(line, ifs, blanks)
        fields.append(field)
    return [*fields, _last_field(line, ifs, blanks)]


def _first_field(line: str, ifs: str, blanks: str) -> tuple[str, str]:
    for at, char in enumerate(line):
        if char in ifs:
            rest = line[at:].lstrip(blanks) if blanks else line[at:]
            if rest[:1] and rest[0] in ifs and rest[0] not in blanks:
                rest = rest[1:].lstrip(blanks) if blanks else rest[1:]
            return line[:at], rest
    return line, ""


def _last_field(line: str, ifs: str, blanks: str) -> str:
    """The rest of a line; a single separator at its end is not a part of it."""
    others = [char for char in ifs if char not in blanks]
    if line[-1:] in others and not any(char in ifs for char in line[:-1].rstrip(blanks or None)):
        return line[:-1].rstrip(blanks) if blanks else line[:-1]
    return line


def _set_array(env: Environment, name: str, rows: list[list[str]]) -> None:
    if len(rows) == 1 and not any(OPAQUE in field for field in rows[0]):
        env.assign_array(name, {str(at): Word(field) for at, field in enumerate(rows[0])})
    else:
        env.assign_array(name, {OPAQUE: UNKNOWN})


def read_lines(
    walker: "ProgramWalker", command: Command, env: Environment, context: CommandContext
) -> str | None:
    """`mapfile lines`: an array of all lines."""
    walker.emit(command)
    options = _Options(command.argv[1:], _MAPFILE_VALUES)
    name = options.names[0] if options.names else "MAPFILE"
    if "C" in options.values:
        here = msgspec.structs.replace(context, via=(*context.via, "mapfile"))
        walker.script(f"{options.values['C']} {OPAQUE} {OPAQUE}", env, here)
    numbers = {letter: options.values.get(letter, "0") for letter in "nsO"}
    given = words_on_input(walker, command, env)
    if (
        given is None
        or not set(options.values) <= set("tdns")
        or not all(number.isdecimal() for number in numbers.values())
    ):
        printed = names_on_input(walker, command, env) if given is None else []
        env.assign_array(name, {f"{OPAQUE}{at}": word for at, word in enumerate(printed)}
                         or {OPAQUE: UNKNOWN})  # fmt: skip
        return ""
    end = options.values.get("d", "\n")[:1] or "\0"
    lines = [line + end for line in given.split(end)]
    lines[-1] = lines[-1].removesuffix(end)
    lines = (lines if lines[-1] else lines[:-1])[int(numbers["s"]) :]
    if end != "\0":
        lines = [line.partition("\0")[0] for line in lines]
    lines = lines[: int(numbers["n"]) or None]
    if "t" in options.values:
        lines = [line.removesuffix(end) for line in lines]
    unsure = False
    elements: dict[str, Word] = {}
    for at, line in enumerate(lines):
        unsure = unsure or OPAQUE in line
        elements[f"{OPAQUE}{at}" if unsure else str(at)] = Word(line)
    env.assign_array(name, elements)
    return ""
