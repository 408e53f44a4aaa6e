"""Calls that would carry a known secret to a machine that it is not meant for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from handrail.model.action import Action
from handrail.model.effect import HOST_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.redact.dotenv import is_env_file
from handrail.review.context import ReviewContext
from handrail.review.secrets.known_secrets import KnownSecret, known_secrets, may_hold_secret
from handrail.review.secrets.services import belongs_to
from handrail.review.secrets.spellings import SearchedText
from handrail.shell import ParsedProgram
from handrail.shell.flows import upstream
from handrail.shell.readers.hosts import is_loopback, parse_host

OUTGOING_PROGRAMS = {
    "gh": "github.com",
    "hub": "github.com",
    "glab": "gitlab.com",
    "dig": "",
    "nslookup": "",
    "host": "",
    "drill": "",
    "ping": "",
    "whois": "",
}
"""Programs whose words leave this machine, and where to; empty: to whoever serves the name."""
_OUTGOING = HOST_KINDS | {Kind.PUBLISH}
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{0,20}://[^\s\"'<>]{1,300}", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
_MAX_SENT_FILE = 64 * 1024
_MAX_SENT_FILES = 20
_MAX_ADDRESSED = 4_000
_MAX_DEPTH = 8


class OutgoingCall(NamedTuple):
    """Something that leaves: the effect behind it, its machine, and its texts."""

    effect: Effect | None
    command: int
    host: str
    texts: tuple[str, ...]
    variables: frozenset[str] = frozenset()

    @property
    def may_carry(self) -> bool:
        """Whether there is room for a secret in it."""
        return bool(self.variables) or any(map(may_hold_secret, self.texts))


def command_leaks(
    program: ParsedProgram, effects: Sequence[Effect], action: Action, at: ReviewContext
) -> tuple[Effect, ...]:
    """Return the effects of a command line, those marked that would carry a secret away."""
    sending = {effect.command for effect in effects if effect.kind in _OUTGOING}
    named = {index for index, each in enumerate(program.commands) if each.name in OUTGOING_PROGRAMS}
    if not sending and not named:
        return tuple(effects)
    secret_files = [effect.target for effect in effects if _reads_secret(effect)]
    calls = list(_calls(program, effects, named, at))
    known = known_secrets(at, action.cwd, secret_files) if calls else []
    if not known:
        return tuple(effects)
    loaded = _loaded_variables(program, effects, known)
    marked = list(effects)
    for group in _by_host(calls):
        if _carried(_joined(group), known, loaded, at) is None:
            continue
        for call in group:
            secret = _carried(call, known, loaded, at)
            if secret is not None:
                _mark(marked, call, secret, at)
    return tuple(marked)


def _by_host(calls: Sequence[OutgoingCall]) -> Iterable[list[OutgoingCall]]:
    groups: dict[str, list[OutgoingCall]] = {}
    for call in calls:
        groups.setdefault(call.host, []).append(call)
    return groups.values()


def _joined(group: list[OutgoingCall]) -> OutgoingCall:
    """Return all calls to one machine as one: most carry nothing, however many there are."""
    texts = tuple(text for call in group for text in call.texts)
    variables = frozenset(name for call in group for name in call.variables)
    return group[0]._replace(texts=texts, variables=variables)


def tool_leaks(action: Action, effects: Sequence[Effect], at: ReviewContext) -> tuple[Effect, ...]:
    """Return the effects of a tool call, those marked that would carry a secret away."""
    outgoing = [effect for effect in effects if effect.kind in _OUTGOING]
    if not outgoing and not any(_acts_elsewhere(effect, action) for effect in effects):
        return tuple(effects)
    texts = tuple(_texts(action.input, _MAX_DEPTH))
    hosts = [(effect, parse_host(effect.target).host) for effect in outgoing]
    calls = [OutgoingCall(effect, 0, host, texts) for effect, host in hosts if not is_own(host, at)]
    if not outgoing:
        calls = [OutgoingCall(None, 0, "", texts)]
    known = known_secrets(at, action.cwd) if calls else []
    marked = list(effects)
    for call in calls if known else ():
        secret = _carried(call, known, {}, at)
        if secret is not None:
            _mark(marked, call, secret, at)
    return tuple(marked)


def sends_words(program: ParsedProgram) -> bool:
    """Return whether a program runs here whose words leave this machine."""
    return any(command.name in OUTGOING_PROGRAMS for command in program.commands)


def _reads_secret(effect: Effect) -> bool:
    if effect.kind is Kind.RUN:  # `source .env`
        return effect.target.startswith("/") and is_env_file(effect.target)
    return effect.kind is Kind.SECRET and effect.target.startswith("/")


def _acts_elsewhere(effect: Effect, action: Action) -> bool:
    """Whether the name of a server's tool says that it acts outside this machine."""
    return effect.kind is Kind.CHANGE and action.tool.startswith("mcp__")


