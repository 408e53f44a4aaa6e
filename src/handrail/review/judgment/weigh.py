"""Weigh an effect by its place: a deletion is nothing in /tmp and a disaster in /."""

import re
from collections.abc import Callable

import msgspec

from handrail.model.effect import HOST_KINDS, KINDS, PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.context import ReviewContext
from handrail.review.judgment.weights import (
    BLIND,
    DELETES,
    DISK,
    HARMLESS,
    HOME,
    HOME_GONE,
    LINKED,
    PERMITS,
    PROTECTED,
    REPOSITORY,
    SECRET,
    SETTINGS,
    TEMP_ROOT,
    WHOLE,
    WRITES,
    Weight,
)
from handrail.review.paths.known_paths import Place
from handrail.review.paths.places import FileContents
from handrail.review.protection.tampering import (
    changes_control,
    ends_control,
    reads_control,
    runs_control,
    sweeps_control,
    talks_to_control,
)
from handrail.review.protection.tampering_code import may_be_code, tampering_code
from handrail.shell.readers.hosts import is_loopback, is_metadata, is_private, parse_host
from handrail.shell.readers.make_effects import is_hold

_N, _L, _M, _H, _C = Severity
_NEEDLESS, _CHECKPOINT, _UNKNOWN, _IMPOSSIBLE = Undo

_PROJECT = frozenset({Place.SCOPE, Place.OUTSIDE, Place.OTHER_HOME})
_LATIN = re.compile("[a-z]")
_LOOKALIKE = re.compile("[\u0370-\u03ff\u0400-\u052f]")
"""Greek and Cyrillic letters, some of which look like Latin ones."""
_PROCESS_ROOT = re.compile(r"^/proc/[^/]+/root(?=/|$)")
_GLOB_TAIL = re.compile(r"/[^/]*[*?\[]")
_DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|mapper/|disk|md\d|loop|rdisk).*")


def weigh(effect: Effect, at: ReviewContext) -> Effect:
    """Return the effect with the weight that it has in this context."""
    if effect.kind in PATH_KINDS:
        return _weigh_path(effect, at)
    if effect.kind in HOST_KINDS:
        return _weigh_host(effect, at)
    if effect.kind is Kind.RUN:
        return _weigh_run(effect, at)
    if effect.kind is Kind.KILL or effect.kind is Kind.CHANGE:
        return _guarded(effect, ends_control(effect, at), at)
    if effect.kind is Kind.DISCARD and (found := sweeps_control(effect, at)):
        weight, path = found
        return _apply(msgspec.structs.replace(effect, target=path), weight, at)
    return effect


def _guarded(effect: Effect, weight: Weight | None, at: ReviewContext) -> Effect:
    return effect if weight is None else _apply(effect, weight, at)


def _weigh_run(effect: Effect, at: ReviewContext) -> Effect:
    """Programs of Handrail itself, and program files that change what supervises this agent."""
    path = effect.target
    weight = runs_control(effect, at)
    if weight is not None or effect.opaque or not may_be_code(path):
        return _guarded(effect, weight, at)
    text = at.world.script(path) if path.startswith("/") else None
    if text is None:
        return effect
    cwd = at.places.roots[0] if at.places.roots else path.rpartition("/")[0]
    found = tampering_code(
        path,
        text,
        weigh=lambda inner: _weigh_inner(inner, at),
        home=at.places.home,
        cwd=cwd,
        state=at.environ.get("HANDRAIL_HOME", ""),
        marks=at.places.controls.marks,
    )
    if found is None:
        return effect
    says = f"runs {path}, which {found.text}"
    return msgspec.structs.replace(found, says=says, command=effect.command)


def _weigh_inner(effect: Effect, at: ReviewContext) -> Effect:
    """What a program does itself: the programs that it runs could be itself again."""
    return effect if effect.kind is Kind.RUN else weigh(effect, at)


def _weigh_path(effect: Effect, at: ReviewContext) -> Effect:
    path = effect.target if effect.opaque else _real(effect, at)
    weighed = _weigh_at(effect, path, at)
    if not (effect.opaque or effect.glob):
        return weighed
    whole = effect.recursive or effect.kind is Kind.DELETE
    meant = at.places.narrowed(effect.target, whole=whole, there=at.world.exists)
    if not meant:
        return weighed
    sure = msgspec.structs.replace(effect, opaque=False, glob=False)
    worse = _weigh_at(sure, meant, at)
    return worse if worse.severity > weighed.severity else weighed


