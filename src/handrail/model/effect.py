"""One thing that an action does to the world."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from handrail.model.ordinal import Severity, Undo


class Kind(StrEnum):
    """The kinds of effects; `KINDS` has the default meaning of each."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    PERMIT = "permit"
    LINK = "link"
    SECRET = "secret"
    REACH = "reach"
    FETCH = "fetch"
    SEND = "send"
    RUN = "run"
    UNSEEN = "unseen"
    PRIVILEGE = "privilege"
    KILL = "kill"
    DISCARD = "discard"
    REWRITE = "rewrite"
    PUBLISH = "publish"
    DESTROY = "destroy"
    CHANGE = "change"
    DEVICE = "device"
    SYSTEM = "system"
    PERSIST = "persist"
    INSTALL = "install"
    EXHAUST = "exhaust"
    ESCAPE = "escape"
    TAMPER = "tamper"
    DELEGATE = "delegate"


class KindFacts(msgspec.Struct, frozen=True):
    """The default weight of a kind, and how it reads in a sentence."""

    base: float
    severity: Severity
    undo: Undo
    verb: str
    bare: str = ""
    """The words without a target; by default the verb up to its colon."""

    @property
    def alone(self) -> str:
        """The phrase for an effect whose target is the whole command."""
        return self.bare or (self.verb[:-1] if self.verb.endswith(":") else "")


_CREATES = 0.3
_N, _L, _M, _H, _C = Severity
_NEEDLESS, _CHECKPOINT, _UNKNOWN, _IMPOSSIBLE = Undo

KINDS: dict[Kind, KindFacts] = {
    Kind.READ: KindFacts(0.1, _N, _NEEDLESS, "reads"),
    Kind.WRITE: KindFacts(0.4, _L, _CHECKPOINT, "writes"),
    Kind.DELETE: KindFacts(0.8, _H, _CHECKPOINT, "deletes"),
    Kind.PERMIT: KindFacts(0.4, _L, _CHECKPOINT, "changes permissions of"),
    Kind.LINK: KindFacts(0.3, _L, _CHECKPOINT, "links to"),
    Kind.SECRET: KindFacts(0.85, _H, _IMPOSSIBLE, "reads the secret", "reads secrets"),
    Kind.REACH: KindFacts(0.3, _L, _NEEDLESS, "contacts", "uses the network"),
    Kind.FETCH: KindFacts(0.6, _L, _NEEDLESS, "downloads from", "downloads something"),
    Kind.SEND: KindFacts(0.6, _M, _IMPOSSIBLE, "sends data to", "sends data away"),
    Kind.RUN: KindFacts(0.3, _L, _UNKNOWN, "runs", "runs a program"),
    Kind.UNSEEN: KindFacts(0.85, _H, _IMPOSSIBLE, "runs code that nobody has seen:",
                           "runs code that nobody has seen"),
    Kind.PRIVILEGE: KindFacts(0.85, _H, _IMPOSSIBLE, "raises privileges:"),
    Kind.KILL: KindFacts(0.5, _L, _IMPOSSIBLE, "ends", "ends processes"),
    Kind.DISCARD: KindFacts(0.8, _H, _CHECKPOINT, "discards uncommitted work:",
                            "discards uncommitted work"),
    Kind.REWRITE: KindFacts(0.8, _H, _IMPOSSIBLE, "rewrites history:"),
    Kind.PUBLISH: KindFacts(0.6, _M, _IMPOSSIBLE, "publishes", "publishes something"),
    Kind.DESTROY: KindFacts(0.85, _H, _IMPOSSIBLE, "destroys", "destroys something"),
    Kind.CHANGE: KindFacts(0.5, _L, _UNKNOWN, "changes", "changes something outside this project"),
    Kind.DEVICE: KindFacts(0.97, _C, _IMPOSSIBLE, "writes the device", "writes a device"),
    Kind.SYSTEM: KindFacts(0.85, _H, _IMPOSSIBLE, "changes the system:"),
    Kind.PERSIST: KindFacts(0.85, _H, _IMPOSSIBLE, "makes code run later by itself:",
                            "makes code run later by itself"),
    Kind.INSTALL: KindFacts(0.4, _L, _UNKNOWN, "installs", "installs packages"),
    Kind.EXHAUST: KindFacts(0.85, _H, _IMPOSSIBLE, "uses up the machine:"),
    Kind.ESCAPE: KindFacts(0.9, _H, _IMPOSSIBLE, "leaves its container:"),
    Kind.TAMPER: KindFacts(0.97, _C, _IMPOSSIBLE, "switches off a safeguard:",
                           "switches off a safeguard"),
    Kind.DELEGATE: KindFacts(0.85, _H, _IMPOSSIBLE, "starts an agent without limits:",
                             "starts an agent without limits"),
}  # fmt: skip

PATH_KINDS = frozenset({Kind.READ, Kind.WRITE, Kind.DELETE, Kind.PERMIT, Kind.LINK})
"""Kinds whose target is a path, so that scope and place decide how much they weigh."""

CHANGING_KINDS = PATH_KINDS - {Kind.READ}
"""Kinds that leave something on the disk other than it was."""

PROGRAM_KINDS = frozenset({Kind.RUN, Kind.UNSEEN})
"""Kinds of programs that may do more than is in sight."""

UNNAMED_KINDS = PROGRAM_KINDS | {Kind.CHANGE}
"""Kinds that may change files that nobody names."""

HOST_KINDS = frozenset({Kind.REACH, Kind.FETCH, Kind.SEND})
"""Kinds whose target is a host or an address."""


class Effect(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One effect of an action: kind, target, severity, and undo."""

    kind: Kind
    target: str
    severity: Severity
    undo: Undo
    says: str = ""
    """The effect in plain words; empty: the kind's verb and the target."""
    instead: str = ""
    """A concrete thing to do instead, if there is one for this effect."""
    command: int = 0
    """Index of the simple command that does it."""
    recursive: bool = False
    """Takes everything below the target with it."""
    opaque: bool = False
    """The target is only known when it runs; `target` shows what is known."""
    glob: bool = False
    """The target holds wildcards that the shell expands."""
    new: bool = False
    """Nothing is at the target yet: it creates the file instead of modifying one."""

    @property
    def intent(self) -> str:
        """What the agent wants with it: `create` and `modify` where it writes, else the kind."""
        if self.kind is not Kind.WRITE:
            return self.kind.value
        return "create" if self.new else "modify"

    @property
    def base(self) -> float:
        """The risk before anything else is looked at: a new file destroys nothing."""
        return _CREATES if self.new and self.kind is Kind.WRITE else KINDS[self.kind].base

    @property
    def text(self) -> str:
        """The effect as a phrase: "deletes /srv/app/data, recursively"."""
        if self.says:
            return self.says
        verb = "creates" if self.new and self.kind is Kind.WRITE else KINDS[self.kind].verb
        phrase = f"{verb} {self.target}".rstrip()
        return f"{phrase}, recursively" if self.recursive else phrase


def file_operations(effects: Sequence[Effect]) -> int:
    """How many files an action changes, as far as it is known."""
    return sum(effect.kind in CHANGING_KINDS for effect in effects)