def _calls(
    program: ParsedProgram, effects: Sequence[Effect], named: set[int], at: ReviewContext
) -> Iterator[OutgoingCall]:
    for effect in effects:
        if effect.kind in _OUTGOING and effect.command < len(program.commands):
            host = parse_host(effect.target).host if effect.kind in HOST_KINDS else ""
            if not is_own(host, at):
                call = _call(program, effects, effect, effect.command, host, at)
                if call.may_carry and not is_own(call.host, at):
                    yield call
    for index in named:
        host = OUTGOING_PROGRAMS[program.commands[index].name]
        call = _call(program, effects, None, index, host, at)
        if call.may_carry:
            yield call


def is_own(host: str, at: ReviewContext) -> bool:
    """Return whether a machine may have the secrets of this project."""
    return is_loopback(host) or at.trusted(host)


def _call(
    program: ParsedProgram,
    effects: Sequence[Effect],
    effect: Effect | None,
    index: int,
    host: str,
    at: ReviewContext,
) -> OutgoingCall:
    """Gather what a command can send: its words and input, and files that it reads."""
    feeding = (*upstream(program, index), index)
    texts: list[str] = []
    variables: set[str] = set()
    for each in feeding:
        command = program.commands[each]
        for word in command.argv[1:]:
            texts.append(word.text)
            if not word.exact:
                variables.update(_VARIABLE.findall(word.raw))
        if command.input:
            texts.append(command.input)
    if not host:
        named = (text[:_MAX_ADDRESSED] for text in texts if "://" in text)
        host = next((parse_host(url).host for text in named for url in _ADDRESS.findall(text)), "")
    sent = (each for each in effects if each.kind is Kind.READ and each.command in feeding)
    texts.extend(
        (at.world.script(each.target) or "")[:_MAX_SENT_FILE]
        for each in islice(sent, _MAX_SENT_FILES)
    )
    return OutgoingCall(effect, index, host, tuple(texts), frozenset(variables))


def _loaded_variables(
    program: ParsedProgram, effects: Sequence[Effect], known: Sequence[KnownSecret]
) -> dict[str, list[KnownSecret]]:
    """Return the variables of this command line that hold secrets, and which these can be."""
    by_path: dict[str, list[KnownSecret]] = {}
    for secret in known:
        by_path.setdefault(secret.path, []).append(secret)
    found: dict[str, list[KnownSecret]] = {}
    reading: dict[int, list[KnownSecret]] = {}
    for effect in effects:
        inside = by_path.get(effect.target)
        if inside is None:
            continue
        reading.setdefault(effect.command, []).extend(inside)
        # `source .env` and `export $(cat .env)` set the variables that stand in the file.
        for secret in inside:
            if secret.name:
                found.setdefault(secret.name, []).append(secret)
    for command in program.commands:
        fed = [secret for index in command.fed_by for secret in reading.get(index, ())]
        for name, word in command.assignments if fed else ():
            if not word.exact:
                found.setdefault(name, []).extend(fed)
    return found


def _carried(
    call: OutgoingCall,
    known: Sequence[KnownSecret],
    loaded: dict[str, list[KnownSecret]],
    at: ReviewContext,
) -> KnownSecret | None:
    """Return the secret that a call would carry to a machine that it is not meant for."""
    services = at.config.hosts.services
    for name in call.variables & loaded.keys():
        # Which value of the file the variable holds is only known when it runs.
        possible = loaded[name]
        if not any(belongs_to(secret, call.host, services) for secret in possible):
            return possible[0]
    searched = SearchedText("\n".join(call.texts))
    for secret in known:
        if searched.holds(secret.value) and not belongs_to(secret, call.host, services):
            return secret
    return None


def _mark(
    effects: list[Effect], call: OutgoingCall, secret: KnownSecret, at: ReviewContext
) -> None:
    what = f"the value of {secret.name}" if secret.name else "a secret"
    host = call.host or "another machine"
    severity = Severity.HIGH if at.in_scope(secret.path) else Severity.CRITICAL
    leak = Effect(
        Kind.SEND,
        call.host,
        severity,
        Undo.IMPOSSIBLE,
        f"sends {what} from {secret.path} to {host}",
        "Leave the value out. If it is meant for this machine, ask the person to name both in "
        "`hosts.services`.",
        call.command,
    )
    if call.effect is not None and call.effect in effects:
        effects[effects.index(call.effect)] = msgspec.structs.replace(
            leak, target=call.effect.target
        )
    else:
        effects.append(leak)


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict | list | tuple):
        items: Iterable[object] = value.values() if isinstance(value, dict) else value
        for item in items:
            yield from _texts(item, depth - 1)
