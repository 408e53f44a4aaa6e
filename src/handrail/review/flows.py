"""Follow data through a command line: secrets sent out, work saved before it is discarded."""

import re
from collections.abc import Sequence

import msgspec

from handrail.model.effect import HOST_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.context import ReviewContext
from handrail.review.judgment.weigh import weigh
from handrail.review.paths.disk_view import DiskView
from handrail.review.secrets.services import is_meant_for
from handrail.shell import OPAQUE, Command, ParsedProgram, Word
from handrail.shell.flows import SHOWING, upstream
from handrail.shell.paths import join
from handrail.shell.readers.hosts import is_loopback, parse_host
from handrail.shell.readers.make_effects import path_effect

_SENDERS = frozenset({"curl", "wget", "http", "https", "xh", "nc", "ncat", "netcat", "telnet"})
"""Programs that only send their input."""
_LOSSES = frozenset({Kind.DISCARD, Kind.REWRITE})
_ENVIRONMENT = "the environment"
_WHOLE = SHOWING | {"sort", "head", "tail", "uniq", "less", "more", "nl"}
"""Programs that print what they are given, or most of it."""
_PICKERS = frozenset({"grep", "egrep", "rg", "cut", "awk", "sed", "jq", "yq", "sops"})
"""Programs that pick one value out of a file."""
_SEARCHERS = frozenset({"grep", "egrep", "rg", "ag", "ack"})


def join_flows(
    program: ParsedProgram, effects: Sequence[Effect], at: ReviewContext
) -> tuple[Effect, ...]:
    """Adjust effects for secrets that are sent out and for work saved first."""
    kinds = {effect.kind for effect in effects}
    joined = list(effects)
    if not kinds.isdisjoint(HOST_KINDS) and program.commands:
        flow = _SecretFlow(program, effects)
        joined = [
            _sent(effect, flow, at) if effect.kind in HOST_KINDS else effect for effect in joined
        ]
    if not kinds.isdisjoint(_LOSSES):
        joined = [_own_branch(_saved(effect, program), program, at) for effect in joined]
    if at.credentials and Kind.SECRET in kinds:
        joined = [_shown(effect, program, at.credentials) for effect in joined]
    if Kind.EXHAUST in kinds:
        joined = [_limited(effect, program) for effect in joined]
    if Kind.DELETE in kinds and any(command.name == "mv" for command in program.commands):
        joined = [_moved_first(effect, program, effects, at) for effect in joined]
    return tuple(joined)


class _SecretFlow:
    """Finds the secrets that reach a command by its input, its arguments or a file."""

    def __init__(self, program: ParsedProgram, effects: Sequence[Effect]) -> None:
        self.program = program
        self._effects: dict[int, list[Effect]] = {}
        for effect in effects:
            self._effects.setdefault(effect.command, []).append(effect)
        self._tainted: dict[str, Effect] = {}
        for index in range(len(program.commands)):
            secrets = self.secrets(index)
            for effect in self._effects.get(index, ()) if secrets else ():
                if effect.kind is Kind.WRITE:
                    self._tainted[effect.target] = secrets[0]

    def sources(self, index: int) -> list[Effect]:
        """Return the effects of a command and of all commands that feed it."""
        commands = (*upstream(self.program, index), index)
        return [effect for command in commands for effect in self._effects.get(command, ())]

    def secrets(self, index: int) -> list[Effect]:
        """Return the secrets that reach a command."""
        found: list[Effect] = []
        for effect in self.sources(index):
            if effect.kind is Kind.SECRET:
                found.append(effect)
            elif effect.kind is Kind.READ and effect.target in self._tainted:
                found.append(self._tainted[effect.target])
        return found


