"""The settings by which a person would let a refused action run."""

from collections.abc import Iterator, Sequence

from handrail.model.effect import HOST_KINDS, Effect, Kind
from handrail.model.ordinal import Severity
from handrail.model.review import RuleHit
from handrail.review.context import ReviewContext
from handrail.review.judgment.rules import GOVERNING, LimitFileOperations
from handrail.review.paths.known_paths import TOP_FOLDERS, Place
from handrail.shell.readers.hosts import parse_host

_PATHS = frozenset({Kind.WRITE, Kind.DELETE, Kind.PERMIT})
_OFF = "step_reviewer.rules.disabled"
_HIGHER = "a higher number"


def permitting_settings(
    effects: Sequence[Effect], hits: Sequence[RuleHit], at: ReviewContext
) -> str:
    """Name them in half a sentence: `VALUE in KEY`; "" if no setting may allow it."""
    serious = [effect for effect in effects if effect.severity >= Severity.HIGH]
    if any(effect.severity is Severity.CRITICAL for effect in serious):
        return ""
    if any(effect.kind is Kind.TAMPER for effect in effects):
        return ""
    wanted: dict[str, list[str]] = {}
    # A trusted machine may have what is in the project, not what lies elsewhere.
    trusting = all(at.in_scope(each.target) for each in effects if each.kind is Kind.READ)
    for key, value in (*_for_effects(serious, at, trusting=trusting), *_for_rules(hits)):
        values = wanted.setdefault(key, [])
        if value not in values:
            values.append(value)
    if not wanted:
        wanted = {"step_reviewer.risk.high_threshold": [_HIGHER]}
    return ", and ".join(f"{' and '.join(values)} in `{key}`" for key, values in wanted.items())


def _for_effects(
    serious: Sequence[Effect], at: ReviewContext, *, trusting: bool
) -> Iterator[tuple[str, str]]:
    for effect in serious:
        host = parse_host(effect.target).host if effect.kind in HOST_KINDS else ""
        if trusting and host and host.isascii() and not effect.opaque:
            yield "hosts.trusted", f"`{host}`"
        elif folder := _folder_outside(effect, at):
            if not at.config.scope:  # what is named replaces the project, which is the default
                yield "scope", "`.`"
            yield "scope", f"`{folder}`"
        else:
            rule = next((rule.name for rule in GOVERNING if rule.governs(effect)), "")
            if rule:
                yield _OFF, f"`{rule}`"


def _for_rules(hits: Sequence[RuleHit]) -> Iterator[tuple[str, str]]:
    answered = {rule.name for rule in GOVERNING}
    for hit in hits:
        if hit.rule == LimitFileOperations().name:
            yield "step_reviewer.max_file_operations", _HIGHER
        elif hit.decision.stops and hit.rule not in answered:
            yield _OFF, f"`{hit.rule}`"


def _folder_outside(effect: Effect, at: ReviewContext) -> str:
    """The folder around a change that is only refused because it is outside the project."""
    path = effect.target
    known = path.startswith("/") and "*" not in path and not (effect.opaque or effect.glob)
    if effect.kind not in _PATHS or not known or at.in_scope(path):
        return ""
    folder = path.rpartition("/")[0]
    if not folder or folder in TOP_FOLDERS or at.places.holds_home(folder):
        return ""
    places = {at.places.place(each, in_scope=False) for each in (path, folder)}
    return folder if places == {Place.OUTSIDE} else ""
