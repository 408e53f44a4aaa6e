"""Command lines in the input of tools that are not the host's own shell.

A tool that is given a command line runs it, whatever the tool is called. What else stands in the
input counts too, told as the command that would do the same: a field that the tool does not know
must not hide one that it does.
"""

import re
import shlex
from collections.abc import Iterator
from typing import TypeGuard

import msgspec

from handrail.model.action import Action
from handrail.model.effect import Effect, Kind
from handrail.review.tools.input_texts import (
    Fields,
    InputContents,
    TooManyValuesError,
    joined,
    look_through,
)
from handrail.review.tools.mcp import input_effects, words_of, written_texts

_COMMANDS = frozenset({"command", "cmd"})
_COMMANDS_OF_SERVERS = _COMMANDS | frozenset(
    "commandline shellcommand bashcommand script argv commands".split()
)
_PROGRAMS = frozenset({"executable", "program", "binary"})
"""A program alone, to which the arguments stand in another field."""
_ARGUMENTS = frozenset({"args", "arguments", "argv"})
_TYPED = frozenset({"input", "keys"})
"""What is typed into a shell that is open already."""
_CODE = frozenset({"code", "sourcecode"})
_LANGUAGE = frozenset({"language", "lang", "runtime", "interpreter"})
_FOLDERS = frozenset(
    "cwd workdir workingdir workingdirectory currentdirectory directory dir folder".split()
)
_QUERIES = frozenset({"sql", "query", "statement"})
_PARTS = _COMMANDS_OF_SERVERS | _PROGRAMS | _ARGUMENTS | _TYPED | _CODE | _FOLDERS

_SHELLS = frozenset(
    "execute exec run shell bash terminal command cmd process spawn console ssh monitor".split()
)
_RUNS_CODE = frozenset("execute exec run eval evaluate interpret repl cell".split())
_DATABASES = frozenset(
    "sql sqlite postgres postgresql mysql mariadb duckdb supabase mssql database db".split()
)
_SYNTAX = re.compile(r"[\s;|&<>`$(]")
_INTERPRETERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("python", "python3", "py", "ipython", "jupyter"), ("python3", "-c")),
    **dict.fromkeys(("javascript", "js", "node", "nodejs", "typescript", "ts"), ("node", "-e")),
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), ("bash", "-c")),
    "ruby": ("ruby", "-e"),
    "perl": ("perl", "-e"),
    "php": ("php", "-r"),
    "r": ("Rscript", "-e"),
}
_MAX_TELLING = 64 * 1024
_TELLS = (
    ("python", re.compile(r"(?m)^\s*(?:import|from|def|with|print)\b")),
    ("javascript", re.compile(r"=>|\b(?:const|let|var|await|require|function)\b")),
)
_NO_FIELD = "several fields"
_SOME_HOME = "/~"
"""Stands for the home folder, where only the shell will know it."""
_TOLD = {Kind.READ: "cat", Kind.WRITE: "touch", Kind.DELETE: "rm -r", Kind.FETCH: "curl"}


class CommandLine(msgspec.Struct, frozen=True):
    """What a tool would run."""

    text: str
    field: str
    """The field that holds it whole; else no field's name: it cannot be put back into one."""


def find_command(action: Action) -> CommandLine | None:
    """The command line that a tool is given, if it is given one."""
    if not action.env.get("HOME"):
        action = msgspec.structs.replace(action, env={**action.env, "HOME": _SOME_HOME})
    try:
        contents = look_through(action)
        given = list(_given(action, contents))
        told = _told(action, contents) if given else []
    except TooManyValuesError:
        return None  # whoever reads the rest of the input says so
    if not given:
        return None
    if len(given) == 1 and not told and not given[0][0]:
        line = given[0][1]
        field = next((key for key, value in action.input.items() if value == line), "")
        return CommandLine(line, field or _NO_FIELD)
    # Each for itself: an open quote in one must not swallow the next.
    apart = [f"{before}{shlex.join(('bash', '-c', line))}" for before, line in given]
    return CommandLine("\n".join((*told, *apart)), _NO_FIELD)


