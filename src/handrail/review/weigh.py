"""How much an effect weighs here: the same deletion is nothing in /tmp and a disaster in /."""

import re
from collections.abc import Callable

import msgspec

from handrail.model.effect import HOST_KINDS, KINDS, PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.circumstances import Circumstances
from handrail.review.places import Place
from handrail.shell.readers.hosts import is_loopback, is_metadata, is_private, parse_host

_N, _L, _M, _H, _C = Severity
_NEEDLESS, _CHECKPOINT, _UNKNOWN, _IMPOSSIBLE = Undo


class Weight(msgspec.Struct, frozen=True):
    """What touching a place means; None keeps what the effect says itself."""

    severity: Severity | None = None
    undo: Undo | None = None
    kind: Kind | None = None
    says: str = ""
    instead: str = ""


_ASK = "Do it inside {scope}, or say what has to change there and why, so that a person can do it."
_OWN_COPY = "Work on a copy inside {scope}: `cp {target} .`"

WRITES: dict[Place, Weight] = {
    Place.SCOPE: Weight(),
    Place.TEMP: Weight(_N, _NEEDLESS),
    Place.VIRTUAL: Weight(_N, _NEEDLESS),
    Place.TRASH: Weight(_L, _NEEDLESS),
    Place.UNKNOWN: Weight(),
    Place.OUTSIDE: Weight(_M, _IMPOSSIBLE, says="writes {target}, outside {scope}", instead=_ASK),
    Place.OTHER_HOME: Weight(_H, _IMPOSSIBLE, says="writes {target}, in another user's home", instead=_ASK),
    Place.SYSTEM: Weight(_H, _IMPOSSIBLE, says="changes the system file {target}", instead=_ASK),
    Place.LOGS: Weight(_H, _IMPOSSIBLE, Kind.TAMPER, "overwrites the log {target}",
                       "Read it: `tail -n 50 {target}`"),
    Place.DEVICE: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "writes the device {target} directly",
                         "Write to a file in {scope} instead."),
    Place.MEMORY: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "writes memory through {target}", _ASK),
    Place.KERNEL: Weight(_H, _IMPOSSIBLE, Kind.SYSTEM, "changes the kernel setting {target}",
                         "Read it: `cat {target}`"),
    Place.HANDRAIL: Weight(_C, _IMPOSSIBLE, Kind.TAMPER, "changes Handrail's own file {target}",
                           "Ask the person who supervises this run to change it."),
    Place.AGENT: Weight(_H, _IMPOSSIBLE, Kind.PERSIST, "changes an agent's settings, {target}",
                        "Say which setting should change and why; a person can change it."),
    Place.PROFILE: Weight(_H, _IMPOSSIBLE, Kind.PERSIST, "changes {target}, which runs or counts in every session",
                          "Set it for this command only, e.g. `VAR=value command`."),
    Place.REPOSITORY: Weight(_H, _IMPOSSIBLE, says="changes git's own file {target}",
                             instead="Use git to change it, e.g. `git branch` or `git config --local --list`."),
    Place.HOOK: Weight(_H, _IMPOSSIBLE, Kind.PERSIST, "changes {target}, which git runs by itself",
                       "Put the script into the project, e.g. `scripts/`, and let a person enable it."),
}  # fmt: skip

_LIST_FIRST = "List it first: `ls -la {listed}`, and say what should go and why."

DELETES: dict[Place, Weight] = {
    Place.SCOPE: Weight(),
    Place.TEMP: Weight(_N, _NEEDLESS),
    Place.VIRTUAL: Weight(_N, _NEEDLESS),
    Place.UNKNOWN: Weight(),
    Place.OUTSIDE: Weight(_H, _IMPOSSIBLE, says="deletes {target}, outside {scope}; no checkpoint covers it",
                          instead=_LIST_FIRST),
    Place.OTHER_HOME: Weight(_C, _IMPOSSIBLE, says="deletes {target}, in another user's home", instead=_LIST_FIRST),
    Place.SYSTEM: Weight(_C, _IMPOSSIBLE, says="deletes {target}, a part of the system", instead=_LIST_FIRST),
    Place.LOGS: Weight(_C, _IMPOSSIBLE, Kind.TAMPER, "deletes the log {target}", "Read it: `ls -la {listed}`"),
    Place.DEVICE: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "destroys the device {target}", "List them: `lsblk`"),
    Place.MEMORY: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "destroys {target}", "List them: `lsblk`"),
    Place.KERNEL: Weight(_C, _IMPOSSIBLE, Kind.SYSTEM, "removes {target} from the kernel", "Read it: `cat {target}`"),
    Place.HANDRAIL: WRITES[Place.HANDRAIL],
    Place.TRASH: Weight(_C, _IMPOSSIBLE, Kind.TAMPER, "empties Handrail's trash",
                        "Leave it; a person can empty it."),
    Place.AGENT: Weight(_H, _IMPOSSIBLE, says="deletes an agent's settings, {target}", instead=_LIST_FIRST),
    Place.PROFILE: Weight(_H, _IMPOSSIBLE, says="deletes {target}, outside {scope}", instead=_LIST_FIRST),
    Place.HOOK: Weight(_H, _CHECKPOINT, says="deletes {target}, which git runs by itself", instead=_LIST_FIRST),
}  # fmt: skip