def _sent(effect: Effect, flow: _SecretFlow, at: ReviewContext) -> Effect:
    """Mark connections that get a secret or private data."""
    if is_loopback(parse_host(effect.target).host):
        return effect
    secrets = flow.secrets(effect.command)
    if effect.kind is Kind.REACH:
        # Where a connection goes may depend on something that is not meant to leave.
        secrets = [secret for secret in secrets if secret.severity >= Severity.HIGH]
    if secrets and not _is_meant(effect, flow, secrets, at):
        return _sends(
            effect,
            secrets[0].target,
            Severity.CRITICAL,
            "Do not send secrets; pass the name of a secret to the program instead.",
        )
    fed = upstream(flow.program, effect.command)
    for source in flow.sources(effect.command):
        if source.kind is Kind.READ and source.command in fed and not at.in_scope(source.target):
            return _sends(
                effect,
                source.target,
                Severity.HIGH,
                "Keep local files on this machine; name the needed parts.",
            )
    command = flow.program.commands[effect.command]
    plain = command.input is not None and OPAQUE not in command.input
    if effect.severity is Severity.HIGH and plain and command.name in _SENDERS:
        # What is sent stands in the command itself.
        return msgspec.structs.replace(effect, severity=Severity.MEDIUM)
    return effect


def _is_meant(
    effect: Effect, flow: _SecretFlow, secrets: Sequence[Effect], at: ReviewContext
) -> bool:
    """Whether one picked value of the project's own settings goes to the service that it is for."""
    feeding = {
        flow.program.commands[index].name for index in upstream(flow.program, effect.command)
    }
    if feeding.isdisjoint(_PICKERS) or any(each.command == effect.command for each in secrets):
        return False
    host = parse_host(effect.target).host
    return all(
        secret.severity < Severity.HIGH and is_meant_for(secret.target, host, at)
        for secret in secrets
    )


def _sends(effect: Effect, what: str, severity: Severity, instead: str) -> Effect:
    return msgspec.structs.replace(
        effect,
        kind=Kind.SEND,
        severity=severity,
        undo=Undo.IMPOSSIBLE,
        says=f"sends {what} to {effect.target}",
        instead=instead,
    )


def _shown(effect: Effect, program: ParsedProgram, credentials: Sequence[str]) -> Effect:
    """`env` prints a credential just as `echo $API_TOKEN` does, unless a filter leaves it out."""
    is_all = effect.kind is Kind.SECRET and effect.target == _ENVIRONMENT
    if not is_all or effect.severity >= Severity.HIGH:
        return effect
    shown = list(credentials)
    index: int | None = effect.command
    while index is not None and shown:
        command = program.commands[index]
        if command.redirects:
            return effect
        later = range(index + 1, len(program.commands))
        index = next((n for n in later if index in program.commands[n].fed_by), None)
        shown = shown if index is None else _let_through(program.commands[index], shown)
    if not shown:
        return effect
    return msgspec.structs.replace(
        effect,
        severity=Severity.HIGH,
        says=f"prints the secret in ${shown[0]}, with all other variables",
        instead="Print the names only: `env | cut -d= -f1`",
    )


def _let_through(command: Command, names: Sequence[str]) -> list[str]:
    """The variables that a filter prints in full."""
    words = [word.text for word in command.argv[1:]]
    if command.name in _WHOLE:
        return list(names)
    flags = "".join(word[1:] for word in words if word.startswith("-"))
    pattern = next((word for word in words if not word.startswith("-")), "")
    if command.name not in _SEARCHERS or not pattern or not {"c", "q", "l"}.isdisjoint(flags):
        return []
    try:
        found = re.compile(pattern.replace(r"\|", "|"), re.IGNORECASE if "i" in flags else 0)
    except re.error:
        return []
    return [name for name in names if (found.search(f"{name}=") is None) is ("v" in flags)]