def _weigh_at(effect: Effect, path: str, at: ReviewContext) -> Effect:
    if path.startswith("/proc/"):
        # A process's root is the root: `/proc/self/root/etc` is `/etc`.
        path = _PROCESS_ROOT.sub("", path) or "/"
    if effect.kind in {Kind.READ, Kind.LINK}:
        return _weigh_read(effect, path, at)
    place = _place(effect, path, at)
    tampers = changes_control(effect, path, place, at)
    if tampers is not None:
        return _apply(effect, tampers, at)
    if is_hold(effect):
        return effect
    if at.places.protected(path):
        return _apply(effect, PROTECTED, at)
    return _BY_KIND[effect.kind](effect, path, place, at)


def _place(effect: Effect, path: str, at: ReviewContext) -> Place:
    """Return the kind of place, judged by the known part of the path."""
    fixed = path.partition("…")[0]
    if effect.opaque and fixed in {"", "/"}:
        return Place.UNKNOWN
    if effect.glob:
        fixed = _GLOB_TAIL.split(fixed)[0] or "/"
    return at.places.place(fixed, in_scope=at.in_scope(fixed))


def _weigh_write(effect: Effect, path: str, place: Place, at: ReviewContext) -> Effect:
    moved = effect.recursive
    if moved and path.endswith("/.git"):
        return _apply(effect, REPOSITORY, at)
    if at.places.holds_home(path):
        return _apply(effect, HOME, at)
    weight = WRITES[place]
    there = None if moved or effect.opaque or effect.glob else at.world.exists(path)
    if there is False:
        effect = msgspec.structs.replace(effect, new=True)
    # What is there would be overwritten or moved away; a new file only gets a warning.
    if place is Place.OUTSIDE and (moved or there or (there is None and at.world.exists(path))):
        weight = msgspec.structs.replace(weight, severity=_H)
    return _apply(effect, weight, at)


def _weigh_permit(effect: Effect, path: str, place: Place, at: ReviewContext) -> Effect:
    if effect.severity is _N:
        # Taking rights away from others, as is done with keys, is right everywhere.
        return effect
    weight = PERMITS.get(place, Weight())
    if weight.severity is not None and place is not Place.TEMP:
        weight = msgspec.structs.replace(weight, severity=max(weight.severity, effect.severity))
    return _apply(effect, weight, at)


def _real(effect: Effect, at: ReviewContext) -> str:
    """Return the path behind links; deleting or moving affects the link, not its target."""
    if effect.target.startswith("/dev/"):
        # /dev/stdout is a link to whatever this process writes to, not the agent's.
        return effect.target
    takes_link = effect.kind is Kind.DELETE or (effect.kind is Kind.WRITE and effect.recursive)
    if not takes_link:
        return at.world.real(effect.target)
    folder, _, name = effect.target.rpartition("/")
    return f"{at.world.real(folder).rstrip('/')}/{name}" if folder else effect.target


def _weigh_delete(effect: Effect, path: str, place: Place, at: ReviewContext) -> Effect:
    if at.places.is_home(path):
        return _apply(effect, HOME_GONE, at)
    if place in _PROJECT and at.places.root_of(path):
        return _apply(effect, WHOLE, at)
    if place is Place.UNKNOWN:
        return _weigh_unknown_deletion(effect, path, at)
    if path.endswith("/.git") or "/.git/" in path:
        lock = "/.git/" in path and path.endswith(".lock")
        return _apply(effect, HARMLESS if lock else REPOSITORY, at)
    if place is Place.TEMP and at.places.is_temp_root(path):
        everything = msgspec.structs.replace(TEMP_ROOT, severity=_M if effect.glob else _H)
        return _apply(effect, everything, at)
    if place is not Place.SCOPE:
        return _apply(effect, DELETES[place], at)
    return _weigh_own_deletion(effect, path, at)


def _weigh_unknown_deletion(effect: Effect, path: str, at: ReviewContext) -> Effect:
    """Weigh a deletion whose target only the shell will know."""
    broad = effect.recursive or effect.glob
    narrow = not broad or effect.severity < _H or at.places.regenerable(path)
    weight = Weight(_M, _UNKNOWN) if narrow else BLIND
    says = f"{effect.text}, which is only known when it runs"
    return _apply(effect, msgspec.structs.replace(weight, says=says), at)


