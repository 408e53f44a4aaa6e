"""Read programs that copy, move, link, find and fill files."""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Undo
from handrail.shell.command import Command
from handrail.shell.find_call import read_find
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.readers.shells import opened_shells
from handrail.shell.word import Word

_ENDLESS = re.compile(r"/dev/(?:zero|u?random|full)")
_NO_PLACE = re.compile(r"/dev/(?:null|zero|full|tty|std(?:in|out|err)|fd/.*)")
_DEVICE = re.compile(r"/dev/(?!shm/).*")
_FULL = 64 << 30
"""From this many bytes on (64 GiB), one command counts as filling the disk."""
_SIZE = re.compile(r"(\d+)([a-z]*)", re.IGNORECASE)
_UNITS = {
    "": 1, "c": 1, "w": 2, "b": 512, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
    "p": 1 << 50, "e": 1 << 60,
}  # fmt: skip
_LIMIT = "Say how much: `dd if=/dev/zero of=test.img bs=1M count=10`."


def _sources_and_target(call: ParsedArguments) -> tuple[tuple[Word, ...], Word | None, bool]:
    """Return the sources, the target, and whether the target is certainly a folder."""
    folder = call.values("-t", "--target-directory")
    if folder:
        return call.operands, folder[-1], True
    if len(call.operands) < 2:
        return call.operands, None, False
    sources, target = call.operands[:-1], call.operands[-1]
    into = len(sources) > 1 or f"/{target.text}".endswith(("/", "/.", "/.."))
    return sources, target, into and not call.has("-T", "--no-target-directory")


def _written(command: Command, sources: Iterable[Word], target: Word, into: bool) -> Iterator[Word]:
    """Yield the paths that appear at the target."""
    folders = into or "." not in target.text.rpartition("/")[2]
    for source in sources:
        name = source.text.rstrip("/").rpartition("/")[2]
        # `cp .bashrc ~` writes `~/.bashrc`: a hidden file keeps its name, so `~` is a folder.
        if name not in {"", ".", ".."} and (into or (folders and name.startswith("."))):
            path = Word(f"{target.text}/{name}", target.glob or source.glob)
            yield join(command.cwd, path)
        else:
            yield join(command.cwd, target)


def _copy(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    sources, target, into = _sources_and_target(call)
    deep = call.has("-r", "-R", "-a", "--recursive", "--archive")
    linked = call.has("-l", "--link", "-s", "--symbolic-link") and command.name != "install"
    for source in sources:
        kind = Kind.LINK if linked else Kind.READ
        yield path_effect(kind, join(command.cwd, source), recursive=deep)
    if target is not None:
        for path in _written(command, sources, target, into):
            yield path_effect(Kind.WRITE, path)


def _install(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    if call.has("-d", "--directory"):
        for folder in call.operands:
            yield path_effect(Kind.WRITE, join(command.cwd, folder))
    else:
        yield from _copy(command, call)


def _move(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    sources, target, into = _sources_and_target(call)
    into_nothing = target is not None and _NO_PLACE.fullmatch(target.text)
    for source in sources:
        path = join(command.cwd, source)
        if into_nothing:
            gone = path_effect(Kind.DELETE, path, recursive=True, says=f"throws {path.shown} away")
            yield msgspec.structs.replace(gone, undo=Undo.IMPOSSIBLE)
        else:
            yield path_effect(Kind.WRITE, path, recursive=True, says=f"moves {path.shown} away")
    if target is not None and not into_nothing:
        for path in _written(command, sources, target, into):
            yield path_effect(Kind.WRITE, path)


def _link(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    sources, target, into = _sources_and_target(call)
    symbolic = call.has("-s", "--symbolic") and not call.has("-r", "--relative")
    where = command.cwd
    if symbolic and target is not None:
        # A symbolic link's text is relative to the link's folder.
        where = join(command.cwd, target if into else Word(f"{target.text}/.."))
    for source in sources:
        yield path_effect(Kind.LINK, join(where, source))
    if target is not None:
        for path in _written(command, sources, target, into):
            yield path_effect(Kind.WRITE, path)


def _find(command: Command, _: ParsedArguments) -> Iterator[Effect]:
    search = read_find(command)
    for path in search.writes:
        yield path_effect(Kind.WRITE, join(command.cwd, path))
    if search.deletes:
        for word in search.selection:
            yield path_effect(Kind.DELETE, join(command.cwd, word), recursive=True)
    started = [" ".join(word.text for word in argv) for argv in search.executes]
    yield from opened_shells("find", started)


def size_of(text: str) -> int:
    """Return a size such as `10M`, `1GiB`, `2x512` in bytes; 0 if it is not one."""
    total = 1
    for part in text.lower().split("x"):
        match = _SIZE.match(part)
        if match is None:
            return 0
        total *= int(match[1][:18]) * _UNITS.get(match[2][:1], 1)
    return total


def _dd(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    given = {key: value for key, _, value in (word.text.partition("=") for word in call.operands)}
    source, target = given.get("if", ""), ""
    if source:
        yield path_effect(Kind.READ, join(command.cwd, Word(source)))
    for key in ("of", "wipe", "hof", "hofs", "ofs"):
        if given.get(key):
            target = given[key]
            path = join(command.cwd, Word(target))
            if not _NO_PLACE.fullmatch(path.text):
                yield path_effect(Kind.WRITE, path)
    endless = _ENDLESS.fullmatch(source) or "pattern" in given
    if not target or _DEVICE.fullmatch(target) or not endless:
        return
    block = size_of(given.get("bs") or given.get("obs") or "512")
    if "count" not in given or size_of(given["count"]) * block >= _FULL:
        yield _fills(target)


def _fills(target: str) -> Effect:
    says = f"fills the disk with {target} until there is no space left"
    return effect(Kind.EXHAUST, target, says=says, instead=_LIMIT)


def _endless(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `yes > file`, `cat /dev/zero > file`: endless output into a file."""
    if command.name != "yes" and not any(_ENDLESS.fullmatch(word.text) for word in call.operands):
        return
    for redirect in command.redirects:
        target = redirect.target.text
        if redirect.writes and not _DEVICE.fullmatch(target) and not target.isdigit():
            yield _fills(target)


def _fallocate(_: Command, call: ParsedArguments) -> Iterator[Effect]:
    for word in call.values("-l", "--length"):
        if size_of(word.text) >= _FULL:
            name = call.operands[0].shown if call.operands else "FILE"
            yield effect(
                Kind.EXHAUST,
                name,
                says=f"takes {word.text} of the disk for {name}, until there is no space left",
                instead=f"Give it a size that fits: `fallocate -l 1G {name}`.",
            )


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "copy": _copy,
    "install": _install,
    "move": _move,
    "link": _link,
    "find": _find,
    "dd": _dd,
    "endless": _endless,
    "fallocate": _fallocate,
}