def _saved(effect: Effect, program: ParsedProgram) -> Effect:
    """Discarding work is harmless when the same command saved it before."""
    if effect.kind not in _LOSSES:
        return effect
    command = program.commands[effect.command]
    said = {word.text for word in command.argv}
    dropping = "stash" in said
    for earlier in program.commands[: effect.command]:
        words = [word.text for word in earlier.argv]
        if earlier.cwd != command.cwd:
            continue
        diffed = "diff" in words and any(redirect.writes for redirect in earlier.redirects)
        stashed = "stash" in words and not {"drop", "clear", "pop", "apply", "list", "show"} & set(
            words
        )
        named = any(text.startswith("refs/handrail/") for text in words)
        kept = "update-ref" in words and named and (dropping or "branch" in said)
        packed = (
            effect.kind is Kind.DISCARD
            and earlier.name == "tar"
            and any(
                "--others" in [word.text for word in program.commands[index].argv]
                for index in earlier.fed_by
            )
        )
        saved = (stashed or diffed) and not dropping and effect.kind is Kind.DISCARD
        if (earlier.name == "git" and (saved or kept)) or packed:
            return msgspec.structs.replace(effect, severity=Severity.LOW, undo=Undo.NEEDLESS)
    return effect


def _moved_first(
    effect: Effect, program: ParsedProgram, effects: Sequence[Effect], at: ReviewContext
) -> Effect:
    """Weigh the deletion of a moved file as if the file were still in its old place."""
    if effect.kind is not Kind.DELETE or effect.severity >= Severity.MEDIUM:
        return effect
    for move in effects:
        if move.kind is not Kind.WRITE or move.command >= effect.command:
            continue
        below = f"{effect.target}/".startswith(f"{move.target}/")
        holds = f"{move.target}/".startswith(f"{effect.target}/")
        if program.commands[move.command].name != "mv" or not (below or holds):
            continue
        rest = effect.target[len(move.target) :] if below else ""
        for source in effects:
            if source.command == move.command and source.recursive:
                lost = Word(source.target + rest)
                weight = weigh(path_effect(Kind.DELETE, lost, recursive=effect.recursive), at)
                if weight.severity > effect.severity:
                    severity, undo = weight.severity, weight.undo
                    return msgspec.structs.replace(effect, severity=severity, undo=undo)
    return effect


def _own_branch(effect: Effect, program: ParsedProgram, at: ReviewContext) -> Effect:
    """A branch that the run itself put on a remote, and nobody knew before, may go again."""
    if effect.kind is not Kind.REWRITE or not at.history.branches:
        return effect
    branch = effect.target.removeprefix(":").removeprefix("refs/heads/")
    words = program.commands[effect.command].argv[:2]
    if [word.text for word in words] != ["git", "push"] or branch not in at.history.branches:
        return effect
    says = f"deletes {branch} on the remote, which this run made"
    return msgspec.structs.replace(effect, severity=Severity.LOW, undo=Undo.UNKNOWN, says=says)


def _limited(effect: Effect, program: ParsedProgram) -> Effect:
    """Lower the exhaustion effects of commands under a time limit to medium."""
    if effect.kind is not Kind.EXHAUST or "timeout" not in program.commands[effect.command].via:
        return effect
    return msgspec.structs.replace(effect, severity=Severity.MEDIUM)


_CLIMB = re.compile(r"(.*?[^/.][^/]*)/\.\.(?:/|$)")


def climbs_through_links(program: ParsedProgram, world: DiskView) -> list[Effect]:
    """Return an unseen effect for each `link/../x`: it lies beside the link's target."""
    found: list[Effect] = []
    for index, command in enumerate(program.commands):
        for word in command.argv[1:]:
            match = _CLIMB.match(word.text) if "/.." in word.text else None
            if match is None:
                continue
            path = join(command.cwd, Word(match[1])).text
            if world.real(path) != path:
                found.append(
                    Effect(
                        Kind.UNSEEN,
                        word.text[:80],
                        Severity.HIGH,
                        Undo.IMPOSSIBLE,
                        f"goes through the link {match[1][:80]} and up again, where nobody sees",
                        "Write the path without `..`.",
                        index,
                    )
                )
    return found