def _weigh_own_deletion(effect: Effect, path: str, at: ReviewContext) -> Effect:
    """Weigh a deletion inside the project: most are fine."""
    worse_by_itself = effect.severity is not KINDS[Kind.DELETE].severity
    if worse_by_itself or effect.undo is _IMPOSSIBLE:
        return effect
    harmless = (
        (at.places.regenerable(path) and not at.world.tracked(path))
        or _made_it(path, at)
        or at.world.exists(path) is False
    )
    return _apply(effect, HARMLESS, at) if harmless else effect


def _made_it(path: str, at: ReviewContext) -> bool:
    """Whether the run has made the file; a folder that is there now was moved in its place."""
    return path in at.history.created and not at.world.exists(f"{path}/.")


def _weigh_read(effect: Effect, path: str, at: ReviewContext) -> Effect:
    if (tampers := reads_control(effect, path, at)) is not None:
        return _apply(effect, tampers, at)
    contents = at.places.contents(path)
    if effect.glob and contents is not FileContents.SECRET and at.places.glob_of_secrets(path):
        contents = FileContents.SECRET
    if contents is FileContents.SECRET:
        return _apply(effect, LINKED if effect.kind is Kind.LINK else SECRET, at)
    if contents is FileContents.SETTINGS:
        severity = _M if at.in_scope(path) else _H
        return _apply(effect, msgspec.structs.replace(SETTINGS, severity=severity), at)
    if path.startswith("/dev/") and effect.kind is Kind.READ and _DISK.fullmatch(path):
        return _apply(effect, DISK, at)
    return effect


def _weigh_host(effect: Effect, at: ReviewContext) -> Effect:
    if effect.target.startswith("/"):
        meant = at.places.narrowed(effect.target, whole=False, there=at.world.exists)
        if at.places.place(meant or effect.target, in_scope=False) is Place.HANDRAIL:
            return _apply(effect, WRITES[Place.HANDRAIL], at)
    address = parse_host(effect.target)
    if (tampers := talks_to_control(address, at)) is not None:
        return _apply(effect, tampers, at)
    host = address.host
    if not host.isascii() and _LATIN.search(host) and _LOOKALIKE.search(host):
        return _apply(
            effect,
            Weight(
                _H,
                _IMPOSSIBLE,
                says=f"contacts {host}, a name with letters that look like others",
                instead="Spell the address in plain letters.",
            ),
            at,
        )
    if is_metadata(host):
        return _apply(
            effect,
            Weight(
                _H,
                _IMPOSSIBLE,
                Kind.SECRET,
                f"asks {host} for the credentials of this cloud machine",
                "Use the cloud's own tool, e.g. `aws sts get-caller-identity`.",
            ),
            at,
        )
    if is_loopback(host) or at.trusted(host):
        return msgspec.structs.replace(effect, severity=min(effect.severity, _L), undo=_NEEDLESS)
    if is_private(host) and effect.severity <= _M:
        return msgspec.structs.replace(effect, severity=min(effect.severity, _L))
    return effect


def _apply(effect: Effect, weight: Weight, at: ReviewContext) -> Effect:
    """The effect with a weight put on it; an effect's own words win only if the weight has none."""
    fill = _filler(effect, at)
    return Effect(
        weight.kind or effect.kind,
        effect.target,
        effect.severity if weight.severity is None else weight.severity,
        weight.undo or effect.undo,
        fill(weight.says) or effect.says,
        fill(weight.instead) or effect.instead,
        effect.command,
        effect.recursive,
        effect.opaque,
        effect.glob,
        effect.new,
    )


def _filler(effect: Effect, at: ReviewContext) -> Callable[[str], str]:
    def fill(text: str) -> str:
        if "{" not in text:
            return text
        scope = at.places.roots[0] if at.places.roots else "the project"
        listed = re.split(r"/[^/]*[*?\[]", effect.target)[0] or "/"
        return (
            text.replace("{target}", effect.target)
            .replace("{scope}", scope)
            .replace("{listed}", listed)
        )

    return fill


_BY_KIND: dict[Kind, Callable[[Effect, str, Place, ReviewContext], Effect]] = {
    Kind.WRITE: _weigh_write,
    Kind.DELETE: _weigh_delete,
    Kind.PERMIT: _weigh_permit,
}
