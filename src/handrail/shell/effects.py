"""From the simple commands of a program to what they do to the world."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from handrail.model.effect import HOST_KINDS, KINDS, PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.model.program import Fact
from handrail.shell.command import Command, ParsedProgram, Redirect
from handrail.shell.errors import TooLargeError, TooMuchWorkError
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join, normalise
from handrail.shell.program_lookup import ProgramEntry, ProgramLookup, in_its_folder
from handrail.shell.readers import READERS
from handrail.shell.readers.make_effects import path_effect, unknown_path
from handrail.shell.tables.environment import PREFIXES, VARIABLES, EnvironmentVariable
from handrail.shell.word import OPAQUE, Word

MAX_EFFECTS = 2_000
"""More than this no command of a person does."""
MAX_TARGET = 8 * 1024
"""Longer than any path or address that a system takes."""
_NO_FILE = re.compile(r"/dev/(?:null|std(?:in|out|err)|fd/.*|tty|full)")
_NETWORK_FILE = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/(.*)", re.DOTALL)


def effects_of(program: ParsedProgram, knowledge: ProgramLookup) -> tuple[Effect, ...]:
    """Everything that a program does, command by command."""
    effects: list[Effect] = []
    for index, command in enumerate(program.commands):
        effects.extend(
            msgspec.structs.replace(effect, command=index) if index else effect
            for effect in _effects_of_command(command, knowledge)
        )
    for effect in program.code_effects:
        cwd = program.commands[effect.command].cwd if program.commands else Word("/")
        effects.append(_resolved(effect, cwd))
    if len(effects) > MAX_EFFECTS:
        raise TooMuchWorkError(MAX_EFFECTS)
    longest = max((len(effect.target) for effect in effects), default=0)
    if longest > MAX_TARGET:
        raise TooLargeError(longest, MAX_TARGET, "a path or address")
    return tuple(_through_links(effects))


def _through_links(effects: list[Effect]) -> Iterator[Effect]:
    """Paths behind a link that the same program made are the paths that it points to."""
    links: dict[str, str] = {}
    source: tuple[int, str] = (-1, "")
    for effect in effects:
        if effect.kind is Kind.LINK:
            source = (effect.command, effect.target)
        elif effect.kind is Kind.WRITE and effect.command == source[0]:
            links[effect.target] = source[1]
        elif links and effect.kind in PATH_KINDS:
            yield _followed(effect, links)
            continue
        yield effect


def _followed(effect: Effect, links: dict[str, str]) -> Effect:
    for link, target in links.items():
        through = effect.target.startswith(link + "/")
        # Deleting or moving a link takes the link; writing or reading goes through it.
        at_link = effect.target == link and (effect.kind is not Kind.DELETE or effect.recursive)
        if through or at_link:
            path = normalise(target + effect.target[len(link) :])
            return msgspec.structs.replace(effect, target=path)
    return effect


def _effects_of_command(command: Command, knowledge: ProgramLookup) -> Iterator[Effect]:
    for redirect in command.redirects:
        yield from _redirect(redirect, command)
    for name, value in command.assignments:
        fact = VARIABLES.get(name) or _by_prefix(name)
        if fact is not None and fact.matches(value.text):
            yield Effect(
                fact.does, f"{name}={value.shown}", fact.severity, Undo.IMPOSSIBLE, fact.says
            )
    if not command.argv:
        return
    entry = _entry(command, knowledge)
    if entry is None:
        return
    levels = entry.levels(command.argv)
    if any(level.harmless or level.head.has("--help") for level in levels):
        return
    effects: list[Effect] = []
    for level in levels:
        command = in_its_folder(command, level)
        for effect in _level(command, level.entry, level.call):
            effects.append(effect)
            if len(effects) > MAX_EFFECTS:
                raise TooMuchWorkError(MAX_EFFECTS)
    yield from _elsewhere(effects, command.elsewhere) if command.elsewhere else effects


def _by_prefix(name: str) -> EnvironmentVariable | None:
    return next((fact for prefix, fact in PREFIXES if name.startswith(prefix)), None)


def _entry(command: Command, knowledge: ProgramLookup) -> ProgramEntry | None:
    entry = knowledge.lookup(command.name)
    if entry is None and command.argv[0].glob:
        names = knowledge.matching(command.name)
        entry = knowledge.lookup(names[0]) if names else None
    return entry


def _level(command: Command, entry: ProgramEntry, call: ParsedArguments) -> Iterator[Effect]:
    yield from _facts(command, entry, call)
    reader = READERS.get(entry.program.reader)
    if reader is not None:
        yield from reader(command, call)


_NEED_A_TARGET = PATH_KINDS | HOST_KINDS


def _facts(command: Command, entry: ProgramEntry, call: ParsedArguments) -> Iterator[Effect]:
    for condition, fact in entry.facts:
        taken = condition.match(call)
        if taken is None:
            continue
        effects = list(effects_of_fact(command, call, taken, fact))
        if not effects and (taken or entry.nested) and fact.does not in _NEED_A_TARGET:
            # `tool delete --of-all-kinds`: what it does counts, also where no target stands.
            effects = list(effects_of_fact(command, call, taken, _without_target(fact)))
        yield from effects


def _without_target(fact: Fact) -> Fact:
    says = "" if "{target}" in fact.says else fact.says
    instead = fact.instead.replace("{target}", "NAME")
    return msgspec.structs.replace(fact, on="", says=says, instead=instead)


def effects_of_fact(
    command: Command, call: ParsedArguments, taken: int, fact: Fact
) -> Iterator[Effect]:
    """The effects of one fact that holds for a call."""
    facts = KINDS[fact.does]
    severity = fact.severity or facts.severity
    undo = fact.undo or facts.undo
    for word in _targets(command, call, taken, fact.on):
        path = fact.does in PATH_KINDS
        target = join(command.cwd, word) if path else word
        shown = target.text.replace(OPAQUE, "…") if path else word.shown
        yield Effect(
            fact.does,
            shown,
            severity,
            undo,
            _phrase(fact, target, shown),
            fact.instead.replace("{target}", shown) if fact.instead else "",
            recursive=fact.recursive,
            opaque=not target.exact,
            glob=target.glob,
        )


def _phrase(fact: Fact, target: Word, shown: str) -> str:
    """What a fact says; without words of its own, what its kind says of a whole command."""
    if fact.says:
        return fact.says.replace("{target}", shown)
    if fact.does in PATH_KINDS:
        return unknown_path(fact.does, target)
    alone = KINDS[fact.does].alone
    return f"{alone}: {shown}" if alone and not fact.on else ""


def _targets(command: Command, call: ParsedArguments, taken: int, on: str) -> Iterable[Word]:
    operands = call.operands[taken:]
    if on == "each":
        return operands
    if not on:
        return (Word(_short(command)),)
    if on == "cwd":
        return (command.cwd,)
    if on == "last":
        return operands[-1:]
    if on.endswith("+") and on[:-1].isdigit():
        return operands[int(on[:-1]) - 1 :]
    if on.isdigit():
        return operands[int(on) - 1 : int(on)]
    if on == "-2":
        return operands[:-1]
    if on.startswith("-"):
        return call.values(*on.split("|"))
    if on.endswith("="):
        return tuple(
            Word(word.text[len(on) :], word.glob, word.raw)
            for word in operands
            if word.text.startswith(on)
        )
    return (Word(on),)


def _short(command: Command) -> str:
    text = command.text
    return text if len(text) <= 60 else text[:57] + "…"


def _redirect(redirect: Redirect, command: Command) -> Iterator[Effect]:
    target = redirect.target
    network = _NETWORK_FILE.match(target.text)
    if network:
        host = ":".join(network.groups()).replace(OPAQUE, "…")
        yield Effect(Kind.SEND, host, Severity.HIGH, Undo.IMPOSSIBLE,
                     f"opens a raw connection to {host}",
                     "Use `curl` with the https address for the task.")  # fmt: skip
        return
    if _NO_FILE.fullmatch(target.text) or (OPAQUE in target.text and "/dev/fd/" in target.text):
        return
    path = join(command.cwd, target)
    kind = Kind.WRITE if redirect.writes else Kind.READ
    if command.elsewhere:
        return
    yield path_effect(kind, path)


def _resolved(effect: Effect, cwd: Word) -> Effect:
    if effect.kind not in PATH_KINDS:
        return effect
    path = join(cwd, Word(effect.target, effect.glob))
    opaque = OPAQUE in path.text
    if opaque and effect.kind is Kind.DELETE:
        # Programs delete what their arguments name: that alone is nothing unusual.
        effect = msgspec.structs.replace(effect, severity=Severity.MEDIUM)
    shown = path.text.replace(OPAQUE, "…")
    return msgspec.structs.replace(effect, target=shown, opaque=opaque)


_REMOTE_SHELLS = frozenset(
    "ssh mosh plink sshpass ansible salt knife gcloud az juju consul".split()
)
_CONTAINERS = frozenset(
    {"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "buildah", "ctr", "crictl"}
    | {"lxc", "devcontainer", "minikube"}
)
_OF_THE_MACHINE = frozenset(
    {Kind.SYSTEM, Kind.PRIVILEGE, Kind.PERSIST, Kind.KILL, Kind.INSTALL, Kind.EXHAUST}
)
"""What a command does to the machine it runs on; a container can be made again."""
_DISK = re.compile(r"/dev/(?:[shv]d[a-z]|xvd|nvme|mmcblk|dm-|mapper/|disk/)")
_ROOTS = re.compile(
    r"/(?:\*|(?:etc|usr|bin|sbin|lib|lib64|boot|root|home|opt|srv|data|mnt|var/lib|var/www|var)"
    r"(?!/(?:cache|tmp|src)\b)(?:/.*)?)?"
)


def _elsewhere(effects: Iterable[Effect], where: str) -> Iterator[Effect]:
    """On another machine or in a container, paths are not ours: say what happens there."""
    remote = where in _REMOTE_SHELLS
    for effect in effects:
        if where in _CONTAINERS and effect.kind in _OF_THE_MACHINE:
            severity = min(effect.severity, Severity.MEDIUM)
            yield msgspec.structs.replace(effect, severity=severity)
        elif effect.kind not in PATH_KINDS:
            yield effect
        elif effect.kind is Kind.DELETE:
            total = remote or (effect.recursive and _ROOTS.fullmatch(effect.target))
            yield msgspec.structs.replace(
                effect,
                kind=Kind.DESTROY if total else Kind.CHANGE,
                severity=Severity.HIGH if total else Severity.MEDIUM,
                undo=Undo.IMPOSSIBLE,
                says=f"deletes {effect.target} through {where}",
            )
        elif effect.kind is Kind.READ:
            yield effect
        elif remote and _DISK.match(effect.target):
            yield msgspec.structs.replace(
                effect, kind=Kind.DEVICE, severity=Severity.CRITICAL, undo=Undo.IMPOSSIBLE,
                says=f"overwrites the disk {effect.target} through {where}",
            )  # fmt: skip
        else:
            yield msgspec.structs.replace(
                effect, kind=Kind.CHANGE, severity=Severity.LOW, undo=Undo.UNKNOWN,
                says=f"{KINDS[effect.kind].verb} {effect.target} through {where}",
            )  # fmt: skip
