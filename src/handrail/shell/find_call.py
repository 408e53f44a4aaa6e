"""`find` has a language of its own: where it looks, what it selects, what it does with it."""

from itertools import takewhile

import msgspec

from handrail.shell.command import Command
from handrail.shell.word import Word

_VALUE_TESTS = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype "
    "-size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -user -group "
    "-uid -gid -perm -maxdepth -mindepth -inum -links -samefile -fstype -used -printf "
    "-regextype -context -newerat -newerct".split()
)
_NAME_TESTS = frozenset("-name -iname -path -ipath -wholename -iwholename".split())
_NARROWING = _VALUE_TESTS - frozenset("-type -xtype -maxdepth -mindepth -regextype -printf".split())
_EXEC = frozenset("-exec -execdir -ok -okdir".split())
_FILES = frozenset("-fprint -fprint0 -fls -fprintf".split())


class FindCall(msgspec.Struct, frozen=True):
    """A `find` call, taken apart."""

    roots: tuple[Word, ...]
    names: tuple[str, ...] = ()
    narrowed: bool = False
    """Some test leaves only a part of what is below the roots."""
    deletes: bool = False
    executes: tuple[tuple[Word, ...], ...] = ()
    writes: tuple[Word, ...] = ()

    @property
    def selection(self) -> tuple[Word, ...]:
        """What it finds, as words with wildcards."""
        if self.names:
            return tuple(
                Word(f"{root.text.rstrip('/')}/**/{name.removeprefix('./')}", glob=True)
                for root in self.roots
                for name in self.names
            )
        if self.narrowed:
            return tuple(Word(f"{root.text.rstrip('/')}/**/?*", glob=True) for root in self.roots)
        return self.roots


def read_find(command: Command) -> FindCall:
    """Take a `find` call apart."""
    words = list(command.argv[1:])
    index = 0
    while index < len(words) and words[index].text in {"-H", "-L", "-P"}:
        index += 1
    roots: list[Word] = []
    while index < len(words) and not _begins_expression(words[index].text):
        roots.append(words[index])
        index += 1
    names: list[str] = []
    executes: list[tuple[Word, ...]] = []
    writes: list[Word] = []
    narrowed = deletes = negated = False
    while index < len(words):
        text = words[index].text
        index += 1
        value = words[index] if index < len(words) else Word("")
        if text in {"!", "-not"}:
            negated = True
            continue
        if text in _EXEC:
            argv = tuple(takewhile(lambda word: word.text not in {";", "+"}, words[index:]))
            executes.append(argv)
            index += len(argv) + 1
        elif text in _FILES:
            writes.append(value)
            index += 2 if text == "-fprintf" else 1
        elif text in _VALUE_TESTS:
            if text in _NAME_TESTS and not negated and value.text.strip("*./"):
                names.append(value.text)
            left_out = negated and text in _NAME_TESTS
            everything = value.text in {"*", "*.*"}
            narrowed = narrowed or (text in _NARROWING and not everything and not left_out)
            index += 1
        elif text in {"-delete", "-empty"}:
            deletes = deletes or text == "-delete"
            narrowed = narrowed or text == "-empty"
        elif text in {"-o", "-or"} and words[index - 2].text == "-prune":
            # What was named so far is left out, not selected.
            names.clear()
        negated = False
    return FindCall(
        tuple(roots) or (Word("."),),
        tuple(names),
        narrowed,
        deletes,
        tuple(executes),
        tuple(writes),
    )


def _begins_expression(text: str) -> bool:
    return (text.startswith("-") and len(text) > 1) or text in {"(", ")", "!", ","}
