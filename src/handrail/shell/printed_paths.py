"""Names of files that commands print: `find … | xargs rm`, `for f in $(ls)`, `while read f`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from handrail.shell.code_files import words_on_input
from handrail.shell.command import Command
from handrail.shell.environment import Environment
from handrail.shell.find_call import read_find
from handrail.shell.paths import join
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_FILTERS = frozenset({"head", "tail", "sort", "uniq", "tac", "shuf", "awk", "sed", "grep", "tee"})
"""Programs that pass on some of the names they get."""
_SILENT = frozenset({":", "[", "cd", "exit", "export", "false", "local", "mkdir", "popd", "pushd",
                     "read", "set", "shift", "shopt", "sleep", "true"})  # fmt: skip
"""Programs that print nothing."""
_EVERYWHERE = frozenset({"locate", "plocate", "mlocate", "mdfind"})
_LISTERS = {
    "ls": (0, "**/*"),
    "git": (1, "**/*"),
    "fd": (1, "**/?*"),
    "fdfind": (1, "**/?*"),
    "rg": (1, "**/?*"),
    "grep": (1, "**/?*"),
    "ag": (1, "**/?*"),
}
"""Programs that print file names: how many words come before the folders, and what they list."""
_GIT_LISTS = frozenset({"ls-files", "ls-tree", "diff", "status", "grep", "show", "diff-tree",
                        "diff-index", "clean"})  # fmt: skip


def input_items(walker: "ProgramWalker", command: Command, env: Environment) -> list[Word]:
    """The items on a command's standard input, as far as they can be known."""
    given = words_on_input(walker, command, env)
    if given is not None and OPAQUE in given:
        names = names_on_input(walker, command, env)
        if names:
            return names
    if given is not None:
        # With NULs between the items, a line break is a part of an item.
        separator = "\0" if "\0" in given else "\n"
        return [Word(text.strip()) for text in given.split(separator) if text.strip()]
    return names_on_input(walker, command, env) or [Word(OPAQUE, raw="…")]


def names_on_input(walker: "ProgramWalker", command: Command, env: Environment) -> list[Word]:
    """The file names on a command's standard input, as words with wildcards; nothing if unknown."""
    each = [
        (walker.commands[index], list(names_printed(walker, (index,), env)))
        for index in command.input_from
    ]
    names = [name for _, printed in each for name in printed]
    others = any(not printed and _prints(feeder) for feeder, printed in each)
    return [*names, Word(OPAQUE, raw="…")] if names and others else names


def _prints(feeder: Command) -> bool:
    """Whether a command prints something of its own; one that another runs is a part of that."""
    return bool(feeder.argv) and not feeder.via and feeder.name not in _SILENT


def names_printed(
    walker: "ProgramWalker", feeders: tuple[int, ...], env: Environment
) -> Iterable[Word]:
    """The file names that the feeding commands list, as words with wildcards."""
    for index in feeders:
        feeder = walker.commands[index]
        if feeder.name in _FILTERS and feeder.input_from:
            yield from names_printed(walker, feeder.input_from, env)
            continue
        if feeder.name in {"find", "gfind"}:
            yield from (
                join(feeder.cwd, word) if word.exact else word
                for word in read_find(feeder).selection
            )
        elif feeder.name == "echo":
            yield from (word for word in feeder.argv[1:] if any(w.glob for w in feeder.argv))
        elif feeder.name in _EVERYWHERE or _lists_names(feeder):
            yield from _listed(feeder)


def _lists_names(feeder: Command) -> bool:
    if feeder.name != "git":
        return feeder.name in _LISTERS
    words = [word.text for word in feeder.argv[1:]]
    return not _GIT_LISTS.isdisjoint(words) or any(text.startswith("--name") for text in words)


def _listed(feeder: Command) -> Iterable[Word]:
    """The names that a listing program prints, as words with wildcards."""
    if feeder.name in _EVERYWHERE:
        yield Word("/**/?*", glob=True)
        return
    skip, names = _LISTERS[feeder.name]
    words = [word for word in feeder.argv[1:] if not word.text.startswith("-")][skip:]
    for word in words or [Word(".")]:
        if word.glob and not word.text.endswith("/*"):
            yield join(feeder.cwd, word)
            continue
        folder = word.text.removesuffix("/*").rstrip("/")
        yield join(feeder.cwd, Word(f"{folder}/{names}", glob=True))