PERMITS: dict[Place, Weight] = {
    **{place: Weight(_H, _IMPOSSIBLE, says="changes who may use {target}", instead=_ASK)
       for place in (Place.SYSTEM, Place.OTHER_HOME, Place.LOGS, Place.PROFILE, Place.AGENT, Place.DEVICE,
                     Place.MEMORY, Place.KERNEL)},
    Place.HANDRAIL: WRITES[Place.HANDRAIL],
    Place.TRASH: WRITES[Place.HANDRAIL],
    Place.OUTSIDE: Weight(_M, _IMPOSSIBLE, says="changes who may use {target}, outside {scope}"),
    Place.TEMP: Weight(_L, _NEEDLESS),
}  # fmt: skip

_BY_KIND = {Kind.WRITE: WRITES, Kind.DELETE: DELETES, Kind.PERMIT: PERMITS}
_PROJECT = frozenset({Place.SCOPE, Place.OUTSIDE, Place.OTHER_HOME})
_CLOSE = frozenset({Place.SCOPE, Place.TEMP, Place.UNKNOWN, Place.HOOK, Place.REPOSITORY})
_LOOKALIKE = re.compile(r"(?=.*[a-z])(?=.*[\u0370-\u03ff\u0400-\u052f])")
_GLOB_TAIL = re.compile(r"/[^/]*[*?\[]")
_DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|mapper/|disk|md\d|loop|rdisk).*")


def weigh(effect: Effect, at: Circumstances) -> Effect:
    """The effect as it counts under these circumstances."""
    if effect.kind in PATH_KINDS:
        return _weigh_path(effect, at)
    if effect.kind in HOST_KINDS:
        return _weigh_host(effect, at)
    return effect


def _weigh_path(effect: Effect, at: Circumstances) -> Effect:
    path = effect.target if effect.opaque else _real(effect, at)
    fixed = path.partition("…")[0] if effect.opaque else path
    if effect.glob:
        fixed = _GLOB_TAIL.split(fixed)[0] or "/"
    if effect.kind in {Kind.READ, Kind.LINK}:
        return _weigh_read(effect, path, at)
    in_scope = at.in_scope(fixed)
    place = at.places.place(fixed, in_scope=in_scope) if fixed else Place.UNKNOWN
    if effect.opaque and place in {Place.SYSTEM, Place.OUTSIDE} and fixed in {"", "/"}:
        place = Place.UNKNOWN
    if at.places.protected(path) and place is not Place.HANDRAIL:
        return _apply(effect, _PROTECTED, at)
    if effect.kind is Kind.DELETE and at.places.is_home(path):
        return _apply(effect, _HOME_GONE, at)
    if effect.kind is Kind.DELETE and place in _PROJECT and at.places.root_of(path):
        return _apply(effect, _WHOLE, at)
    if effect.kind is Kind.DELETE and place in _CLOSE:
        return _weigh_deletion(effect, path, place, at)
    weight = _BY_KIND[effect.kind].get(place, Weight())
    if effect.kind is Kind.PERMIT and effect.severity is _N:
        # Taking rights away from others, as is done with keys, is right everywhere.
        return effect
    if effect.severity >= _H and place is Place.SCOPE:
        weight = Weight()
    if effect.kind is Kind.WRITE and effect.recursive and path.endswith("/.git"):
        return _apply(effect, _REPOSITORY, at)
    if effect.kind is Kind.WRITE and at.places.holds_home(path):
        return _apply(effect, _HOME, at)
    if effect.kind is Kind.PERMIT and weight.severity is not None and place is not Place.TEMP:
        weight = msgspec.structs.replace(weight, severity=max(weight.severity, effect.severity))
    if place is Place.OUTSIDE and effect.kind is Kind.WRITE:
        # Something that is there is overwritten or moved away; a new file only gets a warning.
        if effect.recursive or at.world.exists(path):
            weight = msgspec.structs.replace(weight, severity=_H)
    return _apply(effect, weight, at)


