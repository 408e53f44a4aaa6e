"""What leaves the machine, and what was saved before it was thrown away."""

from collections.abc import Sequence

import msgspec

from handrail.model.effect import HOST_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.circumstances import Circumstances
from handrail.shell import Program
from handrail.shell.flows import upstream
from handrail.shell.readers.hosts import is_loopback, parse_host

_LOSSES = frozenset({Kind.DISCARD, Kind.REWRITE})


def join_flows(
    program: Program, effects: Sequence[Effect], at: Circumstances
) -> tuple[Effect, ...]:
    """The effects, with secrets that are sent out and work that was saved first seen as such."""
    by_command: dict[int, list[Effect]] = {}
    for effect in effects:
        by_command.setdefault(effect.command, []).append(effect)
    joined = [
        _sent(effect, program, by_command, at) if effect.kind in HOST_KINDS else effect
        for effect in effects
    ]
    if any(effect.kind in _LOSSES for effect in joined):
        joined = [_saved(effect, program) for effect in joined]
    if any(effect.kind is Kind.EXHAUST for effect in joined):
        joined = [_limited(effect, program) for effect in joined]
    return tuple(joined)


def _sent(
    effect: Effect, program: Program, by_command: dict[int, list[Effect]], at: Circumstances
) -> Effect:
    """A connection that gets a secret, or private data, on its input or in its arguments."""
    if is_loopback(parse_host(effect.target).host) or not program.commands:
        return effect
    sources = [
        item
        for index in (*upstream(program, effect.command), effect.command)
        for item in by_command.get(index, ())
    ]
    secrets = [item for item in sources if item.kind is Kind.SECRET]
    if secrets:
        return msgspec.structs.replace(
            effect,
            kind=Kind.SEND,
            severity=Severity.CRITICAL,
            undo=Undo.IMPOSSIBLE,
            says=f"sends {secrets[0].target} to {effect.target}",
            instead="Do not send secrets; give the program that needs one a name for it instead.",
        )
    fed = upstream(program, effect.command)
    private = [
        item
        for item in sources
        if item.kind is Kind.READ and item.command in fed and not at.in_scope(item.target)
    ]
    if private:
        return msgspec.structs.replace(
            effect,
            kind=Kind.SEND,
            severity=Severity.HIGH,
            undo=Undo.IMPOSSIBLE,
            says=f"sends {private[0].target} to {effect.target}",
            instead="Keep local files on this machine; say what is needed from them.",
        )
    return effect


def _saved(effect: Effect, program: Program) -> Effect:
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


def _limited(effect: Effect, program: Program) -> Effect:
    """What runs under a time limit does not use up the machine."""
    if effect.kind is not Kind.EXHAUST or "timeout" not in program.commands[effect.command].via:
        return effect
    return msgspec.structs.replace(effect, severity=Severity.MEDIUM)
