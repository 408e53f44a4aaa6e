"""Copies of a host's program under another name, which start an agent just the same."""

import os
from collections.abc import Iterator, Sequence

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.host import HostProfile, known_hosts
from handrail.review.paths.disk_view import DiskView
from handrail.shell import Command, ParsedProgram, ProgramLookup, Word
from handrail.shell.effects import effects_of

_INTERPRETERS = frozenset({"node", "nodejs", "bun", "deno"})
_IN_THE_SHELL = frozenset(
    ": . [ alias bg break cd continue declare dirs echo eval exit export false fg getopts hash "
    "jobs kill let local popd printf pushd pwd read readonly return set shift source test times "
    "trap true type ulimit umask unalias unset wait".split()
)
"""Commands of bash itself: no program is looked for."""
_COPIES = frozenset({Kind.READ, Kind.LINK})


def copied_hosts(
    program: ParsedProgram, effects: Sequence[Effect], knowledge: ProgramLookup, world: DiskView
) -> Iterator[Effect]:
    """What the commands do that call a host's program by another name."""
    called = [
        (index, place)
        for index, command in enumerate(program.commands)
        if (place := _place_of_program(command, knowledge)) is not None
    ]
    made = _made_here(program, effects, world) if called else {}
    for index, place in called:
        command = program.commands[index]
        path = _path(command, place)
        host = made.get(path) or _host_of(path, world)
        if host is not None and command.name != host.program:
            argv = (Word(host.program), *command.argv[place + 1 :])
            as_named = msgspec.structs.replace(command, argv=argv)
            for effect in effects_of(ParsedProgram((as_named,)), knowledge):
                yield msgspec.structs.replace(effect, command=index)


def _place_of_program(command: Command, knowledge: ProgramLookup) -> int | None:
    """Which word of a command may be a program that nobody knows by its name."""
    if not command.argv or command.elsewhere:
        return None
    name = command.name
    if name in _INTERPRETERS:
        words = enumerate(command.argv[1:], 1)
        return next((n for n, word in words if not word.text.startswith("-")), None)
    if name in _IN_THE_SHELL and not command.via:
        return None
    named_by_path = "/" in command.argv[0].text
    return 0 if named_by_path or knowledge.lookup(name) is None else None


def _path(command: Command, place: int) -> str:
    """The file of a program; a bare name is looked up later."""
    text = command.argv[place].text
    if "/" not in text and place == 0:
        return text
    return os.path.normpath(os.path.join(command.cwd.text or "/", text))


def _made_here(
    program: ParsedProgram, effects: Sequence[Effect], world: DiskView
) -> dict[str, HostProfile]:
    """The copies and links that the same command line makes before it calls them."""
    made: dict[str, HostProfile] = {}
    if len(program.commands) < 2:
        return made
    sources: dict[int, HostProfile] = {}
    for effect in effects:
        if effect.kind in _COPIES and (host := _host_of(effect.target, world)) is not None:
            sources[effect.command] = host
    for effect in effects:
        if effect.kind is Kind.WRITE and (host := sources.get(effect.command)) is not None:
            made[effect.target] = made[f"{effect.target}/{host.program}"] = host
    return made


def _host_of(path: str, world: DiskView) -> HostProfile | None:
    """The host whose program a file is, under whatever name."""
    for host in known_hosts():
        if path.rpartition("/")[2] == host.program or world.is_program(path, host):
            return host
    return None