def _real(effect: Effect, at: Circumstances) -> str:
    """The path behind links; deleting or moving takes the link itself, not its target."""
    takes_link = effect.kind is Kind.DELETE or (effect.kind is Kind.WRITE and effect.recursive)
    if not takes_link:
        return at.world.real(effect.target)
    folder, _, name = effect.target.rpartition("/")
    return f"{at.world.real(folder).rstrip('/')}/{name}" if folder else effect.target


_PROTECTED = Weight(_C, _IMPOSSIBLE, says="changes {target}, which is protected",
                    instead="Leave it as it is; `handrail config show` lists what is protected.")  # fmt: skip
_WHOLE = Weight(_C, _IMPOSSIBLE, says="deletes the whole project, {target}",
                instead="Name the files that should go; list them first: `ls -la`")  # fmt: skip
_REPOSITORY = Weight(_C, _IMPOSSIBLE, says="deletes the repository's history, {target}",
                     instead="Leave `.git` alone; `git status` shows what is there.")  # fmt: skip
_HOME = Weight(_C, _IMPOSSIBLE, says="moves or overwrites {target}, which holds everything you have",
               instead="Name the files that should move; list them first: `ls -la {target}`")  # fmt: skip
_HOME_GONE = Weight(
    _C,
    _IMPOSSIBLE,
    says="deletes your home folder, {target}",
    instead="Name the files that should go; list them first: `ls -la {listed}`",
)
_HARMLESS = Weight(_L, _NEEDLESS)
_BLIND = Weight(_H, _UNKNOWN, says="deletes a folder that is only known at run time, {target}",
                instead="Say the folder: `ls -la` it first, then delete it by its name.")  # fmt: skip


def _weigh_deletion(effect: Effect, path: str, place: Place, at: Circumstances) -> Effect:
    """Deletions where the agent works: most are fine, some are the end of the work."""
    if place is Place.UNKNOWN:
        if at.places.regenerable(path):
            return _apply(effect, Weight(_M, _UNKNOWN), at)
        broad = effect.recursive or effect.glob
        return _apply(effect, _BLIND if broad else Weight(_M, _UNKNOWN), at)
    if path.endswith("/.git") or "/.git/" in path:
        partial = "/.git/" in path and path.endswith(".lock")
        return _apply(effect, _HARMLESS if partial else _REPOSITORY, at)
    if place is Place.TEMP:
        if at.places.is_temp_root(path):
            severity = _M if effect.glob else _H
            return _apply(
                effect,
                Weight(
                    severity,
                    _IMPOSSIBLE,
                    says="empties the temp folder {target}",
                    instead="Delete only what you made: `ls -la {listed}`",
                ),
                at,
            )
        return _apply(effect, DELETES[Place.TEMP], at)
    if effect.severity is not KINDS[Kind.DELETE].severity or effect.undo is _IMPOSSIBLE:
        return effect
    if at.places.regenerable(path) and not at.world.tracked(path):
        return _apply(effect, _HARMLESS, at)
    if path in at.history.created or at.world.exists(path) is False:
        return _apply(effect, _HARMLESS, at)
    return effect


def _weigh_read(effect: Effect, path: str, at: Circumstances) -> Effect:
    if at.places.secret(path) or (effect.glob and at.places.glob_of_secrets(path)):
        verb = "links to" if effect.kind is Kind.LINK else "reads"
        return _apply(
            effect,
            Weight(
                _H,
                _IMPOSSIBLE,
                Kind.SECRET,
                f"{verb} {{target}}, which holds secrets",
                "Use the program that needs the secret; do not read it yourself.",
            ),
            at,
        )
    in_scope = at.in_scope(path)
    if at.places.env_file(path):
        severity = _M if in_scope else _H
        return _apply(
            effect,
            Weight(
                severity,
                _IMPOSSIBLE,
                Kind.SECRET,
                "reads {target}, which may hold secrets",
                "List the names only: `grep -o '^[A-Z_]*' {target}`",
            ),
            at,
        )
    if effect.kind is Kind.READ and _DISK.fullmatch(path):
        return _apply(
            effect,
            Weight(
                _H,
                _IMPOSSIBLE,
                Kind.SECRET,
                "reads the raw disk {target}",
                "Read files, not the disk: `lsblk` shows what is there.",
            ),
            at,
        )
    return effect


def _weigh_host(effect: Effect, at: Circumstances) -> Effect:
    if (
        effect.target.startswith("/")
        and at.places.place(effect.target, in_scope=False) is Place.HANDRAIL
    ):
        return _apply(effect, WRITES[Place.HANDRAIL], at)
    host = parse_host(effect.target).host
    if _LOOKALIKE.search(host):
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


def _apply(effect: Effect, weight: Weight, at: Circumstances) -> Effect:
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
    )


def _filler(effect: Effect, at: Circumstances) -> Callable[[str], str]:
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
