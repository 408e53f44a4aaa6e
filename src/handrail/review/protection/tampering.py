"""Whether an effect reaches the controls: Handrail's files, port and process, the host's hooks.

What does is critical whatever the settings say, so that no rule that is switched off opens it.
"""

import re
from urllib.parse import urlsplit

from handrail.config.panel import PanelSettings
from handrail.model.effect import Effect, Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity, Undo
from handrail.review.context import ReviewContext
from handrail.review.judgment.weights import (
    ADDRESS,
    HOLDER,
    HOOK_LOADER,
    KEY,
    LINKED_CONTROL,
    OWN_PROGRAM,
    PROCESS,
    SWEPT,
    WRITES,
    Weight,
)
from handrail.review.paths.known_paths import Place
from handrail.review.protection.controls import HOST_FOLDERS, STEERING, settings_in
from handrail.shell.readers.git_files import ADDED, IGNORED, TRACKED, UNTRACKED
from handrail.shell.readers.hosts import Address, may_be_loopback
from handrail.shell.readers.processes import PROCESS_NUMBER

_TAKING = frozenset({Kind.DELETE, Kind.PERMIT})
_VARIABLES = "".join(f"{name}|" for host in known_hosts() for name in host.path_variables)
_NAMED = re.compile(rf"\$\{{?(?:{_VARIABLES}HANDRAIL_\w+)")
"""Variables that hold a control's path also where their value is not known."""
_HOLDERS = tuple(f"/{name}" for name in HOST_FOLDERS)
_INSIDE = tuple(f"/{name}/" for name in HOST_FOLDERS)
_NUMBER = re.compile(r"\d+")


def changes_control(effect: Effect, path: str, place: Place, at: ReviewContext) -> Weight | None:
    """The weight of a write, deletion or change of rights that reaches a control."""
    if place is Place.HANDRAIL:
        return WRITES[Place.HANDRAIL]
    controls = at.places.controls
    if effect.opaque:
        return HOOK_LOADER if _may_be_control(effect, path) else None
    if effect.glob or "*" in path:
        return HOLDER if controls.hit_by(path, at.world) else None
    takes = effect.kind in _TAKING or effect.recursive
    if takes and _is_wide(effect) and controls.is_above(path, at.world):
        return HOLDER
    of_host = place is Place.AGENT or controls.is_host(path)
    if of_host and controls.loads_hooks(path) and at.world.exists(path) is not None:
        return None if _only_narrows(effect) else HOOK_LOADER
    if path.endswith(_HOLDERS):
        return HOLDER if _takes_folder(effect, path, at) else None
    return HOOK_LOADER if controls.is_disguised(path) else None


def _may_be_control(effect: Effect, path: str) -> bool:
    """`.codex/$FILE`, `$FOLDER/handrail.yaml`: a part is unknown, the other says enough."""
    if effect.undo is Undo.NEEDLESS:
        return False
    start = path.partition("…")[0]
    return bool(start.endswith(_INSIDE) or STEERING.search(path) or _NAMED.search(effect.says))


def _is_wide(effect: Effect) -> bool:
    """Whether rights are changed for everything below, or taken from everyone."""
    locks_out = effect.severity >= Severity.HIGH
    return effect.kind is not Kind.PERMIT or effect.recursive or locks_out


def _only_narrows(effect: Effect) -> bool:
    """Taking rights away from others keeps a host's settings readable for their owner."""
    is_chmod = effect.kind is Kind.PERMIT and effect.undo is Undo.CHECKPOINT
    return is_chmod and effect.severity is Severity.NONE


def _takes_folder(effect: Effect, path: str, at: ReviewContext) -> bool:
    """Whether a host's folder as a whole is taken away, or filled with files that are not named."""
    if effect.kind in _TAKING or effect.recursive:
        wide = _is_wide(effect)
        return wide and any(map(at.world.exists, settings_in(path)))
    return effect.undo is not Undo.NEEDLESS


def reads_control(effect: Effect, path: str, at: ReviewContext) -> Weight | None:
    """The weight of reading or linking to a control, if that gives power over it."""
    if at.places.controls.is_key(path):
        return KEY if effect.kind is Kind.READ else LINKED_CONTROL
    if effect.recursive and at.places.controls.holds_keys(path) and not at.in_scope(path):
        return KEY
    if effect.kind is not Kind.LINK:
        return KEY if path.startswith("/proc/") and _is_daemons(path, at) else None
    in_handrail = at.places.place(path, in_scope=False) is Place.HANDRAIL
    loader = path.endswith(".json") and at.places.controls.loads_hooks(path)
    return LINKED_CONTROL if in_handrail or loader else None


def _is_daemons(path: str, at: ReviewContext) -> bool:
    """`/proc/PID/fd/3`: what the daemon has open and in memory."""
    number = path.split("/")[2]
    return number.isdecimal() and int(number[:18]) in at.places.controls.pids(at.world)


def talks_to_control(address: Address, at: ReviewContext) -> Weight | None:
    """The weight of contacting the daemon."""
    if _is_panel(address, at.config.panel):
        return ADDRESS
    if address.port is None or not may_be_loopback(address.host):
        return None
    return ADDRESS if address.port == at.places.controls.port else None


def _is_panel(address: Address, panel: PanelSettings) -> bool:
    """Whether an address leads to the panel by `panel.url` or `panel.listen`.

    The ports of other machines are not known here, so any may be meant.
    """
    host = address.host.lower()
    if panel.url and not may_be_loopback(host) and host == urlsplit(panel.url).hostname:
        return True
    listen = panel.listen_address
    if listen is None:
        return False
    return address.port == listen[1] if may_be_loopback(host) else host == listen[0]


def ends_control(effect: Effect, at: ReviewContext) -> Weight | None:
    """The weight of a signal, a debugger or a limit that hits the daemon or its guardian."""
    target = effect.target
    if target.startswith("/"):
        return PROCESS if at.places.place(target, in_scope=False) is Place.HANDRAIL else None
    numbers = {int(text[:18]) for text in _NUMBER.findall(target)}
    if not numbers or (effect.kind is not Kind.KILL and not target.startswith(PROCESS_NUMBER)):
        return None
    controls = at.places.controls
    hit = numbers & ({controls.port} | controls.pids(at.world)) - {0}
    return PROCESS if hit else None


def sweeps_control(effect: Effect, at: ReviewContext) -> tuple[Weight, str] | None:
    """The weight and the file, if git takes away or replaces a control among other files."""
    controls, target = at.places.controls, effect.target
    if target not in {UNTRACKED, IGNORED, ADDED, TRACKED}:
        return None
    path = "" if target == ADDED else controls.swept(at.world, tracked=target == TRACKED)
    if not path and target != TRACKED:
        path = controls.state_in_project(at.world, ignored=target == IGNORED)
    return (SWEPT, path) if path else None


def runs_control(effect: Effect, at: ReviewContext) -> Weight | None:
    """The weight of running one of Handrail's own programs, which speak for the host."""
    return OWN_PROGRAM if at.places.controls.is_state(effect.target) else None
