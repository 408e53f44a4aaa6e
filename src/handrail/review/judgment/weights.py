"""What touching a place means: how bad it is, what undoes it, what to say and do instead.

In texts, `{target}` is the path, `{scope}` the project, `{listed}` the folder without wildcards.
"""

import msgspec

from handrail.model.effect import Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity, Undo
from handrail.review.paths.known_paths import Place

_N, _L, _M, _H, _C = Severity
_NEEDLESS, _CHECKPOINT, _UNKNOWN, _IMPOSSIBLE = Undo


class Weight(msgspec.Struct, frozen=True):
    """What touching a place means; None keeps what the effect says itself."""

    severity: Severity | None = None
    undo: Undo | None = None
    kind: Kind | None = None
    says: str = ""
    instead: str = ""


_ASK = "Do it inside {scope}, or describe the change for a person to make."

WRITES: dict[Place, Weight] = {
    Place.SCOPE: Weight(),
    Place.TEMP: Weight(_N, _NEEDLESS),
    Place.VIRTUAL: Weight(_N, _NEEDLESS),
    Place.TRASH: Weight(_L, _NEEDLESS),
    Place.UNKNOWN: Weight(),
    Place.OUTSIDE: Weight(_M, _IMPOSSIBLE, says="writes {target}, outside {scope}", instead=_ASK),
    Place.OTHER_HOME: Weight(_H, _IMPOSSIBLE, says="writes {target}, in another user's home",
                             instead=_ASK),
    Place.SYSTEM: Weight(_H, _IMPOSSIBLE, says="changes the system file {target}", instead=_ASK),
    Place.LOGS: Weight(_H, _IMPOSSIBLE, Kind.TAMPER, "overwrites the log {target}",
                       "Read it: `tail -n 50 {target}`"),
    Place.DEVICE: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "writes the device {target} directly",
                         "Write to a file in {scope} instead."),
    Place.MEMORY: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "writes memory through {target}", _ASK),
    Place.KERNEL: Weight(_H, _IMPOSSIBLE, Kind.SYSTEM, "changes the kernel setting {target}",
                         "Read it: `cat {target}`"),
    Place.HANDRAIL: Weight(_C, _IMPOSSIBLE, Kind.TAMPER, "changes Handrail's own file {target}",
                           "Ask the user to change it."),
    Place.NOTES: Weight(_L, _UNKNOWN),
    Place.TOOLS: Weight(_M, _CHECKPOINT, Kind.PERSIST,
                        "changes {target}, which gives tools to later agents"),
    Place.AGENT: Weight(_H, _IMPOSSIBLE, Kind.PERSIST, "changes an agent's settings, {target}",
                        "Name the setting and the reason; a person can change it."),
    Place.PROFILE: Weight(_H, _IMPOSSIBLE, Kind.PERSIST,
                          "changes {target}, which runs or counts in every session",
                          "Set it for this command only, e.g. `VAR=value command`."),
    Place.REPOSITORY: Weight(_H, _IMPOSSIBLE, says="changes git's own file {target}",
                             instead="Use git to change it, e.g. `git branch` or `git config "
                             "--local --list`."),
    Place.HOOK: Weight(_H, _IMPOSSIBLE, Kind.PERSIST, "changes {target}, which git runs by itself",
                       "Put the script into the project, e.g. `scripts/`, and let a person "
                       "enable it."),
}  # fmt: skip

_LIST_FIRST = "List it first: `ls -la {listed}`, and say what should go and why."

DELETES: dict[Place, Weight] = {
    Place.SCOPE: Weight(),
    Place.TOOLS: Weight(),
    Place.NOTES: Weight(_M, _IMPOSSIBLE, says="deletes {target}, a note of an agent"),
    Place.TEMP: Weight(_N, _NEEDLESS),
    Place.VIRTUAL: Weight(_N, _NEEDLESS),
    Place.UNKNOWN: Weight(),
    Place.OUTSIDE: Weight(_H, _IMPOSSIBLE,
                          says="deletes {target}, outside {scope}; no checkpoint covers it",
                          instead=_LIST_FIRST),
    Place.OTHER_HOME: Weight(_C, _IMPOSSIBLE, says="deletes {target}, in another user's home",
                             instead=_LIST_FIRST),
    Place.SYSTEM: Weight(_C, _IMPOSSIBLE, says="deletes {target}, a part of the system",
                         instead=_LIST_FIRST),
    Place.LOGS: Weight(_C, _IMPOSSIBLE, Kind.TAMPER, "deletes the log {target}",
                       "Read it: `ls -la {listed}`"),
    Place.DEVICE: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "destroys the device {target}",
                         "List them: `lsblk`"),
    Place.MEMORY: Weight(_C, _IMPOSSIBLE, Kind.DEVICE, "destroys {target}", "List them: `lsblk`"),
    Place.KERNEL: Weight(_C, _IMPOSSIBLE, Kind.SYSTEM, "removes {target} from the kernel",
                         "Read it: `cat {target}`"),
    Place.HANDRAIL: WRITES[Place.HANDRAIL],
    Place.TRASH: Weight(_C, _IMPOSSIBLE, Kind.TAMPER, "empties Handrail's trash",
                        "Leave it; a person can empty it."),
    Place.AGENT: Weight(_H, _IMPOSSIBLE, says="deletes an agent's settings, {target}",
                        instead=_LIST_FIRST),
    Place.PROFILE: Weight(_H, _IMPOSSIBLE, says="deletes {target}, outside {scope}",
                          instead=_LIST_FIRST),
    Place.HOOK: Weight(_H, _CHECKPOINT, says="deletes {target}, which git runs by itself",
                       instead=_LIST_FIRST),
}  # fmt: skip

