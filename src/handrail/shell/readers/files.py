"""Programs that copy, move, link and find files."""

from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.shell.command import Command
from handrail.shell.find import read_find
from handrail.shell.options import Call
from handrail.shell.paths import join
from handrail.shell.word import Word
from handrail.shell.readers.build import path_effect


def _sources_and_target(call: Call) -> tuple[tuple[Word, ...], Word | None]:
    folder = call.values("-t", "--target-directory")
    if folder:
        return call.operands, folder[-1]
    if len(call.operands) < 2:  # noqa: PLR2004 - nothing to copy to
        return call.operands, None
    return call.operands[:-1], call.operands[-1]


def _copy(command: Command, call: Call) -> Iterator[Effect]:
    sources, target = _sources_and_target(call)
    for source in sources:
        yield path_effect(Kind.READ, join(command.cwd, source))
    if target is not None:
        yield path_effect(Kind.WRITE, join(command.cwd, target))


def _move(command: Command, call: Call) -> Iterator[Effect]:
    sources, target = _sources_and_target(call)
    for source in sources:
        path = join(command.cwd, source)
        yield path_effect(Kind.WRITE, path, says=f"moves {path.shown} away")
    if target is not None:
        yield path_effect(Kind.WRITE, join(command.cwd, target))


def _link(command: Command, call: Call) -> Iterator[Effect]:
    sources, target = _sources_and_target(call)
    for source in sources:
        yield path_effect(Kind.LINK, join(command.cwd, source))
    if target is not None:
        yield path_effect(Kind.WRITE, join(command.cwd, target))


def _find(command: Command, call: Call) -> Iterator[Effect]:
    search = read_find(command)
    for root in search.roots:
        yield path_effect(Kind.READ, join(command.cwd, root))
    for path in search.writes:
        yield path_effect(Kind.WRITE, join(command.cwd, path))
    if search.deletes:
        for word in search.selection:
            yield path_effect(Kind.DELETE, join(command.cwd, word), recursive=True)


READERS: dict[str, Callable[[Command, Call], Iterable[Effect]]] = {
    "copy": _copy,
    "move": _move,
    "link": _link,
    "find": _find,
}
