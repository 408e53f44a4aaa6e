"""Build the effects for readers."""

import msgspec

from handrail.model.effect import KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.options import ParsedArguments
from handrail.shell.word import OPAQUE, Word


def path_effect(
    kind: Kind,
    path: Word,
    *,
    recursive: bool = False,
    severity: Severity | None = None,
    says: str = "",
    instead: str = "",
) -> Effect:
    """Return an effect on a path that is already joined to its folder."""
    facts = KINDS[kind]
    return Effect(
        kind,
        path.text.replace(OPAQUE, "…"),
        severity or facts.severity,
        facts.undo,
        says or unknown_path(kind, path),
        instead,
        recursive=recursive,
        opaque=not path.exact,
        glob=path.glob,
    )


def takes_over(path: Word, says: str) -> Effect:
    """Return a hold on a folder, mostly harmless: a mount, a work tree elsewhere."""
    made = path_effect(Kind.PERMIT, path, recursive=True, severity=Severity.NONE)
    return msgspec.structs.replace(
        made, undo=Undo.IMPOSSIBLE, says=says.replace("{target}", made.target)
    )


def is_hold(effect: Effect) -> bool:
    """Return whether an effect is only a hold on a folder."""
    return (
        effect.kind is Kind.PERMIT
        and effect.severity is Severity.NONE
        and effect.undo is Undo.IMPOSSIBLE
    )


def unknown_path(kind: Kind, path: Word) -> str:
    """Return the words for an unknown path: the path as written."""
    return "" if path.exact or not path.raw else f"{KINDS[kind].verb} {path.raw}"


def effect(
    kind: Kind,
    target: str,
    *,
    severity: Severity | None = None,
    undo: Undo | None = None,
    says: str = "",
    instead: str = "",
) -> Effect:
    """Return an effect on anything but a path."""
    facts = KINDS[kind]
    return Effect(kind, target, severity or facts.severity, undo or facts.undo, says, instead)


_HARMLESS_METHODS = ("", "OPTIONS", "HEAD", "GET")


def http_method(call: ParsedArguments, *names: str) -> str:
    """Return the HTTP method from the options: the last of several, the worse of two spellings."""
    found = [call.options[name][-1].text.upper() for name in names if call.options.get(name)]
    if "DELETE" in found:
        return "DELETE"
    return next((method for method in found if method not in _HARMLESS_METHODS), "".join(found[:1]))
