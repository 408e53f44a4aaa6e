"""Read programs that pack and unpack: `tar` with options without dashes, `7z` with its own."""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import path_effect
from handrail.shell.readers.shells import opened_shells
from handrail.shell.word import Word

_VALUES = frozenset("fCTXbgKNVFHIL")
_LONG_VALUES = {
    "--file": "f", "--directory": "C", "--cd": "C", "--files-from": "T", "--exclude-from": "X",
    "--use-compress-program": "I", "--starting-file": "K", "--listed-incremental": "g",
    "--blocking-factor": "b", "--newer": "N", "--label": "V", "--exclude": "", "--transform": "",
    "--xform": "", "--strip-components": "", "--owner": "", "--group": "", "--mode": "",
    "--mtime": "", "--to-command": ">", "--checkpoint-action": "", "--one-top-level": "C",
    "--format": "", "--sort": "", "--rsh-command": "", "--info-script": "F", "--level": "",
}  # fmt: skip
_LONG = {
    "--create": "c", "--extract": "x", "--get": "x", "--list": "t", "--append": "r",
    "--update": "u", "--concatenate": "A", "--catenate": "A", "--delete": "~", "--to-stdout": "O",
    "--absolute-names": "P", "--remove-files": "!", "--diff": "d", "--compare": "d",
}  # fmt: skip


class TarCall(msgspec.Struct):
    """The parts of a `tar` call."""

    flags: set[str] = msgspec.field(default_factory=set)
    archive: Word | None = None
    lists: list[Word] = msgspec.field(default_factory=list)
    """Files that list the names of files."""
    members: list[tuple[Word, Word]] = msgspec.field(default_factory=list)
    """Each file with the folder to look for it in."""
    folder: Word = Word("")

    def value(self, letter: str, word: Word) -> None:
        """Take the value of an option."""
        self.flags.add(letter)
        if letter == "f":
            self.archive = word
        elif letter == "C":
            self.folder = join(self.folder, word)
        elif letter in {"T", "X"}:
            self.lists.append(word)


def read_tar(command: Command) -> TarCall:
    """Parse a `tar` call; `tar czf` and `tar -czf` are the same."""
    packing = TarCall(folder=command.cwd)
    words = command.argv[1:]
    index = 0
    if words and not words[0].text.startswith("-"):
        index = _old_style(words, packing)
    while index < len(words):
        word = words[index]
        index += 1
        if word.text.startswith("--") and len(word.text) > 2:
            index = _long(words, index, packing)
        elif word.text.startswith("-") and len(word.text) > 1 and word.text != "--":
            index = _short(words, index, packing)
        elif word.text != "--":
            packing.members.append((packing.folder, word))
    return packing


def _old_style(words: tuple[Word, ...], packing: TarCall) -> int:
    """Parse `tar cfb archive 20 …`: the values follow in the order of the letters."""
    index = 1
    for letter in words[0].text:
        if letter not in _VALUES:
            packing.flags.add(letter)
        elif index < len(words):
            packing.value(letter, words[index])
            index += 1
    return index


def _long(words: tuple[Word, ...], index: int, packing: TarCall) -> int:
    name, equals, value = words[index - 1].text.partition("=")
    if name in _LONG:
        packing.flags.add(_LONG[name])
    elif name in _LONG_VALUES and equals:
        packing.value(_LONG_VALUES[name], Word(value))
    elif name in _LONG_VALUES and index < len(words):
        packing.value(_LONG_VALUES[name], words[index])
        return index + 1
    return index


def _short(words: tuple[Word, ...], index: int, packing: TarCall) -> int:
    text = words[index - 1].text
    for place in range(1, len(text)):
        letter, rest = text[place], text[place + 1 :]
        if letter not in _VALUES:
            packing.flags.add(letter)
        elif rest:
            packing.value(letter, Word(rest.removeprefix("=")))
            break
        elif index < len(words):
            packing.value(letter, words[index])
            return index + 1
    return index


def _tar(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    packing = read_tar(command)
    for word in packing.lists:
        yield path_effect(Kind.READ, join(command.cwd, word))
    archive = packing.archive
    if archive is not None and archive.text != "-":
        path = join(command.cwd, archive)
        if "~" in packing.flags:
            yield _loses(path)
        else:
            changes = bool(packing.flags & set("cruA"))
            yield path_effect(Kind.WRITE if changes else Kind.READ, path)
    if packing.flags & set("cru"):
        for folder, member in packing.members:
            path = join(folder, member)
            yield path_effect(Kind.READ, path, recursive=True)
            if "!" in packing.flags:
                yield path_effect(Kind.DELETE, path, recursive=True)
    elif "x" in packing.flags and not packing.flags & set("O>"):
        where = Word("/") if "P" in packing.flags else packing.folder
        yield path_effect(Kind.WRITE, where, says=f"unpacks into {where.shown}")
    started = call.values("--to-command", "-I", "--use-compress-program")
    yield from opened_shells("tar", [word.text for word in started])
    yield from opened_shells("tar", _tar_scripts(command, call))


def _loses(archive: Word) -> Effect:
    return path_effect(Kind.DELETE, archive, says=f"deletes files out of {archive.shown}")


def _tar_scripts(_: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `--checkpoint-action=exec=cmd`."""
    for value in call.values("--checkpoint-action"):
        action, equals, script = value.text.partition("=")
        if action == "exec" and equals:
            yield script


def _seven(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `7z x archive -oDIR`, `7z a archive files -sdel`."""
    if len(call.operands) < 2:
        return
    verb = call.operands[0].text
    archive = join(command.cwd, call.operands[1])
    files = [join(command.cwd, word) for word in call.operands[2:]]
    options = [word.text for word in command.argv[1:] if word.text.startswith("-")]
    if verb in {"a", "u"}:
        yield path_effect(Kind.WRITE, archive)
        for path in files:
            yield path_effect(Kind.READ, path, recursive=True)
            if "-sdel" in options:
                yield path_effect(Kind.DELETE, path, recursive=True)
    elif verb == "d":
        yield _loses(archive)
    elif verb == "rn":
        yield path_effect(Kind.WRITE, archive)
    else:
        yield path_effect(Kind.READ, archive)
    if verb in {"x", "e"} and "-so" not in options:
        folder = next((text[2:] for text in options if text.startswith("-o")), ".")
        yield path_effect(Kind.WRITE, join(command.cwd, Word(folder)))


def _zip(_: Command, call: ParsedArguments) -> Iterator[Effect]:
    started = call.values("-TT", "--unzip-command")
    yield from opened_shells("zip", [word.text for word in started])


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "tar": _tar,
    "7z": _seven,
    "zip": _zip,
}

SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "tar": _tar_scripts,
}
