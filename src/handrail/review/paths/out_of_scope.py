"""What an action touches beyond the project: paths outside the scope, machines of others.

What everybody reads is no stepping outside: programs, libraries, headers, temp folders.
"""

import msgspec

from handrail.model.effect import CHANGING_KINDS, PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity
from handrail.model.review import Review
from handrail.review.context import ReviewContext
from handrail.review.paths.known_paths import Place
from handrail.review.paths.path_map import path_set
from handrail.shell.readers.hosts import is_private, parse_host

_TOUCHING = PATH_KINDS | {Kind.SECRET}
_FREE_TO_CHANGE = frozenset({Place.TEMP, Place.VIRTUAL, Place.TRASH, Place.NOTES})
_FREE_TO_READ = _FREE_TO_CHANGE | {
    Place.SYSTEM, Place.LOGS, Place.KERNEL, Place.DEVICE, Place.AGENT, Place.TOOLS, Place.HANDRAIL,
}  # fmt: skip
_LIBRARIES = path_set((
    "site-packages", "dist-packages", "node_modules", "*.app", "/opt", "/snap", "/nix",
    "**/.pyenv", "**/.nvm", "**/.rustup", "**/.cargo/registry", "**/.cargo/git", "**/go/pkg/mod",
    "**/.m2/repository", "**/.gradle", "**/.rbenv", "**/.asdf", "**/.sdkman", "**/.volta",
    "**/.bun", "**/.deno", "**/.julia", "**/.npm", "**/.local/lib", "**/.local/share", "**/.venv",
    "**/miniconda*", "**/anaconda*", "**/miniforge*", "**/.conda",
))  # fmt: skip
_TELLING = path_set((
    "/etc/passwd*", "/etc/group*", "/etc/ssh", "/etc/cron*", "/var/spool/cron", "/etc/pam.d",
    "/etc/security",
))  # fmt: skip
"""System files that say who may do what on a machine: no library, and no part of any task."""


def note_out_of_scope(review: Review, at: ReviewContext) -> Review:
    """Return the review with the places that it touches beyond the project."""
    outside = [effect.target for effect in review.effects if _is_outside(effect, at)]
    outgoing = [effect.target for effect in review.effects if _goes_out(effect, at)]
    if not outside and not outgoing:
        return review
    return msgspec.structs.replace(
        review,
        outside=tuple(dict.fromkeys(outside)),
        outgoing=tuple(dict.fromkeys(outgoing)),
    )


def _is_outside(effect: Effect, at: ReviewContext) -> bool:
    path = effect.target
    if effect.kind not in _TOUCHING or effect.opaque or not path.startswith("/"):
        return False
    if at.in_scope(path):
        return False
    place = at.places.place(path, in_scope=False)
    if effect.kind in CHANGING_KINDS and effect.kind is not Kind.LINK:
        return effect.severity > Severity.NONE and place not in _FREE_TO_CHANGE
    if effect.kind is Kind.SECRET or path in _TELLING:
        return True
    return place not in _FREE_TO_READ and path not in _LIBRARIES


def _goes_out(effect: Effect, at: ReviewContext) -> bool:
    """A sending that was found to be harmless (this machine, a trusted one) weighs little."""
    if effect.kind is Kind.SEND:
        return effect.severity >= Severity.MEDIUM
    if effect.kind is not Kind.REACH or effect.severity is Severity.NONE:
        return False
    host = parse_host(effect.target).host
    return not is_private(host) and not at.trusted(host)