def _given(action: Action, contents: InputContents) -> Iterator[tuple[str, str]]:
    """Every command line in an input, with what changes into its folder before."""
    of_server = "__" in action.tool or "." in action.tool
    names = _COMMANDS_OF_SERVERS if of_server else _COMMANDS
    words = words_of(action.tool)
    all_words = words | frozenset(re.split(r"[\s_.-]+", action.tool.lower()[:200]))
    for fields in contents.objects:
        lines = list(_lines(fields, names, words))
        if of_server:
            lines.extend(_code_lines(fields, words, all_words))
        for line in dict.fromkeys(lines):
            yield "", line
            # The tool may know that field or not: it counts in both folders.
            if folder := _folder(fields, action):
                yield f"cd {_word(folder)} && ", line


def _lines(fields: Fields, names: frozenset[str], words: frozenset[str]) -> Iterator[str]:
    """The command lines that stand in one object."""
    runs = bool(words & _SHELLS)
    arguments = _arguments(fields)
    for name, value in fields:
        if isinstance(value, str) and value.strip():
            if name in names and (_SYNTAX.search(value) or (runs and arguments is None)):
                yield value
            if (name in names or name in _PROGRAMS) and arguments is not None:
                yield f"{value} {arguments}"
            if name in _TYPED and runs and _SYNTAX.search(value.strip()):
                yield value
        elif name in names and (parts := _texts(value)):
            if name == "commands":
                yield from parts
            elif name != "argv" or not _has_program(fields, names):
                yield shlex.join(parts)


def _has_program(fields: Fields, names: frozenset[str]) -> bool:
    heads = (names | _PROGRAMS) - {"argv"}
    return any(name in heads and isinstance(value, str) for name, value in fields)


def _arguments(fields: Fields) -> str | None:
    """The arguments of a program that stands in another field, as they would be typed."""
    for name, value in fields:
        if name in _ARGUMENTS:
            if isinstance(value, str):
                return value
            if (parts := _texts(value)) is not None:
                return shlex.join(parts)
    return None


def _texts(value: object) -> list[str] | None:
    """A list of words and numbers; None for everything else."""
    if not isinstance(value, list):
        return None
    if not all(isinstance(item, str | int | float) for item in value):
        return None
    return [str(item) for item in value]


def _code_lines(fields: Fields, words: frozenset[str], all_words: frozenset[str]) -> Iterator[str]:
    """Code and queries, told as the call of the program that would run them."""
    for name, value in fields:
        if not isinstance(value, str) or not value.strip():
            continue
        if name in _CODE and words & _RUNS_CODE:
            for run_by in _interpreters(fields, all_words, value):
                yield shlex.join((*run_by, value))
        elif name in _QUERIES and all_words & _DATABASES:
            yield shlex.join(("psql", "-c", value))


def _interpreters(fields: Fields, words: frozenset[str], code: str) -> set[tuple[str, ...]]:
    """Everything that may run the code: a language that is given need not be what counts."""
    given = {value.lower() for name, value in fields if name in _LANGUAGE and _is_text(value)}
    told = {name for name, tell in _TELLS if tell.search(code, 0, _MAX_TELLING)}
    return {_INTERPRETERS[word] for word in given | words | told if word in _INTERPRETERS}


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _folder(fields: Fields, action: Action) -> str:
    """The folder that a command is to run in, if it is another than the action's."""
    for name, value in fields:
        if name in _FOLDERS and isinstance(value, str) and value:
            folder = joined(action, value).text
            return "" if folder == action.cwd else folder
    return ""


def _told(action: Action, contents: InputContents) -> list[str]:
    """What the fields beside a command do, as commands."""
    leaves = tuple(leaf for leaf in contents.leaves if leaf.name not in _PARTS)
    if not leaves:
        return []
    beside = msgspec.structs.replace(contents, leaves=leaves)
    texts = written_texts(action, beside)
    return [
        *(f"printf %s {shlex.quote(text)} > {_word(path)}" for path, text in texts.items()),
        *map(_as_command, input_effects(action, beside)),
    ]


def _as_command(one: Effect) -> str:
    if one.kind is Kind.WRITE and one.recursive:
        return f"mv -- {_word(one.target)} {_word(f'{one.target}.moved')}"
    return f"{_TOLD[one.kind]} -- {_word(one.target)}"


def _word(text: str) -> str:
    """A path or an address as a word of a command line."""
    if text.startswith(f"{_SOME_HOME}/"):
        return "~/" + shlex.quote(text[len(_SOME_HOME) + 1 :])
    return shlex.quote(text)