PERMITS: dict[Place, Weight] = {
    **{
        place: Weight(_H, _IMPOSSIBLE, says="changes who may use {target}", instead=_ASK)
        for place in (
            Place.SYSTEM,
            Place.OTHER_HOME,
            Place.LOGS,
            Place.PROFILE,
            Place.AGENT,
            Place.DEVICE,
            Place.MEMORY,
            Place.KERNEL,
        )
    },
    Place.HANDRAIL: WRITES[Place.HANDRAIL],
    Place.TRASH: WRITES[Place.HANDRAIL],
    Place.OUTSIDE: Weight(_M, _IMPOSSIBLE, says="changes who may use {target}, outside {scope}"),
    Place.TEMP: Weight(_L, _NEEDLESS),
}


PROTECTED = Weight(
    _C,
    _IMPOSSIBLE,
    says="changes {target}, which is protected",
    instead="Leave it as it is; `handrail config show` lists the protected files.",
)
WHOLE = Weight(
    _C,
    _IMPOSSIBLE,
    says="deletes the whole project, {target}",
    instead="Name single files; list them first: `ls -la`",
)
REPOSITORY = Weight(
    _C,
    _IMPOSSIBLE,
    says="deletes the repository's history, {target}",
    instead="Leave `.git` alone; use git itself, such as `git status`.",
)
HOME = Weight(
    _C,
    _IMPOSSIBLE,
    says="moves or overwrites {target}, which holds everything you have",
    instead="Name single files; list them first: `ls -la {target}`",
)
HOME_GONE = Weight(
    _C,
    _IMPOSSIBLE,
    says="deletes your home folder, {target}",
    instead="Name single files; list them first: `ls -la {listed}`",
)
HARMLESS = Weight(_L, _NEEDLESS)
BLIND = Weight(
    _H,
    _UNKNOWN,
    says="deletes a folder that is only known at run time, {target}",
    instead="Say the folder: `ls -la` it first, then delete it by its name.",
)
TEMP_ROOT = Weight(
    undo=_IMPOSSIBLE,
    says="empties the temp folder {target}",
    instead="Delete only your own files: `ls -la {listed}`",
)
SECRET = Weight(
    _H,
    _IMPOSSIBLE,
    Kind.SECRET,
    "reads {target}, which holds secrets",
    "Let the program read its secret; do not read it yourself.",
)
LINKED = msgspec.structs.replace(SECRET, says="links to {target}, which holds secrets")
SETTINGS = Weight(
    undo=_IMPOSSIBLE,
    kind=Kind.SECRET,
    says="reads {target}, which may hold secrets",
    instead="List the names only: `grep -o '^[A-Z_]*' {target}`",
)
DISK = Weight(
    _H,
    _IMPOSSIBLE,
    Kind.SECRET,
    "reads the raw disk {target}",
    "Read files, not the disk: `lsblk` lists the disks.",
)


def _tampers(says: str, instead: str) -> Weight:
    return Weight(_C, _IMPOSSIBLE, Kind.TAMPER, says, instead)


_STATUS = "Leave it to a person; look with `handrail status` and `handrail log`."
HOOK_LOADER = _tampers(
    "changes {target}, the source of this agent's hooks",
    "Name the setting and the reason; a person can change it.",
)
HOLDER = _tampers(
    "changes all of {target}, including this agent's supervision",
    "Name single files, other than settings and hooks.",
)
_LEFT_OUT = " ".join(f"-e {host.folder}" for host in known_hosts())
SWEPT = _tampers(
    "takes {target} along, which steers the supervision of this agent",
    f"Leave it out with `-e`; look first: `git clean -nd {_LEFT_OUT} -e handrail.yaml`.",
)
KEY = _tampers("reads {target}, which only Handrail itself needs", _STATUS)
LINKED_CONTROL = _tampers(
    "makes another way to {target}, which steers the supervision of this agent", _STATUS
)
ADDRESS = _tampers("talks to Handrail's own controls at {target}", _STATUS)
PROCESS = _tampers("ends, slows or enters Handrail's own process ({target})", _STATUS)
OWN_PROGRAM = _tampers("runs Handrail's own program {target} in the place of the host", _STATUS)
